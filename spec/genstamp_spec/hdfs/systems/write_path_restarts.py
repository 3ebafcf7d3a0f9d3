"""hdfs.write_path_restarts: the write path with a NameNode that starts again, and is told by reports what there is.

Beside hdfs.write_path because a restart forgets recoveries: what that system promises of recovery ids, and that
primaries do what hdfs.recovery says, holds between two restarts only.
"""

from typing import Self

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.earlier_blocks import EarlierBlocks
from genstamp_spec.hdfs.parts.namenode_blocks import BlockSteps, NamenodeAppend, PipelineCalls
from genstamp_spec.hdfs.parts.namenode_leases import Leases, WriterLosesTheFile
from genstamp_spec.hdfs.parts.namenode_restart import NamenodeRestarts
from genstamp_spec.hdfs.parts.recovery_start import RecoveryStart, Turns
from genstamp_spec.hdfs.parts.state import AttemptStage, Client, Datanode, File
from genstamp_spec.hdfs.parts.streamed_blocks import RecoveriesGoOn, SafeModeEndsEarly, StreamedRestarts
from genstamp_spec.hdfs.projections import AS_LEASE_WITH_RESTARTS
from genstamp_spec.hdfs.refinements import durable_prefix, length_with_earlier, promised_with_earlier, single_writer
from genstamp_spec.hdfs.state.resumptions import Resumptions
from genstamp_spec.hdfs.systems.recovery_promises import RecoveryPromises, StepsAndStates
from genstamp_spec.hdfs.systems.shared_promises import CounterOnlyRises, NamenodeTakesOver, OneLease
from genstamp_spec.hdfs.systems.truncate_promises import AppendSteps
from genstamp_spec.hdfs.systems.write_path import STREAMING
from genstamp_spec.lifecycles import BlockLifecycle, ReplicaLifecycle

OMITS = (
    "the edit log itself, standbys and failover: they are in hdfs.journal and hdfs.standby_reports",
    "fsync but for a block's first hflush: it is in hdfs.lease",
    "what is promised of recovery ids, and primaries that do what hdfs.recovery says: they are in hdfs.write_path",
    "that replicas which a complete block counts stay as they were: a recovery from before the restart, or a client "
    "that appended then, may change them once they were reported",
    "reports that are late or overtake each other, and corrupt replicas: they are in hdfs.reports",
    "the 30 s that safe mode goes on when enough blocks are known, and datanodes that it may be told to wait for",
    "two recoveries of a block with bytes on two nodes together with a restart: each by itself, for want of room",
    "what hdfs.write_path omits of pipelines, truncate and block recovery",
)

SAFE_MODE_WAITS_FOR_REPORTS = Hole(
    "safe-mode-waits-for-reports",
    "safe mode ends while datanodes have not reported, and a block that is being written is recovered without them",
    parts=(SafeModeEndsEarly,),
    source="found with this model; facts I.4, A18; BlockManagerSafeMode#checkSafeMode, "
    "FSNamesystem#internalReleaseLease, Hadoop 3.4.1",
).at("lost_node", "hflushed_bytes_survive")
RECOVERIES_END_WITH_THEIR_NAMENODE = Hole(
    "recoveries-end-with-their-namenode",
    "a recovery that was started before a restart freezes replicas of a block that is closed since, and restamps them",
    parts=(RecoveriesGoOn,),
    source="found with this model; facts A.7, A18, G.6 row 6; BlockRecoveryWorker, Hadoop 3.4.1",
).at("one_node", "complete_blocks_are_not_restamped")
HFLUSH_WAITS_FOR_REPORTS = Hole(
    "hflush-waits-for-reports",
    "the first hflush after a restart succeeds before the NameNode knows of every replica that a recovery has to ask",
    drops=(("hflush", "the NameNode knows of every replica at the block's first hflush"),),
    source="found with this model; facts A18, C.4, E.10; FSNamesystem#fsync, Hadoop 3.4.1",
).at("lost_node", "hflushed_bytes_survive")


class RestartProperties(Resumptions):
    """What stays true over a restart; numbers S are those of the facts, page J."""

    block_stamp_never_decreases = RecoveryPromises.block_stamp_never_decreases
    replica_stamp_never_decreases = RecoveryPromises.replica_stamp_never_decreases
    replica_under_recovery_is_below_it = RecoveryPromises.replica_under_recovery_is_below_it
    current_recovery_is_above_the_block = RecoveryPromises.current_recovery_is_above_the_block
    stamps_come_from_the_counter = RecoveryPromises.stamps_come_from_the_counter
    hflushed_bytes_survive = RecoveryPromises.hflushed_bytes_survive
    replica_recovery_id_only_grows = RecoveryPromises.replica_recovery_id_only_grows
    closed_files_are_complete = RecoveryPromises.closed_files_are_complete
    one_primary_per_recovery_id = RecoveryPromises.one_primary_per_recovery_id
    leads = RecoveryPromises.leads

    def given_out(s, file: File) -> Bool:
        """Every stamp that the NameNode has, will be told of, or gave to a client was given out."""
        known = (s.block_stamp[file] <= s.last_stamp) & (s.recovery_id[file] <= s.last_stamp)
        streams = forall(Client, lambda client: s.stream[client][file].stamp <= s.last_stamp)
        resumed = forall(Client, lambda client: s.resumption[client][file].new_stamp <= s.last_stamp)
        return known & streams & resumed

    @transition
    def complete_blocks_are_not_restamped(s, t: Self, file: File, datanode: Datanode) -> Bool:
        """S7: no recovery gives its stamp to a replica that a COMPLETE block counts."""
        before, after = s.replica[datanode][file], t.replica[datanode][file]
        counted = s.block[file].at(BlockLifecycle.complete) & s.stored[file].has(datanode)
        frozen = before.state.at(ReplicaLifecycle.rur) & (before.stamp == s.block_stamp[file])
        restamped = after.state.at(ReplicaLifecycle.finalized) & (after.stamp > before.stamp)
        return (counted & frozen).implies(~restamped)

    @witness
    def primary_outlives_its_namenode(s, datanode: Datanode, file: File) -> Bool:
        """A primary reports to a NameNode that has never heard of its recovery."""
        updating = s.attempt[datanode][file].stage.at(AttemptStage.UPDATING)
        again: Bool = s.restarts > 0
        return again & updating & s.block[file].at(BlockLifecycle.under_construction)

    @witness
    def replicas_are_known_again(s, file: File) -> Bool:
        """A block that is written goes on with locations that were reported after a restart."""
        open_ = s.block[file].at(BlockLifecycle.under_construction)
        again: Bool = (s.restarts > 0) & ~s.safe_mode
        return again & open_ & exists(Datanode, lambda d: s.locations[file].has(d))


WRITE_PATH_RESTARTS = System(
    "hdfs.write_path_restarts",
    parts=[
        RecoveryStart,
        PipelineCalls,
        Turns,
        Leases,
        WriterLosesTheFile,
        BlockSteps,
        NamenodeAppend,
        *STREAMING,
        EarlierBlocks,
        NamenodeRestarts,
        StreamedRestarts,
        AppendSteps,
        StepsAndStates,
        CounterOnlyRises,
        NamenodeTakesOver,
        OneLease,
        RestartProperties,
    ],
    doc="The write path with a NameNode that starts again.",
    semantics={
        "repaired": (),
        "hadoop-3.4": (SAFE_MODE_WAITS_FOR_REPORTS, RECOVERIES_END_WITH_THEIR_NAMENODE, HFLUSH_WAITS_FOR_REPORTS),
    },
    rows="""
        *: Client=1 File=1 stamps=3 bytes=1 crashes=0 appends=0 further_blocks=0 older=0 restarts=1
        one_node: Datanode=1 crashes=1; a recovery of which the NameNode has forgotten
        second_block: Datanode=1 further_blocks=1; a file of two blocks
        appenders: Client=2 Datanode=1 appends=1; somebody else appends, or has the file taken over
        lost_node: Datanode=2 stamps=2 crashes=1; a pipeline of two, one of which stops
        append_after_loss: Datanode=2 stamps=2 bytes=0 crashes=1 appends=1;
            a file is appended to whose pipeline has lost a node, or loses one then
        two_recoveries: Datanode=2 bytes=0; a second recovery meets what the first has left
        overlapping: Datanode=2 crashes=1 restarts=0; two recoveries overlap and a node stops, while the NameNode stays
        two_restarts: Datanode=1 restarts=2; the NameNode starts again twice
    """,
    refines=[
        single_writer(
            {
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
        AS_LEASE_WITH_RESTARTS,
    ],
    meets=(
        ("complete", "the client's stamp is the block's"),
        ("recover_close", "the replica's stamp fits"),
    ),
    omits=OMITS,
)
