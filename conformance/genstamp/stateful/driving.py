"""How the events of a system are brought about: what its model does not say and a test must know.

Not here: the driving of each system (`drivings`), and the names of files and nodes, which are the run's.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from genstamp.adapters import Cluster
from genstamp.track import Timer
from genstamp_model.language import Configuration


@dataclass(frozen=True)
class Times:
    """Other times than those by which an implementation usually goes, as the model knows none.

    Attributes:
        times_ms: the times that are others, by name.
        clock: the clock with them.
        ticks_ms: how much time passes at once while something is waited for; as ever where nothing is said.
    """

    times_ms: Mapping[str, int]
    clock: Mapping[str, Timer]
    ticks_ms: tuple[int, ...] = ()


@dataclass(frozen=True)
class Driving:
    """How the events of one system are brought about.

    Attributes:
        members: the index sets' members in a cluster, by base name.
        faults: events asked for as faults.
        spontaneous: events that nobody asks for: they come while time passes.
        clock: when hidden actions happen that only time brings about.
        ticks_ms: how much time a test lets pass at once.
        weights: how much less or more often than others an event is asked for; 1 where nothing is said.
        may_decline: events that the implementation may say are not possible although the model can do them, because
            the model leaves out what decides; each with the reason.
        may_not_come: spontaneous events that may not come although the model can do them; each with the reason.
        forgotten: variables that do not count for abstract transitions, as only limits and properties read them.
        walked: the configurations that are walked, of the system by name, or others; together they have what is to be
            driven. The first is small enough to be walked in every verification.
        other_times: with which a walk goes to what cannot be had in the usual times.
        brought_about: hidden actions that a test asks for as faults, and that happen at no other time. No event reports
            them.
        chosen: by event, numbers that the model picks and a test says with it, as the implementation can be told.
        told_apart: actions that a test asks for by a name of their own: others share their event, or the model hides
            them and the implementation tells of them.
        settings: how many seeds in a row set up a run otherwise: what one does not do, the next may.
        depends_on_way: of a cluster, whether what can be done in a state depends on the way to it, as orders do that
            the model leaves out: a walk then picks among shortest ways by chance, and gives no step up that it has
            taken once.
        clock_of: where the times depend on the run, its clock; `clock` then has the soonest and the latest of all.
    """

    members: Callable[[Cluster], Mapping[str, Sequence[str]]]
    faults: frozenset[str] = frozenset()
    spontaneous: frozenset[str] = frozenset()
    clock: Mapping[str, Timer] = field(default_factory=dict)
    ticks_ms: tuple[int, ...] = ()
    weights: Mapping[str, float] = field(default_factory=dict)
    may_decline: Mapping[str, str] = field(default_factory=dict)
    may_not_come: Mapping[str, str] = field(default_factory=dict)
    forgotten: tuple[str, ...] = ()
    walked: tuple[str | Configuration, ...] = ()
    other_times: tuple[Times, ...] = ()
    brought_about: frozenset[str] = frozenset()
    told_apart: Mapping[str, str] = field(default_factory=dict)
    chosen: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    settings: int = 1
    depends_on_way: Callable[[Cluster], bool] = lambda cluster: False
    clock_of: Callable[[Cluster], Mapping[str, Timer]] | None = None

    def timers(self, cluster: Cluster) -> Mapping[str, Timer]:
        """The clock of a run."""
        return self.clock if self.clock_of is None else self.clock_of(cluster)


SOFT_LIMIT_MS: Final = 60_000
HARD_LIMIT_MS: Final = 1_200_000
RECOVERY_GATE_MS: Final = 90_000
