"""Random runs of Apache HDFS, in slices: a record says which were made, and a later call continues with the next one.

adapters/apache-hdfs/run.py writes spec/random_runs/RELEASE.json. Not here: the runs themselves (`genstamp.stateful`),
and the page (`genstamp.tables.model_coverage_page`).
"""

from pathlib import Path
from typing import Final

import msgspec

from genstamp.errors import FileError

RANDOM_RUNS: Final = Path("spec", "random_runs")


class RandomRunsError(FileError):
    """The record cannot be read or written."""

    advice = "`adapters/apache-hdfs/run.py --minutes N` writes it"


class Slice(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Random runs of one process of the adapter.

    Attributes:
        seed: replays them, with the version that has made them: those of 2026-11-28 and before were drawn otherwise.
        runs: how many.
        steps: requests of a run.
        events: events that were checked against the model.
        seconds: wall time.
        verdict: "conforms", "rejected" or "undetermined".
    """

    seed: int
    runs: int
    steps: int
    events: int
    seconds: float
    verdict: str


class Recorded(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The slices of one system.

    Attributes:
        semantics: of the system.
        digest: of the model's steps, as in `genstamp.walk.kept`.
        slices: in the order of their seeds.
    """

    semantics: str
    digest: str
    slices: list[Slice] = []

    def next_seed(self, first: int) -> int:
        """The seed to continue with, where `first` is that of the first slice."""
        return max((one.seed + 1 for one in self.slices), default=first)


def releases(repository: Path) -> list[str]:
    """Those that have a record."""
    return sorted(path.stem for path in (repository / RANDOM_RUNS).glob("*.json"))


def read(repository: Path, release: str) -> dict[str, Recorded]:
    """The record of a release, by system; nothing if there is no file.

    Raises:
        RandomRunsError: the file is there but cannot be read.
    """
    path = _path(repository, release)
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Recorded])
    except FileNotFoundError:
        return {}
    except (OSError, msgspec.MsgspecError) as problem:
        raise RandomRunsError(path, str(problem)) from problem


def of(found: dict[str, Recorded], system: str, semantics: str, digest: str) -> Recorded:
    """The record of a system: nothing if its steps have changed since."""
    known = found.get(system)
    is_same = known is not None and (known.semantics, known.digest) == (semantics, digest)
    return known if known is not None and is_same else Recorded(semantics=semantics, digest=digest)


def add(repository: Path, release: str, system: str, before: Recorded, made: Slice) -> Recorded:
    """Record one more slice of a system; gives all of them.

    Raises:
        RandomRunsError: the file cannot be written.
    """
    path = _path(repository, release)
    after = msgspec.structs.replace(before, slices=[*before.slices, made])
    whole = dict(sorted((read(repository, release) | {system: after}).items()))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(msgspec.json.format(msgspec.json.encode(whole), indent=1) + b"\n")
    except OSError as problem:
        raise RandomRunsError(path, problem.strerror or str(problem)) from problem
    return after


def _path(repository: Path, release: str) -> Path:
    return repository / RANDOM_RUNS / f"{release}.json"
