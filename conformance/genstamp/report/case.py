"""Test cases: each claim that was judged, with its outcome. All machine-readable formats are written from them."""

from dataclasses import dataclass
from typing import Literal

Outcome = Literal["passed", "failure", "error", "undetermined", "warning", "skipped"]
"""The outcome of a test case. A warning is a finding that does not fail the run; an error is a judge that could not do
its work, or a step that cannot be computed.
"""


@dataclass(frozen=True)
class Place:
    """A line of a file, from 1; the file as `report.places` names it, without a path of this machine."""

    file: str
    line: int


@dataclass(frozen=True)
class Rule:
    """A claim that is judged.

    Attributes:
        name: unique, and the same in every run.
        text: the claim in a sentence.
        place: where it is declared.
    """

    name: str
    text: str = ""
    place: Place | None = None


@dataclass(frozen=True)
class Stage:
    """One step of a counterexample, and the line of its action."""

    text: str
    place: Place | None = None


@dataclass(frozen=True)
class Case:
    """One test case.

    Attributes:
        group, name: what was checked; JUnit shows the group as the class.
        seconds: how long it took.
        outcome: the outcome; an undetermined case is not a pass.
        kind: the kind of a finding in a word, for example "deadlock".
        message: the finding in a sentence.
        text: the finding in full.
        rule: the claim that was judged.
        judged: other claims that were judged with it.
        place: the line of a finding; by default that of the rule.
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
        """The line of the finding, else of the rule; None if neither is known."""
        return self.place or (self.rule.place if self.rule is not None else None)

    @property
    def claim(self) -> Rule:
        """The rule; a case without one has a rule named like its group."""
        return self.rule or Rule(self.group)
