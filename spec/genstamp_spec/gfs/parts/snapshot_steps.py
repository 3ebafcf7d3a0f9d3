"""Leases, writes and snapshots where files share chunks: what the master does, and what becomes of a write."""

from genstamp_model.language import *
from genstamp_spec.gfs.lifecycles import ChunkLeaseLifecycle, ChunkReplicaLifecycle
from genstamp_spec.gfs.parts.lease_state import Chunkserver
from genstamp_spec.gfs.parts.snapshot_state import (
    OVER,
    Chunk,
    Copy,
    File,
    Position,
    Snapshot,
    SnapshotStage,
    SnapshotState,
)

CURRENT = ChunkReplicaLifecycle.current


class SharedChunks(SnapshotState, lane="master"):
    """Files, their leases, and writes under them (sections 3.1 and 4.5)."""

    @action
    def add_chunk(s, file: File, position: Position, chunk: Chunk) -> None:
        """A file gets a chunk, and every chunkserver that is up a replica of it (section 4.3)."""
        require(s.lists[file][position].is_none(), "there is no chunk at the position")
        require(s.is_new(chunk), "the handle is a new one")
        require(~s.is_locked(file), "no snapshot of the file is under way")
        require(~s.up.is_empty(), "a chunkserver is up")
        s.put(file, position, chunk)
        s.replica[chunk].update(
            lambda other: when(
                s.up.has(other), s.replica[chunk][other].after(ChunkReplicaLifecycle.create), s.replica[chunk][other]
            )
        )

    def put(s, file: Maybe[File], position: Maybe[Position], chunk: Chunk) -> None:
        """The file is the only one that lists the chunk."""
        s.lists[file][position] = chunk
        s.references[chunk] = 1

    @action
    def grant_lease(s, file: File, position: Position, chunkserver: Chunkserver) -> None:
        """A client wants to write to a chunk that no other file lists: a lease is granted, under a new version.

        Coarser  one step: a replica that is not reached is stale from now on. How that comes is in gfs.chunk_lease.
        """
        chunk = s.lists[file][position]
        require(~chunk.is_none(), "there is a chunk at the position")
        require(s.lease[chunk].at(*OVER), "nobody holds a lease")
        require(s.may_be_written(s.references[chunk]), "no other file lists the chunk")
        require(~s.is_locked(file), "no snapshot of the file is under way")
        require(~s.is_being_copied(chunk), "no copy of the chunk is being made")
        require(s.up.has(chunkserver), "the chunkserver is up")
        require(s.replica[chunk][chunkserver].at(CURRENT), "its replica is current")
        s.lease[chunk].fire(ChunkLeaseLifecycle.grant)
        s.primary[chunk] = chunkserver
        s.newest[chunk].clear()
        s.replica[chunk].update(
            lambda other: when(
                s.up.has(other),
                s.replica[chunk][other],
                s.replica[chunk][other].after(ChunkReplicaLifecycle.miss_version),
            )
        )

    def may_be_written(s, references: Number) -> Bool:
        """A chunk of which there are so many references may be written in place (section 3.4)."""
        return references == 1

    @action
    def find_lease_holder(s, file: File, position: Position) -> None:
        """A client asks where to write, and remembers the answer and the version (section 3.1, steps 1 and 2)."""
        chunk = s.lists[file][position]
        require(~chunk.is_none(), "there is a chunk at the position")
        require(s.lease[chunk].at(ChunkLeaseLifecycle.granted), "somebody holds the lease")
        s.forget(file, position)
        s.known[file][position] = chunk
        s.newest[chunk].add(file)

    def forget(s, file: File, position: Position) -> None:
        """What the client remembered of the position is gone."""
        s.newest[s.known[file][position]].remove(file)
        s.known[file][position] = none

    @action
    def write(s, file: File, position: Position) -> None:
        """A client writes where it remembers, and hears of success (section 3.1).

        Coarser  one step; what becomes of a write that some replica misses is in gfs.mutation_order.
        """
        chunk = s.known[file][position]
        require(~chunk.is_none(), "a client remembers where to write")
        require(s.up.has(s.primary[chunk]), "the primary is up and believes in its lease")
        require(s.newest[chunk].has(file), "the version that the client remembers is the chunk's")
        current = those(Chunkserver, lambda other: s.replica[chunk][other].at(CURRENT))
        require(current <= s.up, "every replica of the lease is up")
        s.writes = s.writes + 1
        s.written[file][position] = s.writes
        s.content[chunk].update(lambda other: when(current.has(other), s.writes, s.content[chunk][other]))

    @action
    def delete_file(s, file: File) -> None:
        """A file, or a snapshot, is deleted, and chunks that no other file lists are orphans (section 4.4).

        Coarser  the file is gone at once; under its hidden name it would list its chunks for some days.
        """
        require(s.is_there(file), "the file is there")
        require(~s.is_locked(file), "no snapshot of the file is under way")
        s.drop_references(file)
        s.lists[file].update(lambda position: none)
        s.written[file].update(lambda position: 0)
        s.known[file].update(lambda position: none)
        s.newest.update(lambda chunk: s.newest[chunk] - those(File, lambda other: other == file))
        s.forget_copies(those(Chunk, lambda new: s.copy[new].file == file))

    def drop_references(s, file: File) -> None:
        """Of what the file lists."""
        s.references.update(lambda chunk: s.references[chunk] - when(s.is_of(chunk, file), 1, 0))

    def forget_copies(s, some: Members[Chunk]) -> None:
        """Some new chunks are for no file any more."""
        s.copied.update(lambda new: s.copied[new] - those(Chunkserver, lambda other: some.has(new)))
        s.copy.update(lambda new: when(some.has(new), Copy(file=none, position=none), s.copy[new]))

    def is_of(s, chunk: Chunk, file: File) -> Bool:
        """The file lists the chunk."""
        return exists(Position, lambda position: s.lists[file][position] == chunk)


class RevokedLeases(SharedChunks, lane="master"):
    """How a lease ends: it is given up, or over by the clock of the primary, and later by the master's."""

    @action
    def revoke_lease(s, file: File, position: Position) -> None:
        """The master asks for a lease on what a snapshot will share (section 3.4)."""
        wanted = exists(
            File,
            lambda target: s.snapshot[target].stage.at(SnapshotStage.REVOKING) & (s.snapshot[target].source == file),
        )
        require(wanted, "a snapshot of the file waits for leases")
        require(~s.lists[file][position].is_none(), "there is a chunk at the position")
        s.lease[s.lists[file][position]].fire(ChunkLeaseLifecycle.revoke)

    @action
    def give_up_lease(s, chunk: Chunk) -> None:
        """The primary is reached, and gives its lease up."""
        require(s.up.has(s.primary[chunk]), "the primary is up and believes in its lease")
        s.lease[chunk].fire(ChunkLeaseLifecycle.give_up)
        s.primary[chunk] = none

    @action(hidden=True)
    def lease_runs_out(s, chunk: Chunk) -> None:
        """The lease is over by the primary's own clock."""
        require(~s.primary[chunk].is_none(), "a chunkserver believes in a lease")
        s.primary[chunk] = none

    @action(hidden=True)
    def expire_lease(s, chunk: Chunk) -> None:
        """The lease is over by the master's clock, which is never before it is over by the primary's: gfs.chunk_lease.

        So it comes to an end also where the primary is not reached, or not known.
        """
        require(s.primary[chunk].is_none(), "no chunkserver believes in it any more")
        s.lease[chunk].fire(ChunkLeaseLifecycle.expire)


class Snapshots(RevokedLeases, lane="master"):
    """A snapshot, step by step (section 3.4), and a master that starts again in between.

    The paper write-locks source and target (section 4.1), so that a second snapshot of the same source waits. Here both
    go on at once, which leaves more to go wrong.
    """

    @action
    def begin_snapshot(s, source: File, target: File) -> None:
        """A client asks for a snapshot."""
        require(s.is_there(source), "the source is there")
        require(~s.is_there(target), "the target is not there")
        require(~s.is_locked(target), "no snapshot of that name is under way")
        s.snapshots = s.snapshots + 1
        s.snapshot[target] = Snapshot(stage=SnapshotStage.REVOKING, source=source)

    @action
    def log_snapshot(s, target: File) -> None:
        """All leases are given up or over: the snapshot is in the log, and so will be made whatever happens."""
        source = s.snapshot[target].source
        require(s.snapshot[target].stage.at(SnapshotStage.REVOKING), "the snapshot waits for leases")
        require(s.leases_are_over(source), "no lease on a chunk of the source is outstanding")
        s.snapshot[target].stage = SnapshotStage.LOGGED
        s.written[target].update(lambda position: s.written[source][position])

    def leases_are_over(s, source: Maybe[File]) -> Bool:
        """Nobody holds a lease on a chunk of the file, as far as the master knows."""
        over = those(Chunk, lambda chunk: s.lease[chunk].at(*OVER))
        return forall(
            Position, lambda position: s.lists[source][position].is_none() | over.has(s.lists[source][position])
        )

    @action
    def duplicate_metadata(s, target: File) -> None:
        """The new file lists the chunks of the source."""
        source = s.snapshot[target].source
        require(s.snapshot[target].stage.at(SnapshotStage.LOGGED), "the snapshot is in the log")
        s.lists[target].update(lambda position: s.lists[source][position])
        s.raise_references(target)
        s.snapshot[target] = no_snapshot()

    def raise_references(s, target: File) -> None:
        """Of what the new file lists."""
        s.references.update(lambda chunk: s.references[chunk] + when(s.is_of(chunk, target), 1, 0))

    @action
    def restart_master(s) -> None:
        """The master dies, and starts again from its log: with snapshots that are logged, and knowing of no lease.

        A snapshot that only waited for leases is forgotten, and so is a copy that is no file's yet: an orphan.
        """
        require(exists(File, lambda file: s.is_there(file)), "a file is there")
        s.master_restarts = s.master_restarts + 1
        s.lease.update(
            lambda chunk: when(s.is_new(chunk), s.lease[chunk], s.lease[chunk].after(ChunkLeaseLifecycle.restart))
        )
        s.replay_log()
        s.forget_copies(those(Chunk, lambda new: ~s.copy[new].file.is_none()))

    def replay_log(s) -> None:
        """Files and reference counts are what the log says, and so are snapshots that it has."""
        s.lists.update(lambda file: each(Position, lambda position: s.replayed(file, position)))
        s.references.update(lambda chunk: s.listed_by(chunk))
        s.snapshot.update(lambda file: no_snapshot())

    def replayed(s, file: File, position: Position) -> Maybe[Chunk]:
        """What the log says of a position of a file."""
        source = s.snapshot[file].source
        made = s.snapshot[file].stage.at(SnapshotStage.LOGGED)
        return when(made, s.lists[source][position], s.lists[file][position])


def no_snapshot() -> Snapshot:
    """No snapshot of that name is under way."""
    return Snapshot(stage=SnapshotStage.NONE, source=none)
