"""The report over all mutants of a model: kill rates and survivors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from genstamp_model.mutate.judging import JUDGES, Outcome


@dataclass(frozen=True)
class Report:
    """The outcomes of some mutants, counted.

    Attributes:
        outcomes: one for each mutant.
        equivalent: the reviewed mutants, which change nothing that matters: the reason by name.
        every: whether every judge was run on every mutant, even after a claim had noticed it.
        seconds: how long judging took.
    """

    outcomes: Sequence[Outcome]
    equivalent: Mapping[str, str]
    every: bool
    seconds: float

    @property
    def killed(self) -> int:
        """The number of mutants that some judge noticed."""
        return sum(bool(outcome.noticed) for outcome in self.outcomes)

    @property
    def claimed(self) -> int:
        """The number of mutants that a claim noticed, not only the numbers in the lock."""
        return sum(outcome.claimed for outcome in self.outcomes)

    @property
    def by_judge(self) -> dict[str, int]:
        """The number of noticed mutants by judge."""
        found = Counter(name for outcome in self.outcomes for name in outcome.noticed)
        return {name: found[name] for name in JUDGES}

    @property
    def same(self) -> list[Outcome]:
        """The mutants whose compiled program is the model's own in every configuration."""
        return [outcome for outcome in self.outcomes if outcome.same]

    @property
    def proved(self) -> list[Outcome]:
        """The mutants with another program that are proved to change nothing."""
        return [outcome for outcome in self.outcomes if outcome.proved]

    @property
    def alike(self) -> list[Outcome]:
        """The mutants that differ in no reached state."""
        return [outcome for outcome in self.outcomes if outcome.alike]

    @property
    def survivors(self) -> list[Outcome]:
        """The mutants that differ in a reached state and that no judge noticed, reviewed or not."""
        return [one for one in self.outcomes if not (one.noticed or one.same or one.proved or one.alike)]

    @property
    def reviewed(self) -> list[Outcome]:
        """The reviewed survivors, which change nothing that matters."""
        return [outcome for outcome in self.survivors if outcome.mutant.name in self.equivalent]

    @property
    def kill_rate(self) -> float | None:
        """The share of the counted mutants that some judge noticed; None if `counted` is 0."""
        return self.killed / self.counted if self.counted else None

    @property
    def claim_rate(self) -> float | None:
        """The share of the counted mutants that a claim noticed; None if `counted` is 0."""
        return self.claimed / self.counted if self.counted else None

    @property
    def counted(self) -> int:
        """The number of mutants that differ in a reached state, and are not reviewed."""
        return self.killed + len(self.open)

    @property
    def open(self) -> list[Outcome]:
        """The survivors that are not reviewed."""
        return [outcome for outcome in self.survivors if outcome.mutant.name not in self.equivalent]

    def lines(self) -> Iterator[str]:
        """The report, in lines."""
        total, counted = len(self.outcomes), self.counted
        yield f"{self.claimed} of {counted} mutants ({percent(self.claimed, counted)}) are noticed by a claim"
        yield f"{self.killed} of {counted} ({percent(self.killed, counted)}) by a claim or by the numbers in the lock"
        yield f"{total - counted} of {total} judged are left out, in {self.seconds:.0f} s:"
        yield f"  {len(self.same)} are no other program in any configuration"
        yield f"  {len(self.proved)} are proved to change nothing, for numbers of any size"
        yield f"  {len(self.alike)} differ in no state that is reached in any configuration searched"
        yield f"  {len(self.reviewed)} were reviewed"
        yield "noticed by, " + ("each judge asked:" if self.every else "no more asked once a claim has noticed:")
        for name, count in self.by_judge.items():
            yield f"  {name}: {count} ({percent(count, counted)})"
        if self.survivors:
            yield f"{len(self.survivors)} survive, {len(self.open)} of them not reviewed:"
        for outcome in self.survivors:
            reason = self.equivalent.get(outcome.mutant.name)
            yield f"  {outcome.mutant.name}  {outcome.mutant}" + (f" - reviewed: {reason}" if reason else "")


def percent(part: int, whole: int) -> str:
    """A share in percent with one digit; `none` if the whole is 0."""
    return f"{100 * part / whole:.1f} %" if whole else "none"
