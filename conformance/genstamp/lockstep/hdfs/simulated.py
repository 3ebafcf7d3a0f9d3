"""Simulated runs of HDFS, and as what each of its systems sees them.

Not here: how they are checked (`lockstep.hold`).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, cast

from genstamp.events import Event
from genstamp.lockstep.hdfs.block import BlockProjection
from genstamp.lockstep.hdfs.lease import LeaseProjection
from genstamp.lockstep.hdfs.pipeline import PipelineProjection
from genstamp.lockstep.hdfs.recovery import RecoveryProjection
from genstamp.lockstep.projection import Projection
from genstamp.lockstep.runs import Lockstep, Runs
from genstamp_dfs.hdfs.protocol import Semantics
from genstamp_dfs.simulation.cluster import ClusterOptions
from genstamp_dfs.simulation.plan import PlanOptions, make_plan
from genstamp_dfs.simulation.run import Run, default_options
from genstamp_dfs.world.times import MICROSECONDS_A_MILLISECOND

ProjectionOf = Callable[[ClusterOptions, Sequence[str]], Projection]
"""Makes the projection of a run, from its settings and the names of its clients."""


def _lease(options: ClusterOptions, clients: Sequence[str]) -> Projection:
    limits = options.namenode.limits
    softly = options.namenode.semantics is Semantics.REPAIRED
    return LeaseProjection(clients, limits.soft_limit_ms, limits.hard_limit_ms, takes_over_softly=softly)


def _block(options: ClusterOptions, _clients: Sequence[str]) -> Projection:
    namenode = options.namenode
    return BlockProjection(
        namenode.limits.recovery_gate_ms * MICROSECONDS_A_MILLISECOND,
        namenode.heartbeat_expiry_ms * MICROSECONDS_A_MILLISECOND,
    )


def _recovery(options: ClusterOptions, _clients: Sequence[str]) -> Projection:
    namenode, limits = options.namenode, options.namenode.limits
    limits_us = {
        "soft_limit_passes": limits.soft_limit_ms * MICROSECONDS_A_MILLISECOND,
        "hard_limit_passes": limits.hard_limit_ms * MICROSECONDS_A_MILLISECOND,
    }
    return RecoveryProjection(
        limits.recovery_gate_ms * MICROSECONDS_A_MILLISECOND,
        namenode.heartbeat_expiry_ms * MICROSECONDS_A_MILLISECOND,
        limits_us,
    )


def _pipeline(options: ClusterOptions, _clients: Sequence[str]) -> Projection:
    return PipelineProjection(options.client.replication)


PROJECTIONS: Final[Mapping[str, ProjectionOf]] = {
    "hdfs.lease": _lease,
    "hdfs.block_recovery": _block,
    "hdfs.recovery": _recovery,
    "hdfs.pipeline": _pipeline,
}
"""How a run is read as steps of each system."""


def simulated(seed: int, options: ClusterOptions, plan: PlanOptions) -> tuple[Event, ...]:
    """The events of a seed's run; the implementation's own, which have the columns that the tracker reads."""
    return cast(tuple[Event, ...], Run(make_plan(seed, plan), options).run().events)


def _runs(projection: ProjectionOf) -> Callable[[str, bool], Runs]:
    def runs(semantics: str, faults: bool) -> Runs:
        plan = PlanOptions() if faults else PlanOptions(mean_fault_s=0)
        options = default_options(Semantics(semantics), plan)
        clients = tuple(f"client{number}" for number in range(1, plan.clients + 1))
        return Runs(lambda: projection(options, clients), lambda seed: simulated(seed, options, plan))

    return runs


def _lockstep(name: str, forgotten: Sequence[str], entities: str) -> Lockstep:
    semantics = tuple(one.value for one in Semantics)
    return Lockstep(_runs(PROJECTIONS[name]), forgotten, entities, semantics)


LOCKSTEPS: Final[Mapping[str, Lockstep]] = {
    "hdfs.lease": _lockstep("hdfs.lease", LeaseProjection.forgotten, "files"),
    "hdfs.block_recovery": _lockstep("hdfs.block_recovery", BlockProjection.forgotten, "generations of blocks"),
    "hdfs.recovery": _lockstep("hdfs.recovery", RecoveryProjection.forgotten, "generations of blocks"),
    "hdfs.pipeline": _lockstep("hdfs.pipeline", PipelineProjection.forgotten, "blocks"),
}
"""The systems of HDFS against which simulated runs are checked."""
