"""Levels of conformance: how much of HDFS' protocol an implementation keeps, and as which release does.

Not here: the test of one system (`conformance`), and printing.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, Protocol

from genstamp.adapters import Adapter, Cluster
from genstamp.errors import AdapterRefusedError
from genstamp.stateful.conformance import CLIENTS, DATANODES, FILES, Report
from genstamp.systems import system_named
from genstamp_model.language.system import System


@dataclass(frozen=True)
class Level:
    """A level of conformance; it includes all levels below it.

    Attributes:
        number: 1 is the lowest.
        name: what an implementation keeps that reaches it.
        systems: the systems to which it has to conform.
    """

    number: int
    name: str
    systems: tuple[str, ...]


LEVELS: Final = (
    Level(1, "lease", ("hdfs.lease",)),
    Level(2, "recovery", ("hdfs.recovery",)),
    Level(3, "pipeline", ("hdfs.pipeline",)),
    Level(4, "all", ("hdfs.block_recovery", "hdfs.replica")),
)

RELEASES: Final = ("repaired", "hadoop-3.5", "hadoop-3.4", "hadoop-2.7")
"""What an implementation may be like: our repaired protocol, or a release of Hadoop with its bugs."""

_RELEASE_BEFORE: Final = {"hadoop-3.5": "hadoop-3.4"}

Outcome = Literal["conforms", "rejected", "undetermined", "not driven"]


def semantics_of(system: System, release: str) -> str:
    """The semantics of a system that stand for a release; those of the release before, if they do not differ."""
    return release if release in system.semantics else _RELEASE_BEFORE[release]


@dataclass(frozen=True)
class Row:
    """One system, tested against one release.

    Attributes:
        level: the level that it belongs to.
        system: its name.
        release: which the implementation was compared with.
        semantics: the system's semantics that stand for the release.
        report: the test's result; None if the adapter refuses to drive the system.
        why: what the adapter said then.
    """

    level: Level
    system: str
    release: str
    semantics: str
    report: Report | None
    why: str = ""

    @property
    def outcome(self) -> Outcome:
        """The verdict of the test; "not driven" if there was none."""
        return "not driven" if self.report is None else self.report.verdict


class Test(Protocol):
    """Tests an adapter against a system under some semantics."""

    def __call__(self, adapter: Adapter, system: System, semantics: str) -> Report: ...


def climb(adapter: Callable[[], Adapter], releases: Sequence[str], highest: int, test: Test) -> Iterator[Row]:
    """Test an implementation level by level, against each release up to the first level that it does not reach.

    Releases that one semantics of a system stands for share its test.

    Args:
        adapter: gives a new adapter of the implementation; each test stops its own.
        releases: some of `RELEASES`.
        highest: number of the last level to be tested.
        test: the test of one system.

    Yields:
        A row for each test; none after one that was interrupted.

    Raises:
        AdapterError: the implementation cannot be driven, other than by refusing to start a system.
    """
    known: dict[tuple[str, str], Row] = {}
    for release in releases:
        for level in LEVELS[:highest]:
            rows = []
            for name in level.systems:
                place = name, semantics_of(system_named(name), release)
                if place not in known:
                    known[place] = _row(adapter, level, name, release, test)
                rows.append(replace(known[place], release=release))
            yield from rows
            if any(row.report is not None and row.report.interrupted for row in rows):
                return
            if any(row.outcome != "conforms" for row in rows):
                break


def _row(adapter: Callable[[], Adapter], level: Level, name: str, release: str, test: Test) -> Row:
    system = system_named(name)
    semantics = semantics_of(system, release)
    why = _refusal(adapter(), name, semantics)
    if why is not None:
        return Row(level, name, release, semantics, None, why)
    return Row(level, name, release, semantics, test(adapter(), system, semantics))


def _refusal(adapter: Adapter, system: str, semantics: str) -> str | None:
    """Why the adapter does not drive a system; None if it does."""
    try:
        adapter.start(Cluster(FILES, CLIENTS, DATANODES, semantics, system=system))
    except AdapterRefusedError as refused:
        return refused.problem
    finally:
        adapter.stop()
    return None


def reached(rows: Sequence[Row]) -> tuple[int, tuple[str, ...]]:
    """The highest level whose systems, and those of all levels below, conform to one release; and these releases.

    Args:
        rows: of `climb`.

    Returns:
        The number of the level, 0 for none, and the releases, in the order of the rows; none for 0.
    """
    by_release = {release: _level(rows, release) for release in dict.fromkeys(row.release for row in rows)}
    best = max(by_release.values(), default=0)
    return best, tuple(release for release, level in by_release.items() if level == best > 0)


def _level(rows: Sequence[Row], release: str) -> int:
    conform = {row.system for row in rows if row.release == release and row.outcome == "conforms"}
    number = 0
    for level in LEVELS:
        if not conform.issuperset(level.systems):
            break
        number = level.number
    return number
