"""What was judged, with what came of it: the one thing that every machine-readable format is made from."""

from dataclasses import dataclass
from typing import Literal

Outcome = Literal["passed", "failure", "error", "undetermined", "warning", "skipped"]
"""A failure is a finding, a warning one that is a pass; an error is a judge that could not do its work, or a step that
goes wrong."""


@dataclass(frozen=True)
class Place:
    """A line of a file, from 1; the file as `report.places` shows it: never a path of this machine."""

    file: str
    line: int


@dataclass(frozen=True)
class Rule:
    """A claim that is judged.

    Attributes:
        name: stays the same from run to run, and differs from that of every other claim.
        text: the claim in a sentence.
        place: where it is declared.
    """

    name: str
    text: str = ""
    place: Place | None = None


@dataclass(frozen=True)
class Stage:
    """One step of a counterexample: what happens, and the line of the action that does it."""

    text: str
    place: Place | None = None


@dataclass(frozen=True)
class Case:
    """One test case.

    Attributes:
        group, name: what was checked; the group is shown as a class.
        outcome: what is undetermined is no pass.
        kind: of what is not passed, in a word.
        message: in a sentence.
        text: the whole story.
        rule: the claim that this is about; what is not passed is not passed because of it.
        judged: other claims that were judged at the same time.
        place: of what is not passed; by default where the rule is declared.
        steps: the counterexample.
    """

    group: str
    name: str
    seconds: float
    outcome: Outcome = "passed"
    kind: str = ""
    message: str = ""
    text: str = ""
    rule: Rule | None = None
    judged: tuple[Rule, ...] = ()
    place: Place | None = None
    steps: tuple[Stage, ...] = ()

    @property
    def where(self) -> Place | None:
        """The line to look at."""
        return self.place or (self.rule.place if self.rule is not None else None)

    @property
    def claim(self) -> Rule:
        """The rule; of a case that names none, its group."""
        return self.rule or Rule(self.group)
