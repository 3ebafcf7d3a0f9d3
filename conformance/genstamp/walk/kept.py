"""The coverage of walks, kept under version control: a page is made of it, and a test walks again.

`genstamp conform --walk --keep` writes spec/walks/SYSTEM.json of the reference implementation, and
adapters/apache-hdfs/run.py spec/walks/apache-RELEASE/SYSTEM.json of Apache HDFS. Not here: the walk itself, and the
page (`genstamp.tables.model_coverage_page`).
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from genstamp.errors import FileError
from genstamp.walk.conduct import Missing, Walk
from genstamp_model.language import Configuration

WALKS: Final = Path("spec", "walks")
_OF_APACHE: Final = "apache-"
TOLD_OF_A_REASON: Final = 3
"""The number of transitions, missed for one reason, whose way is kept."""


class KeptWalksError(FileError):
    """The kept walks cannot be read."""

    advice = "`genstamp conform --walk --keep` writes it"


class Left(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An abstract transition that was not reached for certain.

    Attributes:
        transition: in words.
        is_possible: whether a step may have been it.
        call: the call at which the implementation did not follow.
        why: the reason.
        path: the calls of a shortest way to it in the model; of the first `TOLD_OF_A_REASON` of a reason only.
    """

    transition: str
    is_possible: bool
    call: str
    why: str
    path: list[str]


class Walked(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """The coverage of one configuration.

    Attributes:
        sizes: of its index sets.
        limits: of its numbers.
        states: how many it has.
        transitions: how many abstract transitions it has.
        certain: how many were reached for certain.
        left: the others.
        day: on which, as YYYY-MM-DD; empty where that does not matter, as the walk is made again every time.
    """

    sizes: dict[str, int]
    limits: dict[str, int]
    states: int
    transitions: int
    certain: int
    left: list[Left]
    day: str = ""

    @property
    def possible(self) -> int:
        """How many a step was or may have been."""
        return self.certain + sum(one.is_possible for one in self.left)


class Kept(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The coverage of all walked configurations of a system.

    Attributes:
        semantics: of the system.
        digest: of the model's steps: claims may change, and the walks stay what they are.
        transitions: how many abstract transitions there are in any of them.
        certain: how many were reached for certain in any of them.
        walks: by the configuration's name.
    """

    semantics: str
    digest: str
    transitions: int
    certain: int
    walks: dict[str, Walked]


def kept_of(walks: Sequence[Walk]) -> Kept:
    """Walks of one system, as they are kept; at least one."""
    return Kept(
        semantics=walks[0].semantics,
        digest=walks[0].digest,
        transitions=len(frozenset[object]().union(*(one.transitions for one in walks))),
        certain=len(frozenset[object]().union(*(one.certain for one in walks))),
        walks={one.configuration.name: walked(one) for one in walks},
    )


def walked(walk: Walk) -> Walked:
    """One walk, as it is kept."""
    so_far: Counter[tuple[str, str]] = Counter()

    def left(one: Missing) -> Left:
        reason = (one.call.partition("(")[0], one.why)
        so_far[reason] += 1
        path = list(one.path) if so_far[reason] <= TOLD_OF_A_REASON else []
        return Left(transition=str(one.transition), is_possible=one.is_possible, call=one.call, why=one.why, path=path)

    return Walked(
        sizes=dict(walk.configuration.sizes),
        limits=dict(walk.configuration.limits),
        states=walk.states,
        transitions=len(walk.transitions),
        certain=len(walk.certain),
        left=[left(one) for one in walk.missing],
    )


def of_apache(repository: Path) -> dict[str, list[str]]:
    """The systems of which walks on Apache HDFS are kept, by release."""
    directories = sorted((repository / WALKS).glob(f"{_OF_APACHE}*"))
    return {
        directory.name.removeprefix(_OF_APACHE): sorted(path.stem for path in directory.glob("*.json"))
        for directory in directories
    }


def read(repository: Path, system: str, release: str | None = None) -> Kept | None:
    """What is kept of a system; None if nothing is.

    Args:
        repository: its root.
        system: the system's name.
        release: of Apache HDFS; of the reference implementation unless given.

    Raises:
        KeptWalksError: the file is there but cannot be read.
    """
    path = _path(repository, system, release)
    try:
        return msgspec.json.decode(path.read_bytes(), type=Kept)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError) as problem:
        raise KeptWalksError(path, str(problem)) from problem


def keep(repository: Path, walks: Sequence[Walk], release: str | None = None) -> Path:
    """Keep walks of one system in place of what is kept of it; gives the file. The arguments are those of `read`.

    Raises:
        KeptWalksError: the file cannot be written.
    """
    return _write(_path(repository, walks[0].system, release), kept_of(walks))


def add(
    repository: Path,
    walk: Walk,
    release: str,
    configurations: Sequence[Configuration],
    transitions_of: Callable[[str], frozenset[str]],
    day: str,
) -> Path:
    """Keep a walk on Apache HDFS beside those of the system's other configurations; gives the file.

    A walk of other steps, or of a configuration that is another now, is not kept any longer.

    Args:
        repository: its root.
        walk: the walk.
        release: of Apache HDFS.
        configurations: all that are walked of the system, in the order of the page.
        transitions_of: gives the abstract transitions of one of them by its name, as text.
        day: of the walk, as YYYY-MM-DD.

    Raises:
        KeptWalksError: the file cannot be read or written.
    """
    before = read(repository, walk.system, release)
    is_same = before is not None and (before.semantics, before.digest) == (walk.semantics, walk.digest)
    others: Mapping[str, Walked] = before.walks if before is not None and is_same else {}
    walks: dict[str, Walked] = {}
    transitions: set[str] = set()
    certain: set[str] = set()
    for one in configurations:
        if one.name == walk.configuration.name:
            known = msgspec.structs.replace(walked(walk), day=day)
            abstract = frozenset(map(str, walk.transitions))
        elif one.name in others:
            known, abstract = others[one.name], transitions_of(one.name)
        else:
            continue
        if (known.sizes, known.limits, known.transitions) == (dict(one.sizes), dict(one.limits), len(abstract)):
            walks[one.name] = known
            transitions |= abstract
            certain |= abstract - {left.transition for left in known.left}
    whole = Kept(
        semantics=walk.semantics,
        digest=walk.digest,
        transitions=len(transitions),
        certain=len(certain),
        walks=walks,
    )
    return _write(_path(repository, walk.system, release), whole)


def _write(path: Path, whole: Kept) -> Path:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(msgspec.json.format(msgspec.json.encode(whole), indent=1) + b"\n")
    except OSError as problem:
        raise KeptWalksError(path, problem.strerror or str(problem)) from problem
    return path


def _path(repository: Path, system: str, release: str | None) -> Path:
    return repository / WALKS / ("" if release is None else f"{_OF_APACHE}{release}") / f"{system}.json"
