"""Copy-on-write: what the master does before a shared chunk is written, what chunkservers copy, and what is garbage."""

from genstamp_model.language import *
from genstamp_spec.gfs.lifecycles.chunk_replica import ChunkReplicaLifecycle
from genstamp_spec.gfs.parts.lease_state import Chunkserver
from genstamp_spec.gfs.parts.snapshot_state import Chunk, Copy, File, Position
from genstamp_spec.gfs.parts.snapshot_steps import CURRENT, Snapshots


class CopyOnWrite(Snapshots, lane="master"):
    """A new chunk takes the place of a shared one in the file that is written to (section 3.4)."""

    @action
    def begin_copy(s, file: File, position: Position, new: Chunk) -> None:
        """A client wants to write to a chunk that several files list: the master picks a new handle."""
        chunk = s.lists[file][position]
        require(~chunk.is_none(), "there is a chunk at the position")
        require(~s.may_be_written(s.references[chunk]), "another file lists the chunk")
        require(~s.is_locked(file), "no snapshot of the file is under way")
        require(~s.is_replaced(file, position), "no other handle was picked for that")
        require(s.is_new(new), "the handle is a new one")
        s.copy[new] = Copy(file=file, position=position)

    def is_replaced(s, file: File, position: Position) -> Bool:
        """A new chunk is in the making for the position."""
        return exists(Chunk, lambda other: (s.copy[other].file == file) & (s.copy[other].position == position))

    @action
    def install_copy(s, new: Chunk) -> None:
        """Every replica that can be had is copied: the new chunk is in the log, in the place of the shared one.

        Leases on it are granted as on any chunk. Who is asked to copy later has a replica of a version that is too low.
        """
        file, position = s.copy[new].file, s.copy[new].position
        chunk = s.source_of(new)
        require(~file.is_none(), "the chunk is in the making")
        require(~s.is_locked(file), "no snapshot of the file is under way")
        require(~s.copied[new].is_empty(), "a chunkserver has copied the chunk")
        require(
            forall(Chunkserver, lambda other: ~s.may_copy(chunk, other) | s.copied[new].has(other)),
            "no chunkserver has yet to copy it",
        )
        s.drop_reference(new)
        s.put(file, position, new)
        s.copy[new] = Copy(file=none, position=none)
        s.copied[new].clear()

    def drop_reference(s, new: Chunk) -> None:
        """The file that a new chunk is for lists the shared one no more."""
        chunk = s.source_of(new)
        s.references[chunk] = s.references[chunk] - 1

    def may_copy(s, chunk: Maybe[Chunk], chunkserver: Chunkserver) -> Bool:
        """The chunkserver is up, and has a current replica."""
        return s.up.has(chunkserver) & s.replica[chunk][chunkserver].at(CURRENT)


class CopyingChunkservers(CopyOnWrite, lane=Chunkserver):
    """Chunkservers copy, die and start again, and delete what is garbage."""

    @action
    def copy_replica(s, new: Chunk, chunkserver: Chunkserver) -> None:
        """A chunkserver copies its own replica of the shared chunk, so that no data goes over the network."""
        chunk = s.source_of(new)
        require(~chunk.is_none(), "the chunk is in the making")
        require(s.up.has(chunkserver), "the chunkserver is up")
        require(s.replica[chunk][chunkserver].at(CURRENT), "its replica of the shared chunk is current")
        require(s.has_bytes(chunk, chunkserver), "it has a replica of the shared chunk")
        s.replica[new][chunkserver].fire(ChunkReplicaLifecycle.create)
        s.content[new][chunkserver] = s.content[chunk][chunkserver]
        s.copied[new].add(chunkserver)

    def has_bytes(s, chunk: Maybe[Chunk], chunkserver: Chunkserver) -> Bool:
        """There are bytes of the chunk on the chunkserver's disk."""
        return ~s.replica[chunk][chunkserver].at(ChunkReplicaLifecycle.absent)

    @action
    def crash(s, chunkserver: Chunkserver) -> None:
        """A chunkserver dies, and its leases are over for it; what is on its disk stays."""
        require(s.up.has(chunkserver), "the chunkserver is up")
        s.crashes = s.crashes + 1
        s.up.remove(chunkserver)
        s.primary.update(lambda chunk: when(s.primary[chunk] == chunkserver, none, s.primary[chunk]))

    @action
    def restart_chunkserver(s, chunkserver: Chunkserver) -> None:
        """It starts again, with its replicas as they were."""
        require(~s.up.has(chunkserver), "the chunkserver is down")
        s.up.add(chunkserver)

    @action
    def report_orphan(s, chunk: Chunk, chunkserver: Chunkserver) -> None:
        """A chunkserver names a chunk that no file lists, and hears that it is garbage (section 4.4)."""
        require(s.up.has(chunkserver), "the chunkserver is up")
        require(s.references[chunk] == 0, "no file lists the chunk")
        require(s.copy[chunk].file.is_none(), "the chunk is not in the making")
        s.replica[chunk][chunkserver].fire(ChunkReplicaLifecycle.orphan)

    @action
    def report_stale(s, chunk: Chunk, chunkserver: Chunkserver) -> None:
        """A chunkserver reports a replica that has missed a version, and hears that it is garbage (section 4.5)."""
        require(s.up.has(chunkserver), "the chunkserver is up")
        s.replica[chunk][chunkserver].fire(ChunkReplicaLifecycle.detect_stale)

    @action
    def delete_replica(s, chunk: Chunk, chunkserver: Chunkserver) -> None:
        """A chunkserver deletes what the master has called garbage (section 4.4)."""
        require(s.up.has(chunkserver), "the chunkserver is up")
        s.replica[chunk][chunkserver].fire(ChunkReplicaLifecycle.delete)
        s.content[chunk][chunkserver] = 0
