"""Finds, by exhaustive search, the clock skew at which GFS has two primaries of one chunk.

Each point of a grid is a system of its own: `gfs.chunk_lease` with another length of the lease, another grace of the
master's, and clocks that run apart by another number of ticks at most during a lease. A tick is the unit of all three.

Clocks tick one after the other, except for a skew of no tick at all, where they tick at once. Not here: how the region
is shown: `skew_shown` and `skew_chart`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Final

from genstamp.cli.check.searches import Options, search
from genstamp_model.errors import ConfigurationError
from genstamp_model.explore import Verdict
from genstamp_model.language import Instance, System
from genstamp_model.path import Path
from genstamp_spec.gfs.parts.lease_master import ClocksOfOneSpeed, LeaseMaster
from genstamp_spec.gfs.parts.lease_state import LEASE, MARGIN
from genstamp_spec.gfs.systems.chunk_lease import CHUNK_LEASE

PROPERTY: Final = "one_primary"
CONFIGURATION: Final = "crashes"
"""Two chunkservers, with a crash of one of them and two restarts of the master at most."""

LEASES: Final = (1, 2, 4)
GRACES: Final = (0, 1, 2, 3)
SKEWS: Final = (0, 1, 2, 3, 4)
"""Ticks. A lease and a grace together stay within what the specification distinguishes."""

_TICKS: Final = ("chunkserver_clock_ticks", "all_clocks_tick")
_LEASES: Final = ("expire_lease", "learn_lease")
"""Actions without which a search says nothing of clocks: one of the first, and all of the second."""


@dataclass(frozen=True, order=True)
class Setting:
    """Where in the grid.

    Attributes:
        lease: ticks of its own clock for which a primary believes in its lease.
        grace: ticks that the master waits on when a lease is over by its clock.
        skew: ticks by which clocks may run apart during a lease.
    """

    lease: int
    grace: int
    skew: int

    @property
    def beyond(self) -> bool:
        """The boundary as a formula: whether two primaries are to be expected.

        >>> Setting(lease=2, grace=1, skew=1).beyond, Setting(lease=2, grace=1, skew=2).beyond
        (False, True)
        """
        return self.skew > self.grace


JUST_BEYOND: Final = Setting(LEASE, MARGIN, MARGIN + 1)
"""The specification's own lease and grace, with clocks that run apart by a tick more than they are made for."""


@dataclass(frozen=True)
class Point:
    """The result of the search of a setting.

    Attributes:
        steps: of a shortest run to two primaries; None if there is none.
        states: that were searched, to the end or to where two primaries were found.
        undetermined: why it is not known; empty if it is.
    """

    setting: Setting
    steps: int | None
    states: int
    undetermined: str

    @property
    def agrees(self) -> bool:
        """Whether the formula says the same; True also where nothing is known."""
        return bool(self.undetermined) or (self.steps is not None) == self.setting.beyond


@dataclass(frozen=True)
class Sweep:
    """The grid.

    Attributes:
        points: by lease, grace, then skew.
        bug: the fault that it was searched with; empty for none.
    """

    points: tuple[Point, ...]
    bug: str = ""

    def at(self, lease: int, grace: int, skew: int) -> Point:
        """One point of the grid."""
        return next(point for point in self.points if point.setting == Setting(lease, grace, skew))

    @property
    def against(self) -> list[Point]:
        """Points where the formula is wrong."""
        return [point for point in self.points if not point.agrees]

    @property
    def undetermined(self) -> list[Point]:
        """Points that the search did not decide."""
        return [point for point in self.points if point.undetermined]


def settings() -> Iterator[Setting]:
    """The grid that is swept."""
    return (Setting(*one) for one in product(LEASES, GRACES, SKEWS))


def sweep(bug: str = "", options: Options | None = None) -> Sweep:
    """Search every setting of the grid, to its end or to two primaries.

    Args:
        bug: a fault of `gfs.chunk_lease` that allows two primaries.
        options: of the searches.

    Raises:
        ConfigurationError: there is no such fault.
    """
    known = [one.name for one in CHUNK_LEASE.bugs if PROPERTY in one.breaks]
    if bug and bug not in known:
        raise ConfigurationError(f"fault '{bug}' does not allow two primaries; expected one of {', '.join(known)}")
    return Sweep(_points(bug, options or Options()), bug)


@cache
def _points(bug: str, options: Options) -> tuple[Point, ...]:
    return tuple(point(setting, bug, options) for setting in settings())


def shortest_run(setting: Setting, bug: str = "") -> Path | None:
    """A shortest run to two primaries; None if there is none."""
    violation = search(instance(setting, bug), Options()).violation
    return None if violation is None else violation.path


def instance(setting: Setting, bug: str = "") -> Instance:
    """The system that is searched for a setting; its only claim is that there are not two primaries."""
    chosen = _system(setting).instance(CONFIGURATION, bugs=[bug] if bug else [])
    limits = {**chosen.configuration.limits, "skew": setting.skew}
    wanted = tuple(claim for claim in chosen.model.properties if claim.name == PROPERTY)
    return Instance(replace(chosen.model, properties=wanted), replace(chosen.configuration, limits=limits))


def _system(setting: Setting) -> System:
    """The system with another lease and another grace, and with clocks of one speed where they may not run apart."""

    class Swept(LeaseMaster, lane="master"):
        """The lengths of the setting."""

        def lease_ticks(s) -> int:
            """How long a primary believes."""
            return setting.lease

        def margin_ticks(s) -> int:
            """How long the master waits on."""
            return setting.grace

    clocks = [ClocksOfOneSpeed] if setting.skew == 0 else []
    return replace(CHUNK_LEASE, parts=[*CHUNK_LEASE.parts, *clocks, Swept])


def point(setting: Setting, bug: str = "", options: Options | None = None) -> Point:
    """Search one setting, exhaustively or until two primaries are found; a search in which no lease ends proves
    nothing.
    """
    result = search(instance(setting, bug), options or Options())
    steps = None if result.violation is None else len(result.violation.path)
    why = result.undetermined if result.verdict is Verdict.UNDETERMINED else ""
    idle = [name for name in _LEASES if not result.taken[name]]
    if not any(result.taken.get(name) for name in _TICKS):
        idle.append(_TICKS[0])
    if steps is None and idle and not why:
        why = f"nothing took the steps {', '.join(idle)}"
    return Point(setting, steps, result.states, why)
