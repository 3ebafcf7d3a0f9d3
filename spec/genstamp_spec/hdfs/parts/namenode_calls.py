"""The NameNode: append, fsync, delete and rename, as far as they are the same whatever a system keeps beside files.

Coarser than HDFS: whether a last block is full is left open; permissions, directories, storage policies and
erasure-coded files play no part; an append does not ask for a new block where the last one has room (NEW_BLOCK). A
client calls fsync only while it writes a block; HDFS takes the call from any owner of the file, and compares no stamp.

What a client knows and what becomes of a file's data, the views of the callers say; what is logged, `file_calls.py`.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.namenode_blocks import Blocks
from genstamp_spec.hdfs.parts.state import Client, Datanode, File
from genstamp_spec.lifecycles import BlockLifecycle, FileLifecycle


class AppendCall(Blocks, lane="namenode"):
    """append of a closed file (E.2); whether a last block is full is left open, and both ways are steps."""

    def has_replicas(s, file: File) -> None:
        """Checks: a complete last block has a live replica (HDFS-6325)."""
        complete = s.block[file].at(BlockLifecycle.complete)
        enough = s.are_enough(s.stored[file])
        require(~complete | enough, "the last block is replicated sufficiently", "IOException")

    def are_enough(s, stored: Members[Datanode]) -> Bool:
        """One of the replicas is live. Hadoop 3.4.1 asks for none where no datanode is live."""
        return ~(stored & s.running).is_empty()

    @action
    def append(s, client: Client, file: File) -> None:
        """A client opens a closed file whose last block has room, and goes on with that block.

        Source  FSDirAppendOp#appendFile, #prepareFileForAppend, BlockManager#convertLastBlockToUnderConstruction,
                Hadoop 3.4.1; facts E.2 (HDFS-7587), E.3, A2, A.4, F.1.
        """
        s.may_call(client)
        require(~s.file[file].at(FileLifecycle.absent), "the file exists", "FileNotFoundException")
        s.not_deleted(file, "FileNotFoundException")
        if s.recover_lease_internal(client, file, s.appends_to_closed(client, file)):
            return
        s.has_replicas(file)
        if either("at_block_boundary", "the last block is full, or there is none"):
            s.is_at_boundary(file)
            s.reopen(client, file)
            s.goes_on_without_block(client, file)  # the client asks for a new block (E.2)
            return
        require(s.block[file].at(BlockLifecycle.complete), "the file has a last block")
        if s.exceeds_quota(client, file):
            return
        s.reopen(client, file)
        s.reopen_last_block(file)
        s.goes_on_with_block(client, file)
        observe(generation_stamp=s.block_stamp[file])

    def reopen(s, client: Client, file: File) -> None:
        """The file is under construction, with a lease."""
        s.file[file].fire(FileLifecycle.append)
        s.client_name[file] = client
        s.grant(client, file)

    def reopen_last_block(s, file: File) -> None:
        """BlockManager#convertLastBlockToUnderConstruction: whoever stores the block is an expected location (A.4)."""
        s.block[file].fire(BlockLifecycle.append)
        s.locations[file] = s.stored[file]


class FsyncCall(Blocks, lane="namenode"):
    """fsync, which tells the NameNode how long an open file's last block is at least (E.10)."""

    @action
    def fsync(s, client: Client, file: File) -> None:
        """The first hflush of a block: all that is written is acknowledged, and the NameNode notes the length.

        Source  DFSOutputStream#flushOrSync, FSNamesystem#fsync, Hadoop 3.4.1; facts C.4, E.10, A6.
        """
        num_bytes = s.flushed_bytes(file)
        s.may_take_length(client, file, s.passed_stamp(client, file), num_bytes, answers=True)
        s.may_flush(client, file)
        s.take_length(client, file, num_bytes)
        s.has_flushed(file)

    def may_take_length(s, client: Client, file: File, stamp: Ordered, num_bytes: Number, *, answers: bool) -> None:
        """Checks: of the NameNode's part of fsync.

        Hadoop asks neither whose length it is, nor for the block's state, nor whether the length grows. So a call that
        comes late changes what was committed, what a recovery works on, or the length of the next block.
        """
        s.check_lease(client, file, answers=answers)
        s.is_about_last_block(file, stamp)
        writing = s.block[file].at(BlockLifecycle.under_construction)
        require(writing, "the last block is being written", "IOException")
        require(num_bytes >= s.block_bytes[file], "the length does not fall", "IOException", defensive=answers)

    def is_about_last_block(s, file: File, stamp: Ordered) -> None:
        """Checks: the client tells of the file's last block."""
        require(stamp == s.block_stamp[file], "the length is that of the last block", "IOException")

    def take_length(s, client: Client, file: File, num_bytes: Number) -> None:
        """FileUnderConstructionFeature#updateLengthOfLastBlock: the length is the block's (facts A6)."""
        s.writes(client, file)
        s.block[file].fire(BlockLifecycle.fsync)
        s.block_bytes[file] = num_bytes
        observe(num_bytes=num_bytes)


class TreeCalls(Blocks, lane="namenode"):
    """delete, and what rename asks for: where a file then is, each system keeps in its own way (E.14)."""

    def may_delete(s, client: Client, file: File) -> None:
        """Checks: there is something to delete."""
        s.may_call(client)
        require(~s.file[file].at(FileLifecycle.absent), "the file exists")
        s.not_deleted(file, None)

    @action
    def delete(s, client: Client, file: File) -> None:
        """A file goes, open or not and whoever writes it, and with it its lease.

        Source  FSDirDeleteOp#delete, FSNamesystem#removeLeasesAndINodes, Hadoop 3.4.1; facts E.14, A20.
        """
        s.may_delete(client, file)
        s.drop_lease(file)
        s.leaves_the_tree(file)
        s.deletion_is_logged(client, file)

    def may_rename(s, client: Client, file: File, is_free: Bool) -> None:
        """Checks: the file is there, open or not, and nothing is where it is to go.

        Source  FSDirRenameOp#renameTo, Hadoop 3.4.1; facts E.14.
        """
        s.may_call(client)
        require(~s.file[file].at(FileLifecycle.absent), "the file exists", "FileNotFoundException")
        s.not_deleted(file, "FileNotFoundException")
        require(is_free, "the path is free")
