"""What Hadoop 3.4.1 does otherwise than hdfs.pipeline asks for."""

from dataclasses import replace
from typing import Final

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.pipeline import HDFS_16146
from genstamp_spec.hdfs.bugs.pipeline_block import HDFS_10240, HDFS_12299, HDFS_16127, HDFS_17299
from genstamp_spec.hdfs.bugs.replica import PIPELINES_BRING_A_NEW_STAMP as REPLICAS_HOLE
from genstamp_spec.hdfs.bugs.replica import RESTART_KEEPS_WHAT_WAS_ACKNOWLEDGED as REPLICAS_RESTART
from genstamp_spec.hdfs.parts.pipeline_set_up import PipelineSetUp
from genstamp_spec.hdfs.parts.pipeline_state import Stage
from genstamp_spec.hdfs.parts.pipeline_surroundings import PlannedRestarts
from genstamp_spec.hdfs.parts.state import Datanode, only
from genstamp_spec.lifecycles.replica import ReplicaLifecycle

FIRST_ANSWER_COUNTS = Hole(
    "first-answer-counts",
    "a reader takes the length that the first location answers, and a recovery of the pipeline may cut bytes of it off",
    drops=(("read", "no location shows less"),),
    source="found with this model; facts C.3, S2, S4; DFSInputStream#readBlockLength, FsDatasetImpl#recoverRbw, 3.4.1",
).at("pair", "shown_bytes_are_at_every_location")


class AnyStampIsNew(PipelineSetUp):
    """No operation asks for a new stamp."""

    def brings_a_new_stamp(s, stamp: Ordered, new_stamp: Ordered) -> None:
        """The old stamp will do."""


PIPELINES_BRING_A_NEW_STAMP: Final = replace(REPLICAS_HOLE, drops=(), parts=(AnyStampIsNew,)).at(
    "reused_stamps", "namenode_knows_the_pipeline"
)
"""The pipeline that a client has set up alone is not the NameNode's: a datanode that was left out of it is a location
still, and its replica is of the block's generation, but short.
"""

RESTART_KEEPS_WHAT_WAS_ACKNOWLEDGED: Final = REPLICAS_RESTART.at("restart", "chain_is_in_order")
"""The node that has restarted shows what nodes after it have not received; other locations show less to readers."""


class FailedTransferIsASuccess(PipelineSetUp, lane="client"):
    """A failed copy for a pipeline is answered as if it had come about, and the client adds a node without a
    replica.
    """

    def failure_is_told(s, source: Datanode, target: Datanode) -> Bool:
        """Only what it finds before it copies is answered."""
        del target
        return ~s.can_copy(source)

    @action(event="add_datanode")
    def add_datanode_without_a_copy(s, source: Datanode, target: Datanode) -> None:
        """The target takes no copy, and the client takes it into its pipeline.

        Source  DataNode.DataTransfer#run, DataNode#transferReplicaForPipelineRecovery, Hadoop 3.4.1; HDFS-16601.
        """
        s.is_to_copy(source, target)
        require(s.can_copy(source), "the source has the replica")
        require(~s.running.has(target), "the datanode does not take the transfer")
        s.pipeline.add(target)
        s.has_replaced = True


FAILED_TRANSFER_IS_A_SUCCESS = Hole(
    "failed-transfer-is-a-success",
    parts=(FailedTransferIsASuccess,),
    source="HDFS-16601; DataNode.DataTransfer#run, Hadoop 3.4.1",
).at("spare", "joining_node_has_what_is_acknowledged")


class ClosingReplicaIsNotNoted(PlannedRestarts):
    """A planned restart after the last packet leaves a replica that waits to be recovered, and a close recovery
    refuses.
    """

    unnoted = members(Datanode)  # whose replica is not found as it was

    def notes_replica(s, datanode: Datanode) -> None:
        """The receiver waits for its responder to close, and the interrupt ends that wait only (facts C.7.11)."""
        last = s.is_last(s.connection[datanode].taken)
        written = s.replica[datanode].state.at(ReplicaLifecycle.rbw)
        s.unnoted = when(last & written, s.unnoted | only(datanode), s.unnoted)

    def restart(s, datanode: Datanode, kept_bytes: Number | int, planned: Bool | bool = False) -> None:
        """The replica waits to be recovered then, as after a crash."""
        super().restart(datanode, kept_bytes, planned & ~s.unnoted.has(datanode))
        s.unnoted.remove(datanode)


RESTART_KEEPS_A_CLOSING_REPLICA = Hole(
    "restart-keeps-a-closing-replica",
    parts=(ClosingReplicaIsNotNoted,),
    source="found with Apache HDFS; facts C.7.11; BlockReceiver#receiveBlock, PacketResponder#close, Hadoop 3.4.1",
).at("upgrade", "only_failed_nodes_are_given_up", "write_fails_only_with_cause", "hflushed_bytes_survive")


class UnknownStorageNamesNoOther(PipelineSetUp, lane="client"):
    """A writer whose pipeline has a node that registered anew is named no other datanode, and its write ends."""

    def is_known_by_storages(s) -> None:
        """The NameNode knows all of them."""
        require((s.pipeline & s.unknown).is_empty(), "the NameNode knows the storages of the pipeline")

    @action(event="no_datanode_to_add", refuses="NullPointerException")
    def no_datanode_to_add_beside_an_unknown_storage(s) -> None:
        """A storage that it does not know is null, and the write ends.

        Source  FSNamesystem#getAdditionalDatanode, BlockPlacementPolicyDefault#chooseTarget, Hadoop 3.4.1; facts
                E.13.10.
        """
        s.looks_for_a_node()
        require(s.under_construction(), "the block is under construction")
        require(~(s.pipeline & s.unknown).is_empty(), "the NameNode does not know a storage of the pipeline")
        s.stage = Stage.FAILED


UNKNOWN_STORAGE_NAMES_NO_OTHER = Hole(
    "unknown-storage-names-no-other",
    parts=(UnknownStorageNamesNoOther,),
    source="found with Apache HDFS; facts E.13.10; FSNamesystem#getAdditionalDatanode, Hadoop 3.4.1",
).at("spare", "write_fails_only_with_cause")

HADOOP_3_4 = (
    FIRST_ANSWER_COUNTS,
    PIPELINES_BRING_A_NEW_STAMP,
    RESTART_KEEPS_WHAT_WAS_ACKNOWLEDGED,
    FAILED_TRANSFER_IS_A_SUCCESS,
    RESTART_KEEPS_A_CLOSING_REPLICA,
    UNKNOWN_STORAGE_NAMES_NO_OTHER,
)

HADOOP_3_3 = (*HADOOP_3_4, HDFS_17299)
HADOOP_2_7 = (*HADOOP_3_3, HDFS_10240, HDFS_12299, HDFS_16127, HDFS_16146)
