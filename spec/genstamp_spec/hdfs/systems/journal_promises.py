"""What hdfs.journal promises: replay, stamps, one command at a time, answers that are kept, and what survives."""

from typing import Final, Self, cast

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.client_calls import AT_MOST_ONCE
from genstamp_spec.hdfs.parts.journal_state import CallKind, CallStage, Opcode, Service
from genstamp_spec.hdfs.parts.state import Client, Datanode, File
from genstamp_spec.hdfs.state.journal import Logged
from genstamp_spec.lifecycles import BlockLifecycle, FileLifecycle

LONGEST: Final = 3
"""How many edits no configuration exceeds: properties that speak of all of them go so far."""
_SHORT_LOGS: Final = "a log has two edits at most in the default configurations; of a third it speaks for longer ones"


class JournalProperties(Logged):
    """What hdfs.journal promises; numbers S are those of the facts, page J."""

    # Replay.

    @invariant
    def replay_never_fails(s) -> Bool:
        """S19: every edit on disk can be replayed on what the edits before it have made."""
        return (s.synced == 0) | s.can_replay(s.edits.first())

    @invariant
    def replay_gives_the_state_of_the_active(s, file: File) -> Bool:
        """S19: a standby that has replayed every edit knows what the active knows.

        All but what a standby is not told: locations, how far the last block of an open file is, and a length that was
        committed while the file stayed open.
        """
        image = s.image[file]
        caught_up = s.service.at(Service.ACTIVE) & (s.edits.size() == 0)
        there = s.in_tree.has(file)
        same_path = when(there, image.path == s.path[file], image.path.is_none())
        closed = s.file[file].at(FileLifecycle.closed)
        complete = s.block[file].at(BlockLifecycle.complete) == image.block.at(BlockLifecycle.complete)
        length, known = s.block_bytes[file], image.num_bytes
        same_length = when(closed, complete & (known == length), known <= length)
        same_block = (s.block_stamp[file] == image.stamp) & (s.known(file) == s.image_has_block(file))
        same_state = (image.holder == s.client_name[file]) & (closed == image.state.at(FileLifecycle.closed))
        before, known_before = s.earlier[file], s.image_earlier[file]
        same_before = (before.stamp == known_before.stamp) & (before.num_bytes == known_before.num_bytes)
        same = same_state & same_block & same_length & same_before
        return caught_up.implies(same_path & (~there | same))

    # Stamps.

    @transition(inductive=True, given=("known_stamps_are_synced", "synced_stamp_was_drawn"))
    def stamps_are_given_out_once(s, t: Self) -> Bool:
        """S9: a new stamp is above every stamp that anybody knows, whatever NameNode gave it out."""
        return (t.last_stamp > s.last_stamp).implies(t.last_stamp > s.given)

    @invariant(inductive=True, given=("answers_tell_synced_stamps", "synced_stamp_was_drawn"))
    def known_stamps_are_synced(s) -> Bool:
        """S9: nobody but the NameNode knows a stamp that is not on disk."""
        return s.given <= s.synced_stamp

    @invariant(inductive=True)
    def synced_stamp_was_drawn(s) -> Bool:
        """The counter on disk is not ahead of the memory's."""
        return s.synced_stamp <= s.last_stamp

    @invariant(
        inductive=True,
        given=("synced_stamp_was_drawn", "stamps_were_drawn", "new_stamps_are_known", "known_stamps_are_synced"),
    )
    def answers_tell_synced_stamps(s, client: Client) -> Bool:
        """An answer under way has a stamp that was drawn, and is on disk if the answer may be given."""
        synced = s.synced_calls.has(client) | s.service.at(Service.STARTING)
        return (s.call[client].stamp <= s.last_stamp) & synced.implies(s.call[client].stamp <= s.synced_stamp)

    @invariant(
        inductive=True,
        given=("known_stamps_are_synced", "synced_stamp_was_drawn", "new_stamps_are_known", "image_stamps_are_synced"),
    )
    def stamps_were_drawn(s, file: File) -> Bool:
        """A block's stamp and recovery id were given out."""
        before = s.earlier[file].stamp <= s.last_stamp
        return (s.block_stamp[file] <= s.last_stamp) & (s.recovery_id[file] <= s.last_stamp) & before

    @invariant(inductive=True)
    def new_stamps_are_known(s, client: Client) -> Bool:
        """A client's new stamp was given to it."""
        return s.new_stamp[client] <= s.given

    @invariant(inductive=True, given=("logged_stamps_were_drawn", "synced_stamp_was_drawn"))
    def image_stamps_are_synced(s, file: File) -> Bool:
        """What was replayed is on disk."""
        return (s.image[file].stamp <= s.synced_stamp) & (s.image_earlier[file].stamp <= s.synced_stamp)

    @invariant(
        inductive=True,
        given=("stamps_were_drawn", "synced_stamp_was_drawn", "new_stamps_are_known", "known_stamps_are_synced"),
        vacuous=_SHORT_LOGS,
    )
    def logged_stamps_were_drawn(s) -> Bool:
        """No edit has a stamp above the counter; on disk none has one above the counter there."""
        holds: Bool | bool = True
        for position in range(LONGEST):
            for stamp in (s.edits.at(position).stamp, s.edits.at(position).earlier_stamp):
                holds = (stamp <= s.last_stamp) & (s.synced > position).implies(stamp <= s.synced_stamp) & holds
        return (s.edits.size() <= LONGEST) & (s.synced <= s.edits.size()) & holds

    # Blocks.

    @invariant(inductive=True)
    def absent_files_have_no_block(s, file: File) -> Bool:
        """S19: what is not there has no block, neither in memory nor in the image, where it has no path either."""
        image, image_earlier, earlier = s.image[file], s.image_earlier[file], s.earlier[file]
        in_image = ~s.image_has_block(file) & image_earlier.state.at(BlockLifecycle.absent) & image.path.is_none()
        nothing = ~s.known(file) & earlier.state.at(BlockLifecycle.absent) & (earlier.stamp == 0)
        loaded = image.state.at(FileLifecycle.absent).implies(in_image & (image_earlier.stamp == 0))
        return loaded & s.file[file].at(FileLifecycle.absent).implies(nothing)

    @invariant(inductive=True, given=("absent_files_have_no_block",), vacuous=_SHORT_LOGS)
    def edits_tell_their_blocks(s) -> Bool:
        """S19: OP_ADD_BLOCK and OP_UPDATE_BLOCKS tell of a last block, and OP_ADD of none: its file is a new one."""
        holds: Bool | bool = True
        for position in range(LONGEST):
            edit = s.edits.at(position)
            told = edit.opcode.at(Opcode.ADD_BLOCK, Opcode.UPDATE_BLOCKS).implies(edit.has_block)
            new = edit.opcode.at(Opcode.ADD).implies(~edit.has_block & (edit.earlier_stamp == 0))
            holds = told & new & holds
        return cast(Bool, holds)  # LONGEST is above 0

    @invariant(inductive=True)
    def blocks_are_committed_in_order(s, file: File) -> Bool:
        """S15: a block is committed when the one before is COMPLETE; in the image the one before always is."""
        both = s.earlier[file].state.at(BlockLifecycle.committed) & s.block[file].at(
            BlockLifecycle.committed, BlockLifecycle.complete
        )
        return ~both & ~s.image_earlier[file].state.at(*BlockLifecycle.not_complete)

    @invariant(inductive=True)
    def recoveries_have_an_id(s, file: File) -> Bool:
        """S12: a block under recovery has a recovery id, which a primary that leads nothing does not have."""
        return s.block[file].at(BlockLifecycle.under_recovery).implies(s.recovery_id[file] > 0)

    # Ownership.

    @transition(inductive=True)
    def only_the_active_commands(s, t: Self, datanode: Datanode, file: File) -> Bool:
        """S25: no datanode begins a recovery on behalf of a NameNode that is not active."""
        begins = (t.led[datanode][file] != s.led[datanode][file]) & (t.led[datanode][file] > 0)
        return begins.implies(s.service.at(Service.ACTIVE))

    @transition
    def lost_files_stay_lost(s, t: Self, file: File) -> Bool:
        """S11: after a restart or failover the file's holder is the one that was synced last."""
        begins = s.service.at(Service.STARTING) & ~t.service.at(Service.STARTING) & t.in_tree.has(file)
        return begins.implies(t.client_name[file] == s.synced_holder[file])

    # Retries.

    @invariant
    def retry_cache_knows_what_was_done(s, client: Client) -> Bool:
        """S20: where the effect of a lost @AtMostOnce call is there, the active NameNode has its answer."""
        lost = s.call[client].stage.at(CallStage.LOST) & s.done_calls.has(client)
        known = s.cached[client] == s.call[client].call_id
        return (lost & s.service.at(Service.ACTIVE) & s.call[client].kind.at(*AT_MOST_ONCE)).implies(known)

    @transition
    def repeated_call_has_no_second_effect(s, t: Self, client: Client, file: File) -> Bool:
        """S20: a lost call whose effect is there changes nothing when it is made again."""
        lost = s.call[client].stage.at(CallStage.LOST) & s.done_calls.has(client) & (s.call[client].file == file)
        repeated = (t.call[client].kind == s.call[client].kind) & (t.call[client].file == file)
        again = lost & t.call[client].stage.at(CallStage.WAITING) & repeated
        idempotent = ~s.call[client].kind.at(CallKind.FSYNC, CallKind.BLOCK_FOR_PIPELINE)
        same = (s.block_stamp[file] == t.block_stamp[file]) & (s.block_bytes[file] == t.block_bytes[file])
        return (again & idempotent).implies(same & (s.client_name[file] == t.client_name[file]))

    @transition(inductive=True)
    def repeated_call_is_answered(s, t: Self, client: Client) -> Bool:
        """S20: a lost call whose effect is there never fails when it is made again."""
        lost = s.call[client].stage.at(CallStage.LOST) & s.done_calls.has(client)
        return lost.implies(~t.call[client].stage.at(CallStage.IDLE))

    # Data.

    @invariant
    def promised_bytes_survive(s, file: File) -> Bool:
        """S6: the length that an fsync has promised is there as long as the file is, over restarts and failovers."""
        up = ~s.service.at(Service.STARTING) & s.in_tree.has(file)
        return up.implies(when(s.known(file), s.block_bytes[file], 0) >= s.promised[file])

    @invariant
    def closed_files_are_complete(s, file: File) -> Bool:
        """S16: the blocks of a closed file are COMPLETE, at the active and after every restart; nobody holds it."""
        up = ~s.service.at(Service.STARTING) & s.in_tree.has(file)
        last = ~s.known(file) | s.block[file].at(BlockLifecycle.complete)
        done = last & s.earlier_is_complete(file) & s.client_name[file].is_none()
        return (up & s.file[file].at(FileLifecycle.closed)).implies(done)

    # Somebody serves.

    @leads_to(
        fair=(
            "start_active_services",
            "replay_add",
            "replay_add_block",
            "replay_update_blocks",
            "replay_reassign_lease",
            "replay_close",
            "replay_append",
            "replay_rename",
            "replay_delete",
        )
    )
    def failover_ends(s) -> tuple[Bool, Bool]:
        """L1: where no NameNode is active, one is eventually; without it nothing is ever closed."""
        starting = s.service.at(Service.STARTING)
        return starting, ~starting

    # What must be possible.

    @witness
    def unanswered_change_survives(s, client: Client) -> Bool:
        """J.3: a call that nobody has answered has its effect after a failover."""
        after = s.service.at(Service.ACTIVE) & (s.namenode_failures > 0)
        return after & s.call[client].stage.at(CallStage.LOST) & s.done_calls.has(client)

    @witness
    def unanswered_change_is_lost(s, client: Client) -> Bool:
        """J.3: or it has none."""
        after = s.service.at(Service.ACTIVE) & (s.namenode_failures > 0)
        return after & s.call[client].stage.at(CallStage.LOST) & ~s.done_calls.has(client)

    @witness
    def standby_lags(s, file: File) -> Bool:
        """A file is closed, and the standby has never heard of it."""
        return s.file[file].at(FileLifecycle.closed) & s.image[file].state.at(FileLifecycle.absent)

    @witness
    def open_file_survives_the_namenode(s, client: Client, file: File) -> Bool:
        """A client goes on with a file that it had opened before the NameNode stopped."""
        after = s.service.at(Service.ACTIVE) & (s.namenode_failures > 0)
        return after & s.opened[client].has(file) & (s.client_name[file] == client) & (s.promised[file] > 0)

    @witness
    def late_primary_of_a_former_active(s, datanode: Datanode, file: File) -> Bool:
        """A datanode leads a recovery that the NameNode has forgotten (facts A.7)."""
        return (s.led[datanode][file] > s.recovery_id[file]) & s.service.at(Service.ACTIVE) & s.under_construction(file)
