"""Computes table 1 of the GFS paper: the state of a file region after mutations that succeeded or failed.

Every interleaving of the clients' mutations is searched, within the limits of the configurations. The weakest region
that a case reaches is the entry of the table: no more can be relied on. Cases and regions are told by
`genstamp_spec.gfs.regions`, in the bytes of replicas and the words that clients heard.

Not here: stale replicas, which a client with an old cache may read, and how the table is shown.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Any, Final

from genstamp.cli.check.searches import Options, search
from genstamp.cli.check.witnesses import look_for
from genstamp_model.errors import ConfigurationError
from genstamp_model.explore import Verdict
from genstamp_model.language import Bool, Instance, System, witness
from genstamp_model.path import Path
from genstamp_spec.gfs.regions import AppendRegions, WriteRegions
from genstamp_spec.gfs.systems.mutation_order import MUTATION_ORDER
from genstamp_spec.gfs.systems.record_append import RECORD_APPEND

WRITE: Final = "write"
APPEND: Final = "record append"
COLUMNS: Final = (WRITE, APPEND)
CASES: Final = ("serial success", "concurrent successes", "failure")
REGIONS: Final = (
    "defined",
    "defined interspersed with inconsistent",
    "consistent but undefined",
    "inconsistent",
)
"""The states of a region, the strongest first."""

PAPER: Final = {
    (WRITE, "serial success"): "defined",
    (WRITE, "concurrent successes"): "consistent but undefined",
    (WRITE, "failure"): "inconsistent",
    (APPEND, "serial success"): "defined interspersed with inconsistent",
    (APPEND, "concurrent successes"): "defined interspersed with inconsistent",
    (APPEND, "failure"): "inconsistent",
}
"""The paper's table 1 (section 2.7.1); it has one entry for both successes of an append."""

_OF_COLUMN: Final[dict[str, tuple[System, type[Any]]]] = {
    WRITE: (MUTATION_ORDER, WriteRegions),
    APPEND: (RECORD_APPEND, AppendRegions),
}


@dataclass(frozen=True)
class Reached:
    """A region that is reached in a case: the number of steps and the configuration of the shortest run."""

    region: str
    steps: int
    configuration: str


@dataclass(frozen=True)
class Entry:
    """One entry of the table.

    Attributes:
        column, case: which.
        reached: what a region may be, the strongest first.
    """

    column: str
    case: str
    reached: tuple[Reached, ...]

    @property
    def name(self) -> str:
        """As the command takes it.

        >>> Entry("record append", "serial success", ()).name
        'record-append.serial-success'
        """
        return f"{self.column}.{self.case}".replace(" ", "-")

    @property
    def weakest(self) -> Reached | None:
        """The weakest state of the region; None if the case is never reached."""
        return self.reached[-1] if self.reached else None

    @property
    def agrees(self) -> bool:
        """Whether the paper agrees."""
        return self.weakest is not None and self.weakest.region == PAPER[self.column, self.case]


@dataclass(frozen=True)
class Searched:
    """The search of one configuration: its states, and the reason if it did not finish."""

    system: str
    configuration: str
    states: int
    undetermined: str


@dataclass(frozen=True)
class Table1:
    """The table.

    Attributes:
        entries: by column, then by case.
        searched: the configurations.
        bug: the fault that the systems were searched with; empty for none.
    """

    entries: tuple[Entry, ...]
    searched: tuple[Searched, ...]
    bug: str = ""

    def entry(self, column: str, case: str) -> Entry:
        """One entry."""
        return next(entry for entry in self.entries if (entry.column, entry.case) == (column, case))

    @property
    def agrees(self) -> bool:
        """Whether the paper agrees on every entry."""
        return all(entry.agrees for entry in self.entries)

    @property
    def undetermined(self) -> list[Searched]:
        """Searches that did not finish: a weaker region may have been missed."""
        return [one for one in self.searched if one.undetermined]


def table1(bug: str = "", options: Options | None = None) -> Table1:
    """Search all configurations, and read the table off what is reached.

    Args:
        bug: a fault of one of the two systems; its column is computed with it.
        options: of the searches.

    Raises:
        ConfigurationError: neither system has this fault.
    """
    bugs = [one.name for system, _ in _OF_COLUMN.values() for one in system.bugs]
    if bug and bug not in bugs:
        raise ConfigurationError(f"there is no fault '{bug}' of writes or appends; there are {', '.join(bugs)}")
    columns = [_column(column, *_faults(column, bug), options=options or Options()) for column in COLUMNS]
    entries = tuple(entry for found, _ in columns for entry in found)
    return Table1(entries, tuple(one for _, searched in columns for one in searched), bug)


@cache
def _column(column: str, *bugs: str, options: Options) -> tuple[tuple[Entry, ...], tuple[Searched, ...]]:
    """The entries of a column, and what was searched for them."""
    searched: list[Searched] = []
    found: dict[tuple[str, str], Reached] = {}
    for instance in _instances(column, bugs):
        result = search(instance, options)
        name = instance.configuration.name
        why_open = result.undetermined if result.verdict is Verdict.UNDETERMINED else ""
        searched.append(Searched(instance.model.system, name, result.states, why_open))
        for case, region in product(CASES, REGIONS):
            steps = result.witnesses.get(_witness(case, region))
            known = found.get((case, region))
            if steps is not None and (known is None or steps < known.steps):
                found[case, region] = Reached(region, steps, name)
    entries = (
        Entry(column, case, tuple(found[case, region] for region in REGIONS if (case, region) in found))
        for case in CASES
    )
    return tuple(entries), tuple(searched)


def shortest_run(entry: Entry, bug: str = "", options: Options | None = None) -> Path:
    """A shortest run to the region that determines an entry."""
    assert entry.weakest is not None, f"{entry.name} is never reached"
    bugs = _faults(entry.column, bug)
    instances = [one for one in _instances(entry.column, bugs) if one.configuration.name == entry.weakest.configuration]
    [looked] = look_for(instances, _witness(entry.case, entry.weakest.region), options or Options())
    assert looked.path is not None, f"{entry.name} was reached before"
    return looked.path


def _faults(column: str, bug: str) -> tuple[str, ...]:
    """The fault, if it is one of the column's system."""
    system, _ = _OF_COLUMN[column]
    return (bug,) if bug in {one.name for one in system.bugs} else ()


def _instances(column: str, bugs: Sequence[str]) -> Iterator[Instance]:
    """The configurations of a column's system, with nothing to be looked for but what regions there are."""
    system, _ = _OF_COLUMN[column]
    for configuration in system.configurations:
        instance = _asking(column).instance(configuration.name, bugs=list(bugs))
        wanted = tuple(claim for claim in instance.model.properties if claim.name in _WITNESSES)
        yield Instance(replace(instance.model, properties=wanted), instance.configuration)


@cache
def _asking(column: str) -> System:
    """The column's system, with a witness for each region in each case."""
    system, regions = _OF_COLUMN[column]
    asked = {
        _witness(case, region): _shows(case, region)
        for case in CASES
        for region in REGIONS
        if hasattr(regions, _method(region))
    }
    return replace(system, parts=[type(f"{regions.__name__}Asked", (regions,), asked)])


def _shows(case: str, region: str) -> Any:
    def shows(s: Any) -> Bool:
        shown: Bool = s.is_replicated() & getattr(s, _method(case))() & getattr(s, _method(region))()
        return shown

    shows.__name__ = _witness(case, region)
    shows.__doc__ = f"After {case}, the region is {region}."
    return witness(shows)


def _method(words: str) -> str:
    return words.replace(" ", "_")


def _witness(case: str, region: str) -> str:
    return f"{_method(case)}__{_method(region)}"


_WITNESSES: Final[Sequence[str]] = [_witness(case, region) for case in CASES for region in REGIONS]
