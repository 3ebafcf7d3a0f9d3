"""hdfs.block_recovery: the recovery of one block, with messages lost, late or doubled, and datanodes that are silent.

One file with one block, and one client that writes it; anybody may have the file recovered at any time. What the
system is about is everything between that and the end: commands, calls between datanodes, the report to the NameNode,
each of which may be lost or come late; datanodes that crash, restart, fall silent or are taken for dead; a file that is
deleted meanwhile. `hdfs.recovery` has the leases, and calls that are answered at once.
"""

from typing import Self

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.block_recovery import BUGS
from genstamp_spec.hdfs.bugs.block_recovery_2_7 import HADOOP_2_7, HADOOP_3_4, HADOOP_3_5
from genstamp_spec.hdfs.parts.block_recovery import BlockRecovery, CarefulAgreement
from genstamp_spec.hdfs.parts.client import Clients
from genstamp_spec.hdfs.parts.datanode_replicas import DatanodeContact, DatanodeReplicas
from genstamp_spec.hdfs.parts.namenode_blocks import BlockSteps
from genstamp_spec.hdfs.parts.recovery_from_outside import FileDeletion, RecoveryFromOutside
from genstamp_spec.hdfs.parts.recovery_messages import RecoveryMessages
from genstamp_spec.hdfs.parts.recovery_start import RecoveryStart, Turns
from genstamp_spec.hdfs.parts.state import AttemptStage, Client, Datanode, File, Replica, StreamStage
from genstamp_spec.hdfs.state.messages import Contact, Contacts, Holding, Messages
from genstamp_spec.hdfs.systems.recovery_promises import RecoveryPromises, RecoveryStates, RecoverySteps
from genstamp_spec.lifecycles import BlockLifecycle, FileLifecycle, ReplicaLifecycle

OMITS = (
    "leases, and who may have a file recovered: hdfs.recovery and hdfs.lease",
    "files of more than one block, append, truncate, pipeline recovery",
    "the NameNode's restart and failover, safe mode, the edit log: hdfs.journal",
    "TEMPORARY replicas, and answers that name a state other than FINALIZED, RBW or RWR (HDFS-9236)",
    "a primary that works on two recoveries of one block at a time: the younger command replaces the older",
    "minimal replication above 1; reports and the list of corrupt replicas in full: hdfs.reports",
    "snapshots, which keep the block of a deleted file: row 5 of commitBlockSynchronization",
)


OUTSIDE = (RecoveryStart, Turns, BlockSteps, DatanodeReplicas, Clients, BlockRecovery, RecoveryFromOutside)
"""Who writes a block and recovers it."""
SHARED = (RecoveryStates, RecoverySteps)
"""What hdfs.recovery promises too."""


class BlockRecoveryProperties(RecoveryPromises, RecoveryStates, Holding, Messages, Contacts):
    """What hdfs.block_recovery promises beyond what is shared; numbers S are those of the facts, page J."""

    def may_have_an_attempt(s, file: File) -> Bool:
        """A recovery was started, which may have stuck half-way (HDFS-12886)."""
        return ~s.block[file].at(BlockLifecycle.absent, BlockLifecycle.under_construction)

    @invariant(inductive=True, given=("files_come_before_blocks", "open_files_keep_their_block"))
    def files_stay_with_their_writer(s, client: Client, file: File) -> Bool:
        """S10: an open file has an owner, a closed one none; who writes an open file owns it: nobody else may."""
        owned = s.under_construction(file) != s.client_name[file].is_none()
        writes = s.under_construction(file) & ~s.stream[client][file].stage.at(StreamStage.NONE)
        return owned & writes.implies(s.client_name[file] == client)

    @invariant
    def complete_blocks_have_a_replica(s, file: File) -> Bool:
        """S7: of a COMPLETE block some datanode has a replica that matches, be it down or unknown to the NameNode."""
        return s.block[file].at(BlockLifecycle.complete).implies(exists(Datanode, lambda d: s.matches(d, file)))

    def holds_promised_bytes(s, datanode: Datanode, file: File) -> Bool:
        """The same; a datanode that was ever taken for dead counts as gone for good."""
        return super().holds_promised_bytes(datanode, file) & ~s.given_up.has(datanode)

    @transition
    def no_recovery_drops_data(s, t: Self, file: File, datanode: Datanode) -> Bool:
        """S18: a recovery drops a block only if all who had bytes of it when it began lost them, or died."""
        dropped = ~s.block[file].at(BlockLifecycle.removed) & t.block[file].at(BlockLifecycle.removed)
        by_recovery = dropped & ~t.file[file].at(FileLifecycle.absent)
        has = s.holding[file].has(datanode) & s.has_bytes(datanode, file)
        return by_recovery.implies(~has | s.given_up.has(datanode))

    @transition(inductive=True)
    def committed_content_stays(s, t: Self, file: File) -> Bool:
        """S13: a block that stays COMMITTED or COMPLETE keeps its length and stamp."""
        fixed = (BlockLifecycle.committed, BlockLifecycle.complete)
        stays = s.block[file].at(*fixed) & t.block[file].at(*fixed)
        same = (t.block_stamp[file] == s.block_stamp[file]) & (t.block_bytes[file] == s.block_bytes[file])
        return stays.implies(same)

    @transition(inductive=True)
    def only_the_current_recovery_counts(s, t: Self, file: File) -> Bool:
        """S12, S20: a block is changed by the report of its current recovery alone, however often reports come."""
        changed = t.block_stamp[file] != s.block_stamp[file]
        new = s.block[file].at(BlockLifecycle.absent)
        by_recovery = s.block[file].at(BlockLifecycle.under_recovery) & (t.block_stamp[file] == s.recovery_id[file])
        return changed.implies(new | by_recovery)

    @transition(inductive=True)
    def frozen_replicas_take_no_bytes(s, t: Self, datanode: Datanode, file: File) -> Bool:
        """S23: a replica under recovery keeps its bytes, and nobody but the recovery finalizes it, or a restart."""
        before, after = s.replica[datanode][file], t.replica[datanode][file]
        frozen = before.state.at(ReplicaLifecycle.rur) & s.running.has(datanode)
        kept = after.state.at(ReplicaLifecycle.rur).implies(after.num_bytes == before.num_bytes)
        ended = after.state.at(ReplicaLifecycle.finalized).implies(after.stamp == before.recovery_id)
        return frozen.implies(kept & ended)

    @transition(inductive=True, given=("agreed_length_was_found", "late_updates_cut"))
    def recoveries_make_no_bytes_up(s, t: Self, datanode: Datanode, file: File) -> Bool:
        """S7: a recovery cuts replicas, and never makes one longer than what was received."""
        before, after = s.replica[datanode][file], t.replica[datanode][file]
        finalized = before.state.at(ReplicaLifecycle.rur) & after.state.at(ReplicaLifecycle.finalized)
        return finalized.implies(after.num_bytes <= before.num_bytes)

    @invariant(inductive=True)
    def agreed_length_was_found(s, primary: Datanode, datanode: Datanode, file: File) -> Bool:
        """Each participant has answered at least the length that was agreed on."""
        attempt = s.attempt[primary][file]
        takes_part = attempt.stage.at(AttemptStage.UPDATING) & attempt.participants.has(datanode)
        return takes_part.implies(attempt.new_bytes <= attempt.found[datanode].num_bytes)

    @invariant(inductive=True, given=("agreed_length_was_found",))
    def late_updates_cut(s) -> Bool:
        """An update that comes late asks for no more than was found."""
        return s.calls.every(lambda call: call.updates.implies(call.new_bytes <= call.found_bytes))

    @witness
    def late_update_is_not_needed(s, file: File, datanode: Datanode) -> Bool:
        """A datanode that its primary has given up finalizes all the same, and what it has matches the block."""
        closed = s.block[file].at(BlockLifecycle.complete) & ~s.stored[file].has(datanode)
        return closed & s.matches(datanode, file) & (s.recovery_id[file] == s.block_stamp[file])


class SilenceAndDeletion(BlockRecoveryProperties):
    """The same with files that are deleted, and what can come of datanodes that are taken for dead too early."""

    def has_ended(s, file: File) -> Bool:
        """The file is closed or deleted."""
        return ~s.under_construction(file)

    def may_have_a_writer(s, replica: Replica) -> Bool:
        """Whether a recovery stops the writer is what frozen_replicas_take_no_bytes asks for (HDFS-1186)."""
        return replica.state.at(ReplicaLifecycle.rbw, ReplicaLifecycle.rur)

    @witness
    def bytes_are_left_on_a_dead_node(s, datanode: Datanode, file: File) -> Bool:
        """J.3: a block is dropped though a datanode that is taken for dead has bytes of it."""
        gone = s.block[file].at(BlockLifecycle.removed) & s.contact[datanode].at(Contact.DEAD)
        return gone & s.file[file].at(FileLifecycle.closed) & s.has_bytes(datanode, file)


BLOCK_RECOVERY = System(
    "hdfs.block_recovery",
    parts=[*OUTSIDE, FileDeletion, DatanodeContact, RecoveryMessages, CarefulAgreement, *SHARED, SilenceAndDeletion],
    doc="The recovery of one block: lost, late and doubled messages, silent and dead datanodes, deletion.",
    semantics={"repaired": (), "hadoop-3.4": HADOOP_3_4, "hadoop-3.5": HADOOP_3_5, "hadoop-2.7": HADOOP_2_7},
    rows="""
        *: Client=1 File=1 Datanode=2 stamps=2 bytes=1 crashes=0 calls=0 reports=1 lost_commands=0 silences=0
            deletions=0
        late: calls=1 lost_commands=1; one recovery, whose command is lost, or a call of which times out and comes late
        two_clients: Client=2 Datanode=1 crashes=1 deletions=1;
            another client, whose calls are refused, and a time without any datanode
        overlapping: stamps=3 calls=1 reports=2;
            two recoveries of one block, with reports and calls of the first during the second
        silent: crashes=1 calls=1 silences=1; datanodes that crash, are stale, dead, or unknown to the NameNode
        restarts: bytes=2 crashes=1 calls=1; replicas that come back from a restart, with bytes lost
        lengths: stamps=3 bytes=2 calls=1; replicas of several lengths, some of which an earlier recovery has finalized
        deleted: lost_commands=1 silences=1 deletions=1; the file is deleted while its block is recovered
        three_datanodes: Datanode=3 silences=1; a pipeline of three, one of which is silent
    """,
    bugs=BUGS,
    idle={
        f"commit_block_synchronization_{how}": "its report stays in the network, and may come again"
        for how in ("again", "unknown", "stale")
    },
    omits=OMITS,
)
