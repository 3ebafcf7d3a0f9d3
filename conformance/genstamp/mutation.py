"""What became of sampled mutants, kept under version control, and the lists of those that were reviewed.

`genstamp mutate --keep` writes spec/mutants/SYSTEM.json; spec/mutants/SYSTEM.toml is written by hand. Leaves out
judging (`genstamp_model.mutate`) and the page that is made of both (`genstamp.tables.mutation_page`).
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


class ReviewError(FileError):
    """The list of reviewed mutants cannot be read."""

    advice = 'write [equivalent] and a line NAME = "reason" for each mutant'


class KeptError(FileError):
    """The kept outcomes cannot be read."""

    advice = "`genstamp mutate SYSTEM --keep` writes it"


class Judged(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """What became of one mutant.

    Attributes:
        change: the action, the check or effect, and what is changed.
        found: "no other program", "proved to change nothing", "noticed" or "survives".
        by: a judge that noticed it; the lock only where no claim did.
        seen: where and what that one saw.
    """

    change: str
    found: str
    by: str = ""
    seen: str = ""


class Sample(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Mutants that were judged together.

    Attributes:
        seed: by which they were drawn; None for all that there are.
        of: how many there are.
        semantics: of the system.
        digest: SHA-256 of the model's text, as in spec.lock.
        configurations: where it was searched, in the order in which they were tried.
        outcomes: by the mutant's name.
    """

    seed: int | None
    of: int
    semantics: str
    digest: str
    configurations: list[str]
    outcomes: dict[str, Judged]

    def count(self, found: str) -> int:
        """How many mutants became this."""
        return sum(one.found == found for one in self.outcomes.values())

    @property
    def by_judge(self) -> Counter[str]:
        """Mutants noticed, by the judge that noticed them: the lock only where no claim did."""
        return Counter(one.by for one in self.outcomes.values() if one.found == NOTICED)

    @property
    def by_lock_alone(self) -> int:
        """Mutants that only the numbers in the lock gave away."""
        return self.by_judge[LOCK]

    def claim_rate(self, reviewed: Mapping[str, str]) -> float | None:
        """Part that a claim noticed, of those that are not known to change nothing; None of none."""
        noticed = self.count(NOTICED)
        count = noticed + len(self.survivors(reviewed))
        return (noticed - self.by_lock_alone) / count if count else None

    def survivors(self, reviewed: Mapping[str, str]) -> list[str]:
        """Names of those that are neither noticed, nor proved to change nothing, nor reviewed."""
        return [name for name, one in self.outcomes.items() if one.found == SURVIVES and name not in reviewed]

    def left(self, reviewed: Mapping[str, str]) -> list[str]:
        """Names of those that a larger configuration may decide: survivors, and those that are no other program."""
        same = [name for name, one in self.outcomes.items() if one.found == SAME]
        return [*self.survivors(reviewed), *same]

    def unclaimed(self) -> list[str]:
        """Names of those that a further claim may notice: what is left, and what only the lock has noticed."""
        return [*self.left({}), *(name for name, one in self.outcomes.items() if one.by == LOCK)]

    def with_later(self, later: "Sample") -> "Sample":
        """What is known of the sample when some of it was judged again, in the same or in other configurations.

        What was noticed once stays so: the later configurations may be fewer.
        """
        where = [*dict.fromkeys([*self.configurations, *later.configurations])]
        known = {name for name, one in self.outcomes.items() if one.found == NOTICED}
        found = {name: one for name, one in later.outcomes.items() if one.found == NOTICED or name not in known}
        return msgspec.structs.replace(self, configurations=where, outcomes={**self.outcomes, **found})

    def kill_rate(self, reviewed: Mapping[str, str]) -> float | None:
        """Part that was noticed, of those that are not known to change nothing; None of none."""
        noticed = self.count(NOTICED)
        count = noticed + len(self.survivors(reviewed))
        return noticed / count if count else None


class _File(msgspec.Struct, forbid_unknown_fields=True):
    samples: list[Sample]


def sampled(outcomes: Sequence[Outcome], *, seed: int | None, of: int, digest: str, where: Sequence[str]) -> Sample:
    """The outcomes of a sample as they are kept; see `Sample`."""
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
    change = f"{mutant.action}: {mutant.place}: {mutant.change}"
    if outcome.noticed:
        by, seen = next(iter(outcome.noticed.items()))
        return Judged(change=change, found=NOTICED, by=by, seen=seen)
    return Judged(change=change, found=SAME if outcome.same else PROVED if outcome.proved else SURVIVES)


def kept(repository: Path, system: str) -> list[Sample]:
    """The samples that are kept of a system, those of all mutants first, then by seed; empty if there is none.

    Raises:
        KeptError: the file holds something else.
    """
    path = repository / MUTANTS / f"{system}.json"
    if not path.exists():
        return []
    try:
        return msgspec.json.decode(path.read_bytes(), type=_File).samples
    except (OSError, msgspec.MsgspecError) as problem:
        raise KeptError(path, str(problem)) from problem


def keep(repository: Path, system: str, sample: Sample) -> Path:
    """Keep a sample in place of a former one with the same seed; the path of the file."""
    others = [one for one in kept(repository, system) if one.seed != sample.seed]
    samples = sorted([*others, sample], key=lambda one: (one.seed is not None, one.seed or 0))
    path = repository / MUTANTS / f"{system}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.format(msgspec.json.encode(_File(samples)), indent=1) + b"\n")
    return path


def reviewed_in(path: Path) -> dict[str, str]:
    """The mutants that a list says to change nothing that matters: the reason by name.

    Raises:
        ReviewError: the file cannot be read or is no such list.
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
        raise ReviewError(path, "it is no list of reviewed mutants")
    return table


def reviewed(repository: Path, system: str) -> dict[str, str]:
    """The mutants of a system that were reviewed, empty if there is no list.

    Raises:
        ReviewError: there is something else in its place.
    """
    path = repository / MUTANTS / f"{system}.toml"
    return reviewed_in(path) if path.exists() else {}
