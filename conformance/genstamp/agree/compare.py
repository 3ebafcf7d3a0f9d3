"""What two checkers found in one configuration, compared with each other.

Whatever both of them know must be the same. What one of them does not judge at all is told: it is neither agreement
nor the contrary. What one of them gave up is not known, and no agreement.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from genstamp.agree.peer import RANGES, Found, Verdict
from genstamp_model.language.model import Instance


class Outcome(StrEnum):
    """Whether two checkers agree."""

    AGREE = "agree"
    DISAGREE = "disagree"
    UNDETERMINED = "undetermined"
    ABSENT = "absent"


@dataclass(frozen=True)
class Comparison:
    """The result of one peer, compared with our search.

    Attributes:
        peer: its name.
        version: of it; None where it is absent.
        found: by it; None where it is absent.
        compared: what both of them know: names of properties, "distinct states", "depth".
        differences: a sentence each, with both values.
        unknown: names of properties that only one of them has judged, or neither.
        reason: why one of them did not finish, or what it gave up; empty where both finished.
    """

    peer: str
    version: str | None
    found: Found | None
    compared: tuple[str, ...] = ()
    differences: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    reason: str = ""

    @property
    def outcome(self) -> Outcome:
        """A difference counts for more than what is not known."""
        if self.found is None:
            return Outcome.ABSENT
        if self.differences:
            return Outcome.DISAGREE
        return Outcome.UNDETERMINED if self.reason else Outcome.AGREE


@dataclass(frozen=True)
class Agreement:
    """The results of all peers in one configuration, compared with our search."""

    instance: Instance
    ours: Found
    comparisons: tuple[Comparison, ...]

    @property
    def outcome(self) -> Outcome:
        """The worst of the comparisons; absence is not knowing."""
        outcomes = {comparison.outcome for comparison in self.comparisons}
        if Outcome.DISAGREE in outcomes:
            return Outcome.DISAGREE
        return Outcome.AGREE if outcomes == {Outcome.AGREE} else Outcome.UNDETERMINED


def compared(peer: str, version: str, ours: Found, theirs: Found) -> Comparison:
    """A peer's results, compared with the results of our search."""
    done: list[str] = []
    differences: list[str] = []
    unknown: list[str] = []
    for what, here, there in _figures(ours, theirs):
        if here is not None and there is not None:
            done.append(what)
            if here != there:
                differences.append(f"{what}: {here:,} here, {there:,} by {peer}")
    for name, held in ours.verdicts.items():
        theirs_of_it = theirs.verdicts.get(name, Verdict.UNDETERMINED)
        if Verdict.UNDETERMINED in (held, theirs_of_it):
            unknown.append(name)
            continue
        done.append(name)
        if held is not theirs_of_it:
            differences.append(f"{name}: {held} here, {theirs_of_it} by {peer}")
    # A number out of range ends every search, so that there is nothing more to know.
    is_over = all(found.verdicts.get(RANGES) is Verdict.VIOLATED for found in (ours, theirs))
    reasons = [] if is_over else [found.undetermined for found in (ours, theirs) if found.distinct is None]
    if not is_over and not reasons:
        # A property that a checker does not judge is missing from its verdicts.
        given_up = [name for name in unknown if theirs.verdicts.get(name) is Verdict.UNDETERMINED]
        reasons = [f"{peer} gave up {name}" for name in given_up]
    reason = "; ".join(reasons)
    return Comparison(peer, version, theirs, tuple(done), tuple(differences), tuple(unknown), reason)


def _figures(ours: Found, theirs: Found) -> Sequence[tuple[str, int | None, int | None]]:
    return [("distinct states", ours.distinct, theirs.distinct), ("depth", ours.depth, theirs.depth)]
