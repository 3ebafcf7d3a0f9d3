"""What table 1 of the paper speaks of: cases of writes and appends, and what a region of the file may be afterwards.

A case is told by what clients were told, once nobody waits any more: success, after however many attempts, or failure,
where somebody has given up. What the region is, is told by the bytes of all replicas that are not stale. Which of it
can come of which case is not said here: that is found by looking at every state.

Source: sections 2.7.1, 3.1 and 3.3.
"""

from genstamp_model.language import *
from genstamp_spec.gfs.lifecycles.mutation import MutationLifecycle
from genstamp_spec.gfs.parts.append_state import Bytes, Offset
from genstamp_spec.gfs.parts.lease_state import Chunkserver
from genstamp_spec.gfs.parts.mutation_state import Client, Piece
from genstamp_spec.gfs.parts.mutation_steps import UNDER_WAY
from genstamp_spec.gfs.systems.mutation_order import MutationOrderProperties
from genstamp_spec.gfs.systems.record_append import RecordAppendProperties


class WriteRegions(MutationOrderProperties):
    """Writes: the region is all pieces, which each client writes whole."""

    def is_replicated(s) -> Bool:
        """There are two replicas at least to be compared."""
        return s.current.size() > 1

    def everybody_was_told_success(s) -> Bool:
        """Somebody wrote, and whoever began has heard of every piece that it succeeded."""
        return exists(Client, lambda client: s.has_written(client)) & ~exists(Client, lambda c: s.is_writing(c))

    def serial_success(s) -> Bool:
        """Writes succeeded, one after the other."""
        return s.everybody_was_told_success() & ~s.overlapped

    def concurrent_successes(s) -> Bool:
        """Writes succeeded, of which some were under way at once."""
        return s.everybody_was_told_success() & s.overlapped

    def failure(s) -> Bool:
        """Nobody waits, and some write has failed."""
        failed = MutationLifecycle.failed
        gave_up = exists(Client, lambda client: exists(Piece, lambda piece: s.write[client][piece].state.at(failed)))
        return s.is_quiet() & gave_up

    def defined(s) -> Bool:
        """All replicas have the same bytes: those of one write, whole, or still those from before all writes."""
        return s.is_consistent() & (s.is_of_one() | s.is_untouched())

    def is_untouched(s) -> Bool:
        """No replica has bytes of any write."""
        return forall(
            Chunkserver,
            lambda one: ~s.current.has(one) | forall(Piece, lambda piece: s.content[one][piece].is_none()),
        )

    def consistent_but_undefined(s) -> Bool:
        """All replicas have the same bytes, of several writes, or of a part of one."""
        return s.is_consistent() & ~s.is_of_one() & ~s.is_untouched()

    def inconsistent(s) -> Bool:
        """Replicas differ."""
        return ~s.is_consistent()


class AppendRegions(RecordAppendProperties):
    """Appends: the region is the whole chunk."""

    overlapped = flag()  # history: two clients appended at once

    def begin(s, client: Client) -> None:
        """As its parent; another client may be appending."""
        super().begin(client)
        s.overlapped = s.overlapped | exists(Client, lambda other: (other != client) & s.is_appending(other))

    def is_appending(s, client: Client) -> Bool:
        """It has begun, and was not told of success."""
        return ~s.append[client].state.at(MutationLifecycle.absent, MutationLifecycle.acknowledged)

    def is_replicated(s) -> Bool:
        """There are two replicas at least to be compared."""
        return s.current.size() > 1

    def everybody_was_told_success(s) -> Bool:
        """Somebody appended, and whoever began was told an offset."""
        told = exists(Client, lambda client: s.append[client].state.at(MutationLifecycle.acknowledged))
        return told & ~exists(Client, lambda client: s.is_appending(client))

    def serial_success(s) -> Bool:
        """Appends succeeded, one after the other."""
        return s.everybody_was_told_success() & ~s.overlapped

    def concurrent_successes(s) -> Bool:
        """Appends succeeded, of which some were under way at once."""
        return s.everybody_was_told_success() & s.overlapped

    def failure(s) -> Bool:
        """Nobody waits, and some append has failed."""
        gave_up = exists(Client, lambda client: s.append[client].state.at(MutationLifecycle.failed))
        return gave_up & ~exists(Client, lambda client: s.append[client].state.at(*UNDER_WAY))

    def is_alike(s, offset: Offset) -> Bool:
        """All replicas have the same at an offset, and not a part of a record."""
        return forall(
            Chunkserver,
            lambda one: (
                ~s.current.has(one)
                | (
                    ~s.content[one][offset].bytes.at(Bytes.PART)
                    & forall(
                        Chunkserver,
                        lambda other: ~s.current.has(other) | (s.content[one][offset] == s.content[other][offset]),
                    )
                )
            ),
        )

    def is_alike_everywhere(s) -> Bool:
        """No two replicas differ, at any offset or in the padding at the end."""
        padded = forall(
            Chunkserver,
            lambda one: forall(
                Chunkserver,
                lambda other: (
                    ~(s.current.has(one) & s.current.has(other)) | (s.replica[one].padded == s.replica[other].padded)
                ),
            ),
        )
        return forall(Offset, lambda offset: s.is_alike(offset)) & padded

    def answered_records_are_defined(s) -> Bool:
        """Each record that a client was told of stands whole at its offset, on all replicas."""
        return forall(
            Client,
            lambda client: (
                s.told[client].is_none()
                | forall(
                    Chunkserver,
                    lambda one: ~s.current.has(one) | s.has_record(one, s.told[client], client),
                )
            ),
        )

    def defined(s) -> Bool:
        """All replicas are alike, and what clients were told of stands there."""
        return s.is_alike_everywhere() & s.answered_records_are_defined()

    def consistent_but_undefined(s) -> Bool:
        """All replicas are alike, and what a client was told of does not stand there."""
        return s.is_alike_everywhere() & ~s.answered_records_are_defined()

    def defined_interspersed_with_inconsistent(s) -> Bool:
        """Nobody gave up; what clients were told of stands on all replicas, elsewhere they differ, or have parts."""
        return ~s.is_alike_everywhere() & s.answered_records_are_defined() & ~s.failure()

    def inconsistent(s) -> Bool:
        """Replicas differ, and a client has given up, or was told of a record that does not stand on all."""
        return ~s.is_alike_everywhere() & (~s.answered_records_are_defined() | s.failure())
