"""The recorded results of sampled mutants, and the lists of reviewed mutants.

`genstamp mutate --keep` writes spec/mutants/SYSTEM.json; spec/mutants/SYSTEM.toml is written by hand. Not here: the
judges (`genstamp_model.mutate`) and the page made from both files (`genstamp.tables.mutation_page`).
"""

import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from genstamp.errors import FileError
from genstamp_model.mutate import Outcome
from genstamp_model.mutate.judging import LOCK

MUTANTS: Final = Path("spec", "mutants")
SAME, PROVED, NOTICED, SURVIVES = "no other program", "proved to change nothing", "noticed", "survives"
ALIKE: Final = "no difference is reached"


class ReviewError(FileError):
    """The list of reviewed mutants cannot be read."""

    advice = 'write [equivalent] and a line NAME = "reason" for each mutant'


class KeptError(FileError):
    """The recorded results cannot be read."""

    advice = "`genstamp mutate SYSTEM --keep` writes it"


class Judged(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """The result for one mutant.

    Attributes:
        change: the action, the check or effect, and the change.
        found: "no other program", "proved to change nothing", "no difference is reached", "noticed" or "survives".
        by: a judge that noticed it; the lock only if no claim did.
        seen: the configuration, and what the judge saw.
    """

    change: str
    found: str
    by: str = ""
    seen: str = ""


class Sample(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Mutants of one system that were judged together.

    Attributes:
        seed: the seed of the draw; None if all mutants were judged.
        of: how many mutants the system has.
        semantics: the system's semantics.
        digest: SHA-256 of the model's text, as in spec.lock.
        configurations: where the mutants were judged, in order.
        outcomes: the result for each mutant, by its name.
    """

    seed: int | None
    of: int
    semantics: str
    digest: str
    configurations: list[str]
    outcomes: dict[str, Judged]

    def count(self, found: str) -> int:
        """How many mutants have this result."""
        return sum(one.found == found for one in self.outcomes.values())

    @property
    def by_judge(self) -> Counter[str]:
        """The number of noticed mutants by judge; the lock only counts where no claim noticed."""
        return Counter(one.by for one in self.outcomes.values() if one.found == NOTICED)

    @property
    def by_lock_alone(self) -> int:
        """The number of mutants that only the numbers in the lock noticed."""
        return self.by_judge[LOCK]

    def claim_rate(self, reviewed: Mapping[str, str]) -> float | None:
        """The share that a claim noticed; None if `counted` is 0."""
        count = self.counted(reviewed)
        return (self.count(NOTICED) - self.by_lock_alone) / count if count else None

    def kill_rate(self, reviewed: Mapping[str, str]) -> float | None:
        """The share that some judge noticed; None if `counted` is 0."""
        count = self.counted(reviewed)
        return self.count(NOTICED) / count if count else None

    def counted(self, reviewed: Mapping[str, str]) -> int:
        """The number of mutants that change something that is reached, and are not reviewed."""
        return self.count(NOTICED) + len(self.survivors(reviewed))

    def survivors(self, reviewed: Mapping[str, str]) -> list[str]:
        """The names of the survivors that are not reviewed."""
        return [name for name, one in self.outcomes.items() if one.found == SURVIVES and name not in reviewed]

    def left(self) -> list[str]:
        """The names of the mutants that a larger configuration may notice: survivors, and those without difference."""
        return [name for name, one in self.outcomes.items() if one.found in (SURVIVES, SAME, ALIKE)]

    def unclaimed(self) -> list[str]:
        """The names of the mutants that no claim has noticed, apart from those that are proved to change nothing."""
        return [*self.left(), *(name for name, one in self.outcomes.items() if one.by == LOCK)]

    def with_later(self, later: "Sample") -> "Sample":
        """This sample with the results of judging some of it again.

        A noticed mutant stays noticed, and a difference stays seen: the later configurations may be fewer.
        """
        where = [*dict.fromkeys([*self.configurations, *later.configurations])]
        found = {name: _known(self.outcomes.get(name), one) for name, one in later.outcomes.items()}
        return msgspec.structs.replace(self, configurations=where, outcomes={**self.outcomes, **found})


class _File(msgspec.Struct, forbid_unknown_fields=True):
    samples: list[Sample]


_SHOWN: Final = (SAME, ALIKE, SURVIVES, PROVED, NOTICED)
"""The results, each of which overrides those before it."""


def _known(before: Judged | None, later: Judged) -> Judged:
    return before if before is not None and _SHOWN.index(before.found) > _SHOWN.index(later.found) else later


def sampled(outcomes: Sequence[Outcome], *, seed: int | None, of: int, digest: str, where: Sequence[str]) -> Sample:
    """The outcomes of some mutants as a sample; for the arguments see `Sample`."""
    return Sample(
        seed=seed,
        of=of,
        semantics=outcomes[0].mutant.model.semantics,
        digest=digest,
        configurations=list(where),
        outcomes={one.mutant.name: _judged(one) for one in outcomes},
    )


def _judged(outcome: Outcome) -> Judged:
    mutant = outcome.mutant
    change = f"{mutant.subject}: {mutant.place}: {mutant.change}"
    if outcome.noticed:
        by, seen = next(iter(outcome.noticed.items()))
        return Judged(change=change, found=NOTICED, by=by, seen=seen)
    found = SAME if outcome.same else PROVED if outcome.proved else ALIKE if outcome.alike else SURVIVES
    return Judged(change=change, found=found)


def kept(repository: Path, system: str) -> list[Sample]:
    """The recorded samples of a system, first the one of all mutants, then by seed; empty if there are none.

    Raises:
        KeptError: the file cannot be read or has another format.
    """
    path = repository / MUTANTS / f"{system}.json"
    if not path.exists():
        return []
    try:
        return msgspec.json.decode(path.read_bytes(), type=_File).samples
    except (OSError, msgspec.MsgspecError) as problem:
        raise KeptError(path, str(problem)) from problem


def keep(repository: Path, system: str, sample: Sample) -> Path:
    """Record a sample in place of a former one with the same seed; returns the path of the file."""
    others = [one for one in kept(repository, system) if one.seed != sample.seed]
    samples = sorted([*others, sample], key=lambda one: (one.seed is not None, one.seed or 0))
    path = repository / MUTANTS / f"{system}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.format(msgspec.json.encode(_File(samples)), indent=1) + b"\n")
    return path


def reviewed_in(path: Path) -> dict[str, str]:
    """The reviewed mutants of a list, which change nothing that matters: the reason by name.

    Raises:
        ReviewError: the file cannot be read or is not such a list.
    """
    try:
        text = tomllib.loads(path.read_text())
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as problem:
        raise ReviewError(path, str(problem)) from problem
    table = text.get("equivalent")
    if (
        set(text) != {"equivalent"}
        or not isinstance(table, dict)
        or not all(isinstance(v, str) for v in table.values())
    ):
        raise ReviewError(path, "it is not a list of reviewed mutants")
    return table


def reviewed(repository: Path, system: str) -> dict[str, str]:
    """The reviewed mutants of a system: the reason by name; empty if there is no list.

    Raises:
        ReviewError: the file cannot be read or is not such a list.
    """
    path = repository / MUTANTS / f"{system}.toml"
    return reviewed_in(path) if path.exists() else {}
