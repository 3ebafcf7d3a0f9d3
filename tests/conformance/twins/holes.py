"""Holes of Hadoop 3.4.1 that simulated runs show, each with plans made for it.

With a hole open and all others closed a judge notices it, with `hadoop-3.4` too; `repaired` passes the same plans.
"""

from dataclasses import dataclass, replace

from tests.conformance.patching import Patch, patched
from tests.conformance.twins.judging import Judge, Noticed, judge
from tests.conformance.twins.scenarios import (
    DATANODES,
    Scenario,
    bytes_only,
    crash,
    hflush,
    job,
    part,
    plan,
    us,
)

from genstamp_dfs.hdfs.client.pipeline import Pipeline, recovery_stage
from genstamp_dfs.hdfs.datanode.repairs import ALL_CLOSED
from genstamp_dfs.hdfs.datanode.repairs import Repair as DataNodeRepair
from genstamp_dfs.hdfs.messages.data_transfer import BlockConstructionStage
from genstamp_dfs.hdfs.namenode.configuration import Repair as NameNodeRepair
from genstamp_dfs.hdfs.protocol import NAMENODE, Semantics
from genstamp_dfs.simulation.cluster import ClusterOptions
from genstamp_dfs.simulation.plan import Flush, JobKind, Piece, Plan
from genstamp_dfs.simulation.run import default_options

CLIENT_FORCES_ONE_BLOCK = "hsync-forces-one-block"
"""The client's own hole: hsync forces only the present block to the disk."""


@dataclass(frozen=True, eq=False)
class Hole:
    """A hole.

    Attributes:
        name: of the repair that closes it.
        does: what it lets happen.
        judge: what notices it.
        scenario: what happens meanwhile.
        says: a part of what the judge says.
        patches: what the client does otherwise than Hadoop's, with the hole closed as well.
    """

    name: NameNodeRepair | DataNodeRepair | str
    does: str
    judge: Judge
    scenario: Scenario
    says: str
    patches: tuple[Patch, ...] = ()

    def notice(self, options: ClusterOptions) -> Noticed | None:
        """Run the scenario with nodes that are set up so, until the judge notices something."""
        scenario = replace(self.scenario, options=options)
        with patched(self.patches):
            return judge(scenario, to_the_byte=self.judge is Judge.ACKNOWLEDGED, in_lockstep=False)

    def alone(self) -> ClusterOptions:
        """The nodes with this hole open, and no other."""
        options = self.scenario.options
        match self.name:
            case NameNodeRepair():
                repairs = frozenset(NameNodeRepair) - {self.name}
                return replace(options, namenode=replace(options.namenode, repairs=repairs))
            case DataNodeRepair():
                return replace(options, datanode=replace(options.datanode, repairs=ALL_CLOSED - {self.name}))
            case _:
                return replace(options, client=replace(options.client, semantics=Semantics.HADOOP_3_4))

    def with_all(self) -> ClusterOptions:
        """The nodes with all holes of Hadoop 3.4.1."""
        options, semantics = self.scenario.options, Semantics.HADOOP_3_4
        return ClusterOptions(
            namenode=replace(options.namenode, semantics=semantics),
            datanode=replace(options.datanode, semantics=semantics),
            client=replace(options.client, semantics=semantics),
            call_attempts=options.call_attempts,
        )


def _seeded(plan_made: Plan, seeds: int) -> tuple[Plan, ...]:
    return tuple(replace(plan_made, seed=seed) for seed in range(seeds))


def hsync(num_bytes: int, rest_s: float = 1) -> Piece:
    """Bytes that are forced to the disk, and a rest."""
    return Piece(num_bytes, Flush.HSYNC, us(rest_s))


def _one_node_is_reached(lost_power: str, piece: Piece) -> Plan:
    """A datanode that has lost its power leads a recovery, and hears neither of the two others."""
    others = tuple(datanode for datanode in DATANODES[:3] if datanode != lost_power)
    return plan(
        {
            "client1": (job(1, JobKind.CREATE, piece, closes=False),),
            "client2": (job(72, JobKind.APPEND, hflush(10)),),
        },
        crash(4.5, "client1", 0),
        crash(64, lost_power, 1, power_loss=True),
        *(part(67, other, (NAMENODE, lost_power), 200) for other in others),
        safety_s=280,
        datanodes=3,
    )


ONE_NODE_IS_REACHED = Scenario(
    "the only datanode that a recovery reaches has lost its power",
    tuple(seeded for datanode in DATANODES[:3] for seeded in _seeded(_one_node_is_reached(datanode, hflush(1200)), 6)),
    options=replace(default_options(), datanode=replace(default_options().datanode, call_timeout_ms=10_000)),
)

POWER_CUT = Scenario(
    "all datanodes lose their power after an hsync",
    _seeded(
        plan(
            {"client1": (job(1, JobKind.CREATE, hsync(700), hflush(100, 5), closes=False),)},
            crash(4, "client1", 0),
            *(crash(5, datanode, 1, power_loss=True) for datanode in DATANODES),
            safety_s=60,
        ),
        12,
    ),
)

POWER_CUT_AFTER_TWO_BLOCKS = Scenario(
    "all datanodes lose their power after an hsync in a second block",
    _seeded(
        plan(
            {"client1": (job(1, JobKind.CREATE, bytes_only(4096, 1), hsync(100, 5), closes=False),)},
            crash(4, "client1", 0),
            *(crash(4.5, datanode, 1, power_loss=True) for datanode in DATANODES),
            safety_s=60,
        ),
        6,
    ),
)

_ONE_REPLICA = replace(default_options(), client=replace(default_options().client, replication=1))

LAST_OF_TWO_IS_RECOVERED = Scenario(
    "the last of two blocks is recovered, and the replica of the first is not reported yet",
    tuple(
        replace(
            plan(
                {
                    "client1": (job(1, JobKind.CREATE, bytes_only(4096), hflush(100), closes=False),),
                    "client2": (job(10, JobKind.TAKE_OVER),),
                },
                crash(4, "client1", 0),
                part(0.9, NAMENODE, (datanode,), 40),
                safety_s=150,
            ),
            seed=seed,
        )
        for datanode in DATANODES
        for seed in range(3)
    ),
    options=_ONE_REPLICA,
)

APPENDED_WITHOUT_A_NODE = Scenario(
    "a client appends while a datanode is down, and dies; the datanode is back when its file is taken over",
    tuple(
        replace(
            plan(
                {
                    "client1": (
                        job(1, JobKind.CREATE, hflush(1000)),
                        job(8, JobKind.APPEND, hflush(1000, 30), closes=False),
                    ),
                    "client2": (job(80, JobKind.TAKE_OVER),),
                },
                crash(6, datanode, 20),
                crash(30, "client1", 0),
                safety_s=200,
                datanodes=3,
            ),
            seed=seed,
        )
        for datanode in DATANODES[:3]
        for seed in range(2)
    ),
)


async def mend_under_the_old_stamp(
    self: Pipeline, stage: BlockConstructionStage, *, is_append: bool, is_hflushed: bool
) -> None:
    """A client of another make: it asks for no stamp, and tells the namenode of no pipeline (HDFS-17850)."""
    del is_append, is_hflushed
    asked = stage
    while True:
        self._leave_bad_node()
        if await self._connect(asked, self.generation_stamp):
            return
        asked = recovery_stage(stage)


HOLES = (
    Hole(
        DataNodeRepair.UNREACHABLE_IS_NOT_EMPTY,
        "a block is deleted although datanodes that did not answer have its bytes",
        Judge.ACKNOWLEDGED,
        ONE_NODE_IS_REACHED,
        "0 can be read",
    ),
    Hole(
        DataNodeRepair.WAITING_REPLICAS_DO_NOT_DECIDE_ALONE,
        "a replica of a restarted datanode decides the length, and others that did not answer have more",
        Judge.ACKNOWLEDGED,
        ONE_NODE_IS_REACHED,
        "can be read",
    ),
    Hole(
        DataNodeRepair.SYNCED_BYTES_SURVIVE,
        "what hsync forced to the disks is lost by what was written after it",
        Judge.BYTES,
        POWER_CUT,
        "by hsync",
    ),
    Hole(
        CLIENT_FORCES_ONE_BLOCK,
        "hsync forces only the last block to the disks",
        Judge.ACKNOWLEDGED,
        POWER_CUT_AFTER_TWO_BLOCKS,
        "can be read",
    ),
    Hole(
        NameNodeRepair.CLOSING_FAILS_BEFORE_IT_BEGINS,
        "a recovery that cannot close the file has completed its last block before (HDFS-17861)",
        Judge.INVARIANT,
        LAST_OF_TWO_IS_RECOVERED,
        "S15",
    ),
    Hole(
        DataNodeRepair.PIPELINES_BRING_A_NEW_STAMP,
        "what a client appends under the block's own stamp is lost to a datanode that was down (HDFS-17850)",
        Judge.ACKNOWLEDGED,
        APPENDED_WITHOUT_A_NODE,
        "1000 can be read",
        (Patch(Pipeline, "mend", mend_under_the_old_stamp),),
    ),
)
