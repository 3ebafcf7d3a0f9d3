"""hdfs.replica: what one datanode does to its replica of a block, whoever asks for what, in whatever order."""

from typing import Self

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.replica import (
    APPEND_COMPARES_STAMPS_FIRST,
    HDFS_676,
    HDFS_897,
    HDFS_3875,
    HDFS_5728,
    HDFS_7065,
    HDFS_11472,
    HDFS_17299,
    RECOVER_RBW_WITHOUT_WINDOW,
)
from genstamp_spec.hdfs.parts.replica_state import DetailedReplica, Writer
from genstamp_spec.hdfs.parts.replica_writers import Generation
from genstamp_spec.hdfs.parts.state import Datanode, OriginalState
from genstamp_spec.hdfs.systems.replica_holes import HOLES_3_4, HOLES_BEFORE_17299
from genstamp_spec.hdfs.systems.replica_promises import ReplicaPromises, ReplicaStamps
from genstamp_spec.lifecycles.replica import ReplicaLifecycle

OMITS = (
    "contents of bytes, checksums of a partial chunk, and the meta file beside its name, the stamp",
    "volumes, moves between them, and two copies of one block found at a restart (facts B.8, first rule)",
    "the order of packets and acknowledgements along a pipeline, and what others have: hdfs.pipeline",
    "full block reports; incremental ones are a hook",
    "a request that names a length above two bytes",
)


class ReplicaProperties(ReplicaPromises, ReplicaStamps):
    """What hdfs.replica promises; numbers S and L are those of the facts, page J."""

    def stays_up(s, t: Self, datanode: Datanode) -> Bool:
        """The datanode runs before and after the step, and has a replica both times."""
        running = s.running.has(datanode) & t.running.has(datanode)
        return running & s.exists(s.replica[datanode]) & s.exists(t.replica[datanode])

    # Lengths (B.1).

    @invariant(inductive=True, given=("only_replicas_being_written_have_a_writer",))
    def waiting_replicas_can_be_recovered(s, datanode: Datanode) -> Bool:
        """L6: an RWR has the length of its file, or else every recovery would be refused."""
        return s.replica[datanode].state.at(ReplicaLifecycle.rwr).implies(s.has_one_length(datanode))

    @invariant(inductive=True)
    def acknowledged_bytes_were_received(s, datanode: Datanode) -> Bool:
        """S1, at one datanode: BA <= BR."""
        return s.replica[datanode].bytes_acked <= s.replica[datanode].num_bytes

    @invariant(inductive=True, given=("waiting_replicas_can_be_recovered",))
    def bytes_on_disk_were_received(s, datanode: Datanode) -> Bool:
        """S1, at one datanode: what is on disk was received; the file may have more than memory knows of."""
        replica = s.replica[datanode]
        in_file = (replica.bytes_on_disk <= replica.file_bytes) & (replica.file_bytes <= replica.num_bytes)
        return (replica.bytes_on_disk <= replica.num_bytes) & (replica.state.at(ReplicaLifecycle.rwr) | in_file)

    @invariant(
        inductive=True,
        given=(
            "bytes_on_disk_were_received",
            "recovered_replicas_agree_with_their_files",
            "only_replicas_being_written_have_a_writer",
        ),
    )
    def finalized_replicas_have_one_length(s, datanode: Datanode) -> Bool:
        """S7, at one datanode: of a FINALIZED replica, length, bytes on disk and file agree."""
        return s.replica[datanode].state.at(ReplicaLifecycle.finalized).implies(s.has_one_length(datanode))

    def has_one_length(s, datanode: Datanode) -> Bool:
        """Received, on disk and in the file are the same."""
        replica = s.replica[datanode]
        return (replica.num_bytes == replica.file_bytes) & (replica.bytes_on_disk == replica.file_bytes)

    @invariant(
        inductive=True,
        given=(
            "finalized_replicas_have_one_length",
            "waiting_replicas_can_be_recovered",
            "only_replicas_being_written_have_a_writer",
        ),
    )
    def recovered_replicas_agree_with_their_files(s, datanode: Datanode) -> Bool:
        """B.4: a replica under recovery is as long as its file, and over a FINALIZED one all lengths agree."""
        replica = s.replica[datanode]
        whole = ~replica.original.at(OriginalState.FINALIZED) | (replica.num_bytes == replica.file_bytes)
        return replica.state.at(ReplicaLifecycle.rur).implies((replica.bytes_on_disk == replica.file_bytes) & whole)

    # What readers see.

    @transition(inductive=True)
    def visible_bytes_stay(s, t: Self, datanode: Datanode) -> Bool:
        """S3, S4: writing, closing, appending and pipeline recovery never make readers see less."""
        before, after = s.replica[datanode], t.replica[datanode]
        written = before.state.at(ReplicaLifecycle.rbw, ReplicaLifecycle.finalized) & after.state.at(
            ReplicaLifecycle.rbw, ReplicaLifecycle.finalized
        )
        kept = s.visible_bytes(after) >= s.visible_bytes(before)
        return (s.stays_up(t, datanode) & written).implies(kept)

    @transition(inductive=True)
    def only_acknowledged_bytes_become_visible(s, t: Self, datanode: Datanode) -> Bool:
        """S2, at one datanode: of a replica being written, readers see more only by an acknowledgement."""
        before, after = s.replica[datanode], t.replica[datanode]
        written = before.state.at(ReplicaLifecycle.rbw) & after.state.at(ReplicaLifecycle.rbw)
        more = written & (after.bytes_acked > before.bytes_acked)
        return more.implies(before.writer.at(Writer.RUNNING) & (after.num_bytes == before.num_bytes))

    @transition(inductive=True, given=("bytes_on_disk_were_received",))
    def unacknowledged_bytes_end_with_their_pipeline(s, t: Self, datanode: Datanode) -> Bool:
        """S4, S6: what a pipeline did not acknowledge is not in the file of the pipeline that follows it."""
        before, after = s.replica[datanode], t.replica[datanode]
        goes_on = before.state.at(ReplicaLifecycle.rbw) & after.state.at(ReplicaLifecycle.rbw)
        new_pipeline = s.stays_up(t, datanode) & goes_on & (after.stamp > before.stamp)
        return new_pipeline.implies(after.file_bytes <= before.bytes_acked)

    @transition(inductive=True)
    def copies_end_with_their_datanode(s, t: Self, datanode: Datanode) -> Bool:
        """S24: a datanode that comes back has no TEMPORARY replica (facts B15)."""
        restarted = ~s.running.has(datanode) & t.running.has(datanode)
        return restarted.implies(~t.replica[datanode].state.at(ReplicaLifecycle.temporary))

    @transition(inductive=True)
    def copies_are_never_recovered(s, t: Self, datanode: Datanode) -> Bool:
        """S24: a TEMPORARY replica never takes part in a recovery, and nothing of it was acknowledged."""
        before, after = s.replica[datanode], t.replica[datanode]
        return before.state.at(ReplicaLifecycle.temporary).implies(~after.state.at(ReplicaLifecycle.rur))

    @invariant(inductive=True)
    def nobody_writes_on_a_stopped_datanode(s, datanode: Datanode) -> Bool:
        """S5: threads end with their datanode, so that a restart finds what they have left on disk."""
        return s.running.has(datanode) | s.replica[datanode].writer.at(Writer.NONE)

    @transition(inductive=True)
    def restart_makes_no_replica_better(s, t: Self, datanode: Datanode) -> Bool:
        """S5: after a restart a replica is FINALIZED only if it was, and RBW only if it was and that was planned."""
        before, after = s.replica[datanode], t.replica[datanode]
        restarted = ~s.running.has(datanode) & t.running.has(datanode)
        was_final = before.state.at(ReplicaLifecycle.finalized) | s.was(before, OriginalState.FINALIZED)
        goes_on = before.state.at(ReplicaLifecycle.rbw) & s.planned.has(datanode)
        final = after.state.at(ReplicaLifecycle.finalized) == was_final
        return restarted.implies(final & (after.state.at(ReplicaLifecycle.rbw) == goes_on))

    @transition(inductive=True)
    def restart_keeps_finalized_replicas(s, t: Self, datanode: Datanode) -> Bool:
        """S6: a restart takes nothing from a FINALIZED replica, and nothing counts as acknowledged that was not."""
        before, after = s.replica[datanode], t.replica[datanode]
        restarted = ~s.running.has(datanode) & t.running.has(datanode)
        whole = after.state.at(ReplicaLifecycle.finalized).implies(
            (after.num_bytes == before.num_bytes) & (after.stamp == before.stamp)
        )
        return restarted.implies(whole & (after.bytes_acked <= before.bytes_acked))

    @transition(inductive=True)
    def planned_restart_shows_what_was_acknowledged(s, t: Self, datanode: Datanode) -> Bool:
        """S4: an RBW that a planned restart leaves one shows what was acknowledged, as far as it is still there."""
        before, after = s.replica[datanode], t.replica[datanode]
        restarted = ~s.running.has(datanode) & t.running.has(datanode)
        goes_on = restarted & after.state.at(ReplicaLifecycle.rbw)
        return goes_on.implies(after.bytes_acked >= smallest(before.bytes_acked, after.num_bytes))

    # Fencing.

    @transition(inductive=True, given=("only_replicas_being_written_have_a_writer",))
    def replica_under_recovery_is_frozen(s, t: Self, datanode: Datanode) -> Bool:
        """S23: once initReplicaRecovery has answered, no byte is added, and only its update finalizes the replica."""
        before, after = s.replica[datanode], t.replica[datanode]
        frozen = before.state.at(ReplicaLifecycle.rur) & s.stays_up(t, datanode)
        same = s.same_bytes(before, after) & (after.original == before.original)
        updated = (after.stamp == before.recovery_id) | s.copy_appears(t, datanode)
        stays, ends = after.state.at(ReplicaLifecycle.rur), after.state.at(ReplicaLifecycle.finalized)
        return frozen.implies(stays.implies(same) & ends.implies(updated))

    def same_bytes(s, before: DetailedReplica, after: DetailedReplica) -> Bool:
        """No length has changed."""
        same = (after.num_bytes == before.num_bytes) & (after.bytes_on_disk == before.bytes_on_disk)
        return same & (after.file_bytes == before.file_bytes) & (after.bytes_acked == before.bytes_acked)

    def copy_appears(s, t: Self, datanode: Datanode) -> Bool:
        """A truncate has just made a copy."""
        before, after = s.copy[datanode].state, t.copy[datanode].state
        return before.at(ReplicaLifecycle.absent) & ~after.at(ReplicaLifecycle.absent)

    # Truncate and deletion.

    @transition(
        inductive=True, given=("finalized_replicas_have_one_length", "recovered_replicas_agree_with_their_files")
    )
    def bytes_come_from_a_writer(s, t: Self, datanode: Datanode) -> Bool:
        """S22, S23: a file gets longer only by a thread that writes it, so truncated bytes do not come back."""
        before, after = s.replica[datanode], t.replica[datanode]
        return (after.file_bytes > before.file_bytes).implies(before.writer.at(Writer.RUNNING))

    @transition(inductive=True)
    def copy_leaves_the_old_replica(s, t: Self, datanode: Datanode) -> Bool:
        """S22: a truncate by copy leaves the old replica with its stamp and bytes; the copy is newer and shorter."""
        before, after, copy = s.replica[datanode], t.replica[datanode], t.copy[datanode]
        kept = (after.stamp == before.stamp) & (after.file_bytes == before.file_bytes)
        newer = (copy.stamp == before.recovery_id) & (copy.num_bytes < before.file_bytes)
        return s.copy_appears(t, datanode).implies(kept & newer)

    @invariant(inductive=True)
    def condemned_generations_were_given_out(s, generation: Generation) -> Bool:
        """S21: the NameNode has nothing deleted whose stamp it has not given out."""
        return s.condemned.has(generation).implies(s.given[generation] > 0)

    @transition(inductive=True)
    def only_condemned_generations_are_deleted(s, t: Self, datanode: Datanode) -> Bool:
        """S21: the NameNode's deletion of one generation deletes no replica of another."""
        before, after = s.replica[datanode], t.replica[datanode]
        asked = exists(Generation, lambda g: s.condemned.has(g) & (s.given[g] == before.stamp))
        deleted = s.exists(before) & ~s.exists(after) & ~before.state.at(ReplicaLifecycle.temporary)
        return deleted.implies(asked)

    # What must be possible.

    @witness
    def acknowledged_before_it_is_on_disk(s, datanode: Datanode) -> Bool:
        """B.1: BA may be above what is on this disk."""
        return s.replica[datanode].bytes_acked > s.replica[datanode].file_bytes

    @witness
    def left_by_its_pipeline(s, datanode: Datanode) -> Bool:
        """An RBW with acknowledged bytes and no writer waits for its pipeline or for a recovery."""
        replica = s.replica[datanode]
        return replica.state.at(ReplicaLifecycle.rbw) & replica.writer.at(Writer.NONE) & (replica.bytes_acked > 0)

    @witness
    def recovered_over_finalized(s, datanode: Datanode) -> Bool:
        """A recovery is over a FINALIZED replica."""
        return s.was(s.replica[datanode], OriginalState.FINALIZED)

    @witness
    def recovered_over_rbw(s, datanode: Datanode) -> Bool:
        """A recovery is over an RBW replica that readers still see."""
        return s.was(s.replica[datanode], OriginalState.RBW) & (s.visible_bytes(s.replica[datanode]) > 0)

    @witness
    def recovered_over_rwr(s, datanode: Datanode) -> Bool:
        """A recovery is over an RWR replica."""
        return s.was(s.replica[datanode], OriginalState.RWR)

    @witness
    def recovery_keeps_more_than_was_acknowledged(s, datanode: Datanode) -> Bool:
        """J.3: a recovery is answered the bytes on disk, and may keep what was never acknowledged."""
        replica = s.replica[datanode]
        return s.was(replica, OriginalState.RBW) & (replica.bytes_on_disk > replica.bytes_acked)

    @witness
    def memory_lags_behind_the_file(s, datanode: Datanode) -> Bool:
        """A failed write has made the file longer than memory has it."""
        return s.replica[datanode].bytes_on_disk < s.replica[datanode].file_bytes


REPLICA = System(
    "hdfs.replica",
    parts=[ReplicaProperties],
    doc="One replica on one datanode, under any sequence of requests.",
    semantics={
        "repaired": (),
        "hadoop-3.4": HOLES_3_4,
        # Hadoop 3.3.6 is no different here.
        "hadoop-2.7": (*HOLES_BEFORE_17299, HDFS_17299, APPEND_COMPARES_STAMPS_FIRST),
    },
    rows="""
        *: Datanode=1 crashes=1 condemned=1 copies=1 lingers=1 fills=1 failed_writes=1 bytes=2
        requests: Generation=2 stamps=2 bytes=1; two generations and one byte, every kind of request and fault
        generations: Generation=3 stamps=3; three generations and two bytes
        crashes: Generation=4 crashes=2 stamps=4 on_demand; four generations, and two stops of the datanode
    """,
    bugs=[
        HDFS_7065,
        HDFS_3875,
        HDFS_11472,
        HDFS_897,
        HDFS_5728,
        HDFS_676,
        RECOVER_RBW_WITHOUT_WINDOW,
    ],
    idle={"serve_transfer_replica": "the replica is read, and its lifecycle has the event"},
    omits=OMITS,
)
