"""A call as one numbered text: checks in their order, each case as a branch, effects at the end of each way.

The ways of a call are traced one by one (`genstamp_model.language.actions`); here they are put together again.
"""

import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from genstamp.tables.citations import function_around
from genstamp.tables.reading.effects import Effects
from genstamp.tables.reading.state_table import comment
from genstamp_model.language.model import Action
from genstamp_model.language.trace import Case, Check

WIDTH: Final = 118
_SOURCE: Final = re.compile(r"(?m)^Source  ((?:.+\n?)+)")
"""The paragraph of a docstring that names the method of Hadoop."""
_ROWS: Final = re.compile(r"(\b[A-J]\.?\d*'? )rows? (\d[\d, ]*), \1rows? (\d[\d, ]*)")
_ROW: Final = re.compile(r"(?:row|step)s? \d")
_REFUSALS: Final = 70
"""The column in which exceptions stand."""

Marks = Mapping[str, str]
"""The variations that drop a check, by the check's label."""
Cited = Callable[[str], Sequence[str]]
"""The places of the facts that a text cites."""


@dataclass(frozen=True)
class _Step:
    """A check, or a case with its check, on one way."""

    check: Check | None
    case: Case | None

    @property
    def key(self) -> tuple[str, str]:
        """The same for two ways as long as they have not parted."""
        if self.case is not None:
            return self.case.name, self.case.label
        assert self.check is not None
        return "", self.check.label


def text(ways: Sequence[Action], effects: Effects, marks: Marks, cited: Cited) -> list[str]:
    """The lines of a call.

    Args:
        ways: the actions that were traced from one declaration, in their order.
        effects: writes what they change.
        marks: variations that leave out a check.
        cited: finds places of the facts in a text.
    """
    return list(_Writer(effects, marks, cited).level([(way, _steps(way)) for way in ways], 0, "", 0))


def _steps(way: Action) -> list[_Step]:
    """The checks and cases of a way in the order in which they were met."""
    cases = [case for case in way.cases if not case.is_only]
    found: list[_Step] = []
    number = 0
    for case in cases:
        found += [_Step(check, None) for check in way.checks[number : case.place]]
        number = case.place
        check = None
        if not case.is_open:
            check, number = way.checks[number], number + 1
        found.append(_Step(check, case))
    found += [_Step(check, None) for check in way.checks[number:]]
    return [step for step in found if step.check is None or not step.check.lifecycle]


Way = tuple[Action, list[_Step]]


@dataclass
class _Writer:
    effects: Effects
    marks: Marks
    cited: Cited
    method: str = ""
    places: str = ""

    def level(self, ways: Sequence[Way], place: int, number: str, depth: int) -> Iterator[str]:
        """What ways that have not parted have still to do, as steps of one depth."""
        count = 0
        while ways:
            steps = [steps[place] if place < len(steps) else None for _, steps in ways]
            first = steps[0]
            if first is None:
                yield from self._end(ways[0][0], depth)
                ways = ways[1:]
                continue
            count += 1
            numbered = f"{number}{count}"
            if first.case is None:
                assert first.check is not None
                refusals = [step.check.refuses for step in steps if step and step.check and step.check.refuses]
                refuses = refusals[0] if refusals else ""
                yield from self._line(numbered, depth, first.check.label, refuses, first.check, ways[0][0])
                place += 1
                continue
            follows = [way for way, step in zip(ways, steps, strict=True) if step and step.case and step.case.follows]
            others = [way for way in ways if way not in follows]
            word = "perhaps" if first.case.is_open else "if"
            yield from self._line(numbered, depth, f"{word} {first.case.label}", None, first.check, ways[0][0])
            yield from self.level(follows, place + 1, f"{numbered}.", depth + 1)
            place += 1
            ways = others

    def _line(
        self, number: str, depth: int, label: str, refuses: str | None, check: Check | None, way: Action
    ) -> Iterator[str]:
        """A check or a case, under its method of Hadoop if that differs from the one before.

        `refuses` is None for a case, and empty if the check refuses no caller.
        """
        indent, notes, formula = "    " * depth, "", ""
        if check is not None:
            name, doc = function_around(check.source)
            method = _SOURCE.search(doc) if name != way.declared else None
            if method is not None:
                said = _shorter(method[1])
                if said.partition(";")[0] != self.method:
                    yield from _wrapped(f"{indent}-- {said}", depth)
                self.method = said.partition(";")[0]
            notes = self._notes(check, doc, has_method=method is not None)
            formula = self.effects.formula(check) if label.endswith(check.label) else ""
        line, colon = f"{indent}{number}  {label}", ":" if refuses is None else ""
        if formula and len(line) + len(formula) < (_REFUSALS if refuses else WIDTH - len(notes) - 2):
            line, formula = f"{line} {formula}", ""
        line += colon
        if refuses:
            line = f"{line:<{_REFUSALS}}  -> {refuses}"
        if notes and len(line) + len(notes) + 4 > WIDTH:
            yield from _wrapped(line, depth)
            yield f"{notes:>{WIDTH}}"
        else:
            yield f"{line:<{WIDTH - len(notes)}}{notes}" if notes else line
        if formula:
            yield from _wrapped(f"{indent}        {formula}", depth)

    def _notes(self, check: Check, doc: str, *, has_method: bool) -> str:
        """Where the facts say so, or the remark of the specification beside the line; and what leaves the line out."""
        said = comment(check.source)
        if not said and not has_method:
            places = ", ".join(self.cited(doc))
            said, self.places = "" if places == self.places else places, places
        elif _ROW.match(said):
            section = re.search(r"facts ([A-J]\.?\d*'?)", doc)
            said = f"{section[1]} {said}" if section else said
        marked = [mark for mark in (check.mark, self.marks.get(check.label, "")) if mark]
        return "  ".join([one for one in (said,) if one] + [f"[not with {mark}]" for mark in marked])

    def _end(self, way: Action, depth: int) -> Iterator[str]:
        """Effects, what is shown, and how the way ends."""
        indent = f"{'    ' * depth}   "
        end = f"=> {way.name}"
        if way.unchanged:
            end += f": nothing changes, {way.unchanged}"
        if way.refuses:
            end += f" -> {way.refuses}"
        *lines, last = [*self.effects.lines(way), end]
        if self.effects.is_brief and lines and len(indent + lines[-1] + last) + 3 <= WIDTH:
            last = f"{lines.pop()}   {last}"
        for line in [*lines, last]:
            yield from _wrapped(indent + line, depth)


def _shorter(method: str) -> str:
    """A paragraph on a method of Hadoop without the usual release, and with the rows of one table together."""
    said = " ".join(method.split()).removesuffix(".").replace(", Hadoop 3.4.1", "")
    while (together := _ROWS.sub(r"\1rows \2, \3", said)) != said:
        said = together
    return said


def _wrapped(line: str, depth: int) -> list[str]:
    indent = "    " * depth + " " * 8
    return textwrap.wrap(line, WIDTH, subsequent_indent=indent, drop_whitespace=True, break_long_words=False) or [line]
