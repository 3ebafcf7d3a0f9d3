"""What hdfs.lease promises; numbers S and J are those of the facts."""

from typing import Self

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.late_calls import LateKind, LateState
from genstamp_spec.hdfs.parts.lease_history import OwnerHistory
from genstamp_spec.hdfs.parts.namenode_files import SyncedLength
from genstamp_spec.hdfs.parts.namenode_opening import InodeHistory
from genstamp_spec.hdfs.parts.state import Client, File, Holder, NamespaceState, StreamStage
from genstamp_spec.hdfs.state.earlier import SafeModeState
from genstamp_spec.hdfs.state.outline import Outline
from genstamp_spec.lifecycles import BlockLifecycle, FileLifecycle, LeaseLifecycle


class LeasePromises(Outline, NamespaceState, InodeHistory, SyncedLength, SafeModeState, LateState, OwnerHistory):
    """Leases, owners, stamps and blocks of files."""

    # Owners.

    @transition(inductive=True)
    def only_the_owner_changes_a_file(s, t: Self, file: File) -> Bool:
        """S10: whoever changes a file, the first time since it was opened or changed hands, is its owner."""
        changed = (t.changed_by[file] != s.changed_by[file]) & ~t.changed_by[file].is_none()
        return (changed & (s.renames == t.renames)).implies(t.changed_by[file] == s.client_name[file])

    @invariant(inductive=True, given=("one_lease_per_open_file",))
    def taken_over_file_leaves_its_writer(s, file: File) -> Bool:
        """S11: a file that was taken over belongs to whoever asked for that, or to the NameNode."""
        owner, taker = s.client_name[file], s.taken_by[file]
        namenodes: Bool = owner == Holder.NAMENODE
        return taker.is_none() | (owner == taker) | namenodes

    @transition(inductive=True, given=("recovered_block_is_known_of",))
    def fenced_client_changes_nothing(s, t: Self, file: File) -> Bool:
        """S11, S12: a recovery ends under its own stamp, or drops the block and closes the file."""
        fenced = s.block[file].at(BlockLifecycle.under_recovery) & s.stays(t)
        same = (t.block_stamp[file] == s.block_stamp[file]) & (t.block_bytes[file] == s.block_bytes[file])
        kept = t.block[file].at(BlockLifecycle.under_recovery) & same
        recovered = t.block[file].at(BlockLifecycle.complete) & (t.block_stamp[file] == s.recovery_id[file])
        dropped = ~t.under_construction(file) & (t.block_stamp[file] == s.earlier[file].stamp)
        return fenced.implies(kept | recovered | dropped)

    def stays(s, t: Self) -> Bool:
        """In this step each path keeps its inode, and the NameNode does not start again."""
        return (s.removals == t.removals) & (s.renames == t.renames) & (s.restarts == t.restarts)

    # Stamps.

    @transition(inductive=True)
    def safe_mode_gives_out_no_stamp(s, t: Self) -> Bool:
        """S9: what a NameNode in safe mode gives out may not be logged, and be given out again."""
        return s.safe_mode.implies(t.last_stamp == s.last_stamp)

    @transition(inductive=True, given=("stamps_come_from_the_counter",))
    def stamps_are_given_out_once(s, t: Self, file: File) -> Bool:
        """S9: a new block's stamp and a new recovery id are above every stamp given out before."""
        new_recovery = (t.recovery_id[file] != s.recovery_id[file]) & (t.recovery_id[file] != 0)
        new_block = s.block[file].at(BlockLifecycle.absent) & ~t.block[file].at(BlockLifecycle.absent)
        new = new_recovery.implies(t.recovery_id[file] > s.last_stamp)
        return (s.renames == t.renames).implies(new & new_block.implies(t.block_stamp[file] > s.last_stamp))

    @transition(inductive=True, given=("current_recovery_is_above_the_block", "blocks_follow_one_another"))
    def block_stamp_never_decreases(s, t: Self, file: File) -> Bool:
        """S8: of one block."""
        return s.same_block(t, file).implies(t.block_stamp[file] >= s.block_stamp[file])

    def same_block(s, t: Self, file: File) -> Bool:
        """The file's last block is the same after this step."""
        there = ~s.block[file].at(BlockLifecycle.absent) & ~t.block[file].at(BlockLifecycle.absent)
        before, after, absent = s.earlier[file], t.earlier[file], BlockLifecycle.absent
        alike = (before.stamp == after.stamp) & (before.state.at(absent) == after.state.at(absent))
        return there & alike & (s.older[file] == t.older[file]) & (s.removals == t.removals) & (s.renames == t.renames)

    @invariant(inductive=True)
    def stamps_come_from_the_counter(s, file: File) -> Bool:
        """All stamps of a file were given out."""
        last = (s.block_stamp[file] <= s.last_stamp) & (s.recovery_id[file] <= s.last_stamp)
        return last & (s.earlier[file].stamp <= s.last_stamp)

    @transition(inductive=True, given=("stamps_come_from_the_counter",))
    def recovery_id_never_decreases(s, t: Self, file: File) -> Bool:
        """S12: of one block, until the NameNode starts again."""
        return (s.same_block(t, file) & (s.restarts == t.restarts)).implies(t.recovery_id[file] >= s.recovery_id[file])

    @invariant(inductive=True, given=("stamps_come_from_the_counter", "only_the_last_two_blocks_are_incomplete"))
    def current_recovery_is_above_the_block(s, file: File) -> Bool:
        """A block under recovery will get a higher stamp."""
        return s.block[file].at(BlockLifecycle.under_recovery).implies(s.recovery_id[file] > s.block_stamp[file])

    # Blocks.

    @transition(inductive=True)
    def commit_fixes_content(s, t: Self, file: File) -> Bool:
        """S13: stamp and length of a committed block change only by a recovery, or when the file is opened again."""
        fixed = (BlockLifecycle.committed, BlockLifecycle.complete)
        stays = s.same_block(t, file) & s.block[file].at(*fixed) & t.block[file].at(*fixed)
        same = (t.block_stamp[file] == s.block_stamp[file]) & (t.block_bytes[file] == s.block_bytes[file])
        return stays.implies(same)

    @invariant(inductive=True, given=("promised_bytes_were_written",))
    def promised_bytes_are_known(s, file: File) -> Bool:
        """S6, S14: the NameNode knows of the bytes that an hflush has promised, also after it has started again."""
        logged = s.file[file].at(FileLifecycle.closed) | (s.synced_bytes[file] >= s.promised[file])
        return logged & (s.block_bytes[file] >= s.promised[file])

    @transition(
        inductive=True,
        given=(
            "stamps_come_from_the_counter",
            "blocks_follow_one_another",
            "current_recovery_is_above_the_block",
            "promised_bytes_were_written",
            "promised_bytes_are_known",
        ),
    )
    def only_empty_blocks_are_dropped(s, t: Self, file: File) -> Bool:
        """S18: a block of a file that stays is dropped only if nothing of it was promised."""
        there, stays = ~s.block[file].at(BlockLifecycle.absent), s.stays(t)
        gone = t.block[file].at(BlockLifecycle.absent) | (t.block_stamp[file] < s.block_stamp[file])
        return (stays & there & gone).implies(s.promised[file] == 0)

    @invariant(inductive=True)
    def blocks_follow_one_another(s, file: File) -> Bool:
        """There is a block before the last one only if there is a last one, and what is removed is not kept."""
        last, before = s.block[file], s.earlier[file].state
        removed = last.at(BlockLifecycle.removed) | before.at(BlockLifecycle.removed)
        older = (s.older[file] == 0) | ~before.at(BlockLifecycle.absent)
        return ~removed & older & (~last.at(BlockLifecycle.absent) | before.at(BlockLifecycle.absent))

    @invariant(
        inductive=True,
        given=(
            "only_the_last_two_blocks_are_incomplete",
            "stamps_come_from_the_counter",
            "late_stamps_come_from_the_counter",
            "blocks_follow_one_another",
        ),
    )
    def progress_was_checked(s, file: File) -> Bool:
        """S15: past its first part an addBlock need not look at the block before again (HDFS-8071)."""
        going_on = s.late.kind.at(LateKind.ADD_BLOCK) & (s.late.file == file)
        return (going_on & s.previous_is_last(file, s.late.stamp)).implies(s.earlier_is_complete(file))

    @invariant(inductive=True, given=("stamps_come_from_the_counter",))
    def late_stamps_come_from_the_counter(s, client: Client, file: File) -> Bool:
        """What clients and late calls know was given out."""
        return (s.writer[client][file].stamp <= s.last_stamp) & (s.late.stamp <= s.last_stamp)

    @invariant(inductive=True, given=("blocks_follow_one_another",))
    def only_the_last_two_blocks_are_incomplete(s, file: File) -> Bool:
        """S15: the block before the last one is committed at least, and complete before the last one is committed."""
        before = s.earlier[file].state
        ended = s.block[file].at(BlockLifecycle.committed, BlockLifecycle.complete)
        committed = before.at(BlockLifecycle.absent, BlockLifecycle.committed, BlockLifecycle.complete)
        return committed & (ended.implies(s.earlier_is_complete(file)))

    @transition(inductive=True, given=("progress_was_checked", "blocks_follow_one_another"))
    def older_blocks_are_complete(s, t: Self, file: File) -> Bool:
        """S15: a block is followed by two others only if it is complete."""
        grows = (t.older[file] > s.older[file]) & (s.renames == t.renames)
        return grows.implies(s.earlier[file].state.at(BlockLifecycle.complete))

    @invariant(inductive=True, given=("only_the_last_two_blocks_are_incomplete", "blocks_follow_one_another"))
    def closed_files_are_complete(s, file: File) -> Bool:
        """S16: a closed file has only complete blocks, and no block without being created."""
        complete = (BlockLifecycle.absent, BlockLifecycle.complete)
        done = s.block[file].at(*complete) & s.earlier[file].state.at(*complete)
        return s.under_construction(file) | done

    @invariant(inductive=True, given=("only_the_last_two_blocks_are_incomplete",))
    def recovered_block_is_known_of(s, file: File) -> Bool:
        """Row 8: of a block under recovery a location or a byte is known; an empty one that nobody has is dropped."""
        known = ~s.locations[file].is_empty() | (s.block_bytes[file] > 0)
        return s.block[file].at(BlockLifecycle.under_recovery).implies(known)

    @invariant(inductive=True, given=("current_recovery_is_above_the_block",))
    def recovered_blocks_have_bytes(s, file: File) -> Bool:
        """S18, G.4: a recovery that finds no byte drops the block, so that a recovered one has bytes."""
        block = s.block[file]
        has_bytes = ~block.at(BlockLifecycle.absent) & (s.block_bytes[file] > 0) & (s.written[file] > 0)
        return block.at(BlockLifecycle.under_recovery) | (s.recovery_id[file] == 0) | has_bytes

    @invariant(inductive=True, given=("blocks_follow_one_another",))
    def promised_bytes_were_written(s, file: File) -> Bool:
        """S14: an hflush promises what the datanodes of a block have; where there is none, nothing is promised."""
        nothing = s.block[file].at(BlockLifecycle.absent).implies(s.promised[file] == 0)
        return nothing & (s.promised[file] <= s.written[file])

    @invariant(inductive=True, given=("blocks_follow_one_another",))
    def only_blocks_have_replicas(s, file: File) -> Bool:
        """S7: where there is no last block, or none before it, no replica is counted."""
        earlier = s.earlier[file]
        last = s.block[file].at(BlockLifecycle.absent).implies(s.stored[file].is_empty())
        return last & earlier.state.at(BlockLifecycle.absent).implies(earlier.stored.is_empty())

    # Repeated calls.

    @transition(inductive=True)
    def given_block_has_locations(s, t: Self, client: Client, file: File) -> Bool:
        """S20: whoever is given a block, also by a repeated addBlock, is told where to write it."""
        before, after = s.writer[client][file].stage, t.writer[client][file].stage
        given = ~before.at(StreamStage.STREAMING) & after.at(StreamStage.STREAMING) & (s.renames == t.renames)
        return given.implies(~t.locations[file].is_empty())

    @invariant
    def missed_block_can_be_had(s, client: Client, file: File) -> Bool:
        """S20: a client whose addBlock was done, but not answered, gets the block when it calls again."""
        owner = s.under_construction(file) & (s.client_name[file] == client) & s.waits(client, file)
        none_there = s.previous_is_last(file, s.passed_stamp(client, file))
        return owner.implies(none_there | s.may_have_it_again(client, file))

    @invariant
    def missed_close_can_be_had(s, client: Client, file: File) -> Bool:
        """S20: a client whose complete has closed the file, but was not answered, is told so when it calls again."""
        closed = ~s.under_construction(file) & s.waits(client, file)
        return closed.implies(s.block_matches(client, file))

    def waits(s, client: Client, file: File) -> Bool:
        """The client's last call was done, but not answered."""
        writer = s.writer[client][file]
        return writer.unanswered & ~writer.gone

    # What must be possible.

    @witness
    def both_believe_they_may_write(s, first: Client, second: Client, file: File) -> Bool:
        """J.3: two clients have the file open as far as they know; only the NameNode's checks keep them apart."""
        streaming, held = StreamStage.STREAMING, s.writer[second][file]
        return (first != second) & s.writer[first][file].stage.at(streaming) & held.stage.at(streaming) & ~held.gone

    @witness
    def writer_goes_on_unaware(s, client: Client, file: File) -> Bool:
        """J.3: a client still writes a block that is under recovery: nobody has told it."""
        writer = s.writer[client][file]
        writes = writer.stage.at(StreamStage.STREAMING) & (writer.stamp == s.block_stamp[file])
        return writes & s.block[file].at(BlockLifecycle.under_recovery)

    @witness
    def expired_writer_keeps_its_rights(s, client: Client, file: File) -> Bool:
        """J.3: past the hard limit a client has changed its file, since nobody has taken it over yet."""
        expired = s.lease[client].at(LeaseLifecycle.past_hard_limit)
        return expired & (s.changed_by[file] == client) & s.writer[client][file].stage.at(StreamStage.STREAMING)

    @witness
    def two_blocks_are_incomplete(s, file: File) -> Bool:
        """The last block is written while the one before waits for a replica."""
        before, last = s.earlier[file].state, s.block[file]
        return before.at(BlockLifecycle.committed) & last.at(BlockLifecycle.under_construction) & (s.written[file] > 0)

    @witness
    def lease_covers_two_files(s, first: File, second: File, client: Client) -> Bool:
        """One lease is one age for all that its holder has open."""
        return (first != second) & s.lease_files[client].has(first) & s.lease_files[client].has(second)
