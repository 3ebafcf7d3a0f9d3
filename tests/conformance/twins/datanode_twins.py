"""Old bugs of datanodes, put back; each as small as the fix that it undoes."""

from collections.abc import Mapping
from typing import Any

from tests.conformance.patching import Patch
from tests.conformance.twins import scenarios
from tests.conformance.twins.judging import Judge, Twin

from genstamp_dfs.errors import HdfsIOException
from genstamp_dfs.hdfs.datanode import recovery_task
from genstamp_dfs.hdfs.datanode.block_receiver import BlockReceiver
from genstamp_dfs.hdfs.datanode.data_xceiver import DataXceiver
from genstamp_dfs.hdfs.datanode.packet_responder import PacketResponder
from genstamp_dfs.hdfs.datanode.recovery_agreement import Agreement, sync_block
from genstamp_dfs.hdfs.datanode.recovery_task import RecoveryTask
from genstamp_dfs.hdfs.datanode.replica_map import ReplicaMap
from genstamp_dfs.hdfs.datanode.replica_recovery import ReplicaRecovery
from genstamp_dfs.hdfs.datanode.replicas import Replica, Writer
from genstamp_dfs.hdfs.messages.data_transfer import Packet, WriteBlock
from genstamp_dfs.hdfs.protocol import Block, ReplicaRecoveryInfo, ReplicaState
from genstamp_dfs.hdfs.runtime import Connection

# -- block recovery ---------------------------------------------------------------------------------------------------


def writer_goes_on(self: ReplicaRecovery, replica: Replica) -> None:
    """A recovery does not stop the writer."""


def anybody_writes(self: ReplicaMap, block_id: int, writer: Writer) -> bool:
    """Whether the replica is under recovery does not matter to its writer."""
    replica = self.replicas.get(block_id)
    return replica is not None and replica.writer is writer and writer.is_alive


def rwr_counts_as_rbw(block: Block, sync_list: Mapping[str, ReplicaRecoveryInfo], *others: Any) -> Agreement:
    """A replica of a datanode that was restarted takes part as if it had not been."""
    as_rbw = {
        datanode: ReplicaRecoveryInfo(info.block_id, info.num_bytes, info.generation_stamp, ReplicaState.RBW)
        if info.original_state is ReplicaState.RWR
        else info
        for datanode, info in sync_list.items()
    }
    return sync_block(block, as_rbw, *others)


def all_updates_must_work(self: RecoveryTask) -> bool:
    """One participant that fails ends the attempt."""
    if self.agreement is None or self.participants_to_update():
        return False
    return self.agreement.delete_block or (bool(self.updated) and not self.update_errors)


# -- pipelines --------------------------------------------------------------------------------------------------------


async def ends_on_mirror_error(self: PacketResponder) -> None:
    """A node whose next one fails ends, in place of telling so."""
    raise HdfsIOException("the next datanode failed")


_forward = BlockReceiver._forward


async def visible_before_it_is_sent_on(self: BlockReceiver, packet: Packet) -> None:
    """Readers see a packet before the next node has it."""
    if packet.data:
        self.acknowledge(packet.offset + len(packet.data))
    await _forward(self, packet)


_set_up_mirror = DataXceiver._set_up_mirror


async def passes_the_new_stamp_on(
    self: DataXceiver, connection: Connection, request: WriteBlock, *, must_answer: bool
) -> Connection | None:
    """The next node is told the block with the stamp that this one's replica has by now."""
    stamp = request.latest_generation_stamp or request.block.generation_stamp
    block = Block(request.block.block_id, stamp, request.block.num_bytes)
    return await _set_up_mirror(self, connection, _with_block(request, block), must_answer=must_answer)


def _with_block(request: WriteBlock, block: Block) -> WriteBlock:
    return WriteBlock(block, *(getattr(request, name) for name in request.__struct_fields__[1:]))


DATANODE_TWINS = (
    Twin(
        "HDFS-1186",
        "a recovery does not stop the writer",
        (
            Patch(ReplicaRecovery, "stop_writer", writer_goes_on),
            Patch(ReplicaMap, "is_written_by", anybody_writes),
        ),
        Judge.INVARIANT,
        scenarios.TAKEN_FROM_A_LIVING_WRITER,
        "S23",
    ),
    Twin(
        "HDFS-1218",
        "replicas of restarted datanodes count like those that were not",
        (Patch(recovery_task, "sync_block", rwr_counts_as_rbw),),
        Judge.BYTES,
        scenarios.TAKEN_OVER_AFTER_POWER_LOSS,
        "lost",
    ),
    Twin(
        "HDFS-1260",
        "a replica is given to a recovery that is older than the one that has it",
        (Patch(ReplicaRecovery, "check_recovery_id", lambda self, replica, recovery_id: None),),
        Judge.STEPS,
        None,
        "init_replica_recovery",
    ),
    Twin(
        "HDFS-12070",
        "one replica that cannot be updated ends the recovery",
        (Patch(RecoveryTask, "is_ready_to_commit", all_updates_must_work),),
        Judge.WALK,
        None,
        "commit_block_synchronization",
    ),
    Twin(
        "HDFS-101",
        "a datanode whose next one fails closes, and is taken for the bad one",
        (Patch(PacketResponder, "_tell_of_mirror", ends_on_mirror_error),),
        Judge.PROGRESS,
        scenarios.ONE_NODE_DIES,
        "create: done",
    ),
    Twin(
        "HDFS-1467",
        "a datanode passes the block on with the stamp already raised",
        (Patch(DataXceiver, "_set_up_mirror", passes_the_new_stamp_on),),
        Judge.PROGRESS,
        scenarios.QUIET,
        "append: done",
    ),
    Twin(
        "HDFS-2021",
        "bytes are visible before the next datanode has acknowledged them",
        (Patch(BlockReceiver, "_forward", visible_before_it_is_sent_on),),
        Judge.INVARIANT,
        scenarios.QUIET,
        "S2",
    ),
)
