"""Faults in what the client and the NameNode say of a block that is written: stamps, lengths, the end of the write."""

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.history import historic
from genstamp_spec.hdfs.bugs.pipeline import (
    HDFS_101,
    HDFS_1467,
    HDFS_1606,
    HDFS_2021,
    HDFS_3398,
    HDFS_3436,
    HDFS_9106,
    HDFS_9752,
    HDFS_16146,
    VISIBLE_BEFORE_THE_ACK,
)
from genstamp_spec.hdfs.parts.pipeline_datanode import PipelineDatanode
from genstamp_spec.hdfs.parts.pipeline_namenode import LateCalls
from genstamp_spec.hdfs.parts.pipeline_set_up import PipelineSetUp
from genstamp_spec.hdfs.parts.pipeline_state import Stage
from genstamp_spec.hdfs.parts.state import Datanode
from genstamp_spec.lifecycles.block import BlockLifecycle


class LengthOfAnotherBlockObject(PipelineSetUp):
    """complete() commits the block with a length from before its last bytes were acknowledged."""

    def length_to_commit(s) -> Number:
        """What the block had when the NameNode was last told of it."""
        return s.block_bytes


HDFS_8498 = historic("HDFS-8498", LengthOfAnotherBlockObject, fixed="2.7.4, 2.8.2").at(
    "pair", "committed_length_is_acknowledged"
)


class StampOfAnotherThread(PipelineSetUp):
    """A block is committed under a stamp from before the last pipeline recovery, and nobody compares."""

    def take_new_stamp(s) -> None:
        """The stamp stays what it was."""


HDFS_9289 = historic(
    "HDFS-9289", StampOfAnotherThread, fixed="2.6.3, 2.7.2", drops=(("complete", "the client's stamp is the block's"),)
).at("pair", "block_stamp_never_decreases", "committed_length_is_acknowledged")


class StorageMustBeKnown(PipelineSetUp, lane="client"):
    """updatePipeline fails where a datanode of the pipeline has registered anew."""

    @action(event="update_pipeline", refuses="NullPointerException")
    def update_pipeline_finds_no_storage(s) -> None:
        """A datanode of the new pipeline has registered anew."""
        s.whole_pipeline_is_up()
        require(s.new_stamp > s.stamp, "the stamp is a new one")
        require(exists(Datanode, lambda d: s.pipeline.has(d) & s.unknown.has(d)), "a storage is unknown")
        s.stage = Stage.FAILED


HDFS_12299 = historic("HDFS-12299", StorageMustBeKnown, fixed="2.7.6, 2.8.2").at("spare", "write_fails_only_with_cause")

HDFS_16127 = historic(
    "HDFS-16127",
    fixed="3.2.3, 3.3.2",
    drops=(
        ("connection_fails", "the last packet is not acknowledged yet (HDFS-16127)"),
        ("error_ack_comes", "the last packet is not acknowledged yet (HDFS-16127)"),
    ),
    title="a connection that closes after the last ack has come starts a recovery, which may fail",
).at("pair", "write_fails_only_with_cause")


class LateCallCounts(LateCalls, lane="namenode"):
    """An updatePipeline call that comes late brings an older stamp back."""

    @action(event="update_pipeline")
    def update_pipeline_comes_late(s) -> None:
        """The copy of an older call takes effect again."""
        require(s.late_call.stamp > 0, "a copy is on its way")
        require(s.under_construction(), "the block is under construction")
        stamp, length, locations = s.late_call.stamp, s.late_call.num_bytes, s.late_call.locations
        s.replace_generation(stamp, length, locations)
        s.forget_late_call()


STAMPS_ARE_NOT_COMPARED = Bug(
    "update-pipeline-compares-no-stamps",
    parts=(LateCallCounts,),
    source="the check in FSNamesystem#updatePipelineInternal",
).at("append", "block_stamp_never_decreases")


class WriterIsNotShutOut(PipelineSetUp):
    """A writer whose block is under recovery still gets a stamp for its pipeline, and takes the block back."""

    def under_construction(s) -> Bool:
        """A block under recovery is as good as any."""
        return s.block.at(BlockLifecycle.under_construction, BlockLifecycle.under_recovery)

    def replace_generation(s, stamp: Ordered, length: Number, locations: Members[Datanode]) -> None:
        """The block leaves the recovery."""
        recovering = s.block.at(BlockLifecycle.under_recovery)
        s.block.fire(BlockLifecycle.commit_block_synchronization_without_close, where=recovering)
        super().replace_generation(stamp, length, locations)


HDFS_1555 = historic("HDFS-1555", WriterIsNotShutOut, fixed="0.23.0").at("pair", "fenced_writer_changes_nothing")


class CommitsUnderRecovery(PipelineSetUp, lane="client"):
    """complete() commits a block that is under recovery.

    complete() does not look at the block's state (before HDFS-10240).
    """

    @action(event="complete")
    def complete_under_recovery(s) -> None:
        """The client commits its own length and stamp; the recovery is forgotten by the block."""
        s.in_stage(Stage.ENDED)
        require(s.block.at(BlockLifecycle.under_recovery), "the block is under recovery")
        require(s.stamp == s.block_stamp, "the client's stamp is the block's")
        s.block.fire(BlockLifecycle.commit_block_synchronization_without_close)
        s.commit(s.stamp, s.length_to_commit())
        s.hflushed = s.block_bytes


HDFS_10240 = historic("HDFS-10240", CommitsUnderRecovery, fixed="3.0.4, 3.1.2, 3.2.0").at(
    "pair", "fenced_writer_changes_nothing"
)


class NothingIsReplaced(PipelineDatanode, lane=Datanode):
    """createRbw refuses whatever replica is there, under a new stamp as well.

    The client is that of 3.4.1 still, which sets the block up again: 3.3.6 gives it up, and asks for another one.
    """

    def create_again(s, datanode: Datanode) -> None:
        """As the first time (FsDatasetImpl#createRbw; facts B1)."""
        s.create(datanode)


HDFS_17299 = historic(
    "HDFS-17299",
    NothingIsReplaced,
    fixed="3.4.1, 3.5.0",
    title="a datanode refuses a pipeline that is set up again, as the first attempt has left a replica",
).at("pair", "only_failed_nodes_are_given_up")

BUGS: tuple[Bug, ...] = (
    HDFS_101,
    HDFS_1467,
    HDFS_1555,
    HDFS_1606,
    HDFS_2021,
    HDFS_3398,
    HDFS_3436,
    HDFS_8498,
    HDFS_9106,
    HDFS_9289,
    HDFS_9752,
    HDFS_12299,
    HDFS_16127,
    HDFS_16146,
    HDFS_17299,
    STAMPS_ARE_NOT_COMPARED,
    VISIBLE_BEFORE_THE_ACK,
)
