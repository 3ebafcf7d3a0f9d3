"""The changes of a step, a line for each place: an assignment, or the event of a lifecycle.

Every line mentions the state before the step. Not here: the checks: `call_text`.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final

from genstamp.tables.citations import first_sentence, function_around
from genstamp.tables.reading.known import Known, one_of
from genstamp.tables.reading.names import Name, Traced, Written
from genstamp.tables.reading.wording import Wording, is_beginning
from genstamp_model.language import ir
from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.model import Action, Effect
from genstamp_model.language.trace import Check
from genstamp_model.language.types import EnumType, RecordType, RefType

SHORT: Final = 96
"""The number of characters that fit on one line; a longer text is replaced by the name of its function."""
_CONDITION: Final = 76
"""A condition of more characters does not stand beside its words."""
LONG: Final = 200
"""A longer expression is always replaced by the name of its function."""
_MEMBER: Final = re.compile(r"\[[A-Za-z]+\.(?=[A-Z_]+\])")
"""The set of a named member, which is not written in a place."""

_CHANGES: Final = {
    Op.INSERT: "+= {{{}}}",
    Op.REMOVE: "-= {{{}}}",
    Op.UNION: "|= {}",
    Op.INTERSECTION: "&= {}",
    Op.DIFFERENCE: "-= {}",
    Op.APPEND: "gets {} at its end",
    Op.SEND: "gets {}",
    Op.TAKE: "loses {}",
}


class Effects:
    """Writes what the actions of one call change.

    Args:
        traced: the model, watched.
        wording: writes expressions.
        longest: a line of more characters is told by the function that has it.
        is_brief: whether functions of the specification are named in place of what they assign.
    """

    def __init__(self, traced: Traced, wording: Wording, *, longest: int = SHORT, is_brief: bool = False) -> None:
        self._traced, self._wording, self.is_brief = traced, wording, is_brief
        self._longest = longest
        self._told: set[str] = set()

    @cached_property
    def _ambiguous(self) -> frozenset[str]:
        """Labels that stand for different conditions in different actions."""
        found: dict[str, set[Expr]] = {}
        for action in self._traced.actions:
            for check in action.checks:
                found.setdefault(check.label, set()).add(check.condition)
        return frozenset(label for label, conditions in found.items() if len(conditions) > 1)

    def formula(self, check: Check) -> str:
        """The condition of a check in parentheses, if it is short and its words alone may not say which it is."""
        said = self._wording.text(check.condition)
        is_needed = check.label in self._ambiguous or self._wording.has_alternatives(check.condition)
        return f"({said})" if is_needed and len(said) <= _CONDITION else ""

    def lines(self, action: Action) -> Iterator[str]:
        """The effects of an action, and what it shows."""
        conditions = [check.condition for check in action.checks if not _may_be_left_out(check)]
        known = Known(conditions, self._traced.names)
        effects = [effect for effect in action.effects if effect.variable not in self._traced.history]
        if self.is_brief:
            written = self._traced.by(action)
            yield from _joined([self._called(one) for one in written if one.name.function and self._seen(one)])
            left = {name for one in written if not one.name.function for name in one.variables}
            effects = [effect for effect in effects if effect.variable in left]
        yield from self._flat(action, effects, known)
        shows = [f"{name} = {self._wording.text(known.simplified(value))}" for name, value in action.observations]
        if shows:
            yield f"shows {', '.join(one if len(one) <= SHORT else one[: one.index(' = ')] for one in shows)}"

    def _seen(self, written: Written) -> list[str]:
        return [name for name in written.variables if name not in self._traced.history]

    def _called(self, written: Written) -> str:
        called = self._wording.call(written.name)
        self._wording.used[written.name.function] = written.name.says
        self._wording.sets.setdefault(written.name.function, {}).update(dict.fromkeys(self._seen(written)))
        told = called + self._said(written.name)
        return told if len(told) <= SHORT else called

    def _said(self, name: Name) -> str:
        """The docstring of a function, at its first mention in a call."""
        if name.function in self._told or not name.says:
            return ""
        self._told.add(name.function)
        return f": {name.says.removesuffix('.')}"

    def _flat(self, action: Action, effects: Sequence[Effect], known: Known) -> Iterator[str]:
        """A line for each place, but one for all that only the same function tells."""
        events = _Events(action, known, self._wording)
        found: dict[str, list[str]] = {}
        for effect in effects:
            before = ir.make(Op.VARIABLE, (), effect.value.type, effect.variable)
            changes = _assigned(effect.variable, before, effect.value, known, self._wording)
            for place, change, condition, states in changes:
                fired = events.lines(place) if place in events.places else []
                is_fired = states is not None and fired and states <= events.ends(place)
                said = f"{place} {change}{f' if {condition}' if condition else ''}"
                is_told = fired and (is_fired or len(said) > LONG)
                for line in fired if is_told else [*fired, said]:
                    name, doc = function_around(effect.source)
                    is_own = name in ("", action.declared)
                    if len(line) <= self._longest or is_own or line in fired:
                        found.setdefault(line, [])
                    else:
                        places = found.setdefault(f"{name}\0{first_sentence(doc)}", [])
                        places += [place] if place not in places else []
        for line, places in found.items():
            name, _, says = line.partition("\0")
            yield f"{', '.join(places)}: by {name}(){self._said(Name(name, (), says))}" if places else line


def _joined(calls: Sequence[str]) -> list[str]:
    """Calls of functions that say nothing more, on as few lines as they fit."""
    lines: list[str] = []
    for call in calls:
        is_more = lines and ": " not in lines[-1] + call and len(lines[-1]) + len(call) < SHORT
        if is_more:
            lines[-1] += f"; {call}"
        else:
            lines.append(call)
    return lines


def _may_be_left_out(check: Check) -> bool:
    """An event that is fired in some cases only says nothing of the state before."""
    return check.lifecycle and _apart(check.condition)[0] is not ir.TRUE


def _assigned(
    place: str, before: Expr, value: Expr, known: Known, wording: Wording, condition: str = ""
) -> Iterator[tuple[str, str, str, frozenset[int] | None]]:
    """Each place that a value changes: how it is written, what becomes of it, where, and the states it is among.

    The last is None where the value is no choice among states, as events of a lifecycle leave it.
    """
    if value is before:
        return
    inner = value.args
    if value.op is Op.STORE:
        yield from _assigned(place, before, inner[0], known, wording, condition)
        position = wording.text(known.simplified(inner[1]))
        yield from _assigned(f"{place}[{position}]", ir.select(inner[0], inner[1]), inner[2], known, wording, condition)
    elif value.op is Op.WITH_FIELD:
        yield from _assigned(place, before, inner[0], known, wording, condition)
        assert isinstance(value.type, RecordType)
        field = f"{place}.{value.type.fields[value.data][0]}"
        yield from _assigned(field, ir.field(inner[0], value.data), inner[1], known, wording, condition)
    elif value.op is Op.ITE and not _is_lifecycle(value) and before in inner[1:]:
        truth = known.simplified(inner[0])
        holds = truth if inner[2] is before else known.simplified(ir.negation(truth))
        if holds is not ir.FALSE:
            also = "" if holds is ir.TRUE else wording.text(holds)
            both = " and ".join(one for one in (condition, also) if one)
            yield from _assigned(place, before, inner[1] if inner[2] is before else inner[2], known, wording, both)
    elif value.op in _CHANGES and known.simplified(inner[0]) is known.simplified(before):
        yield place, _CHANGES[value.op].format(wording.text(known.simplified(inner[1]))), condition, None
    elif value.op is Op.DROP_FIRST and inner[0] is before:
        yield place, "loses its first", condition, None
    elif value.op in (Op.RECORD, Op.TABULATE) and is_beginning(value):
        yield place, "is reset", condition, None
    elif value.op is Op.RECORD:
        assert isinstance(value.type, RecordType)
        for i, (name, _) in enumerate(value.type.fields):
            yield from _assigned(f"{place}.{name}", ir.field(before, i), inner[i], known, wording, condition)
    elif value.op is Op.TABULATE:
        member = ir.make(Op.PARAMETER, (), RefType(value.data.over), value.data.name)
        one, old = f"{place}[{member.data}]", ir.select(before, member)
        body = known.simplified(inner[0])
        at = _at_one(body, member, old)
        if at is not None:
            one, body = f"{place}[{wording.text(at)}]", body.args[1]
        yield from _assigned(one, old, body, known, wording, condition)
    else:
        shorter = known.simplified(value)
        if shorter is not known.simplified(before):
            yield place, f":= {wording.text(shorter)}", condition, _states(shorter, known.simplified(before))


def _at_one(body: Expr, member: Expr, old: Expr) -> Expr | None:
    """The only member of which an update gives another value, if there is one."""
    if body.op is not Op.ITE or body.args[2] is not old or body.args[0].op is not Op.EQ:
        return None
    left, right = body.args[0].args
    only = right if left is member else left if right is member else None
    return only if only is not None and member.data not in only.free | body.args[1].free else None


def _states(value: Expr, before: Expr) -> frozenset[int] | None:
    """The states among which a value of a lifecycle is a choice, without the one before; None if it is none."""
    if value.op is Op.ITE:
        found = [_states(side, before) for side in value.args[1:]]
        return None if None in found else frozenset().union(*(one for one in found if one is not None))
    if value is before:
        return frozenset()
    return frozenset([value.data]) if value.op is Op.CONST else None


def _is_lifecycle(value: Expr) -> bool:
    return isinstance(value.type, EnumType) and bool(value.type.lifecycle)


class _Events:
    """The events that an action fires, by the place of the lifecycle."""

    def __init__(self, action: Action, known: Known, wording: Wording) -> None:
        self.places: dict[str, list[Check]] = {}
        self._known, self._wording, self._declared = known, wording, action.declared
        for check in action.checks:
            if check.lifecycle:
                place = _MEMBER.sub("[", check.label.partition(" is ")[0])
                self.places.setdefault(place, []).append(check)

    def lines(self, place: str) -> list[str]:
        """The events fired there, in order, each with the states that it leads from and to."""
        return [line for check in self.places[place] for line in self._line(place, check)]

    def ends(self, place: str) -> frozenset[int]:
        """The states that the events fired there can lead to."""
        found = set()
        for check in self.places[place]:
            kind = _lifecycle_of(check)
            found |= {kind.labels.index(end) for _, event, end in kind.lifecycle if event == _event_of(check)}
        return frozenset(found)

    def _line(self, place: str, check: Check) -> Iterator[str]:
        where, allowed = _apart(check.condition)
        holds = self._known.simplified(where)
        if holds is ir.FALSE:
            return
        event, kind = _event_of(check), _lifecycle_of(check)
        states = [part for part in (allowed.args if allowed.op is Op.OR else (allowed,)) if part.op is Op.EQ]
        targets = {source: target for source, fired, target in kind.lifecycle if fired == event}
        among, labels = one_of(holds)
        if among is states[0].args[0]:
            holds = ir.TRUE
            states = [part for part in states if part.args[1].data in labels]
        possible = [kind.labels[part.args[1].data] for part in states if self._may_be(part)]
        moving = [one for one in possible if targets[one] != one] or possible
        ends = dict.fromkeys(targets[source] for source in moving)
        arrows = "; ".join(f"{', '.join(one for one in moving if targets[one] == end)} -> {end}" for end in ends)
        condition = "" if holds is ir.TRUE else f" if {self._wording.text(holds)}"
        line = f"{place}: {event} ({arrows}){condition}"
        if len(line) > SHORT:
            line = f"{place}: {event} (-> {' or '.join(ends)}){condition}"
        function = function_around(check.source)[0]
        if len(line) > LONG and condition and function != self._declared:
            line = f"{place}: {event} (-> {' or '.join(ends)}) in some cases, by {function}()"
        yield line

    def _may_be(self, part: Expr) -> bool:
        return self._known.simplified(part) is not ir.FALSE


def _apart(condition: Expr) -> tuple[Expr, Expr]:
    """Where an event is fired, and the states that it may be fired in."""
    if condition.op is Op.OR and condition.args[0].op is Op.NOT and len(condition.args) == 2:
        return condition.args[0].args[0], condition.args[1]
    return ir.TRUE, condition


def _event_of(check: Check) -> str:
    """The event that a check of a lifecycle is about."""
    return check.label.rpartition(" to ")[2]


def _lifecycle_of(check: Check) -> EnumType:
    """The lifecycle that it is an event of."""
    allowed = _apart(check.condition)[1]
    state = allowed.args[0] if allowed.op is Op.OR else allowed
    kind = state.args[1].type
    assert isinstance(kind, EnumType)
    return kind
