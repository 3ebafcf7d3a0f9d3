"""The NameNode: create over what is there, and append.

Coarser than HDFS: no quota and no erasure coding; appending changes no stamp, which is for the client's next call
(updateBlockForPipeline). How a closed file is opened again stands in `namenode_calls.py`.
"""

from collections.abc import Callable

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.earlier_blocks import SomeEarlierBlocks
from genstamp_spec.hdfs.parts.earlier_state import no_earlier
from genstamp_spec.hdfs.parts.namenode_calls import AppendCall
from genstamp_spec.hdfs.parts.state import Client, File, StreamStage
from genstamp_spec.hdfs.state.outline import Writer
from genstamp_spec.lifecycles import BlockLifecycle, FileLifecycle


class InodeHistory(Part):
    """History variables: only limited, and compared by properties that speak of one inode at one path."""

    removals = number(limit="removals")
    renames = number(limit="renames")


class Inodes(SomeEarlierBlocks, InodeHistory, lane="namenode"):
    """What happens to an inode that is removed, by whatever call."""

    def remove_inode(s, file: File) -> None:
        """The inode goes, with its blocks; whoever writes it does not know (facts E.14, A20)."""
        s.removals = s.removals + 1
        s.client_name[file] = none
        s.block[file].fire(BlockLifecycle.remove, where=~s.block[file].at(BlockLifecycle.absent))
        s.put_last(file, no_earlier(), True)
        s.earlier[file] = no_earlier()
        s.older[file] = 0
        s.writer.update(lambda client: each(File, lambda other: s.told_nothing(client, other, file)))

    def told_nothing(s, client: Client, file: File, removed: File) -> Writer:
        """A stream of a removed inode leads nowhere from now on."""
        writer = s.writer[client][file]
        open_ = ~writer.stage.at(StreamStage.NONE) & (file == removed)
        return Writer(
            stage=writer.stage, stamp=writer.stamp, gone=writer.gone | open_, unanswered=writer.unanswered & ~open_
        )


class Overwriting(Inodes, lane="namenode"):
    """create with OVERWRITE."""

    @action(event="create")
    def create_over(s, client: Client, file: File) -> None:
        """A client creates a file in place of another one, whoever writes that, and whatever its lease (HDFS-3755).

        Source  FSDirWriteFileOp#startFile, Hadoop 3.4.1; facts E.1, A20.
        """
        s.may_call(client)
        require(~s.file[file].at(FileLifecycle.absent), "there is a file")
        s.drop_lease(file)
        s.remove_inode(file)
        s.file[file].fire(FileLifecycle.create_overwrite)
        s.client_name[file] = client
        s.grant(client, file)
        s.open_stream(client, file)


class Appending(Inodes, AppendCall, lane="namenode"):
    """append, and what it does to a file that somebody else writes."""

    def appends_to_closed(s, client: Client, file: File) -> Callable[[], None]:
        """The holder's soft limit has passed, nothing is to be recovered: the file is closed and opened (HDFS-2994).

        Source  FSDirAppendOp#appendFile, Hadoop 3.4.1; facts E.2.7, A2.
        """

        def opens() -> None:
            if not s.has_replicas_then(file):
                return
            if either("closes_and_opens", "the last block is full, or there is none", refuses=""):
                s.close_unrecovered(file)
                s.reopen(client, file)
                return
            way("closes_and_goes_on", refuses="")
            require(s.has_block_then(file), "the file has a last block")
            s.close_unrecovered(file)
            s.reopen(client, file)
            s.reopen_last_block(file)
            s.goes_on_with_block(client, file)
            observe(generation_stamp=s.block_stamp[file])

        return opens

    def is_dropped(s, file: File) -> Bool:
        """The last block of a file with nothing to recover is empty, and goes when the file is closed."""
        return s.block[file].at(*BlockLifecycle.not_complete)

    def has_block_then(s, file: File) -> Bool:
        """When it is closed, the file has a last block."""
        before = s.earlier[file].state.at(BlockLifecycle.complete)
        return when(s.is_dropped(file), before, s.block[file].at(BlockLifecycle.complete))

    def are_enough_then(s, file: File) -> Bool:
        """When the file is closed, one of the replicas of its last block is live, if it has one."""
        stored = when(s.is_dropped(file), s.earlier[file].stored, s.stored[file])
        return ~s.has_block_then(file) | s.are_enough(stored)

    def has_replicas_then(s, file: File) -> bool:
        """Whether the file can be opened again, with the checks of that."""
        require(s.are_enough_then(file), "the last block is replicated sufficiently")
        return True

    def reopen(s, client: Client, file: File) -> None:
        """A client that has missed the end of its complete() has no claim to it any more."""
        super().reopen(client, file)
        s.writer.update(lambda other: each(File, lambda f: s.answered(other, f, file)))
        s.length_is_logged(file)
        s.open_stream(client, file)

    def length_is_logged(s, file: File) -> None:
        """The length of the last block was logged when the file was closed."""

    def answered(s, client: Client, file: File, opened: File) -> Writer:
        """The client waits for no answer about a file that was opened again."""
        writer = s.writer[client][file]
        return Writer(
            stage=writer.stage, stamp=writer.stamp, gone=writer.gone, unanswered=writer.unanswered & (file != opened)
        )

    def reopen_last_block(s, file: File) -> None:
        """The replicas are to be written on."""
        super().reopen_last_block(file)
        s.finalized[file] = False

    def goes_on_with_block(s, client: Client, file: File) -> None:
        """The client streams the last block."""
        s.give_block(client, file)


class AppendingAfterOutages(Appending, lane="namenode"):
    """The same where a complete block may have no live replica, because its datanodes are down."""

    def has_replicas_then(s, file: File) -> bool:
        """The holder's soft limit has passed, nothing is to be recovered: the file is closed, and cannot be opened.

        Source  FSDirAppendOp#appendFile, Hadoop 3.4.1; facts E.2 steps 2 and 3.
        """
        enough = "the last block is not replicated sufficiently", "the last block is replicated sufficiently"
        if case("closes_other", ~s.are_enough_then(file), *enough, refuses="IOException"):
            s.close_unrecovered(file)
            return False
        return True

    def has_targets_again(s, file: File) -> None:
        """Checks: a location is known, or a datanode is up (FSDirWriteFileOp#chooseTargetForNewBlock; facts E.5)."""
        place = ~s.locations[file].is_empty() | ~s.running.is_empty()
        require(place, "a datanode can take the block", "IOException")
