"""What came of many simulated runs, of whichever file system.

Not here: the runs.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

EXIT_SAFETY: Final = 12
EXIT_LIVENESS: Final = 13
PROGRESS_S: Final = 60.0
"""How often a long sweep says how far it is, in seconds."""


@dataclass(frozen=True)
class SeedOutcome:
    """What came of one seed, small enough to be sent between processes."""

    seed: int
    is_safe: bool
    problems: tuple[str, ...]
    totals: dict[str, int]


@dataclass
class SweepResult:
    """What came of many.

    Attributes:
        totals: of all runs together.
        failed: seed -> its problems.
        unsafe: seeds that broke a promise about bytes, and did not only leave something undone.
    """

    runs: int = 0
    totals: Counter[str] = field(default_factory=Counter)
    failed: dict[int, tuple[str, ...]] = field(default_factory=dict)
    unsafe: set[int] = field(default_factory=set)

    def add(self, outcome: SeedOutcome) -> None:
        """Count one run."""
        self.runs += 1
        self.totals.update(outcome.totals)
        if outcome.problems:
            self.failed[outcome.seed] = outcome.problems
        if not outcome.is_safe:
            self.unsafe.add(outcome.seed)

    @property
    def exit_code(self) -> int:
        """0, 12 if a promise was broken, 13 if only something was left undone."""
        if self.unsafe:
            return EXIT_SAFETY
        return EXIT_LIVENESS if self.failed else 0

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        return {
            "runs": self.runs,
            "failed": {str(seed): list(problems) for seed, problems in sorted(self.failed.items())},
            "totals": dict(sorted(self.totals.items())),
        }
