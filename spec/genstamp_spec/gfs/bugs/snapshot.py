"""What goes wrong where one thing is left out that keeps files apart that share chunks, as changes to gfs.snapshot.

None of them is known of GFS: they are what an implementer may get wrong.
"""

from genstamp_model.language import *
from genstamp_spec.gfs.lifecycles.chunk_lease import ChunkLeaseLifecycle
from genstamp_spec.gfs.parts.snapshot_copies import CopyingChunkservers
from genstamp_spec.gfs.parts.snapshot_state import OVER, Chunk, File, Position

ISOLATION = (
    "files_have_their_own_bytes",
    "shared_chunks_are_not_written",
    "revoked_before_logged",
    "logged_chunks_have_no_primary",
    "primaries_have_leases",
)
"""The promise, and what it rests on, which may break some steps earlier."""

NOT_REVOKED = Bug(
    "snapshot-without-revocation",
    "a snapshot is logged while a lease on a chunk of the source is outstanding",
    drops=(("log_snapshot", "no lease on a chunk of the source is outstanding"),),
    source="section 3.4: the master first revokes any outstanding leases",
).at("one_snapshot", *ISOLATION)


class OneLeaseRevoked(CopyingChunkservers, lane="master"):
    """A snapshot is logged when the first lease is given up, while another chunk of the file still has one."""

    def leases_are_over(s, source: Maybe[File]) -> Bool:
        """One lease is over, and the others are not waited for."""
        return exists(Position, lambda position: s.lease[s.lists[source][position]].at(*OVER))


ONE_LEASE_REVOKED = Bug(
    "snapshot-waits-for-one-lease",
    parts=(OneLeaseRevoked,),
    source="section 3.4: after the leases have been revoked or have expired",
).at("two_chunks", *ISOLATION)
GRANTED_MEANWHILE = Bug(
    "lease-granted-while-a-snapshot-is-made",
    "a lease is granted between the revocation and the copy of the metadata, as the source is not locked",
    drops=(("grant_lease", "no snapshot of the file is under way"),),
    source="section 4.1: a snapshot write-locks its source",
).at("one_snapshot", *ISOLATION)
UNREACHED_TAKEN_FOR_REVOKED = Bug(
    "unreachable-primary-taken-for-revoked",
    "the master takes a lease for over because its primary does not answer",
    drops=(("expire_lease", "no chunkserver believes in it any more"),),
    source="section 3.4: revoked or expired",
).at("one_snapshot", *ISOLATION)


class KnowsOfNoLease(CopyingChunkservers, lane="master"):
    """A master that starts again knows of no leases, and waits for none."""

    def leases_are_over(s, source: Maybe[File]) -> Bool:
        """What the master does not know of holds up no snapshot."""
        revocable = (ChunkLeaseLifecycle.granted, ChunkLeaseLifecycle.revoking)
        return ~exists(Position, lambda position: s.lease[s.lists[source][position]].at(*revocable))


SNAPSHOT_AFTER_RESTART = Bug(
    "snapshot-at-once-after-a-restart",
    parts=(KnowsOfNoLease,),
    source="section 2.6 does not say what becomes of leases",
).at("master_restarts", *ISOLATION)


class TwoTakenForOne(CopyingChunkservers, lane="master"):
    """A chunk that two files list is written in place."""

    def may_be_written(s, references: Number) -> Bool:
        """Two files are no reason to copy."""
        return references <= 2


NOT_COPIED = Bug(
    "copy-on-write-forgotten-at-two-references",
    parts=(TwoTakenForOne,),
    source="section 3.4: a reference count greater than one",
).at("one_snapshot", *ISOLATION)


class CountIsTwo(CopyingChunkservers, lane="master"):
    """The second snapshot of a file does not raise the reference count."""

    def raise_references(s, target: File) -> None:
        """A third file changes nothing."""
        s.references.update(
            lambda chunk: when(s.is_of(chunk, target), smallest(s.references[chunk] + 1, 2), s.references[chunk])
        )


COUNT_NOT_RAISED = Bug(
    "count-not-raised-by-the-second-snapshot",
    parts=(CountIsTwo,),
    source="section 3.4: the new files point to the same chunks",
).at("two_snapshots", "references_are_files", *ISOLATION)


class ChunksDeletedWithFile(CopyingChunkservers, lane="master"):
    """The chunks of a deleted file are taken for orphans, although a snapshot lists them."""

    def drop_references(s, file: File) -> None:
        """The count is not looked at."""
        s.references.update(lambda chunk: when(s.is_of(chunk, file), 0, s.references[chunk]))


CHUNKS_DELETED_WITH_FILE = Bug(
    "chunks-deleted-with-the-source",
    parts=(ChunksDeletedWithFile,),
    source="section 4.4: orphaned chunks are those not reachable from any file",
).at("one_snapshot", "references_are_files", "listed_chunks_have_replicas")


class CountStays(CopyingChunkservers, lane="master"):
    """A deleted file or snapshot still counts, and its chunks are never reclaimed."""

    def drop_references(s, file: File) -> None:
        """The count is left as it is, and the chunk is never reclaimed."""


COUNT_STAYS = Bug(
    "count-not-lowered-by-deletion",
    parts=(CountStays,),
    source="section 4.4: orphaned chunks are those not reachable from any file",
).at("one_snapshot", "references_are_files")
STALE_COPIED = Bug(
    "copy-of-a-stale-replica",
    "every chunkserver with a replica of the chunk is asked to copy it, also one that has missed writes",
    drops=(("copy_replica", "its replica of the shared chunk is current"),),
    source="section 3.4: each chunkserver that has a current replica",
).at("crashes", "copies_have_the_bytes", *ISOLATION)
INSTALLED_TOO_EARLY = Bug(
    "new-handle-installed-before-it-is-copied",
    "the new handle is in the log before any chunkserver has copied the chunk",
    drops=(
        ("install_copy", "a chunkserver has copied the chunk"),
        ("install_copy", "no chunkserver has yet to copy it"),
    ),
    source="section 3.4 does not say when the new handle is logged",
).at("one_snapshot", "listed_chunks_have_replicas")
COPY_TAKEN_FOR_ORPHAN = Bug(
    "copy-taken-for-an-orphan",
    "the scan for orphans finds a new chunk that is not in its file yet, and has its replicas deleted",
    drops=(("report_orphan", "the chunk is not in the making"),),
    source="section 4.4 does not speak of chunks in the making",
).at("crashes", "listed_chunks_have_replicas")
GRANTED_DURING_COPY = Bug(
    "lease-granted-on-a-chunk-that-is-copied",
    "the other file is deleted while a chunk is copied, and the chunk is written in place meanwhile",
    drops=(("grant_lease", "no copy of the chunk is being made"),),
    source="section 3.4 does not speak of a count that falls meanwhile",
).at("one_snapshot", *ISOLATION)
VERSION_NOT_COMPARED = Bug(
    "write-without-a-version",
    "a client that remembers a chunk which its file has left writes to it under another file's lease",
    drops=(("write", "the version that the client remembers is the chunk's"),),
    source="section 4.5: the client or the chunkserver verifies the version number when it performs the operation",
).at("one_snapshot", *ISOLATION)


class LogNotReplayed(CopyingChunkservers, lane="master"):
    """A master that starts again does not make the snapshots whose records are in its log."""

    def replayed(s, file: File, position: Position) -> Maybe[Chunk]:
        """Its record in the log is passed over."""
        return s.lists[file][position]


LOG_NOT_REPLAYED = Bug(
    "logged-snapshot-forgotten", parts=(LogNotReplayed,), source="section 2.6.3: recovery replays the log"
).at("master_restarts", "logged_snapshot_is_made")

SNAPSHOT_BUGS = (
    NOT_REVOKED,
    ONE_LEASE_REVOKED,
    GRANTED_MEANWHILE,
    UNREACHED_TAKEN_FOR_REVOKED,
    SNAPSHOT_AFTER_RESTART,
    NOT_COPIED,
    COUNT_NOT_RAISED,
    CHUNKS_DELETED_WITH_FILE,
    COUNT_STAYS,
    STALE_COPIED,
    INSTALLED_TOO_EARLY,
    COPY_TAKEN_FOR_ORPHAN,
    GRANTED_DURING_COPY,
    VERSION_NOT_COMPARED,
    LOG_NOT_REPLAYED,
)
"""Each breaks a promise of gfs.snapshot."""
