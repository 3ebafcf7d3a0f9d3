"""The progress and the result of a search.

Not here: how it is found (`search`), and what broke (`violation`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from genstamp_model.explore.violation import Violation
from genstamp_model.interest import Interest
from genstamp_model.language.model import Instance

INTERRUPTED: Final = "interrupted"
"""Why a search is undetermined that the keyboard has interrupted."""


class Verdict(Enum):
    """The verdict on a claim."""

    HOLDS = "holds"
    VIOLATED = "violated"
    UNDETERMINED = "undetermined"


@dataclass(frozen=True)
class Progress:
    """The progress of a search: states found, those still to be expanded, steps taken, levels found, seconds."""

    states: int
    waiting: int
    generated: int
    levels: int
    seconds: float


@dataclass(frozen=True)
class Refusal:
    """A check that refuses with an exception: has a reachable state refused there?"""

    action: str
    label: str
    refuses: str
    defensive: bool
    seen: bool


@dataclass(frozen=True)
class Critical:
    """A part of a property, and whether it could have failed somewhere.

    Attributes:
        times: steps in which it could have failed; of a part about one state, whether there is such a state.
        after: steps on a shortest path to such a state; None where there is none, and for a part about steps.
    """

    interest: Interest
    times: int
    after: int | None


def nothing_searched(limits: Iterable[str]) -> str:
    """That no step is possible, as limits with these names cut off all that there are, if any."""
    cuts = ", ".join(sorted(limits))
    return f"no step is possible{f' within the limits of {cuts}' if cuts else ''}, so nothing was searched"


@dataclass(frozen=True)
class Result:
    """The result of a search.

    `verdict` is about invariants, transition properties, refinements, deadlock and range errors; witnesses, refusals
    and what is not judged stand beside it. It holds within the limits that cut steps off, which `cuts` counts. A
    search by fingerprints holds with a probability; what it says is violated is.

    Attributes:
        undetermined: why the search ended early, as text; empty where it did not.
        states: distinct states.
        generated: the initial states and every step taken.
        levels: of the breadth-first search, the initial state's included.
        words, bytes_a_state: int64 words a state, and all memory in use over all states.
        seconds: of the search alone; `compile_seconds` is for expansion and machine code.
        cuts: steps cut off, by limit; a step beyond two limits counts for both.
        taken: steps taken, by action.
        refined: steps that are one of an upper system and change something there, by system and upper action.
        critical: where each part of each property could have failed.
        witnesses: length of a shortest path to each witness; None where no state shows it.
        not_judged: leads-to properties, which this search cannot judge.
        doubt: at most the probability with which states were missed, because only fingerprints of them were compared;
            0 where all states were compared in full.
        disk_bytes: most that files took at a time, for what had no room in memory.
        reductions: how one state stands for many, as text; then all counts are of such states.
    """

    instance: Instance
    verdict: Verdict
    undetermined: str
    violation: Violation | None
    states: int
    generated: int
    levels: int
    words: int
    bytes_a_state: float
    seconds: float
    compile_seconds: float
    cuts: Mapping[str, int]
    taken: Mapping[str, int]
    refusals: tuple[Refusal, ...]
    witnesses: Mapping[str, int | None]
    not_judged: tuple[str, ...]
    refined: Mapping[str, int] = field(default_factory=dict)
    idle: Mapping[str, int] = field(default_factory=dict)
    critical: tuple[Critical, ...] = ()
    reductions: tuple[str, ...] = ()
    doubt: float = 0.0
    disk_bytes: int = 0

    def __str__(self) -> str:
        why = f", {self.undetermined}" if self.undetermined else ""
        where = f"{self.instance.model.system}:{self.instance.configuration.name}"
        found = f"{where}: {self.verdict.value}{why}, {self.states:,} distinct states, depth {self.depth}"
        return found if self.violation is None else f"{found}\n{self.violation}"

    @property
    def unsettled(self) -> str:
        """Why this says nothing, or not all, of what was searched for; empty where it does, and of a violation."""
        if self.verdict is not Verdict.HOLDS or any(self.taken.values()):
            return self.undetermined
        return nothing_searched(name for name, steps in self.cuts.items() if steps)

    @property
    def depth(self) -> int:
        """Most steps on a shortest path to a state."""
        return self.levels - 1

    @property
    def states_a_second(self) -> float:
        """Distinct states a second."""
        return self.states / self.seconds if self.seconds else 0.0
