"""What became of all mutants of a model: kill rates, and the survivors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from genstamp_model.mutate.judging import JUDGES, Outcome


@dataclass(frozen=True)
class Report:
    """Outcomes of some mutants.

    Attributes:
        outcomes: one a mutant.
        equivalent: mutants that were reviewed and change nothing that matters: the reason by name.
        every: each judge was asked about each mutant; otherwise no more were asked once a claim had noticed it.
        seconds: of judging.
    """

    outcomes: Sequence[Outcome]
    equivalent: Mapping[str, str]
    every: bool
    seconds: float

    @property
    def killed(self) -> int:
        """Mutants that some judge noticed."""
        return sum(bool(outcome.noticed) for outcome in self.outcomes)

    @property
    def claimed(self) -> int:
        """Mutants that the specification's own claims noticed, and not only the numbers in the lock."""
        return sum(outcome.claimed for outcome in self.outcomes)

    @property
    def by_judge(self) -> dict[str, int]:
        """Mutants noticed, by judge."""
        found = Counter(name for outcome in self.outcomes for name in outcome.noticed)
        return {name: found[name] for name in JUDGES}

    @property
    def same(self) -> list[Outcome]:
        """Mutants whose compiled program is the model's own in every configuration."""
        return [outcome for outcome in self.outcomes if outcome.same]

    @property
    def proved(self) -> list[Outcome]:
        """Mutants that are programs of their own, and proved to change nothing."""
        return [outcome for outcome in self.outcomes if outcome.proved]

    @property
    def survivors(self) -> list[Outcome]:
        """Mutants that no judge noticed although they may change something; reviewed ones too."""
        return [one for one in self.outcomes if not one.noticed and not one.same and not one.proved]

    @property
    def reviewed(self) -> list[Outcome]:
        """Survivors that were reviewed and change nothing that matters."""
        return [outcome for outcome in self.survivors if outcome.mutant.name in self.equivalent]

    @property
    def kill_rate(self) -> float | None:
        """Part of the mutants that was noticed, of those that are not known to change nothing; None of none."""
        return self.killed / self.counted if self.counted else None

    @property
    def claim_rate(self) -> float | None:
        """The same of those that a claim noticed, whether or not the lock does."""
        return self.claimed / self.counted if self.counted else None

    @property
    def counted(self) -> int:
        """Mutants that are not known to change nothing."""
        return self.killed + len(self.open)

    @property
    def open(self) -> list[Outcome]:
        """Survivors that nobody has reviewed."""
        return [outcome for outcome in self.survivors if outcome.mutant.name not in self.equivalent]

    def lines(self) -> Iterator[str]:
        """The report, in lines."""
        total, counted = len(self.outcomes), self.counted
        yield f"{self.claimed} of {counted} mutants ({percent(self.claimed, counted)}) are noticed by a claim"
        yield f"{self.killed} of {counted} ({percent(self.killed, counted)}) by a claim or by the numbers in the lock"
        yield f"{total - counted} of {total} judged are left out, in {self.seconds:.0f} s:"
        yield f"  {len(self.same)} are no other program in any configuration"
        yield f"  {len(self.proved)} are proved to change nothing, for numbers of any size"
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
    """Part of a whole in percent, with one digit; `none` of nothing."""
    return f"{100 * part / whole:.1f} %" if whole else "none"
