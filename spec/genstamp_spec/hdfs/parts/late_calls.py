"""Calls whose answer is lost, and calls that the NameNode takes up late.

A client that gets no answer calls again; so a call may be under way twice, and the first one may be worked on when the
second one was answered long ago. Coarser than HDFS: one call is late at a time, and only those are for which that
matters here: addBlock between its two parts, and fsync.
"""

import enum

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.namenode_files import exchanged
from genstamp_spec.hdfs.parts.namenode_restart import Restarts
from genstamp_spec.hdfs.parts.state import Client, File, StreamStage
from genstamp_spec.lifecycles.block import BlockLifecycle


class LateKind(enum.Enum):
    """Which call it is."""

    NONE = enum.auto()
    ADD_BLOCK = enum.auto()
    FSYNC = enum.auto()


class LateCall(Record):
    """A call that somebody made and that was not answered; of kind NONE, there is none."""

    kind = enumeration(LateKind)
    client = optional(Client)
    file = optional(File)
    stamp = ordered(limit="stamps")  # of the previous block for addBlock, else of the block
    num_bytes = number(limit="bytes")  # for fsync


def no_call() -> LateCall:
    """Nothing is under way."""
    return LateCall(kind=LateKind.NONE, client=none, file=none, stamp=0, num_bytes=0)


class LateState(Part):
    """A call under way."""

    late = record(LateCall)
    late_calls = number(limit="late_calls")  # history: only limited, never read
    lost = number(limit="lost")  # history: answers that were lost; only limited, never read


class LateCalls(Restarts, LateState, lane="namenode"):
    """Lost answers, addBlock in its two parts, a late fsync."""

    @action(event="add_block")
    def add_block_unanswered(s, client: Client, file: File) -> None:
        """As add_block, but the answer is lost (facts E.0, E.5)."""
        s.check_lease(client, file, answers=False)
        s.passes_previous(client, file)
        require(~s.running.is_empty(), "a datanode can take the block")
        s.allocate(client, file)
        s.writer[client][file].unanswered = True
        s.lost = s.lost + 1

    @action(event="complete")
    def complete_unanswered(s, client: Client, file: File) -> None:
        """The file is closed, but the client does not hear of it (facts E.9)."""
        s.check_lease(client, file, answers=False)
        require(s.ready_to_complete(client, file), "the last packet is acknowledged")
        require(s.block[file].at(BlockLifecycle.complete, BlockLifecycle.absent), "every block is complete")
        s.earlier_blocks_are_complete(file)
        s.close(file)
        s.writer[client][file].unanswered = True
        s.lost = s.lost + 1

    @action(hidden=True)
    def add_block_is_analysed(s, client: Client, file: File) -> None:
        """Part I of addBlock is done, and targets are being chosen, without the lock."""
        s.check_lease(client, file, answers=False)
        s.passes_previous(client, file)
        s.send(client, file, LateKind.ADD_BLOCK)

    def send(s, client: Client, file: File, kind: LateKind) -> None:
        """The call is under way."""
        require(s.late.kind.at(LateKind.NONE), "no other call is late")
        stamp, num_bytes = s.passed_stamp(client, file), s.written[file]
        s.late = LateCall(kind=kind, client=client, file=file, stamp=stamp, num_bytes=num_bytes)
        s.late_calls = s.late_calls + 1

    @action(event="add_block")
    def add_block_goes_on(s, client: Client, file: File) -> None:
        """Part II: everything is analysed again, since the client may have called again meanwhile (HDFS-4452).

        Nobody waits for the answer any more. Progress of the block before is not asked for again (HDFS-8071).

        Source  FSDirWriteFileOp#storeAllocatedBlock, Hadoop 3.4.1; facts E.5.
        """
        s.late_call(client, file, LateKind.ADD_BLOCK)
        s.check_lease(client, file, answers=False)
        s.analyse_again(file)
        s.allocate(client, file)
        writer = s.writer[client][file]
        still_asks = writer.stage.at(StreamStage.OPEN, StreamStage.CLOSING) & (writer.stamp == s.late.stamp)
        writer.unanswered = still_asks | writer.unanswered
        s.late = no_call()

    def late_call(s, client: Client, file: File, kind: LateKind) -> None:
        """Checks: a call of this kind is under way."""
        call = s.late
        require(call.kind.at(kind) & (call.client == client) & (call.file == file), "the call is under way")

    @action(event="add_block")
    def add_block_was_repeated(s, client: Client, file: File) -> None:
        """Part II finds the block that the client was given since, for the same call: it is returned, to nobody.

        Source  FSDirWriteFileOp#analyzeFileState case 2, #storeAllocatedBlock, Hadoop 3.4.1; facts E.5.
        """
        s.late_call(client, file, LateKind.ADD_BLOCK)
        s.check_lease(client, file, answers=False)
        require(s.was_repeated(file), "the client has called again since")
        s.locations[file] = s.known_or_chosen(file)
        s.late = no_call()

    def was_repeated(s, file: File) -> Bool:
        """The file has got the block already that the late call asks for, and nothing is known to be in it."""
        return s.previous_is_earlier(file, s.late.stamp) & (s.block_bytes[file] == 0)

    def analyse_again(s, file: File) -> None:
        """Checks: the previous block is still the file's last one, which it is not if the call was repeated."""
        require(~s.was_repeated(file), "the client has not called again since")
        require(s.previous_is_last(file, s.late.stamp), "the previous block is the last one still", "IOException")

    @action(hidden=True)
    def late_call_ends(s) -> None:
        """A late call is refused, or finds that there is nothing to do."""
        require(~s.late.kind.at(LateKind.NONE), "a call is under way")
        s.late = no_call()

    @action(hidden=True)
    def fsync_is_delayed(s, client: Client, file: File) -> None:
        """A client's fsync is under way; the client will call again."""
        require(s.alive.has(client), "the client is running")
        require(s.writer[client][file].stage.at(StreamStage.STREAMING), "the client has a block")
        require(s.written[file] > 0, "something was written")
        s.send(client, file, LateKind.FSYNC)

    @action(event="fsync")
    def fsync_arrives_late(s, client: Client, file: File) -> None:
        """A length that was true once; facts E.10, A6."""
        s.late_call(client, file, LateKind.FSYNC)
        s.may_take_length(client, file, s.late.stamp, s.late.num_bytes, answers=False)
        s.take_length(client, file, s.late.num_bytes)
        s.late = no_call()

    def remove_inode(s, file: File) -> None:
        """A late call names the inode, and will be refused (FileNotFoundException)."""
        super().remove_inode(file)
        s.late = when(s.late.file == file, no_call(), s.late)

    def move(s, source: File, target: File) -> None:
        """A late call finds the inode wherever it is (HDFS-6294)."""
        super().move(source, target)
        call = s.late
        there = exchanged(call.file, source, target)
        s.late = LateCall(kind=call.kind, client=call.client, file=there, stamp=call.stamp, num_bytes=call.num_bytes)
