"""One simulated run of GFS, from its plan to its verdict.

*Safety*: anything may fail, as the plan says. *Liveness*: faults stop, everybody but the clients comes back; the
clients are dead. Every chunk has to get its replicas again within a while, and what was promised has to be there, on
each of them.

Not here: many runs (`sweep`).
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from genstamp_dfs.errors import Refusal
from genstamp_dfs.events import Event
from genstamp_dfs.gfs.client.client import Client
from genstamp_dfs.gfs.simulation.cluster import ClusterOptions, SimulatedCluster
from genstamp_dfs.gfs.simulation.ledger import Ledger
from genstamp_dfs.gfs.simulation.options import default_options
from genstamp_dfs.gfs.simulation.orders import wrong_orders
from genstamp_dfs.gfs.simulation.plan import Plan, PlanOptions, make_plan
from genstamp_dfs.gfs.simulation.reading import Reading
from genstamp_dfs.gfs.simulation.refusals import refusal_name
from genstamp_dfs.gfs.simulation.watching import BrokenInvariantError, Watching, unfinished
from genstamp_dfs.gfs.simulation.workload import Workload, holds_cells
from genstamp_dfs.simulation.chaos import Chaos
from genstamp_dfs.world.times import SECOND_US

READER: Final = "reader"
"""The client that looks at everything in the end."""

SETTLE_US: Final = 200 * SECOND_US
"""How long it may take until nobody waits any more for an answer that a fault has swallowed."""

LIVENESS_US: Final = 1200 * SECOND_US
"""How long the liveness phase lasts at most."""

LOOK_US: Final = 2 * SECOND_US


@dataclass(frozen=True)
class RunResult:
    """What came of a run.

    Attributes:
        events: the protocol events, if they were kept.
        totals: numbers of events, crashes, faults of each kind, of what was acknowledged.
        outcomes: what came of the clients' jobs.
        broken: what was read or seen and must not be, and what was promised and is not there.
        unfinished: what did not come to its end although nothing failed any more.
    """

    plan: Plan
    events: tuple[Event, ...]
    totals: Counter[str]
    outcomes: Counter[str]
    broken: tuple[str, ...]
    unfinished: tuple[str, ...]

    @property
    def problems(self) -> list[str]:
        """One sentence for everything that must not be; safety first."""
        return [*self.broken, *self.unfinished]

    @property
    def is_safe(self) -> bool:
        """Whether every promise was kept."""
        return not self.broken


class Run:
    """A run in progress; its nodes are in `cluster`, so that somebody may watch.

    Args:
        plan: what shall happen.
        options: how the nodes are set up.
        cluster_class: another one puts broken cores in.
    """

    def __init__(
        self,
        plan: Plan,
        options: ClusterOptions | None = None,
        cluster_class: type[SimulatedCluster] = SimulatedCluster,
    ) -> None:
        self.plan = plan
        self.cluster = cluster_class(plan.seed, options or default_options(plan))
        self.ledger = Ledger(self.now_us)
        self.outcomes: Counter[str] = Counter()
        self.chaos = Chaos(self.cluster, plan.faults)
        self.watching = Watching(self.cluster)
        self._unfinished: list[str] = []
        self._reading: Reading | None = None
        self._is_read = False

    def now_us(self) -> int:
        """Time of the run."""
        return self.cluster.loop.now_us

    def start(self) -> None:
        """Start all nodes, and the clients' work."""
        self.cluster.start_master()
        for name in self.plan.chunkservers:
            self.cluster.start_chunkserver(name)
        for number, name in enumerate(self.plan.clients, start=1):
            client = self.cluster.start_client(name)
            jobs = self.plan.jobs[name]
            work = Workload(client, number, jobs, self.ledger, self.now_us, self.outcomes)
            client.runtime.spawn(work.run(), "work")

    def run(self, *, keep_events: bool = True) -> RunResult:
        """From the start to the verdict."""
        broken = []
        try:
            self._run_phases()
        except BrokenInvariantError as problem:
            broken.append(str(problem))
        else:
            broken = self._judge()
        broken += self.cluster.false_syncs()
        self.cluster.loop.close()
        totals = Counter({"events": len(self.cluster.log.events)}) + self.ledger.acknowledged
        totals["crashes"] = self.cluster.crashes - len(self.plan.clients)
        totals["failed syncs"] = self.cluster.failed_syncs()
        totals["corrupt replicas found"] = sum(event.event == "find_corrupt" for event in self.cluster.log.events)
        totals["replicas moved"] = sum(event.event == "move_replica" for event in self.cluster.log.events)
        totals.update({f"faults: {kind}": count for kind, count in self.chaos.counts.items()})
        return RunResult(
            plan=self.plan,
            events=tuple(self.cluster.log.events) if keep_events else (),
            totals=totals,
            outcomes=self.outcomes,
            broken=tuple(broken),
            unfinished=tuple(self._unfinished),
        )

    # -- below --------------------------------------------------------------------------------------------------

    def _run_phases(self) -> None:
        self.start()
        self._run_until(lambda: False, self.plan.safety_us)
        self.chaos.end()
        for name in self.plan.clients:
            if self.cluster.is_up(name):
                self.cluster.crash(name)
        self._run_until(lambda: False, self.now_us() + SETTLE_US)
        self._run_until(lambda: not unfinished(self.cluster), self.now_us() + LIVENESS_US)
        self._unfinished += unfinished(self.cluster)
        self._read_everything()

    def _run_until(self, is_done: Callable[[], bool], end_us: int) -> None:
        """Let time pass, and look now and then whether all is as it has to be."""
        while self.now_us() < end_us and not is_done():
            self.cluster.loop.run(min(self.now_us() + LOOK_US, end_us))
            self.watching.look()

    def _read_everything(self) -> None:
        reader = self.cluster.start_client(READER)
        self._reading = Reading(reader, self.ledger, self.now_us, holds_cells)
        reader.runtime.spawn(self._read(reader, self._reading), "read everything")
        self._run_until(lambda: self._is_read, self.now_us() + LIVENESS_US)
        if not self._is_read:
            self._unfinished.append("reading did not come to an end")

    async def _read(self, reader: Client, reading: Reading) -> None:
        try:
            await reading.read_all()
        except Refusal as refusal:
            self._unfinished.append(f"{reader.runtime.node} cannot list the files: {refusal_name(refusal)}: {refusal}")
        self._is_read = True

    def _judge(self) -> list[str]:
        reading, ledger = self._reading, self.ledger
        assert reading is not None, "everything was read"
        self._unfinished += reading.problems
        orders = wrong_orders(self.cluster.log.events)
        if self._unfinished:
            return [*ledger.broken, *orders]
        files = reading.files
        return [
            *ledger.broken,
            *ledger.missing_files(set(files)),
            *ledger.lost_records(files),
            *ledger.wrong_snapshots(files),
            *orders,
        ]


def run_seed(seed: int, options: PlanOptions | None = None, *, keep_events: bool = True) -> RunResult:
    """The run of a seed."""
    plan = make_plan(seed, options)
    return Run(plan, default_options(plan, options)).run(keep_events=keep_events)
