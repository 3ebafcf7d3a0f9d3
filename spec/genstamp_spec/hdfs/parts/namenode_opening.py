"""The NameNode: create over what is there, and append.

Coarser than HDFS: no quota and no erasure coding; whether a last block is full is left open, and both ways are steps;
appending changes no stamp, which is for the client's next call (updateBlockForPipeline).
"""

from genstamp_model.language import Maybe, Part, action, each, none, number, observe, require
from genstamp_spec.hdfs.parts.earlier_blocks import SomeEarlierBlocks
from genstamp_spec.hdfs.parts.earlier_state import no_earlier
from genstamp_spec.hdfs.parts.some_data import Writer
from genstamp_spec.hdfs.parts.state import Client, Datanode, File, StreamStage
from genstamp_spec.lifecycles.block import BlockLifecycle
from genstamp_spec.lifecycles.file import FileLifecycle
from genstamp_spec.lifecycles.lease import LeaseLifecycle


class InodeHistory(Part):
    """History variables: only limited, and compared by properties that speak of one inode at one path."""

    removals = number(limit="removals")
    renames = number(limit="renames")


class Inodes(SomeEarlierBlocks, InodeHistory, lane="namenode"):
    """What happens to an inode that is removed, by whatever call."""

    def remove_inode(s, file: File) -> None:
        """The inode goes, with its lease and its blocks; whoever writes it does not know (facts E.14, A20)."""
        s.removals = s.removals + 1
        s.drop_lease(file)
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

    def drop_lease(s, file: File) -> None:
        """LeaseManager#removeLease of a file that is open (facts D.2)."""
        holder = s.client_name[file]
        s.lease_files[holder].remove(file)
        last = ~holder.is_none() & s.lease_files[holder].is_empty()
        s.lease[holder].fire(LeaseLifecycle.release, where=last)


class Overwriting(Inodes, lane="namenode"):
    """create with OVERWRITE."""

    @action(event="create")
    def create_over(s, client: Client, file: File) -> None:
        """A client creates a file in place of another one, whoever writes that, and whatever its lease (HDFS-3755).

        Source  FSDirWriteFileOp#startFile, Hadoop 3.4.1; facts E.1, A20.
        """
        s.may_call(client)
        require(~s.file[file].at(FileLifecycle.absent), "there is a file")
        s.remove_inode(file)
        s.file[file].fire(FileLifecycle.create_overwrite)
        s.client_name[file] = client
        s.grant(client, file)
        s.open_stream(client, file)


class Appending(Inodes, lane="namenode"):
    """append, and what it does to a file that somebody else writes."""

    def may_append(s, client: Client, file: File) -> None:
        """Checks: the file is closed, and its last block can be written on."""
        s.may_call(client)
        require(~s.file[file].at(FileLifecycle.absent), "the file exists", "FileNotFoundException")
        s.recover_lease_internal(client, file)
        s.has_replicas(file)

    def has_replicas(s, file: File) -> None:
        """Checks: a complete last block has a live replica (HDFS-6325)."""
        live = ~(s.stored[file] & s.running).is_empty()
        complete = s.block[file].at(BlockLifecycle.complete)
        require(~complete | live, "the last block is replicated sufficiently", "IOException")

    @action
    def append(s, client: Client, file: File) -> None:
        """A client opens a closed file whose last block has room, and goes on with that block.

        Source  FSDirAppendOp#appendFile, #prepareFileForAppend, BlockManager#convertLastBlockToUnderConstruction,
                Hadoop 3.4.1; facts E.2, E.3, A2, F.1.
        """
        s.may_append(client, file)
        require(s.block[file].at(BlockLifecycle.complete), "the file has a last block")
        s.reopen(client, file)
        s.reopen_last_block(file)
        s.give_block(client, file)
        observe(generation_stamp=s.block_stamp[file])

    @action(event="append")
    def append_to_full_block(s, client: Client, file: File) -> None:
        """The last block is full, or there is none: nothing is returned, and the client asks for a new block (E.2)."""
        s.may_append(client, file)
        s.reopen(client, file)

    @action(event="append", refuses="RecoveryInProgressException")
    def append_starts_recovery(s, client: Client, file: File, primary: Maybe[Datanode]) -> None:
        """The holder's soft limit has passed: a recovery is started, and the call refused; facts F.1 row 5."""
        s.recover_softly(client, file, primary)

    @action(event="append", refuses="RecoveryInProgressException")
    def append_waits_for_recovery(s, client: Client, file: File) -> None:
        """As above, but a young attempt is under way (facts F.4)."""
        s.wait_softly(client, file)

    @action(event="append")
    def append_closes_and_opens(s, client: Client, file: File) -> None:
        """The holder's soft limit has passed, nothing is to be recovered: the file is closed and opened (HDFS-2994).

        Coarser  the last block counts as full. Source  FSDirAppendOp#appendFile, Hadoop 3.4.1; facts E.2 step 6.
        """
        s.soft_takeover(client, file)
        require(s.nothing_to_recover(file), "there is nothing to recover")
        s.drop_empty_block(file)
        s.close(file)
        s.reopen(client, file)

    def reopen(s, client: Client, file: File) -> None:
        """The file is under construction, with a lease."""
        s.file[file].fire(FileLifecycle.append)
        s.client_name[file] = client
        s.grant(client, file)
        s.writer.update(lambda other: each(File, lambda f: s.answered(other, f, file)))
        s.length_is_logged(file)
        s.open_stream(client, file)

    def length_is_logged(s, file: File) -> None:
        """The length of the last block was logged when the file was closed."""

    def answered(s, client: Client, file: File, opened: File) -> Writer:
        """A client that has missed the end of its complete() has no claim to it once the file is opened again."""
        writer = s.writer[client][file]
        return Writer(
            stage=writer.stage, stamp=writer.stamp, gone=writer.gone, unanswered=writer.unanswered & (file != opened)
        )

    def reopen_last_block(s, file: File) -> None:
        """BlockManager#convertLastBlockToUnderConstruction: whoever stores the block is an expected location (A.4)."""
        s.block[file].fire(BlockLifecycle.append)
        s.locations[file] = s.stored[file]
        s.finalized[file] = False
