"""Simulated runs of GFS, and as what each of its systems sees them.

Not here: how they are checked (`lockstep.hold`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final, cast

from genstamp.events import Event
from genstamp.lockstep.gfs.chunk_lease import ChunkLeaseProjection
from genstamp.lockstep.gfs.master_log import MasterLogProjection
from genstamp.lockstep.gfs.mutation_order import MutationOrderProjection
from genstamp.lockstep.gfs.record_append import RecordAppendProjection
from genstamp.lockstep.gfs.snapshot import SnapshotProjection
from genstamp.lockstep.projection import Projection
from genstamp.lockstep.runs import Lockstep, Runs
from genstamp_dfs.gfs.simulation.cluster import ClusterOptions
from genstamp_dfs.gfs.simulation.options import default_options
from genstamp_dfs.gfs.simulation.plan import PlanOptions, make_plan
from genstamp_dfs.gfs.simulation.run import Run

ProjectionOf = Callable[[PlanOptions], Projection]
"""Makes the projection of a run, from how large and bad its plan may be."""

SLOW_DISKS_MS: Final = (0, 500, 5000)
"""How long it takes at most to force something to a disk, while others go on; one of these for each seed."""


def _options(plan: PlanOptions) -> ClusterOptions:
    """How the nodes of one run are set up; chunkservers, log replicas and times are those of every seed."""
    return default_options(make_plan(0, plan), plan)


def _chunk_lease(plan: PlanOptions) -> Projection:
    limits = _options(plan).master.limits
    return ChunkLeaseProjection(make_plan(0, plan).chunkservers, limits.lease_us, limits.master_waits_us)


def _master_log(plan: PlanOptions) -> Projection:
    return MasterLogProjection(_options(plan).master.log_replicas)


def _snapshot(plan: PlanOptions) -> Projection:
    return SnapshotProjection(_options(plan).master.limits.master_waits_us)


def _mutation_order(plan: PlanOptions) -> Projection:
    return MutationOrderProjection(make_plan(0, plan).chunkservers)


def _record_append(plan: PlanOptions) -> Projection:
    return RecordAppendProjection(make_plan(0, plan).chunkservers)


PROJECTIONS: Final[Mapping[str, ProjectionOf]] = {
    "gfs.chunk_lease": _chunk_lease,
    "gfs.master_log": _master_log,
    "gfs.snapshot": _snapshot,
    "gfs.mutation_order": _mutation_order,
    "gfs.record_append": _record_append,
}
"""How a run is read as steps of each system."""


def plan_options(seed: int, *, faults: bool = True) -> PlanOptions:
    """How large and bad the plan of a seed's run may be."""
    plan = PlanOptions(sync_ms=SLOW_DISKS_MS[seed % len(SLOW_DISKS_MS)])
    return plan if faults else replace(plan, mean_fault_s=0)


def simulated(seed: int, plan: PlanOptions) -> tuple[Event, ...]:
    """The events of a seed's run; the implementation's own, which have the columns that the tracker reads."""
    made = make_plan(seed, plan)
    return cast(tuple[Event, ...], Run(made, default_options(made, plan)).run().events)


def _runs(projection: ProjectionOf) -> Callable[[str, bool], Runs]:
    def runs(_semantics: str, faults: bool) -> Runs:
        def of_seed(seed: int) -> tuple[Event, ...]:
            return simulated(seed, plan_options(seed, faults=faults))

        return Runs(lambda: projection(plan_options(0, faults=faults)), of_seed)

    return runs


def _lockstep(name: str, forgotten: Sequence[str], entities: str) -> Lockstep:
    return Lockstep(_runs(PROJECTIONS[name]), forgotten, entities, ("default",))


LOCKSTEPS: Final[Mapping[str, Lockstep]] = {
    "gfs.chunk_lease": _lockstep("gfs.chunk_lease", ChunkLeaseProjection.forgotten, "chunks"),
    "gfs.master_log": _lockstep("gfs.master_log", MasterLogProjection.forgotten, "logs"),
    "gfs.snapshot": _lockstep("gfs.snapshot", SnapshotProjection.forgotten, "families of chunks"),
    "gfs.mutation_order": _lockstep("gfs.mutation_order", MutationOrderProjection.forgotten, "leases"),
    "gfs.record_append": _lockstep("gfs.record_append", RecordAppendProjection.forgotten, "leases"),
}
"""The systems of GFS against which simulated runs are checked."""
