"""What a truncate promises, whatever stands around it: shared by the systems that contain it."""

from typing import Self

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.namenode_leases import Leases
from genstamp_spec.hdfs.parts.state import AttemptStage, Client, Datanode, File, Holder
from genstamp_spec.hdfs.parts.truncate_state import TruncateMode
from genstamp_spec.hdfs.state.appends import Appends
from genstamp_spec.hdfs.state.cuts import Cuts
from genstamp_spec.hdfs.systems.recovery_promises import StepsAndStates
from genstamp_spec.hdfs.systems.shared_promises import BlocksAndReplicas, OneLease
from genstamp_spec.lifecycles import BlockLifecycle, FileLifecycle, ReplicaLifecycle


class FirstWrite(Leases, lane="namenode"):
    """Limits that keep out what other systems are for, and history that they look at."""

    closed_once = members(File)  # history: the first write has ended

    def close(s, file: File) -> None:
        """As before; history notes it."""
        super().close(file)
        s.closed_once.add(file)

    @limit("troubles_of_first_write")
    def troubles_of_first_write(s) -> Number:
        """Files that are written for the first time while somebody is down, has expired, or recovers them."""
        down = (s.crashes > 0) | exists(Client, lambda client: ~s.alive.has(client))
        expired = exists(Holder, lambda holder: s.past_soft_limit(holder))
        return count(
            File,
            lambda f: s.under_construction(f) & ~s.closed_once.has(f) & (down | expired | (s.recovery_id[f] > 0)),
        )

    @limit("expired_leases")
    def expired_leases(s) -> Number:
        """Holders whose lease is past its soft limit."""
        return count(Holder, lambda holder: s.past_soft_limit(holder))


SHARED = (StepsAndStates, BlocksAndReplicas, OneLease)
"""What hdfs.recovery promises too."""


class TruncatePromises(BlocksAndReplicas, StepsAndStates, Cuts):
    """Of stamps, blocks and replicas, and of a truncate; numbers S and L are those of the facts, page J."""

    # Stamps.

    @transition(inductive=True, given=("current_recovery_is_not_below_the_block", "stamps_come_from_the_counter"))
    def block_stamp_never_decreases(s, t: Self, file: File) -> Bool:
        """S8, at the NameNode."""
        return t.block_stamp[file] >= s.block_stamp[file]

    @transition(inductive=True, given=("replica_under_recovery_is_below_it",))
    def replica_stamp_never_decreases(s, t: Self, datanode: Datanode, file: File) -> Bool:
        """S8, at a datanode: while it has the replica, and goes on with it and not with another one."""
        before, after = s.replica[datanode][file], t.replica[datanode][file]
        return s.same_replica(t, datanode, file).implies(after.stamp >= before.stamp)

    def same_replica(s, t: Self, datanode: Datanode, file: File) -> Bool:
        """The datanode has the replica before and after the step, and does not exchange it for the other one."""
        aside, set_aside = s.former_replica[datanode][file], t.former_replica[datanode][file]
        same = (aside.state == set_aside.state) & (aside.stamp == set_aside.stamp)
        return super().same_replica(t, datanode, file) & same

    @invariant(inductive=True, given=("streams_have_given_stamps",))
    def stamps_come_from_the_counter(s, file: File) -> Bool:
        """S9: a block's stamp and recovery id were given out."""
        return (s.block_stamp[file] <= s.last_stamp) & (s.recovery_id[file] <= s.last_stamp)

    @invariant(inductive=True, given=("stamps_come_from_the_counter",))
    def current_recovery_is_not_below_the_block(s, file: File) -> Bool:
        """A block under recovery will get a higher stamp, or has it already where it is a copy."""
        return s.block[file].at(BlockLifecycle.under_recovery).implies(s.recovery_id[file] >= s.block_stamp[file])

    @invariant(inductive=True, given=("replica_put_aside_is_finalized",))
    def replica_under_recovery_is_below_it(s, datanode: Datanode, file: File) -> Bool:
        """A replica under recovery has a stamp below the recovery's id."""
        replica = s.replica[datanode][file]
        return replica.state.at(ReplicaLifecycle.rur).implies(replica.stamp < replica.recovery_id)

    @invariant(inductive=True)
    def streams_have_given_stamps(s, client: Client, file: File) -> Bool:
        """A client's stamp was given out."""
        return s.stream[client][file].stamp <= s.last_stamp

    @invariant(inductive=True)
    def replica_put_aside_is_finalized(s, datanode: Datanode, file: File) -> Bool:
        """Of two replicas the one that nobody works on is FINALIZED."""
        return s.former_replica[datanode][file].state.at(ReplicaLifecycle.absent, ReplicaLifecycle.finalized)

    @invariant(inductive=True)
    def replicas_know_what_fits_their_state(s, datanode: Datanode, file: File) -> Bool:
        """The same of the replica that is put aside: it may be taken up again."""
        aside = s.former_replica[datanode][file]
        nothing = (aside.stamp == 0) & (aside.num_bytes == 0)
        aside_fits = when(aside.state.at(ReplicaLifecycle.absent), nothing, aside.state.at(ReplicaLifecycle.finalized))
        return s.fits_its_state(s.replica[datanode][file]) & aside_fits

    # Blocks and replicas.

    @invariant
    def hflushed_bytes_survive(s, file: File) -> Bool:
        """S5, S6: what was there before an append, or an hflush promised, is in the block as it is closed again.

        If a node of that pipeline has never stopped. A truncate takes back what it cuts off, be it the whole block.
        """
        promised = when(s.steady[file].is_empty(), 0, s.hflushed[file])
        gone = s.block[file].at(BlockLifecycle.removed) & s.file[file].at(FileLifecycle.closed)
        length = when(gone, 0, s.block_bytes[file])
        return (gone | s.block[file].at(BlockLifecycle.complete)).implies(length >= promised)

    @invariant
    def removed_blocks_count_nothing(s, file: File) -> Bool:
        """S7: of a block that is not in the block map no replica counts."""
        return s.known(file) | s.stored[file].is_empty()

    @invariant(inductive=True)
    def copies_have_the_recovery_id(s, file: File) -> Bool:
        """S12: a block that is being copied has the stamp under which its current recovery makes the copies."""
        copied = s.truncate_mode[file].at(TruncateMode.BY_COPY) & s.block[file].at(BlockLifecycle.under_recovery)
        return copied.implies(s.block_stamp[file] == s.recovery_id[file])

    @transition(inductive=True, given=("stamps_come_from_the_counter", "copies_have_the_recovery_id"))
    def recovery_shuts_out_clients(s, t: Self, file: File) -> Bool:
        """S11: a block under recovery stays as long as it is, until the recovery ends it, or it is deleted."""
        recovering = t.block[file].at(BlockLifecycle.under_recovery)
        same_length = t.block_bytes[file] == s.block_bytes[file]
        ended = (t.block_stamp[file] == s.recovery_id[file]) | t.block[file].at(BlockLifecycle.removed)
        return s.block[file].at(BlockLifecycle.under_recovery).implies(when(recovering, same_length, ended))

    @transition(inductive=True)
    def live_locations_lead_in_turn(s, t: Self, file: File) -> Bool:
        """G.1: a live location leads a recovery, if there is one; who has led is asked again only after all others."""
        begun = t.recovery_id[file] > s.recovery_id[file]
        live = t.locations[file] & s.running
        leads = exists(Datanode, lambda d: (t.primary[file] == d) & live.has(d))
        others = exists(Datanode, lambda d: live.has(d) & ~s.tried_as_primary[file].has(d))
        again = s.block[file].at(BlockLifecycle.under_recovery) & others
        kept = s.tried_as_primary[file] <= t.tried_as_primary[file]
        return begun.implies(when(live.is_empty(), t.primary[file].is_none(), leads) & again.implies(kept))

    @transition(inductive=True)
    def only_recoveries_begun_preempt(s, t: Self, primary: Datanode, file: File) -> Bool:
        """S12: a primary gives way only to a recovery with its id or a later one, at a location not heard of yet."""
        before, after = s.attempt[primary][file], t.attempt[primary][file]
        preempted = before.stage.at(AttemptStage.COLLECTING) & after.stage.at(AttemptStage.PREEMPTED)
        asked = before.answered | before.failed
        return preempted.implies(
            exists(Datanode, lambda d: ~asked.has(d) & s.is_younger(s.replica[d][file], before.recovery_id))
        )

    # Truncate.

    @transition(inductive=True)
    def held_blocks_are_copied(s, t: Self, file: File) -> Bool:
        """S22: a truncate copies a block that a snapshot or an upgrade holds, and cuts any other one in place."""
        begins = ~s.is_truncated(file) & t.is_truncated(file)
        return begins.implies(t.truncate_mode[file].at(TruncateMode.BY_COPY) == s.is_held(file))

    @invariant
    def cut_blocks_keep_a_byte(s, file: File) -> Bool:
        """L7: a truncate that needs a recovery leaves something of the block: length 0 is a block boundary."""
        return s.is_truncated(file).implies(s.truncate_to[file] > 0)

    @transition
    def truncate_ends_at_its_length(s, t: Self, file: File) -> Bool:
        """S22, L7: when the recovery of a truncate ends, the file has the length that was asked for."""
        ended = s.is_truncated(file) & t.block[file].at(BlockLifecycle.complete)
        return ended.implies(t.block_bytes[file] == s.truncate_to[file])

    @invariant
    def bytes_cut_off_stay_away(s, file: File, datanode: Datanode) -> Bool:
        """S22: once a truncate has ended, no replica of the block's generation has more from before than was kept."""
        replica = s.replica[datanode][file]
        current = ~replica.state.at(ReplicaLifecycle.absent) & (replica.stamp >= s.block_stamp[file])
        ended = s.known(file) & ~s.is_truncated(file)
        return (ended & current).implies(s.bytes_before_cut[datanode][file] <= s.truncate_to[file])

    def snapshot_block_bytes(s, file: File) -> Number:
        """Length of the block that the snapshot holds; 0 if it is gone."""
        last = when(s.known(file), s.block_bytes[file], 0)
        return when(s.former_block[file].at(BlockLifecycle.complete), s.former_bytes[file], last)

    @invariant
    def snapshot_keeps_its_bytes(s, file: File) -> Bool:
        """S22: the block that a snapshot holds is there, and as long as the snapshot shows it.

        While it is the last one and is written, if a node of its pipeline has never stopped.
        """
        stopped = ~s.former_block[file].at(BlockLifecycle.complete) & s.steady[file].is_empty()
        enough = s.snapshot_block_bytes(file) >= s.snapshot_bytes[file]
        return s.snapshot[file].implies(enough | stopped)

    @invariant(inductive=True)
    def snapshot_shows_no_later_bytes(s) -> Bool:
        """S22: nobody is shown bytes in a snapshot that were appended after it was taken."""
        return s.shown_beyond == 0

    @invariant
    def former_block_stays_intact(s, file: File, datanode: Datanode) -> Bool:
        """S22: a copy leaves the block that it is made from, and what is counted of it, as it was."""
        replica, other = s.replica[datanode][file], s.former_replica[datanode][file]
        first = s.is_of_former_block(file, replica)
        stamp, length = when(first, replica.stamp, other.stamp), when(first, replica.num_bytes, other.num_bytes)
        counted = s.former_block[file].at(BlockLifecycle.complete) & s.former_stored[file].has(datanode)
        return counted.implies((stamp == s.former_stamp[file]) & (length == s.former_bytes[file]))

    @invariant
    def rollback_finds_its_bytes(s, file: File) -> Bool:
        """S22: until an upgrade is finalized, no block that it found is cut."""
        here = s.block[file].at(BlockLifecycle.complete) & s.former_block[file].at(BlockLifecycle.absent)
        return (s.upgrade & here).implies(s.block_bytes[file] >= s.rollback_bytes[file])

    @invariant
    def blocks_belong_to_somebody(s, file: File) -> Bool:
        """S22: a former block is in the block map only while a snapshot holds it or a truncate copies it."""
        copied = s.under_construction(file) & s.truncate_mode[file].at(TruncateMode.BY_COPY)
        return s.former_block[file].at(BlockLifecycle.complete).implies(s.snapshot[file] | copied)

    @invariant(inductive=True)
    def copies_have_their_source(s, file: File) -> Bool:
        """L7: while a truncate makes copies, the block that they are made from is there."""
        copied = s.truncate_mode[file].at(TruncateMode.BY_COPY)
        return copied.implies(s.former_block[file].at(BlockLifecycle.complete))

    @invariant(inductive=True)
    def truncate_is_not_misreported(s, client: Client) -> Bool:
        """S20: a client that asks again, its first answer lost, is not told that its truncate has failed."""
        return ~s.misled[client]

    # What must be possible.

    @witness
    def in_place_truncate_ends(s, file: File) -> Bool:
        """A file is closed at the shorter length, in the same block."""
        return s.file[file].at(FileLifecycle.closed) & (s.bytes_of_cut(file)) & (s.former_stamp[file] == 0)

    @witness
    def copy_on_truncate_ends(s, file: File) -> Bool:
        """A file is closed at the shorter length, and a snapshot shows the longer one."""
        longer = s.snapshot_bytes[file] > s.block_bytes[file]
        return s.file[file].at(FileLifecycle.closed) & s.snapshot[file] & longer & (s.former_stamp[file] > 0)

    def bytes_of_cut(s, file: File) -> Bool:
        """The file is as long as its last truncate left it."""
        return (s.truncate_to[file] > 0) & (s.block_bytes[file] == s.truncate_to[file])

    @witness
    def readers_see_either_length(s, first: Datanode, second: Datanode, file: File) -> Bool:
        """J.3: while a file is being cut, replicas of both lengths can be read."""
        cut = s.replica[first][file].num_bytes == s.truncate_to[file]
        uncut = s.replica[second][file].num_bytes > s.truncate_to[file]
        up = s.running.has(first) & s.running.has(second)
        return s.truncate_mode[file].at(TruncateMode.IN_PLACE) & cut & uncut & up

    @witness
    def copies_are_shorter(s, datanode: Datanode, file: File) -> Bool:
        """While a block is copied, a replica of it has bytes that the copy leaves out."""
        copied = s.truncate_mode[file].at(TruncateMode.BY_COPY)
        return copied & (s.bytes_before_cut[datanode][file] > s.truncate_to[file])

    @witness
    def copy_is_made_twice(s, file: File) -> Bool:
        """A copy of a failed attempt is there while a younger attempt asks for the originals."""
        older = exists(Datanode, lambda d: s.former_replica[d][file].stamp > s.former_stamp[file])
        return s.truncate_mode[file].at(TruncateMode.BY_COPY) & older


class AppendSteps(Appends):
    """Of the pipeline that is set up before the first packet."""

    def goes_on_setting_up(s, t: Self, client: Client, file: File) -> Bool:
        """The client sets up a pipeline before and after the step."""
        return s.is_setting_up(client, file) & t.is_setting_up(client, file)

    @transition(inductive=True)
    def pipelines_shrink_while_set_up(s, t: Self, client: Client, file: File) -> Bool:
        """C.5: a node that fails leaves the pipeline, and the client asks for a new stamp for those that are left."""
        before, after = s.stream[client][file], t.stream[client][file]
        same = after.pipeline == before.pipeline
        anew = (after.pipeline <= before.pipeline) & (after.stamp == 0) & after.set_up.is_empty()
        return s.goes_on_setting_up(t, client, file).implies(same | anew)

    @transition(inductive=True)
    def nodes_are_set_up_under_the_stamp(s, t: Self, client: Client, file: File, datanode: Datanode) -> Bool:
        """B2, B3, S9: a node that takes the block has a replica that the client writes, under the client's stamp."""
        before, after = s.stream[client][file], t.stream[client][file]
        new = ~before.set_up.has(datanode) & after.set_up.has(datanode)
        replica = t.replica[datanode][file]
        written = replica.state.at(ReplicaLifecycle.rbw) & (replica.writer == client) & (replica.stamp == after.stamp)
        asked = s.running.has(datanode) & before.pipeline.has(datanode) & (after.stamp == before.stamp)
        takes = s.goes_on_setting_up(t, client, file) & new
        return takes.implies(written & asked & (after.stamp > 0))
