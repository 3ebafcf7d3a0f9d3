"""One simulated run, from its plan to its verdict.

*Safety*: anything may fail, as the plan says. *Liveness*: faults stop, everybody but the clients comes back; the
clients are dead. Every file has to become closed within a few hard limits, and readable, and what was promised has to
be there.

Not here: many runs (`sweep`), and making a failing one shorter (`shrink`).
"""

from collections import Counter
from dataclasses import dataclass
from typing import Final

from genstamp_dfs.errors import HdfsIOException
from genstamp_dfs.events import Event
from genstamp_dfs.hdfs.client import ClientConfiguration, DFSClient
from genstamp_dfs.hdfs.datanode.configuration import DataNodeConfiguration
from genstamp_dfs.hdfs.messages.client_protocol import GetFileInfo, GetListing, IsFileClosed
from genstamp_dfs.hdfs.namenode.configuration import NameNodeConfiguration
from genstamp_dfs.hdfs.protocol import Limits, Semantics
from genstamp_dfs.simulation.chaos import Chaos
from genstamp_dfs.simulation.cluster import ClusterOptions, SimulatedCluster
from genstamp_dfs.simulation.invariants import BrokenInvariantError, Invariants, WatchedLog
from genstamp_dfs.simulation.ledger import Lost
from genstamp_dfs.simulation.plan import Plan, PlanOptions, make_plan
from genstamp_dfs.simulation.watching import Watcher
from genstamp_dfs.simulation.workload import Workload, read_blocks
from genstamp_dfs.world.times import MICROSECONDS_A_MILLISECOND, SECOND_US

READER: Final = "reader"
"""The client that looks at everything in the end."""

LIVENESS_LIMITS: Final = 4
"""Hard limits that the liveness phase lasts at most."""

SETTLE_US: Final = 200 * SECOND_US
"""How long it may take until nobody waits any more for an answer that a fault has swallowed."""

LOOK_US: Final = 10 * SECOND_US


@dataclass(frozen=True)
class RunResult:
    """What came of a run.

    Attributes:
        events: the protocol events, if they were kept.
        totals: numbers of events, crashes, recoveries, faults of each kind, bytes acknowledged.
        outcomes: what came of the clients' jobs.
        broken: bytes that were read and are not the file's.
        lost: what is missing in the end, promised or not.
        unclosed: files that stayed open although nothing of them was lost.
        unreadable: blocks of closed files that could not be read, with the reason; no problem by itself, as what
            was not promised may be lost.
        broken_invariant: what did not hold of the nodes, if that was looked at; the run has ended there.
    """

    plan: Plan
    events: tuple[Event, ...]
    totals: Counter[str]
    outcomes: Counter[str]
    broken: tuple[str, ...]
    lost: tuple[Lost, ...]
    unclosed: tuple[str, ...]
    unreadable: tuple[str, ...]
    broken_invariant: str | None = None

    @property
    def lost_promised(self) -> tuple[Lost, ...]:
        """What was promised and is not there."""
        return tuple(loss for loss in self.lost if loss.promised)

    @property
    def problems(self) -> list[str]:
        """One sentence for everything that must not be; safety first."""
        return [
            *(() if self.broken_invariant is None else (self.broken_invariant,)),
            *self.broken,
            *(
                f"{loss.path} (inode {loss.file_id}) lost {loss.num_bytes} bytes: {loss.why}"
                for loss in self.lost_promised
            ),
            *(f"{path} stayed open" for path in self.unclosed),
        ]

    @property
    def is_safe(self) -> bool:
        """Whether every promise about bytes was kept, and no invariant broken."""
        return not self.broken and not self.lost_promised and self.broken_invariant is None


def default_options(semantics: Semantics = Semantics.REPAIRED, plan: PlanOptions | None = None) -> ClusterOptions:
    """A cluster for small files, whose limits pass while a run lasts."""
    options = plan or PlanOptions()
    limits = Limits(soft_limit_ms=60_000, hard_limit_ms=300_000)
    return ClusterOptions(
        namenode=NameNodeConfiguration(
            semantics=semantics,
            limits=limits,
            minimal_block_size=512,
            heartbeat_recheck_ms=10_000,
            safe_mode_extension_ms=1_000,
        ),
        datanode=DataNodeConfiguration(semantics=semantics, block_report_interval_ms=120_000),
        client=ClientConfiguration(
            semantics=semantics, block_size=options.block_size, hard_limit_ms=limits.hard_limit_ms, packet_size=1032
        ),
        sync_us=options.sync_ms * MICROSECONDS_A_MILLISECOND,
    )


class Run:
    """A run in progress; its nodes are in `cluster`, so that somebody may watch.

    Args:
        plan: what shall happen.
        options: how the nodes are set up.
        cluster_class: another one puts broken cores in.
        look_every: invariants are looked at in one of so many steps of the namenode; 0 for never.
    """

    def __init__(
        self,
        plan: Plan,
        options: ClusterOptions | None = None,
        cluster_class: type[SimulatedCluster] = SimulatedCluster,
        look_every: int = 0,
    ) -> None:
        self.plan = plan
        self.options = options or default_options()
        self.watcher = Watcher()
        self.cluster = cluster_class(plan.seed, self.options, self.watcher)
        self.outcomes: Counter[str] = Counter()
        self.chaos = Chaos(self.cluster, plan.faults)
        self._readable: dict[int, dict[int, int]] = {}
        self._unclosed: dict[int, str] = {}
        self._unreadable: list[str] = []
        self._is_read = False
        if look_every:
            self._watch_invariants(look_every)

    def _watch_invariants(self, every: int) -> None:
        invariants = Invariants(self.cluster, every)
        self.cluster.on_namenode_start = invariants.namenode_started
        self.cluster.on_namenode_step = invariants.namenode_stepped
        self.cluster.log = WatchedLog(self.cluster.log.namespace, invariants.recorded)

    def start(self) -> None:
        """Start all nodes, and the clients' work."""
        self.cluster.start_namenode()
        for datanode in self.plan.datanodes:
            self.cluster.start_datanode(datanode)
        for name in self.plan.clients:
            client = self.cluster.start_client(name)
            jobs, runtime = self.plan.jobs[name], client.runtime
            work = Workload(client, jobs, self.watcher.ledger, runtime.now_us(), self.outcomes)
            runtime.spawn(work.run(), "work")

    def run(self, *, keep_events: bool = True) -> RunResult:
        """From the start to the verdict."""
        broken_invariant = None
        try:
            self._run_phases()
        except BrokenInvariantError as broken:
            broken_invariant = str(broken)
        self.cluster.loop.close()
        return self._result(keep_events=keep_events, broken_invariant=broken_invariant)

    # -- below --------------------------------------------------------------------------------------------------

    def _run_phases(self) -> None:
        self.start()
        self.cluster.loop.run(self.plan.safety_us)
        self._stop_faults()
        self._wait_until_closed()
        self._read_everything()

    def _stop_faults(self) -> None:
        """The clients die, everybody else comes back."""
        self.chaos.end()
        for name in self.plan.clients:
            if self.cluster.is_up(name):
                self.cluster.crash(name)

    def _wait_until_closed(self) -> None:
        """Let time pass until all files are closed and everybody talks again, or it is too late."""
        settled_us = self.cluster.loop.now_us + SETTLE_US
        limit_us = LIVENESS_LIMITS * self.options.namenode.limits.hard_limit_ms * 1_000
        end_us = self.cluster.loop.now_us + limit_us
        while self.cluster.loop.now_us < end_us:
            self.cluster.loop.run(self.cluster.loop.now_us + LOOK_US)
            if self.cluster.loop.now_us >= settled_us and self._is_all_closed():
                return

    def _is_all_closed(self) -> bool:
        """Whether the namenode works, and no file is open."""
        namenode = self.cluster.namenode
        if namenode is None or namenode.namesystem.block_manager.safe_mode.is_on:
            return False
        return not any(file.is_under_construction for file in namenode.namesystem.directory.all_files())

    def _read_everything(self) -> None:
        reader = self.cluster.start_client(READER)
        reader.runtime.spawn(self._read_all(reader), "read everything")
        while not self._is_read:
            self.cluster.loop.run(self.cluster.loop.now_us + LOOK_US)

    async def _read_all(self, reader: DFSClient) -> None:
        listing = await reader.ask(GetListing("/"))
        assert listing is not None, "there is no root"
        for entry in listing.entries:
            await self._read(reader, f"/{entry.path}")
        self._is_read = True

    async def _read(self, reader: DFSClient, path: str) -> None:
        status = await reader.ask(GetFileInfo(path))
        assert status is not None, f"{path} went away although nobody removes it"
        if not await reader.ask(IsFileClosed(path)):
            self._unclosed[status.file_id] = path
        try:
            readable, reasons = await read_blocks(reader, path, status.file_id, self.watcher.ledger)
        except HdfsIOException as problem:
            readable, reasons = {}, [f"{problem.hadoop_name}: {problem}"]
        self._readable[status.file_id] = readable
        self._unreadable += [f"{path}: {reason}" for reason in reasons]

    def _result(self, *, keep_events: bool, broken_invariant: str | None) -> RunResult:
        cluster, ledger = self.cluster, self.watcher.ledger
        totals = Counter(
            {
                "events": len(cluster.log.events),
                "crashes": cluster.crashes - len(self.plan.clients),
                "block recoveries": self.watcher.recoveries,
                "failed syncs": cluster.failed_syncs(),
                "bytes acknowledged by hflush": ledger.bytes_hflushed,
                "bytes acknowledged by hsync": ledger.bytes_hsynced,
            }
        )
        totals.update({f"faults: {kind}": count for kind, count in self.chaos.counts.items()})
        # A block that has lost bytes which nobody promised may never agree on a length again.
        is_read = broken_invariant is None
        lost = ledger.losses(self._readable, cluster.lives_of(self.plan.datanodes)) if is_read else []
        return RunResult(
            plan=self.plan,
            events=tuple(cluster.log.events) if keep_events else (),
            totals=totals,
            outcomes=self.outcomes,
            broken=(*ledger.broken, *cluster.false_syncs()),
            lost=tuple(lost),
            unclosed=tuple(
                path for file_id, path in self._unclosed.items() if file_id not in {loss.file_id for loss in lost}
            ),
            unreadable=tuple(self._unreadable),
            broken_invariant=broken_invariant,
        )


def run_seed(
    seed: int,
    semantics: Semantics = Semantics.REPAIRED,
    options: PlanOptions | None = None,
    *,
    keep_events: bool = True,
) -> RunResult:
    """The run of a seed."""
    return Run(make_plan(seed, options), default_options(semantics, options)).run(keep_events=keep_events)
