"""hdfs.recovery: leases, the pipeline of one block, lease and block recovery, crashes of clients and datanodes.

The document to read after the lifecycles: what this system promises, and under which names it fails. It is the first
version; `OMITS` says what it leaves out.
"""

from typing import Self

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.block_recovery_holes import RemovedBlocksAreRecovered, RemovedBlocksKeepLocations
from genstamp_spec.hdfs.bugs.recovery import DEAD_ARE_ASKED, HDFS_1218, HDFS_10240, HDFS_11817, RECOVERY_2_7
from genstamp_spec.hdfs.parts.block_recovery import BlockRecovery
from genstamp_spec.hdfs.parts.client import Clients
from genstamp_spec.hdfs.parts.datanode_replicas import DatanodeReplicas, StreamingOnceSetUp
from genstamp_spec.hdfs.parts.namenode_blocks import BlockSteps
from genstamp_spec.hdfs.parts.namenode_leases import Leases
from genstamp_spec.hdfs.parts.recovery_start import RecoveryStart, Turns
from genstamp_spec.hdfs.parts.state import Attempt, File, Holder, NamespaceState
from genstamp_spec.hdfs.refinements import durable_prefix, single_writer
from genstamp_spec.hdfs.state.streams import Streams
from genstamp_spec.hdfs.systems.recovery_promises import RecoveryPromises, RecoveryStates, RecoverySteps
from genstamp_spec.hdfs.systems.shared_promises import NamenodeTakesOver, OneLease
from genstamp_spec.lifecycles import BlockLifecycle, LeaseLifecycle

OMITS = (
    "files of more than one block: earlier blocks, their progress checks, and addBlock with a previous block",
    "pipeline recovery, append and truncate; a pipeline that lost a node stays as it is",
    "create with overwrite, delete, rename, concat, fsync, abandonBlock and snapshots",
    "the NameNode's restart and failover, its edit log, safe mode and the retry cache",
    "messages that are delayed, reordered, duplicated or lost: a call and its answer are one step, but for the "
    "recovery command, which waits for a heartbeat",
    "stale and dead datanodes: a datanode is up or down, and whoever asks knows at once",
    "TEMPORARY replicas, re-replication, planned restarts, and the list of corrupt replicas",
    "quotas, permissions, erasure-coded files",
    "the close of a file whose recovery leaves too few storages (HDFS-12886): it is in hdfs.block_recovery_ends",
)


class WrittenOnce(Streams, NamespaceState):
    """What holds beyond that where a file is written once: nobody appends, and no file is deleted."""

    @transition(inductive=True)
    def recoveries_begin_under_a_young_lease(s, t: Self, file: File) -> Bool:
        """F.2, F.4: whoever a file is recovered for, or is taken over by, has all the time of a lease from then on."""
        stays_open = s.under_construction(file) & t.under_construction(file)
        taken_over = stays_open & (t.client_name[file] != s.client_name[file])
        begun = (t.recovery_id[file] != s.recovery_id[file]) | taken_over
        return begun.implies(t.lease[t.client_name[file]].at(LeaseLifecycle.being_recovered))

    @invariant(inductive=True)
    def open_blocks_have_locations(s, file: File) -> Bool:
        """S20: of a block that is not COMPLETE the NameNode knows where it was to be written (facts F.3 row 8)."""
        return s.block[file].at(*BlockLifecycle.not_complete).implies(~s.locations[file].is_empty())

    @invariant(inductive=True, given=("young_attempts_are_under_way", "open_files_keep_their_block"))
    def namenode_recovers_what_it_holds(s, file: File) -> Bool:
        """D.4: the NameNode itself owns only files whose block is under recovery."""
        own: Bool = s.client_name[file] == Holder.NAMENODE
        return own.implies(s.block[file].at(BlockLifecycle.under_recovery))

    @invariant(inductive=True, given=("namenode_recovers_what_it_holds", "one_lease_per_open_file"))
    def namenode_never_merely_holds(s) -> Bool:
        """Whatever is closed, the others that its lease covers are still being recovered."""
        return ~s.lease[Holder.NAMENODE].at(LeaseLifecycle.held)


class UnreachableIsEmpty(BlockRecovery):
    """What else follows for the primary: it gives up for want of replicas only if no location has answered."""

    def is_unsure(s, attempt: Attempt) -> Bool:
        """All locations have failed."""
        return attempt.answered.is_empty()


UNREACHABLE_IS_NOT_EMPTY = Hole(
    "unreachable-is-not-empty",
    "a block is deleted although a location that failed may hold its data",
    drops=(("sync_block", "no location has failed"),),
    parts=(UnreachableIsEmpty,),
    source="facts G.3, S18; BlockRecoveryWorker.RecoveryTaskContiguous#recover, Hadoop 3.4.1",
).at("outages", "only_empty_blocks_are_dropped")
HFLUSH_SEES_THE_RECOVERY = Hole(
    "hflush-sees-the-recovery",
    "the first hflush of a block is accepted while the block is under recovery: fsync checks the client's name only",
    drops=(("hflush", "the block is not under recovery at its first hflush"),),
    source="found with this model; FSNamesystem#fsync, #checkLease, Hadoop 3.4.1",
).at("takeover", "only_empty_blocks_are_dropped")
COMMAND_BELONGS_TO_ITS_ATTEMPT = Hole(
    "command-belongs-to-its-attempt",
    drops=(("receive_recovery_command", "the datanode leads the current attempt"),),
    parts=(RemovedBlocksAreRecovered, RemovedBlocksKeepLocations),
    source="found with this model; facts G.2; DatanodeManager#getBlockRecoveryCommand, Hadoop 3.4.1",
).at("restarts", "one_primary_per_recovery_id", "hflushed_bytes_survive")
HADOOP_3_4 = (UNREACHABLE_IS_NOT_EMPTY, HFLUSH_SEES_THE_RECOVERY, COMMAND_BELONGS_TO_ITS_ATTEMPT)

RECOVERY = System(
    "hdfs.recovery",
    parts=[
        RecoveryStart,
        Turns,
        Leases,
        BlockSteps,
        DatanodeReplicas,
        StreamingOnceSetUp,
        Clients,
        BlockRecovery,
        RecoveryStates,
        RecoverySteps,
        RecoveryPromises,
        NamenodeTakesOver,
        OneLease,
        WrittenOnce,
    ],
    doc="Leases, the pipeline of one block, lease and block recovery, crashes of clients and datanodes.",
    semantics={
        "repaired": (),
        "hadoop-3.4": HADOOP_3_4,
        "hadoop-3.5": (*HADOOP_3_4, DEAD_ARE_ASKED),
        "hadoop-2.7": (*HADOOP_3_4, *RECOVERY_2_7),
    },
    rows="""
        *: Client=2 File=1 bytes=1 crashes=1
        takeover: Datanode=1 stamps=3; two clients and the NameNode compete for one file
        one_recovery: Datanode=1 stamps=2; the smallest with a recovery
        two_files: File=2 Datanode=1 stamps=2; leases that cover more than one file
        outages: Client=1 Datanode=2 stamps=2 crashes=2; datanodes that are down while a block is recovered
        restarts: Client=1 Datanode=2 stamps=3 bytes=2;
            two recoveries of one block, and a datanode that loses bytes in between
        three_datanodes: Client=1 Datanode=3 stamps=2; a pipeline of three
        two_clients: Datanode=2 stamps=3 on_demand; takeover and restarts together: every action and refusal but one
        two_files_twice: File=2 Datanode=1 stamps=3 crashes=0 on_demand; a recovery of each of two files
    """,
    bugs=[HDFS_10240, HDFS_1218, HDFS_11817],
    refines=[
        single_writer(
            {
                "forget": "the NameNode does not start again",
                "release_and_open": "nobody appends",
                "delete": "no file is deleted",
                "overwrite": "files are created without overwrite",
                "move_here": "no file is renamed",
            }
        ),
        durable_prefix({"read": "nobody reads", "delete": "no file is deleted"}),
    ],
    omits=OMITS,
)
