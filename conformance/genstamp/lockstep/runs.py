"""The interface of a family of systems whose simulated runs can be checked against them.

Not here: the families (`hdfs`, `gfs`), and how runs are checked (`hold`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from genstamp.events import Event
from genstamp.lockstep.projection import Projection


@dataclass(frozen=True)
class Runs:
    """Simulated runs of one setting.

    Attributes:
        projection: makes the projection of a run.
        simulated: gives the events of a seed's run.
    """

    projection: Callable[[], Projection]
    simulated: Callable[[int], Sequence[Event]]


@dataclass(frozen=True)
class Lockstep:
    """Settings of the check of runs against one system.

    Attributes:
        runs: those of a variant of the implementation, with faults or without.
        forgotten: variables of the model that only limits and properties read.
        entities: what an entity is called, many of them.
        semantics: variants that both the implementation and the system have.
    """

    runs: Callable[[str, bool], Runs]
    forgotten: Sequence[str]
    entities: str
    semantics: Sequence[str]
