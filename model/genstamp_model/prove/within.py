"""The results of bounded model checking: what is claimed of the first steps, and no more."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from genstamp_model.explore import Violation
from genstamp_model.language.model import Instance
from genstamp_model.path import Path


class Within(StrEnum):
    """The result for the first N steps; nothing is claimed beyond them."""

    NO_VIOLATION = "no violation"
    VIOLATED = "violated"
    UNDETERMINED = "undetermined"


@dataclass(frozen=True)
class Bounded:
    """The result of bounded model checking.

    Attributes:
        asked: the number of requested steps.
        settled: in paths of this many steps there is no violation; -1 where not even the initial state is settled.
        looked_at: properties that were judged, "errors" and "deadlock" among them where these were.
        undetermined: why it ended early, as text.
        milliseconds: for each number of steps, the time that its answer took.
        deepest: see `_Search.deepest`.
    """

    instance: Instance
    verdict: Within
    asked: int
    settled: int
    violation: Violation | None
    looked_at: tuple[str, ...]
    undetermined: str
    milliseconds: tuple[float, ...]
    deepest: int | None = None

    @property
    def claim(self) -> str:
        """The verdict in words: what is claimed, and no more."""
        match self.verdict:
            case Within.VIOLATED:
                assert self.violation is not None
                return f"violated within {self.violation.steps} steps"
            case Within.NO_VIOLATION:
                return f"no violation {_within(self.asked, self.deepest, self.instance)}"
            case _:
                settled = f"; no violation within {self.settled} steps" if self.settled >= 0 else ""
                return f"undetermined: {self.undetermined}{settled}"


@dataclass(frozen=True)
class Reached:
    """Whether a witness shows within this many steps.

    Attributes:
        settled: in this many steps it is not reached; -1 where not even the initial state is settled.
        path: a shortest path to a state that shows it; None where none was found.
        undetermined: why it ended early, as text; empty where it did not.
        deepest: see `_Search.deepest`.
    """

    instance: Instance
    witness: str
    asked: int
    settled: int
    path: Path | None
    undetermined: str
    deepest: int | None = None

    @property
    def claim(self) -> str:
        """The result as text."""
        if self.path is not None:
            return f"{self.witness} is reached in {len(self.path)} steps"
        if self.undetermined:
            settled = f"; {self.witness} is not reached within {self.settled} steps" if self.settled >= 0 else ""
            return f"undetermined: {self.undetermined}{settled}"
        return f"{self.witness} is not reached {_within(self.asked, self.deepest, self.instance)}"


def _within(asked: int, deepest: int | None, instance: Instance) -> str:
    """How far was searched, in words."""
    if deepest is None:
        return f"within {asked} steps"
    if deepest == 0:
        which, one = ("states", "one") if instance.model.chooses else ("state", "it")
        return f"in the initial {which}, and no step changes {one}"
    return f"within {deepest} {'step' if deepest == 1 else 'steps'}, and no step changes the state after that"
