"""The violation, whichever judge found it: a path to where a property breaks, or a lasso that breaks a leads-to.

Not here: the search for it (`searching`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from genstamp import leads_to
from genstamp.lock import VIOLATED
from genstamp.report.case import Place
from genstamp.report.places import place
from genstamp.verify.job import Context
from genstamp_model.explore import Verdict, Violation
from genstamp_model.language import Variation
from genstamp_model.liveness import Lasso, Liveness
from genstamp_model.path import Path


@dataclass(frozen=True)
class Break:
    """One counterexample.

    Attributes:
        kind, name, message: as a `Violation` has them; the kind of a lasso is "leads-to".
        path: to where it breaks; of a lasso its prefix and its cycle, once.
        lines: as a reader sees it.
        lasso: whether it is infinite.
        why: which part of the property is false, for a reader.
    """

    kind: str
    name: str
    message: str
    path: Path
    lines: tuple[str, ...]
    lasso: Lasso | None = None
    why: tuple[str, ...] = ()

    @property
    def place(self) -> Place | None:
        """Where the property is declared; of what is none, where the last step is."""
        model = self.path.instance.model
        claims = [claim.source for claim in model.properties if claim.name == self.name]
        actions = [action.source for action in model.actions if action.name == self.name]
        last = [step.action.source for step in self.path.steps[-1:]]
        return place(next(iter((*claims, *actions, *last)), None))

    @property
    def story(self) -> tuple[str, ...]:
        """The path, and which part of the property is false."""
        return *self.lines, *(f"  {line}" for line in self.why)

    @property
    def how(self) -> str:
        """`in 3 steps`, or `by 1 step and a cycle of 3`."""
        return f"in {steps(len(self.path))}" if self.lasso is None else f"by {leads_to.size(self.lasso)}"

    @property
    def locked(self) -> str:
        """The verdict as the lock keeps it: a lasso is one of many, and its length says nothing."""
        return f"{VIOLATED} {self.how}" if self.lasso is None else f"{VIOLATED} by a lasso"

    @property
    def depth(self) -> int:
        """Steps of a shortest counterexample; 0 for a lasso, which need not be a shortest one."""
        return len(self.path) if self.lasso is None else 0


def breaks(violation: Violation | None, judged: tuple[Liveness, ...] = ()) -> list[Break]:
    """All that broke: what a search found, and the leads-to properties that are violated."""
    found = []
    if violation is not None:
        why = () if violation.part is None else tuple(violation.part.lines())
        lines = tuple(violation.run())
        found.append(Break(violation.kind, violation.name, violation.message, violation.path, lines, why=why))
    for one in judged:
        if one.lasso is not None:
            lines = tuple(one.lasso.lines())
            found.append(Break("leads-to", one.claim.name, "", leads_to.whole(one.lasso), lines, one.lasso))
    return found


def differs(fault: Variation, found: Sequence[Break]) -> str:
    """What is not as a fault declares it: which property breaks, and after how many steps; empty where all is."""
    declared = f"{fault.name} is declared to break {' or '.join(fault.breaks)}"
    broken = next((one for one in found if one.name in fault.breaks), None)
    if not fault.breaks:
        return ""
    if broken is None:
        return f"{declared}, and {f'{found[0].name or found[0].kind} breaks' if found else 'nothing breaks'}"
    if fault.depth and fault.depth != broken.depth:
        how = broken.how if broken.lasso is None else "by a lasso, whose length says nothing"
        return f"{declared} in {steps(fault.depth)}, and {broken.name} breaks {how}"
    return ""


def undetermined(judged: tuple[Liveness, ...]) -> str:
    """Which leads-to properties are undetermined, and why; empty where none is."""
    left = [one for one in judged if one.verdict is Verdict.UNDETERMINED]
    return "; ".join(f"{one.claim.name} is undetermined: {one.reason}" for one in left)


def steps(number: int) -> str:
    """`1 step`, `7 steps`."""
    return f"{number} step{'' if number == 1 else 's'}"


def written(context: Context, name: str, broken: Break) -> tuple[str, ...]:
    """Write a counterexample as text and in the Informal Trace Format; gives the files."""
    directory = context.directory / "counterexamples"
    directory.mkdir(exist_ok=True)
    text = "".join(f"{line}\n" for line in broken.story)
    (directory / f"{name}.txt").write_text(text, encoding="utf-8")
    claim = broken.name or broken.kind
    trace = broken.path.to_itf(violated=claim) if broken.lasso is None else leads_to.itf(broken.lasso, claim)
    (directory / f"{name}.itf.json").write_bytes(msgspec.json.encode(trace))
    return f"counterexamples/{name}.txt", f"counterexamples/{name}.itf.json"
