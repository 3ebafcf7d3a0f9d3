"""hdfs.write_path: leases, files of several blocks, pipelines and their recovery, appends and block recovery, composed.

What the other systems say in full is told here as far as it takes to put the actors together: see `OMITS`.
"""

from dataclasses import replace
from typing import Self

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.recovery import HDFS_2484, HDFS_10240, HDFS_11817, HDFS_12070, HDFS_14498, HDFS_15725
from genstamp_spec.hdfs.bugs.reused_stamps import HDFS_17850, HDFS_17850_IN_APPEND_ALONE
from genstamp_spec.hdfs.parts.block_recovery import BlockRecovery
from genstamp_spec.hdfs.parts.client import Clients
from genstamp_spec.hdfs.parts.datanode_replicas import DatanodeAppend, DatanodeReplicas
from genstamp_spec.hdfs.parts.earlier_blocks import EarlierBlocks
from genstamp_spec.hdfs.parts.namenode_blocks import BlockSteps, KnownBytesAreNotDeleted, NamenodeAppend, PipelineCalls
from genstamp_spec.hdfs.parts.namenode_leases import Leases, WriterKeepsTheFile, WriterLosesTheFile
from genstamp_spec.hdfs.parts.pipeline_recovery import PipelineRecovery
from genstamp_spec.hdfs.parts.recovery_start import RecoveryStart, Turns
from genstamp_spec.hdfs.parts.state import AttemptStage, Client, Datanode, File, StreamStage
from genstamp_spec.hdfs.parts.streamed_blocks import FirstWrites, FurtherBlocks
from genstamp_spec.hdfs.projections import AS_LEASE, AS_PIPELINE, AS_RECOVERY
from genstamp_spec.hdfs.refinements import (
    durable_prefix,
    length_with_earlier,
    promised_with_earlier,
    single_writer,
)
from genstamp_spec.hdfs.state.resumptions import Resumptions
from genstamp_spec.hdfs.systems.lease import SOFT_LIMIT_TAKES_THE_FILE
from genstamp_spec.hdfs.systems.recovery import (
    COMMAND_BELONGS_TO_ITS_ATTEMPT,
    HFLUSH_SEES_THE_RECOVERY,
    UNREACHABLE_IS_NOT_EMPTY,
)
from genstamp_spec.hdfs.systems.recovery_promises import RecoveryPromises, StepsAndStates
from genstamp_spec.hdfs.systems.shared_promises import NamenodeTakesOver, OneLease
from genstamp_spec.hdfs.systems.truncate_promises import AppendSteps
from genstamp_spec.lifecycles import BlockLifecycle, FileLifecycle, ReplicaLifecycle

OMITS = (
    "truncate and snapshots: they are in hdfs.write_path_truncate and hdfs.truncate",
    "packets and acks one by one, and datanodes that join a pipeline: they are in hdfs.pipeline",
    "messages of block recovery that are lost, late or doubled: they are in hdfs.block_recovery",
    "the NameNode's restart and safe mode: they are in hdfs.write_path_restarts; its edit log: it is in hdfs.journal",
    "delayed reports and corrupt replicas: they are in hdfs.reports",
    "of what Hadoop 2.7.4 does otherwise, pipelines: it is in hdfs.pipeline",
)

KNOWN_BYTES_ARE_NOT_DELETED = Hole(
    "known-bytes-are-not-deleted",
    "a block that is appended to is deleted although the NameNode knows of bytes in it: who has them was not asked",
    drops=(("commit_block_synchronization", "no bytes of the block are known"),),
    source="found with this model; facts A.4, A17, G.3, G.4 row 0, S18; FSNamesystem#commitBlockSynchronization, "
    "BlockManager#convertLastBlockToUnderConstruction, Hadoop 3.4.1",
).at("append_to_a_byte", "only_empty_blocks_are_dropped")
"""An append takes the replicas that were reported for all that there are. Where the one that it opens again loses its
bytes with its machine, the other one is not asked, though it has them.
"""
HOLES = (
    UNREACHABLE_IS_NOT_EMPTY.at("second_block"),
    HFLUSH_SEES_THE_RECOVERY.at("two_blocks"),
    replace(COMMAND_BELONGS_TO_ITS_ATTEMPT, parts=()).at("lost_node"),
    replace(SOFT_LIMIT_TAKES_THE_FILE, parts=(WriterKeepsTheFile,)).at("appenders", "refines hdfs.lease"),
    KNOWN_BYTES_ARE_NOT_DELETED,
)
"""Those of hdfs.recovery and the takeover of hdfs.lease, where they show here, and one of appends."""
HADOOP_2_7 = (
    *HOLES,
    HDFS_10240.at("two_blocks", "fenced_client_changes_nothing"),
    HDFS_11817.at("two_blocks"),
    HDFS_2484.at("appenders"),
    HDFS_12070.at("lost_node"),
    HDFS_14498.at("two_blocks"),
    HDFS_15725.at("two_blocks"),
)
"""What hdfs.recovery has of Hadoop 2.7.4, where it shows here."""


STREAMING = (DatanodeReplicas, Clients, DatanodeAppend, PipelineRecovery, BlockRecovery)
"""Who writes blocks through pipelines, and recovers them."""


class WritePathProperties(RecoveryPromises, Resumptions, FurtherBlocks):
    """What hdfs.write_path promises beyond hdfs.recovery."""

    def given_out(s, file: File) -> Bool:
        """Also the stamps of pipelines that clients set up."""
        streams = forall(Client, lambda client: s.stream[client][file].stamp <= s.last_stamp)
        resumed = forall(Client, lambda client: s.resumption[client][file].new_stamp <= s.last_stamp)
        return super().given_out(file) & streams & resumed

    @transition(inductive=True)
    def pipeline_stamps_are_given_out_once(s, t: Self, client: Client, file: File) -> Bool:
        """S9: a pipeline is set up again under a stamp above every one that was given out before."""
        before, after = s.resumption[client][file].new_stamp, t.resumption[client][file].new_stamp
        return ((after != before) & (after > 0)).implies(after > s.last_stamp)

    def restamps(s, t: Self, client: Client, file: File) -> Bool:
        """The client owns the file, and goes on under the block's new stamp."""
        return (s.client_name[file] == client) & (t.block_stamp[file] == t.stream[client][file].stamp)

    @transition(inductive=True)
    def only_the_holder_restamps(s, t: Self, file: File) -> Bool:
        """S10, S11: while a file is being written the stamp of its last block changes by its holder's hand alone."""
        under_construction = BlockLifecycle.under_construction
        written = s.block[file].at(under_construction) & t.block[file].at(under_construction)
        restamped = written & (t.block_stamp[file] != s.block_stamp[file])
        return restamped.implies(exists(Client, lambda client: s.restamps(t, client, file)))

    @invariant
    def committed_length_is_on_every_replica(s, datanode: Datanode, file: File) -> Bool:
        """S14: no finalized replica of a committed block's stamp has another length than the block."""
        replica = s.replica[datanode][file]
        committed = s.block[file].at(BlockLifecycle.committed, BlockLifecycle.complete)
        same_stamp = replica.stamp == s.block_stamp[file]
        finalized = replica.state.at(ReplicaLifecycle.finalized)
        return (committed & finalized & same_stamp).implies(replica.num_bytes == s.block_bytes[file])

    @invariant(inductive=True)
    def open_files_lost_no_block(s, file: File) -> Bool:
        """Whatever drops the last block closes the file, and it stays closed."""
        return s.block[file].at(BlockLifecycle.removed).implies(s.file[file].at(FileLifecycle.closed))

    @invariant(inductive=True, given=("open_files_lost_no_block",))
    def earlier_block_is_committed(s, file: File) -> Bool:
        """S15: the block before the last one is committed at least."""
        before: Lifecycle = s.earlier[file].state
        return before.at(BlockLifecycle.absent, BlockLifecycle.committed, BlockLifecycle.complete)

    @invariant
    def closed_files_have_complete_blocks(s, file: File) -> Bool:
        """S16: the block before the last one of a closed file is complete."""
        done = s.earlier[file].state.at(BlockLifecycle.absent, BlockLifecycle.complete)
        return s.file[file].at(FileLifecycle.closed).implies(done)

    @transition
    def next_block_leaves_what_was_promised(s, t: Self, file: File) -> Bool:
        """S6, S14: a block that is followed by another has all bytes that an hflush promised in it."""
        followed = t.further_blocks > s.further_blocks
        this_one: Bool = s.earlier[file].stamp != t.earlier[file].stamp
        return (followed & this_one).implies(t.earlier[file].num_bytes >= s.hflushed[file])

    @witness
    def two_blocks_in_a_closed_file(s, file: File) -> Bool:
        """A file is closed with two blocks that hold bytes."""
        both: Bool = (
            (s.earlier[file].num_bytes > 0) & s.block[file].at(BlockLifecycle.complete) & (s.block_bytes[file] > 0)
        )
        return s.file[file].at(FileLifecycle.closed) & both

    @witness
    def pipeline_goes_on(s, client: Client, file: File) -> Bool:
        """A client closes a file whose pipeline has lost a node after an hflush."""
        stream = s.stream[client][file]
        return stream.stage.at(StreamStage.CLOSING) & (s.block_stamp[file] > 1) & (s.hflushed[file] > 0)

    @witness
    def recovery_meets_a_burned_stamp(s, datanode: Datanode, file: File) -> Bool:
        """H: block recovery finds a replica under a stamp that the NameNode was never told of."""
        attempt, replica = s.attempt[datanode][file], s.replica[datanode][file]
        burned = (replica.stamp > attempt.block_stamp) & (replica.stamp < attempt.recovery_id)
        return attempt.stage.at(AttemptStage.UPDATING) & burned

    @witness
    def closed_by_a_pipeline_of_less(s, datanode: Datanode, file: File) -> Bool:
        """A file is closed while a node that was in the pipeline has a replica of an older generation."""
        replica = s.replica[datanode][file]
        stale = ~replica.state.at(ReplicaLifecycle.absent) & (replica.stamp < s.block_stamp[file])
        return s.file[file].at(FileLifecycle.closed) & stale


WRITE_PATH = System(
    "hdfs.write_path",
    parts=[
        RecoveryStart,
        PipelineCalls,
        Turns,
        Leases,
        BlockSteps,
        KnownBytesAreNotDeleted,
        WriterLosesTheFile,
        NamenodeAppend,
        *STREAMING,
        EarlierBlocks,
        FirstWrites,
        AppendSteps,
        StepsAndStates,
        RecoveryPromises,
        NamenodeTakesOver,
        OneLease,
        WritePathProperties,
    ],
    doc="All together: leases, files of two blocks, pipelines and their recovery, appends, block recovery, crashes.",
    semantics={"repaired": (), "hadoop-3.4": HOLES, "hadoop-2.7": HADOOP_2_7},
    rows="""
        *: Client=1 File=1 Datanode=2 stamps=3 bytes=1 crashes=0 appends=0 further_blocks=0 older=0
        two_blocks: Datanode=1 further_blocks=1; a file of two blocks, and a recovery of either
        appenders: Client=2 Datanode=1 appends=2; two clients append in turn
        second_block: stamps=2 crashes=2 further_blocks=1; the pipeline of the second block loses its nodes
        append_after_loss: bytes=0 crashes=1 appends=1;
            a file is appended to whose pipeline has lost a node, or loses one then
        lost_node: crashes=1; a pipeline loses a node, and a recovery meets what is left of it
        append_to_a_byte: crashes=1 appends=1; the same with a byte, which the NameNode may not know every replica of
        reused_stamp: stamps=2 bytes=2 crashes=1 appends=1 on_demand;
            a file of a byte is appended to, and a recovery meets what either write has left
        three_nodes: Datanode=3 stamps=2 crashes=1 on_demand; two nodes are left of a pipeline
        two_clients: Client=2 bytes=0 crashes=1 on_demand; a takeover while a pipeline is set up again
        all_at_once: Client=2 Datanode=3 stamps=2 crashes=1 further_blocks=1 on_demand;
            two clients, three datanodes and two blocks, one of which loses a node or is recovered
    """,
    bugs=[HDFS_17850, HDFS_17850_IN_APPEND_ALONE],
    refines=[
        single_writer(
            {
                "forget": "the NameNode does not start again",
                "release_and_open": "nobody opens a file of somebody else",
                "delete": "no file is deleted",
                "overwrite": "files are created without overwrite",
                "move_here": "no file is renamed",
            },
            length_with_earlier,
        ),
        durable_prefix(
            {"read": "nobody reads", "delete": "no file is deleted"}, length_with_earlier, promised_with_earlier
        ),
        AS_LEASE,
        AS_PIPELINE,
        AS_RECOVERY,
    ],
    meets=(("recover_close", "the replica's stamp fits"),),
    omits=OMITS,
)
