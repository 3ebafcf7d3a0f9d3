"""What became of all mutants of a model: kill rates, and those that nobody noticed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from genstamp_model.mutate.judging import JUDGES, LOCK, Outcome


@dataclass(frozen=True)
class Report:
    """Outcomes of some mutants.

    Attributes:
        outcomes: one a mutant.
        equivalent: mutants that were reviewed and change nothing that matters: the reason by name.
        every: each judge was asked about each mutant; otherwise a mutant counts for the judge who noticed it first.
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
    def killed_without_lock(self) -> int:
        """Mutants that the specification's own claims noticed, and not only the numbers in the lock."""
        return sum(bool(set(outcome.noticed) - {LOCK}) for outcome in self.outcomes)

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
        """Mutants that nobody noticed although they may change something; reviewed ones too."""
        return [one for one in self.outcomes if not one.noticed and not one.same and not one.proved]

    @property
    def reviewed(self) -> list[Outcome]:
        """Survivors that were reviewed and change nothing that matters."""
        return [outcome for outcome in self.survivors if outcome.mutant.name in self.equivalent]

    @property
    def kill_rate(self) -> float | None:
        """Part of the mutants that was noticed, of those that are not known to change nothing; None of none."""
        count = self.killed + len(self.open)
        return self.killed / count if count else None

    @property
    def open(self) -> list[Outcome]:
        """Survivors that nobody has reviewed."""
        return [outcome for outcome in self.survivors if outcome.mutant.name not in self.equivalent]

    def lines(self) -> Iterator[str]:
        """The report, in lines."""
        total = len(self.outcomes)
        yield f"{total} mutants, {self.killed} killed ({_rate(self.killed, total)}) in {self.seconds:.0f} s"
        yield f"  {len(self.same)} are no other program in any configuration"
        yield f"  {len(self.proved)} are proved to change nothing, for numbers of any size"
        rate = "none" if self.kill_rate is None else f"{100 * self.kill_rate:.1f} %"
        yield f"  {rate} of the others were noticed, {len(self.reviewed)} that were reviewed left out"
        claimed = self.killed_without_lock
        yield f"  {claimed} ({_rate(claimed, total)}) by what the specification claims"
        how = "noticed by each judge" if self.every else "noticed first by"
        for name, count in self.by_judge.items():
            yield f"  {how} {name}: {count} ({_rate(count, total)})"
        if self.survivors:
            yield f"{len(self.survivors)} survive, {len(self.open)} of them not reviewed:"
        for outcome in self.survivors:
            reason = self.equivalent.get(outcome.mutant.name)
            yield f"  {outcome.mutant.name}  {outcome.mutant}" + (f" - reviewed: {reason}" if reason else "")


def _rate(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "none"
