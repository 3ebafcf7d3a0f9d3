"""Snapshots and upgrades, as far as truncate asks for them: what keeps a block from being cut.

Coarser than HDFS: a file is in one snapshot at a time, which is taken while the file is closed; an upgrade is finalized
but never rolled back: what a rollback needs is kept as history. Deleting a snapshot stands with truncate.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.state import Datanode, File
from genstamp_spec.hdfs.state.cuts import HeldBlocks
from genstamp_spec.lifecycles import BlockLifecycle, FileLifecycle


class Snapshots(HeldBlocks, lane="namenode"):
    """createSnapshot, reading in a snapshot, the beginning and the end of an upgrade."""

    @action
    def create_snapshot(s, file: File) -> None:
        """A snapshot is taken that holds the file as it is: its length, and its last block.

        Source  FileWithSnapshotFeature, INodeFile#recordModification, Hadoop 3.4.1; facts A.6.
        """
        require(s.file[file].at(FileLifecycle.closed), "the file is closed")
        require(s.block[file].at(BlockLifecycle.complete), "the file has a block")
        require(~s.snapshot[file], "the file is in no snapshot")
        s.snapshot[file] = True
        s.snapshot_bytes[file] = s.block_bytes[file]
        s.snapshots = s.snapshots + 1

    def shown_length(s, file: File, datanode: Datanode) -> Number:
        """What a reader of the snapshot is shown of the bytes that are visible on a datanode (facts C.3)."""
        _, visible = s.snapshot_replica(file, datanode)
        return smallest(visible, s.snapshot_bytes[file])

    @action
    def read_snapshot(s, file: File, datanode: Datanode) -> None:
        """The file is read in the snapshot: as far as the snapshot's length, whatever the replica has by now.

        Source  DFSInputStream#getLastBlockLength, #getFileLength, Hadoop 3.4.1; facts C.3.
        """
        serves, _ = s.snapshot_replica(file, datanode)
        require(s.snapshot[file], "the file is in a snapshot")
        require(s.running.has(datanode), "the datanode is running")
        require(serves, "the datanode serves the snapshot's block")
        shown = s.shown_length(file, datanode)
        s.shown_beyond = largest(s.shown_beyond, shown - s.snapshot_bytes[file])
        observe(num_bytes=shown)

    @action
    def upgrade_begins(s) -> None:
        """An upgrade, rolling or not, begins: until it is finalized it may be rolled back."""
        require(~s.upgrade, "no upgrade is going on")
        s.may_upgrade()
        s.upgrade = True
        s.upgrades = s.upgrades + 1
        s.rollback_bytes.update(lambda file: when(s.file[file].at(FileLifecycle.closed), s.block_bytes[file], 0))

    @action
    def upgrade_is_finalized(s) -> None:
        """Nobody will roll back."""
        require(s.upgrade, "an upgrade is going on")
        s.upgrade = False
        s.rollback_bytes.update(lambda file: 0)
