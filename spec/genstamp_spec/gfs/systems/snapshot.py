"""gfs.snapshot: files share chunks until one is written to, and what is written to one is in no other."""

from typing import Self

from genstamp_model.language import *
from genstamp_spec.gfs.bugs.snapshot import SNAPSHOT_BUGS
from genstamp_spec.gfs.lifecycles import ChunkLeaseLifecycle, ChunkReplicaLifecycle
from genstamp_spec.gfs.parts.lease_state import Chunkserver
from genstamp_spec.gfs.parts.snapshot_copies import CopyingChunkservers
from genstamp_spec.gfs.parts.snapshot_state import OVER, Chunk, File, Position, SnapshotStage
from genstamp_spec.gfs.parts.snapshot_steps import CURRENT


class SnapshotProperties(CopyingChunkservers):
    """What a snapshot promises."""

    @invariant(
        inductive=True,
        given=(
            "references_are_files",
            "shared_chunks_are_not_written",
            "names_under_way_are_free",
            "chunks_have_one_position",
            "clients_write_to_their_files",
            "copies_have_the_bytes",
            "logged_bytes_stay",
            "nothing_has_no_bytes",
            "absent_replicas_have_no_bytes",
            "new_chunks_are_listed_nowhere",
        ),
    )
    def files_have_their_own_bytes(s, file: File, position: Position, chunkserver: Chunkserver) -> Bool:
        """SnapshotIsolation: what is read through a file or a snapshot was written to it, or before its log record."""
        chunk = s.lists[file][position]
        listed = ~chunk.is_none() & s.replica[chunk][chunkserver].at(CURRENT)
        return listed.implies(s.content[chunk][chunkserver] == s.written[file][position])

    @invariant(
        inductive=True, given=("names_under_way_are_free", "chunks_have_one_position", "new_chunks_are_listed_nowhere")
    )
    def references_are_files(s, chunk: Chunk) -> Bool:
        """RefCount: the reference count of a chunk is the number of files that list it."""
        return s.references[chunk] == s.listed_by(chunk)

    @invariant(
        inductive=True,
        given=(
            "references_are_files",
            "primaries_have_leases",
            "logged_chunks_have_no_primary",
            "new_chunks_are_listed_nowhere",
            "one_copy_for_a_position",
        ),
    )
    def shared_chunks_are_not_written(s, chunk: Chunk) -> Bool:
        """SnapshotIsolation: nobody believes in a lease on a chunk that several files list, or that is being copied."""
        shared = (s.listed_by(chunk) > 1) | s.is_being_copied(chunk)
        return shared.implies(s.primary[chunk].is_none())

    @invariant
    def listed_chunks_have_replicas(s, file: File, position: Position) -> Bool:
        """Of what a file lists there is a current replica, on a chunkserver that is up or down."""
        chunk = s.lists[file][position]
        return chunk.is_none() | exists(Chunkserver, lambda other: s.replica[chunk][other].at(CURRENT))

    # What that rests on.

    @invariant(inductive=True)
    def names_under_way_are_free(s, target: File) -> Bool:
        """A name of which a snapshot is under way is no file's yet, and the source is one."""
        snapshot = s.snapshot[target]
        source = ~snapshot.source.is_none() & s.is_there(snapshot.source)
        free = ~s.is_there(target) & source & s.snapshot[snapshot.source].stage.at(SnapshotStage.NONE)
        return when(snapshot.stage.at(SnapshotStage.NONE), snapshot.source.is_none(), free)

    @invariant(inductive=True, given=("references_are_files", "new_chunks_are_listed_nowhere"))
    def chunks_have_one_position(s, file: File, one: Position, other: Position) -> Bool:
        """No file lists a chunk twice."""
        return (one == other) | s.lists[file][one].is_none() | (s.lists[file][one] != s.lists[file][other])

    @invariant(inductive=True, given=("references_are_files", "names_under_way_are_free"))
    def new_chunks_are_listed_nowhere(s, new: Chunk) -> Bool:
        """A chunk in the making has no reference yet, and takes the place of one that a file lists."""
        made = s.copy[new].file.is_none() & s.copied[new].is_empty()
        unknown = forall(File, lambda file: forall(Position, lambda position: s.known[file][position] != new))
        unused = (s.references[new] == 0) & s.primary[new].is_none() & unknown
        return made | (~s.source_of(new).is_none() & unused)

    @invariant(inductive=True, given=("new_chunks_are_listed_nowhere",))
    def one_copy_for_a_position(s, one: Chunk, other: Chunk) -> Bool:
        """No two chunks are in the making for one position."""
        differ = (s.copy[one].file != s.copy[other].file) | (s.copy[one].position != s.copy[other].position)
        return (one == other) | s.copy[one].file.is_none() | differ

    @invariant(inductive=True)
    def primaries_have_leases(s, chunk: Chunk) -> Bool:
        """Where a chunkserver believes in a lease, the master does not take it for over."""
        return s.primary[chunk].is_none() | ~s.lease[chunk].at(*OVER)

    @invariant(inductive=True, given=("primaries_have_leases", "references_are_files", "names_under_way_are_free"))
    def logged_chunks_have_no_primary(s, target: File, position: Position) -> Bool:
        """Between the log record and the copy of the metadata nobody is granted a lease on what is to be shared."""
        snapshot = s.snapshot[target]
        logged = snapshot.stage.at(SnapshotStage.LOGGED)
        return logged.implies(s.primary[s.lists[snapshot.source][position]].is_none())

    @invariant(
        inductive=True,
        given=("names_under_way_are_free", "chunks_have_one_position", "new_chunks_are_listed_nowhere"),
    )
    def clients_remember_positions(s, file: File, one: Position, other: Position) -> Bool:
        """What a client remembers, the file lists there or nowhere; of what is not there, nothing is remembered."""
        remembered = s.known[file][one]
        elsewhere = (one != other) & (s.lists[file][other] == remembered)
        return remembered.is_none() | (s.is_there(file) & ~elsewhere)

    @invariant(
        inductive=True,
        given=(
            "references_are_files",
            "shared_chunks_are_not_written",
            "clients_remember_positions",
            "names_under_way_are_free",
        ),
    )
    def clients_write_to_their_files(s, file: File, position: Position) -> Bool:
        """A chunk that a client may write to is its file's: an outdated version shows it that this is over."""
        chunk = s.known[file][position]
        may_write = ~chunk.is_none() & s.newest[chunk].has(file) & ~s.primary[chunk].is_none()
        return may_write.implies(s.lists[file][position] == chunk)

    @invariant(
        inductive=True,
        given=(
            "files_have_their_own_bytes",
            "shared_chunks_are_not_written",
            "new_chunks_are_listed_nowhere",
            "clients_write_to_their_files",
            "names_under_way_are_free",
        ),
    )
    def copies_have_the_bytes(s, new: Chunk, chunkserver: Chunkserver) -> Bool:
        """What is copied is what the file has."""
        file, position = s.copy[new].file, s.copy[new].position
        counts = ~file.is_none() & s.replica[new][chunkserver].at(CURRENT)
        return counts.implies(s.content[new][chunkserver] == s.written[file][position])

    @invariant(
        inductive=True,
        given=(
            "files_have_their_own_bytes",
            "logged_chunks_have_no_primary",
            "names_under_way_are_free",
            "references_are_files",
            "new_chunks_are_listed_nowhere",
            "clients_remember_positions",
        ),
    )
    def logged_bytes_stay(s, target: File, position: Position, chunkserver: Chunkserver) -> Bool:
        """What a snapshot will list has what was written when its record was logged."""
        chunk = s.lists[s.snapshot[target].source][position]
        counts = s.snapshot[target].stage.at(SnapshotStage.LOGGED) & s.replica[chunk][chunkserver].at(CURRENT)
        return counts.implies(s.content[chunk][chunkserver] == s.written[target][position])

    @invariant(
        inductive=True, given=("names_under_way_are_free", "clients_remember_positions", "clients_write_to_their_files")
    )
    def nothing_has_no_bytes(s, file: File, position: Position) -> Bool:
        """To what is not there nothing was written."""
        source = s.snapshot[file].source
        logged = s.snapshot[file].stage.at(SnapshotStage.LOGGED)
        chunk = when(logged, s.lists[source][position], s.lists[file][position])
        return ~chunk.is_none() | (s.written[file][position] == 0)

    @invariant(inductive=True)
    def absent_replicas_have_no_bytes(s, chunk: Chunk, chunkserver: Chunkserver) -> Bool:
        """What is deleted leaves no trace."""
        return ~s.replica[chunk][chunkserver].at(ChunkReplicaLifecycle.absent) | (s.content[chunk][chunkserver] == 0)

    @transition(inductive=True, given=("names_under_way_are_free",))
    def logged_snapshot_is_made(s, t: Self, target: File, position: Position) -> Bool:
        """LogBeforeVisible: what is in the log is made eventually, whatever happens to the master."""
        logged = s.snapshot[target].stage.at(SnapshotStage.LOGGED)
        made = t.lists[target][position] == t.lists[s.snapshot[target].source][position]
        return logged.implies(t.snapshot[target].stage.at(SnapshotStage.LOGGED) | made)

    @transition(inductive=True, given=("primaries_have_leases",))
    def revoked_before_logged(s, t: Self, target: File, position: Position) -> Bool:
        """SnapshotIsolation: when a snapshot is logged, nobody believes in a lease on what it will share."""
        logs = ~s.snapshot[target].stage.at(SnapshotStage.LOGGED) & t.snapshot[target].stage.at(SnapshotStage.LOGGED)
        return logs.implies(t.primary[t.lists[t.snapshot[target].source][position]].is_none())

    @witness
    def two_snapshots_at_once(s, one: File, other: File) -> Bool:
        """A second snapshot of a file is under way when the first one is logged."""
        first, second = s.snapshot[one], s.snapshot[other]
        both = first.stage.at(SnapshotStage.LOGGED) & second.stage.at(SnapshotStage.REVOKING)
        return both & (first.source == second.source)

    @witness
    def snapshot_during_a_copy(s, target: File, new: Chunk) -> Bool:
        """A snapshot of a file is under way while a chunk of it is being copied."""
        return ~s.copy[new].file.is_none() & (s.snapshot[target].source == s.copy[new].file)

    @witness
    def three_files_share(s, chunk: Chunk) -> Bool:
        """A chunk is in three files."""
        return s.references[chunk] == 3

    @witness
    def files_differ(s, one: File, other: File, position: Position) -> Bool:
        """A file and its snapshot have each been written to."""
        return (s.written[one][position] > 0) & (s.written[other][position] > s.written[one][position])

    @witness
    def source_was_written_before(s, target: File, position: Position) -> Bool:
        """A snapshot of what was written is in the log."""
        return s.snapshot[target].stage.at(SnapshotStage.LOGGED) & (s.written[target][position] > 0)

    @witness
    def snapshot_waits_for_expiry(s, chunk: Chunk, chunkserver: Chunkserver) -> Bool:
        """A lease is revoked whose primary is dead: the snapshot waits until it is over by the master's clock."""
        return s.lease[chunk].at(ChunkLeaseLifecycle.revoking) & s.primary[chunk].is_none() & ~s.up.has(chunkserver)

    @witness
    def copied_by_some(s, new: Chunk, one: Chunkserver, other: Chunkserver) -> Bool:
        """A chunkserver has copied a shared chunk, and another one that has it is down."""
        copied = s.replica[new][one].at(CURRENT) & s.replica[new][other].at(ChunkReplicaLifecycle.absent)
        return copied & ~s.up.has(other) & s.replica[s.source_of(new)][other].at(CURRENT)

    @witness
    def last_reference_is_written_in_place(s, chunk: Chunk) -> Bool:
        """A snapshot was made and one of its two files deleted: their chunk has a lease again, and none was copied."""
        is_made = forall(File, lambda file: s.snapshot[file].stage.at(SnapshotStage.NONE)) & (s.snapshots > 0)
        absent = ChunkReplicaLifecycle.absent
        none_copied = forall(
            Chunk, lambda one: (one == chunk) | forall(Chunkserver, lambda other: s.replica[one][other].at(absent))
        )
        is_shared_no_more = ~s.primary[chunk].is_none() & (s.references[chunk] == 1)
        return is_made & none_copied & is_shared_no_more & (s.master_restarts == 0)

    @witness
    def outdated_client(s, file: File, position: Position) -> Bool:
        """A client remembers a chunk that its file lists no more, and another file's lease on it is granted."""
        chunk = s.known[file][position]
        elsewhere = ~chunk.is_none() & (s.lists[file][position] != chunk) & (s.references[chunk] == 1)
        return elsewhere & ~s.primary[chunk].is_none()

    @witness
    def copy_is_an_orphan(s, chunk: Chunk, chunkserver: Chunkserver) -> Bool:
        """A master that started again has forgotten what a copy was for."""
        return (
            (s.master_restarts > 0)
            & (s.references[chunk] == 0)
            & s.replica[chunk][chunkserver].at(ChunkReplicaLifecycle.garbage)
        )


SNAPSHOT = System(
    "gfs.snapshot",
    parts=[SnapshotProperties],
    doc="Snapshots: files share chunks, counted, and what is written to one of them is copied before.",
    rows="""
        *: File=2 Position=1 Chunk=2 Chunkserver=1 writes=2 snapshots=1 crashes=0 master_restarts=0 references=2
        one_chunkserver: ; a file of one chunk with one replica, and a snapshot
        one_snapshot: Chunkserver=2; a file of one chunk with two replicas, and a snapshot
        crashes: Chunkserver=2 crashes=1; a chunkserver starts again
        master_restarts: Chunkserver=2 master_restarts=1; the master starts again, at any step of a snapshot or a copy
        two_snapshots: File=3 snapshots=2 references=3; a second snapshot during the first, and of a snapshot
        two_chunks: Position=2 Chunk=3 writes=1; a file of two chunks
        gone_chunk: Position=2 writes=1 snapshots=2;
            a chunk is gone, and its handle is not given again while a client remembers it at one position
        two_snapshots_restart: File=3 snapshots=2 master_restarts=1 references=3;
            two snapshots, and the master starts again
        two_copies: Chunk=3 crashes=1; both files are written to at once, and the only chunkserver starts again
    """,
    bugs=SNAPSHOT_BUGS,
    omits=(
        "versions, clocks, lost answers, and why a lease that has expired is over: in gfs.chunk_lease",
        "writes that some replica misses, and record appends: in gfs.mutation_order and gfs.record_append",
        "the master's log, its flushing and checkpoints: a record that is written is safe, as in gfs.master_log",
        "directories, of which a snapshot takes all files: all leases on the chunks of one file are waited for",
        "locks of the namespace, but that a file is neither deleted nor given a lease while a snapshot of it is made",
        "the hidden name under which a deleted file lists its chunks for some days",
        "readers, whose cache may lead them to the chunk that a file had before, until it times out",
        "re-replication: a chunk of which a replica was not copied keeps fewer",
        "a snapshot or a copy that is given up while the master runs",
    ),
)
