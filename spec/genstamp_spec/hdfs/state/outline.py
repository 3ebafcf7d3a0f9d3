"""Callers of the NameNode for systems about files, leases and logs: what becomes of a block, and not how.

The replicas of a block are alike and either being written or finalized, and a datanode leads one recovery of a file at
a time.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.state import (
    Attempt,
    AttemptStage,
    Client,
    Datanode,
    File,
    Found,
    OriginalState,
    StreamStage,
    no_datanode,
    only,
)
from genstamp_spec.hdfs.state.earlier import SeveralBlocks
from genstamp_spec.lifecycles import BlockLifecycle, FileLifecycle


class Writer(Record):
    """An output stream of one client, as far as the NameNode's calls need it."""

    stage = enumeration(StreamStage)
    stamp = ordered(limit="stamps")  # of its last block; 0: it knows of none
    gone = flag()  # the inode that it writes is not there any more
    unanswered = flag()  # its last call has succeeded, and it does not know


def no_writer() -> Writer:
    """The client has nothing open."""
    return Writer(stage=StreamStage.NONE, stamp=0, gone=False, unanswered=False)


class SomeDataState(Part):
    """What clients and datanodes have of each file's last block."""

    writer = per(Client, per(File, record(Writer)))
    written = per(File, number(limit="bytes"))  # length of the replicas
    finalized = per(File, flag())  # the replicas are finalized
    led = per(Datanode, per(File, ordered(limit="stamps")))  # id of the recovery that a datanode leads; 0: none


class Outline(SeveralBlocks, SomeDataState):
    """What clients pass of their writers, datanodes report of alike replicas, and primaries bring back."""

    def has_sent_all(s, client: Client, file: File) -> Bool:
        """The client has sent the last packet of the file's last block."""
        writer = s.writer[client][file]
        return writer.stage.at(StreamStage.CLOSING) & (writer.stamp == s.block_stamp[file])

    def reported(s, file: File, datanode: Datanode) -> tuple[Ordered, Number]:
        """Those of the block, which all replicas have."""
        require(s.running.has(datanode), "the datanode is running")
        require(s.finalized[file], "the replica is finalized")
        return s.block_stamp[file], s.written[file]

    def lead(s, file: File, primary: Datanode) -> None:
        """The primary begins at once."""
        s.led[primary][file] = s.recovery_id[file]

    def reports_back(s, primary: Datanode, file: File) -> Attempt:
        """What the primary has: the replicas as they are, or none if nothing was written.

        Of a block that is gone meanwhile it has some.
        """
        require(s.running.has(primary), "the primary is running")
        require(s.led[primary][file] > 0, "the primary leads a recovery")
        return when(
            (s.written[file] > 0) | s.block[file].at(BlockLifecycle.absent),
            s.attempt_in(AttemptStage.UPDATING, primary, file),
            s.attempt_in(AttemptStage.DELETING, primary, file),
        )

    def finds_block_gone(s, file: File, deletes: Bool) -> bool:  # noqa: ARG002 - a hook
        """Whether a deletion finds the block gone; here, of a block that is gone a primary has some replica."""
        return False

    def attempt_in(s, stage: AttemptStage, primary: Datanode, file: File) -> Attempt:
        """An attempt that has come so far."""
        return Attempt(
            stage=stage,
            recovery_id=s.led[primary][file],
            block_stamp=s.block_stamp[file],
            locations=s.locations[file],
            answered=no_datanode(),
            failed=no_datanode(),
            found=each(Datanode, lambda datanode: Found(original=OriginalState.NONE, num_bytes=0)),
            participants=only(primary),
            new_bytes=s.written[file],
            updated=only(primary),
        )

    def attempt_ends(s, primary: Datanode, file: File) -> None:
        """Nothing goes on at the primary; what it has recovered is finalized."""
        s.led[primary][file] = 0
        s.finalized[file] = s.finalized[file] | s.block[file].at(BlockLifecycle.complete)

    def block_is_added(s, file: File) -> None:
        """A new block has no replica yet."""
        s.written[file] = 0
        s.finalized[file] = False

    def open_stream(s, client: Client, file: File) -> None:
        """The client has the file open, without a block."""
        s.writer[client][file] = no_writer()
        s.writer[client][file].stage = StreamStage.OPEN

    def has_room(s, file: File) -> None:
        """Checks: the last block is not full."""

    def passes_previous(s, client: Client, file: File) -> None:
        """Checks: one block a file, and a client that has not asked for it yet."""
        require(s.block[file].at(BlockLifecycle.absent), "the file has no block yet")
        require(s.writer[client][file].stage.at(StreamStage.OPEN), "the client has the file open")

    def give_block(s, client: Client, file: File) -> None:
        """The client streams the file's last block."""
        s.writer[client][file].stage = StreamStage.STREAMING
        s.writer[client][file].stamp = s.block_stamp[file]
        s.writer[client][file].unanswered = False

    def close_stream(s, client: Client, file: File) -> None:
        """The client has nothing open."""
        s.writer[client][file] = no_writer()

    def ready_to_complete(s, client: Client, file: File) -> Bool:
        """The client's last packet is acknowledged, or it has no block of its own."""
        writer = s.writer[client][file]
        nothing = s.block[file].at(BlockLifecycle.absent, BlockLifecycle.complete)
        waits = writer.unanswered & s.under_construction(file)
        return ~waits & writer.stage.at(StreamStage.CLOSING) | (writer.stage.at(StreamStage.OPEN) & nothing)

    def passes_no_block(s, client: Client, file: File) -> Bool:
        """The client was never given a block."""
        return s.writer[client][file].stage.at(StreamStage.OPEN)

    def passed_stamp(s, client: Client, file: File) -> Ordered:
        """That of the client's last block."""
        return s.writer[client][file].stamp

    def passed_bytes(s, client: Client, file: File) -> Number:
        """What is on the datanodes is acknowledged."""
        return when(~s.passes_no_block(client, file), s.written[file], 0)

    def block_matches(s, client: Client, file: File) -> Bool:
        """The file's last block is the client's in stamp, or the client was given none.

        Hadoop asks that there is none in the file then (Block#matchingIdAndGenStamp); so it refuses the repeated
        complete() of a client that has appended nothing to a full block.
        """
        writer = s.writer[client][file]
        nothing = s.block[file].at(BlockLifecycle.absent, BlockLifecycle.removed)
        same = writer.stage.at(StreamStage.CLOSING) & ~nothing & (s.block_stamp[file] == writer.stamp)
        return ~writer.gone & (same | (s.passes_no_block(client, file) & s.may_pass_none(file)))

    def may_pass_none(s, file: File) -> Bool:
        """Whether complete() without a block is true of a closed file."""
        return s.file[file].at(FileLifecycle.closed)

    def same_inode(s, client: Client, file: File, refused: str | None) -> None:
        """Checks: the path still leads to the inode that the client opened."""
        require(~s.writer[client][file].gone, "the path leads to the inode that the client opened", refused)

    def writes_something(s, client: Client) -> Bool:
        """The client has a file open."""
        return exists(File, lambda file: ~s.writer[client][file].stage.at(StreamStage.NONE))
