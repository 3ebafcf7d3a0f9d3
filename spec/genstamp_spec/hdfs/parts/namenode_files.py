"""The NameNode: calls that change an open file's last block without ending it, and rename.

Coarser than HDFS: a file here is a path with what it leads to, so that rename moves all that is known of the file, its
writers included, who name it by its inode id; permissions, directories and snapshots are left out; an abandoned block
has no bytes; the block is asked for its state, which Hadoop does in neither abandonBlock nor fsync.
"""

from typing import Any

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.earlier_state import Earlier
from genstamp_spec.hdfs.parts.namenode_calls import FsyncCall, TreeCalls
from genstamp_spec.hdfs.parts.namenode_opening import Inodes
from genstamp_spec.hdfs.parts.state import Client, File, StreamStage
from genstamp_spec.hdfs.state.outline import Writer
from genstamp_spec.lifecycles import BlockLifecycle, FileLifecycle


def exchanged(file: File, first: File, second: File) -> File:
    """The one where the other was."""
    return when(file == first, second, when(file == second, first, file))


def exchange(known: Any, first: File, second: File) -> None:
    """Two files change places in an array."""
    known.update(lambda file: known[exchanged(file, first, second)])


class SyncedLength(Part):
    """What the edit log knows of the length of an open file's last block, and what a client was promised."""

    synced_bytes = per(File, number(limit="bytes"))
    promised = per(File, number(limit="bytes"))  # history: bytes of the last block that an hflush has promised


class LastBlockCalls(Inodes, FsyncCall, SyncedLength, lane="namenode"):
    """abandonBlock, getAdditionalDatanode, and what an fsync leaves behind."""

    @action
    def abandon_block(s, client: Client, file: File) -> None:
        """A client gives up the block that it was just given, because no pipeline could be set up.

        Source  FSNamesystem#abandonBlock, FSDirWriteFileOp#abandonBlock, Hadoop 3.4.1; facts E.8, A15.
        """
        s.check_lease(client, file, answers=True)
        writer = s.writer[client][file]
        require(writer.stage.at(StreamStage.STREAMING), "the client has a block")
        require(writer.stamp == s.block_stamp[file], "the block is the file's last one")
        require(~s.block[file].at(BlockLifecycle.under_recovery), "the block is not under recovery", "IOException")
        require(s.written[file] == 0, "nothing was written")
        s.writes(client, file)
        s.block[file].fire(BlockLifecycle.abandon_block)
        s.last_block_is_gone(file)
        stamp = s.block_stamp[file]
        s.writer[client][file] = when(
            s.block[file].at(BlockLifecycle.absent),
            Writer(stage=StreamStage.OPEN, stamp=0, gone=False, unanswered=False),
            Writer(stage=StreamStage.CLOSING, stamp=stamp, gone=False, unanswered=False),
        )

    def put_last(s, file: File, block: Earlier, where: Bool | bool) -> None:
        """Of another block, as much is logged as is known, and nothing promised is remembered."""
        super().put_last(file, block, where)
        s.synced_bytes[file] = when(where, block.num_bytes, s.synced_bytes[file])
        s.promised[file] = when(where, 0, s.promised[file])

    # fsync.

    def flushed_bytes(s, file: File) -> Number:
        """All that was written."""
        return s.written[file]

    def may_flush(s, client: Client, file: File) -> None:
        """Checks: the client has written to its block."""
        require(s.writer[client][file].stage.at(StreamStage.STREAMING), "the client has a block")
        require(s.written[file] > 0, "something was written")

    def take_length(s, client: Client, file: File, num_bytes: Number) -> None:
        """The length is logged too."""
        super().take_length(client, file, num_bytes)
        s.synced_bytes[file] = num_bytes

    def has_flushed(s, file: File) -> None:
        """The client was promised all that is written."""
        s.promised[file] = s.written[file]

    @action(unchanged="the NameNode does not remember which datanodes it has named")
    def get_additional_datanode(s, client: Client, file: File) -> None:
        """A client asks for further datanodes for its pipeline, names those that are left, and nothing changes.

        A client with nobody left does not ask (DataStreamer#setupPipelineForAppendOrRecovery); Hadoop would answer it
        with a NullPointerException.

        Source  FSNamesystem#getAdditionalDatanode, Hadoop 3.4.1; facts E.13.
        """
        s.check_lease(client, file, answers=True)
        require(s.block[file].at(*BlockLifecycle.not_complete), "the last block is being written")
        require(~(s.locations[file] & s.running).is_empty(), "a datanode of the pipeline is left")
        observe(locations=s.running)


class Tree(LastBlockCalls, TreeCalls, lane="namenode"):
    """rename, and what becomes of a deleted inode."""

    def leaves_the_tree(s, file: File) -> None:
        """The inode is removed at once."""
        s.remove_inode(file)
        s.file[file].fire(FileLifecycle.delete)

    @action
    def rename(s, client: Client, source: File, target: File) -> None:
        """A file moves to a free path, open or not: its lease is by inode id, and its writer goes on by that as well.

        Source  FSDirRenameOp#renameTo, Hadoop 3.4.1 (HDFS-6757); facts E.14.
        """
        s.may_rename(client, source, s.file[target].at(FileLifecycle.absent))
        s.renames = s.renames + 1
        s.move_lease(source, target)
        s.move(source, target)

    def move_lease(s, source: File, target: File) -> None:
        """The lease covers the same inode as before."""
        s.lease_files.update(
            lambda holder: those(File, lambda file: s.lease_files[holder].has(exchanged(file, source, target)))
        )

    def move(s, source: File, target: File) -> None:
        """Everything else that is known of the file."""
        for known in (s.file, s.client_name, s.written, s.finalized, s.older, s.earlier, *s.of_last_block()):
            exchange(known, source, target)
        s.writer.update(lambda client: each(File, lambda file: s.writer[client][exchanged(file, source, target)]))
        s.led.update(lambda datanode: each(File, lambda file: s.led[datanode][exchanged(file, source, target)]))

    def of_last_block(s) -> tuple[Any, ...]:
        """What the NameNode keeps of last blocks."""
        last = (s.block, s.block_stamp, s.block_bytes, s.locations, s.stored, s.recovery_id, s.attempt_is_young)
        return (*last, s.synced_bytes, s.promised)
