"""hdfs.lease: files, leases and the calls that they decide about; what becomes of blocks is told coarsely.

Holes of Hadoop 3.4.1 stand here with their repairs; `lease_promises.py` has the properties.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.lease import HDFS_10240_BY_FORCE, LEASE_2_7, LEASE_BUGS
from genstamp_spec.hdfs.parts.earlier_blocks import EarlierBlocks, RepeatedAddBlock
from genstamp_spec.hdfs.parts.late_calls import LateCalls
from genstamp_spec.hdfs.parts.lease_history import Owners
from genstamp_spec.hdfs.parts.namenode_blocks import BlockSteps
from genstamp_spec.hdfs.parts.namenode_calls import AppendCall, FsyncCall, TreeCalls
from genstamp_spec.hdfs.parts.namenode_files import LastBlockCalls, Tree
from genstamp_spec.hdfs.parts.namenode_leases import Leases, WriterKeepsTheFile, WriterLosesTheFile
from genstamp_spec.hdfs.parts.namenode_opening import Overwriting
from genstamp_spec.hdfs.parts.namenode_restart import NamenodeRestarts
from genstamp_spec.hdfs.parts.recovery_start import RecoveryStart
from genstamp_spec.hdfs.parts.some_data import SomeData, SomeOutages, SomeStreams
from genstamp_spec.hdfs.parts.state import Attempt, AttemptStage, Client, Datanode, File, Holder
from genstamp_spec.hdfs.refinements import length_with_earlier, single_writer
from genstamp_spec.hdfs.systems.lease_promises import LeasePromises
from genstamp_spec.hdfs.systems.shared_promises import CounterOnlyRises, NamenodeTakesOver, OneLease
from genstamp_spec.lifecycles import BlockLifecycle, LeaseLifecycle

OMITS = (
    "replicas one by one, pipelines and what a block recovery does: they are in hdfs.pipeline and hdfs.recovery",
    "truncate and snapshots: they are in hdfs.truncate",
    "the edit log, standby NameNodes and the retry cache: they are in hdfs.journal; what was answered is logged",
    "how often clients renew, and clocks: they are in hdfs.renewal; here a lease may pass a limit at any time",
    "what has to happen eventually: that is in hdfs.expiry",
    "row 2 of the release of a file: blocks before the last two are complete by their kind",
    "a close with committed blocks (dfs.namenode.file.close.num-committed-allowed is 0)",
    "directories, permissions, quotas, concat, erasure-coded files",
)


SOFT_LIMIT_TAKES_THE_FILE = Hole(
    "soft-limit-takes-the-file",
    "a file that another client has had taken over after the soft limit stays with its old writer",
    parts=(WriterKeepsTheFile,),
    source="facts F.2; FSNamesystem#recoverLeaseInternal, #internalReleaseLease with newHolder null, Hadoop 3.4.1",
).at("two_clients", "taken_over_file_leaves_its_writer")
FSYNC_STOPS_FOR_A_RECOVERY = Hole(
    "fsync-stops-for-a-recovery",
    "fsync changes the length of a block that is under recovery",
    drops=(("fsync", "the last block is being written"),),
    source="facts A6, E.10; FSNamesystem#fsync, FileUnderConstructionFeature#updateLengthOfLastBlock, Hadoop 3.4.1",
).at("two_clients", "fenced_client_changes_nothing")
LATE_FSYNC_CHANGES_NOTHING = Hole(
    "late-fsync-changes-nothing",
    "an fsync that comes late changes a length that was committed, lowers one, or sets that of the next block",
    drops=tuple(
        ("fsync_arrives_late", label)
        for label in (
            "the length is that of the last block",
            "the last block is being written",
            "the length does not fall",
        )
    ),
    source="facts A6, E.10; FSNamesystem#fsync, FileUnderConstructionFeature#updateLengthOfLastBlock, Hadoop 3.4.1",
).at("late_calls", "commit_fixes_content", "promised_bytes_are_known", "fenced_client_changes_nothing")
ABANDON_LOOKS_AT_THE_BLOCK = Hole(
    "abandon-looks-at-the-block",
    "abandonBlock drops a block that is under recovery",
    drops=(("abandon_block", "the block is not under recovery"),),
    source="facts E.8, A15; FSDirWriteFileOp#abandonBlock, Hadoop 3.4.1",
).at("two_clients", "fenced_client_changes_nothing")


class OnlyOneBlockFilesPassNone(Owners):
    """After an append to a full block, a repeated addBlock or complete is refused: the client has no block to pass."""

    def may_have_passed_none(s, file: File) -> Bool:
        """The file has one block."""
        return s.earlier[file].state.at(BlockLifecycle.absent)

    def may_pass_none(s, file: File) -> Bool:
        """The file has no block."""
        return super().may_pass_none(file) & s.block[file].at(BlockLifecycle.absent, BlockLifecycle.removed)


APPEND_TO_A_FULL_BLOCK_PASSES_NONE = Hole(
    "append-to-a-full-block-passes-none",
    parts=(OnlyOneBlockFilesPassNone,),
    source="found with this model; FSDirWriteFileOp#analyzeFileState, #completeFileInternal, Hadoop 3.4.1",
).at("late_calls", "missed_block_can_be_had", "missed_close_can_be_had")


class RecoveryChangesFirst(Owners):
    """A recovery that cannot close the file has completed the last block in memory when it finds out, and logs
    nothing.
    """

    def before_closing_fails(s, file: File, attempt: Attempt) -> None:
        """The last block is complete in memory only; where nothing was found, it would be gone."""
        # Only this outcome is needed to break the promise.
        require(attempt.stage.at(AttemptStage.UPDATING), "replicas were updated")
        s.block[file].fire(BlockLifecycle.commit_block_synchronization)
        s.take_result(file, attempt)

    # A file whose last block is complete and whose block before is not is left as it is by all that would release it.
    # Source: FSNamesystem#internalReleaseLease (no case for it, so false), #recoverLeaseInternal, Hadoop 3.4.1.

    def is_stuck(s, file: File) -> Bool:
        """The last block is complete, the one before is not."""
        return s.block[file].at(BlockLifecycle.complete) & s.earlier[file].state.at(BlockLifecycle.committed)

    def may_release(s, file: File) -> None:
        """Checks: the file is not stuck; if it is, other steps apply."""
        super().may_release(file)
        require(~s.is_stuck(file), "the file can be closed or recovered")

    @action(event="recover_lease", unchanged="nothing is recovered or closed")
    def recover_lease_does_nothing(s, client: Client, file: File) -> None:
        """The call answers false."""
        s.may_call(client)
        s.stays_open(file)
        require(~s.lease[s.client_name[file]].at(LeaseLifecycle.released), "the file's holder has a lease")
        observe(closed=False)

    @action(event="create", refuses="RecoveryInProgressException")
    def create_finds_no_recovery(s, client: Client, file: File) -> None:
        """The caller is told of a recovery that does not take place."""
        s.opens_after_soft_limit(client, file)

    @action(event="append", refuses="RecoveryInProgressException")
    def append_finds_no_recovery(s, client: Client, file: File) -> None:
        """As above."""
        s.opens_after_soft_limit(client, file)

    @action(event="release_expired_lease", unchanged="nothing is recovered or closed")
    def release_expired_lease_does_nothing(s, holder: Holder, file: File) -> None:
        """The lease monitor comes again and again."""
        s.may_work()
        require(
            s.lease[holder].at(LeaseLifecycle.past_hard_limit) | (holder == Holder.NAMENODE),
            "the lease is past its hard limit",
        )
        require(s.lease_files[holder].has(file), "the lease covers the file")
        s.stays_open(file)
        observe(closed=False)

    def opens_after_soft_limit(s, client: Client, file: File) -> None:
        """Checks: a stuck file of another client whose soft limit has passed."""
        s.may_call(client)
        s.stays_open(file)
        require(~s.lease_files[client].has(file), "the caller does not hold the file's lease")
        require(s.past_soft_limit(s.client_name[file]), "the holder's lease is past its soft limit")

    def stays_open(s, file: File) -> None:
        """Checks: the file is open and stuck."""
        require(s.under_construction(file), "the file is under construction")
        s.not_deleted(file, None)
        require(s.is_stuck(file), "the last block is complete, the one before is not")


CLOSING_FAILS_BEFORE_IT_BEGINS = Hole(
    "closing-fails-before-it-begins",
    parts=(RecoveryChangesFirst,),
    source="facts G.6, S19; HDFS-17861, fixed in 3.5.0 for a removed block; "
    "FSNamesystem#closeFileCommitBlocks, Hadoop 3.4.1",
).at("blocks", "only_the_last_two_blocks_are_incomplete")


class AppendWithoutDatanodes(Owners):
    """Where no datanode is live, append opens a file and gives its last block without a location."""

    def are_enough(s, stored: Members[Datanode]) -> Bool:
        """The least replication is never more than there are live datanodes."""
        return super().are_enough(stored) | s.running.is_empty()


APPEND_NEEDS_A_LIVE_REPLICA = Hole(
    "append-needs-a-live-replica",
    parts=(AppendWithoutDatanodes,),
    source="facts E.2; found by holding the implementation against this model; BlockManager#isSufficientlyReplicated, "
    "FSDirAppendOp#appendFile, Hadoop 3.4.1",
).at("outages", "given_block_has_locations")

OFF = {"bytes": 1, "older": 0, "renames": 0, "removals": 0, "restarts": 0, "late_calls": 0, "lost": 0, "crashes": 0}
HADOOP_3_4 = (
    SOFT_LIMIT_TAKES_THE_FILE,
    FSYNC_STOPS_FOR_A_RECOVERY,
    LATE_FSYNC_CHANGES_NOTHING,
    ABANDON_LOOKS_AT_THE_BLOCK,
    APPEND_TO_A_FULL_BLOCK_PASSES_NONE,
    CLOSING_FAILS_BEFORE_IT_BEGINS,
    APPEND_NEEDS_A_LIVE_REPLICA,
)

LEASE = System(
    "hdfs.lease",
    parts=[
        RecoveryStart,
        Leases,
        WriterLosesTheFile,
        BlockSteps,
        AppendCall,
        TreeCalls,
        FsyncCall,
        SomeData,
        SomeOutages,
        SomeStreams,
        EarlierBlocks,
        NamenodeRestarts,
        RepeatedAddBlock,
        Overwriting,
        LastBlockCalls,
        Tree,
        LateCalls,
        Owners,
        CounterOnlyRises,
        NamenodeTakesOver,
        OneLease,
        LeasePromises,
    ],
    doc="Files, leases and the calls that they decide about, with lost and late calls and restarts of the NameNode.",
    semantics={
        "repaired": (),
        "hadoop-3.4": HADOOP_3_4,
        "hadoop-2.10": (*HADOOP_3_4, HDFS_10240_BY_FORCE),
        "hadoop-2.7": (*HADOOP_3_4, *LEASE_2_7),
    },
    refines=[single_writer({}, length_with_earlier)],
    rows="""
        *: File=1 Datanode=1 bytes=1 older=0 renames=0 removals=0 restarts=0 late_calls=0 lost=0 crashes=0 stamps=2
        two_clients: Client=2; two clients and the NameNode compete for one file
        restarts: Client=2 restarts=1; the NameNode starts again
        blocks: Client=1 older=1 removals=1 crashes=1 stamps=4; a file of three blocks, and without datanodes at times
        late_calls: Client=1 bytes=2 late_calls=1 lost=1 stamps=3; answers that are lost and calls that come late
        late_restart: Client=1 restarts=1 late_calls=1 lost=1; the NameNode starts again while calls are under way
        outages: Client=2 restarts=1 lost=1 crashes=1 stamps=1;
            no datanode is up for a time, with two clients and a NameNode that starts again
        appenders: Client=2 crashes=1;
            a recovered file is opened again by two clients, and its only datanode is down at times
        late_removals: Client=1 removals=1 late_calls=1; a file is deleted or overwritten while calls are under way
        files: Client=2 File=2 renames=1 removals=1 stamps=1; two files, deleted, overwritten and renamed
        takeovers: Client=1 File=2; one of two files of a lease is taken over
        two_datanodes: Client=1 Datanode=2 crashes=1; one of two datanodes recovers a block, and one is down at times
        two_files: Client=2 File=2 renames=1 on_demand; a recovery of each of two files
    """,
    bugs=(*LEASE_BUGS, HDFS_10240_BY_FORCE),
    meets=(("complete", "the client's stamp is the block's"),),
    omits=OMITS,
)
