"""A file of several blocks whose last one is written through a pipeline.

Coarser than HDFS: of the block before the last one only those datanodes count that had finalized it when the next one
was asked for, and their replicas stay as they are; what was still going on about it (reports of others, attempts of an
older recovery) ends there. Whatever drops the last block closes the file, which is not appended to any more.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.earlier_blocks import EarlierBlocks
from genstamp_spec.hdfs.parts.earlier_state import Earlier, no_earlier
from genstamp_spec.hdfs.parts.namenode_restart import NamenodeRestarts
from genstamp_spec.hdfs.parts.state import (
    Attempt,
    Client,
    Datanode,
    File,
    OriginalState,
    Replica,
    Stream,
    StreamStage,
    no_attempt,
    no_datanode,
    only,
)
from genstamp_spec.hdfs.state.cuts import Cuts
from genstamp_spec.hdfs.state.resumptions import Resumptions
from genstamp_spec.lifecycles import BlockLifecycle, ReplicaLifecycle


def no_replica() -> Replica:
    """The datanode has nothing of the block."""
    return Replica(
        state=ReplicaLifecycle.absent,
        stamp=0,
        num_bytes=0,
        writer=none,
        original=OriginalState.NONE,
        recovery_id=0,
    )


class FurtherBlocks(Part):
    """History only."""

    further_blocks = number(limit="further_blocks")  # only limited, never read


class StreamedEarlierBlocks(EarlierBlocks, Resumptions, FurtherBlocks, lane="namenode"):
    """addBlock for the block after the one that a client has written through its pipeline."""

    def asks_for_a_block(s, client: Client, file: File) -> None:
        """Checks: the client has a file without a block open, or its last packet is acknowledged."""
        stream = s.stream[client][file]
        first = stream.stage.at(StreamStage.OPEN) & s.block[file].at(BlockLifecycle.absent)
        done = stream.stage.at(StreamStage.CLOSING) & s.ready_to_complete(client, file)
        require(first | done, "the client wants a block")

    def last_as_it_is(s, file: File) -> Earlier:
        """Its locations are the nodes that have finalized it."""
        block = super().last_as_it_is(file)
        finalized = those(Datanode, lambda d: s.replica[d][file].state.at(ReplicaLifecycle.finalized))
        current = those(Datanode, lambda d: s.replica[d][file].stamp == s.block_stamp[file])
        return Earlier(
            state=block.state,
            stamp=block.stamp,
            num_bytes=block.num_bytes,
            locations=finalized & current,
            stored=block.stored,
        )

    def push(s, file: File) -> None:
        """The datanodes have nothing of the new block, and nobody leads a recovery of it."""
        s.further_blocks = s.further_blocks + when(s.block_stamp[file] == 0, 0, 1)
        super().push(file)
        s.replica.update(
            lambda d: each(File, lambda f: when(f == file, no_replica(), s.replica[d][f])),
        )
        s.attempt.update(lambda d: each(File, lambda f: when(f == file, no_attempt(), s.attempt[d][f])))
        s.recovery_queue.update(lambda d: those(File, lambda f: (f != file) & s.recovery_queue[d].has(f)))
        s.tried_as_primary[file].clear()
        s.primary[file] = none
        s.hflushed[file] = 0
        s.steady[file].clear()

    def put_last(s, file: File, block: Earlier, where: Bool | bool) -> None:
        """The file's last recovery id is kept, as every one that follows is higher; of the new block HDFS has none."""
        recovery_id = s.recovery_id[file]
        super().put_last(file, block, where)
        s.recovery_id[file] = recovery_id

    def last_block_is_gone(s, file: File) -> None:
        """The file keeps the block before, and gets no further one."""

    def give_block(s, client: Client, file: File) -> None:
        """The client has a new pipeline, of which it knows nothing yet."""
        s.stream[client][file] = Stream(
            stage=StreamStage.STREAMING,
            stamp=s.last_stamp,
            acked=0,
            pipeline=s.running,
            set_up=no_datanode(),
            finalized=no_datanode(),
        )

    def has_earlier_replica(s, file: File, datanode: Datanode) -> None:
        """Checks: the datanode has finalized the block before the last one."""
        require(s.earlier[file].locations.has(datanode), "the datanode has a replica")


class FirstWrite(Record):
    """How the first write of a file's first block ended."""

    stamp = ordered(limit="stamps")  # of the block then; 0: it has not ended
    fenced = flag()  # by a recovery, and not by a commit


class FirstWriteState(Part):
    """History: no step reads it."""

    first_write = per(File, record(FirstWrite))

    def first_write_ends(s, file: File, stamp: Ordered, *, fenced: bool) -> None:
        """Remembered: the stamp that its block has, and why it ended."""
        first = s.first_write[file].stamp == 0
        s.first_write[file].fenced = when(first, fenced, s.first_write[file].fenced)
        s.first_write[file].stamp = when(first, stamp, s.first_write[file].stamp)


class FirstWrites(StreamedEarlierBlocks, FirstWriteState, lane="namenode"):
    """The first write ends when its block is committed, or a recovery of it ends."""

    def commit(s, client: Client, file: File) -> None:
        """A client commits it."""
        super().commit(client, file)
        s.first_write_ends(file, s.block_stamp[file], fenced=False)

    def another_block_follows(s, file: File) -> None:
        """A client commits it and asks for the next one."""
        super().another_block_follows(file)
        s.first_write_ends(file, s.block_stamp[file], fenced=False)

    def take_result(s, file: File, attempt: Attempt) -> None:
        """A recovery gives it another stamp."""
        s.first_write_ends(file, s.block_stamp[file], fenced=True)
        super().take_result(file, attempt)

    def recovery_ends(s, file: File) -> None:
        """A recovery has dropped it, if it has not given it another stamp."""
        super().recovery_ends(file)
        s.first_write_ends(file, s.block_stamp[file], fenced=True)


class ToldState(Part):
    """What the edit log has of a file's last block beside its stamp, and what datanodes have told since it was read."""

    logged = per(File, number(limit="bytes"))
    owes_report = members(Datanode)  # nodes whose first full report a restarted NameNode has not had


class StreamedRestarts(NamenodeRestarts, FirstWrites, ToldState, lane="namenode"):
    """Pipelines and recoveries go on without a NameNode, and find another one.

    Coarser than HDFS: the bytes of the last block that were logged are those of its last updatePipeline, append or
    addBlock, or of its first hflush, as no other fsync tells a length; a replica is reported once its datanode can have
    its last block's stamp; a datanode registers with its first full report, and tells of nothing before.
    """

    def logged_bytes(s, file: File) -> Number:
        """A commit is in memory only, until the file is closed or gets another block (facts A.3)."""
        return when(s.block[file].at(BlockLifecycle.committed), s.logged[file], s.block_bytes[file])

    def commit(s, client: Client, file: File) -> None:
        """What the length was before is what the log has."""
        s.logged[file] = s.block_bytes[file]
        super().commit(client, file)

    def close(s, file: File) -> None:
        """The file is logged as a whole."""
        super().close(file)
        s.logged[file] = 0

    def another_block_follows(s, file: File) -> None:
        """The block before is logged with the new one."""
        super().another_block_follows(file)
        s.logged[file] = 0

    def has_replica(s, file: File, datanode: Datanode) -> None:
        """Checks: there is a replica of the block's generation, or of a later one."""
        require(~s.owes_report.has(datanode), "the datanode has reported to this NameNode")
        require(s.may_have(file, datanode), "the datanode has a replica of this generation or a later one")

    def reported(s, file: File, datanode: Datanode) -> tuple[Ordered, Number]:
        """A datanode registers, and tells all that it has, before it tells of one replica."""
        require(~s.owes_report.has(datanode), "the datanode has reported to this NameNode")
        return super().reported(file, datanode)

    def datanodes_are_forgotten(s) -> None:
        """Datanodes register anew: no command waits for them, and none has been asked to lead a recovery."""
        s.recovery_queue.update(lambda datanode: those(File, lambda file: False))
        s.tried_as_primary.update(lambda file: no_datanode())
        s.primary.update(lambda file: none)
        s.owes_report = those(Datanode, lambda datanode: True)

    @action(caller="datanode")
    def block_report(s, datanode: Datanode) -> None:
        """A datanode tells all that it has: it is a location of every block that is not complete (facts A18, I.1).

        Source  BlockManager#processReport, #addStoredBlockUnderConstruction, Hadoop 3.4.1.
        """
        require(s.running.has(datanode), "the datanode is running")
        require(s.owes_report.has(datanode), "it has not reported to this NameNode")
        s.owes_report.remove(datanode)
        s.registers_anew(datanode)
        s.stored.update(
            lambda file: when(s.still_matches(file, datanode), s.stored[file], s.stored[file] - only(datanode))
        )
        s.locations.update(
            lambda file: when(s.may_have(file, datanode), s.locations[file] | only(datanode), s.locations[file])
        )

    def may_have(s, file: File, datanode: Datanode) -> Bool:
        """The datanode has a replica that a recovery of an incomplete block would ask for."""
        replica = s.replica[datanode][file]
        current = ~replica.state.at(ReplicaLifecycle.absent) & (replica.stamp >= s.block_stamp[file])
        return s.block[file].at(*BlockLifecycle.not_complete) & current

    def still_matches(s, file: File, datanode: Datanode) -> Bool:
        """The replica is finalized under the block's stamp; what was told of it before may be out of date."""
        replica = s.replica[datanode][file]
        return replica.state.at(ReplicaLifecycle.finalized) & (replica.stamp == s.block_stamp[file])

    def is_of_no_use(s, file: File, datanode: Datanode) -> Bool:
        """It is never the last one that is counted, whatever was told of it before (facts I.3)."""
        another = ~((s.stored[file] - only(datanode)) & s.running).is_empty()
        return super().is_of_no_use(file, datanode) & (s.block[file].at(BlockLifecycle.removed) | another)

    def registers_anew(s, datanode: Datanode) -> None:
        """The datanode drops the recoveries that the former NameNode told it to lead.

        A repair: Hadoop's go on, and give a stamp to replicas of a block that a client has closed meanwhile.
        """
        s.attempt[datanode].update(lambda file: no_attempt())

    def may_leave_safe_mode(s) -> None:
        """Checks also: it is known who has what. A repair: Hadoop waits for complete blocks only.

        A block that is being written is then recovered from those that have told.
        """
        require(s.everybody_has_reported(), "every datanode that is up has reported")

    def everybody_has_reported(s) -> Bool:
        """No datanode that is up owes its first report."""
        return (s.owes_report & s.running).is_empty()

    def fsync(s, client: Client, file: File) -> None:
        """Checks also: the NameNode is not in safe mode, and knows of every replica; the length is logged (E.10).

        So a recovery asks for what is promised from now on. Hadoop does not look at replicas: a datanode tells of one
        with its next heartbeat, for which no client waits.
        """
        super().fsync(client, file)
        first = s.hflushed[file] == 0
        known = s.stream[client][file].pipeline <= s.locations[file]
        require(~first | ~s.safe_mode, "the NameNode is not in safe mode at the block's first hflush")
        require(~first | known, "the NameNode knows of every replica at the block's first hflush")
        s.block_bytes[file] = when(first, s.received_by_all(client, file), s.block_bytes[file])


class SafeModeEndsEarly(StreamedRestarts, lane="namenode"):
    """As in Hadoop 3.4.1: the NameNode leaves safe mode when every complete block has a replica."""

    def may_leave_safe_mode(s) -> None:
        """Checks: nothing more."""


class RecoveriesGoOn(StreamedRestarts, lane="namenode"):
    """As in Hadoop 3.4.1: a datanode goes on with a recovery when it registers with another NameNode."""

    def registers_anew(s, datanode: Datanode) -> None:
        """Nothing ends."""


class StreamedTruncate(EarlierBlocks, Cuts, FirstWriteState, lane="namenode"):
    """truncate and delete, where there is a block before the last one.

    Coarser than HDFS: no truncate reaches beyond the last block, so that its length is counted from that block's
    beginning and length 0 leaves the file with the blocks before; a file that is in a snapshot gets no further block.
    """

    def asks_for_a_block(s, client: Client, file: File) -> None:
        """Checks also: no snapshot holds the block that the client has written."""
        super().asks_for_a_block(client, file)
        require(~s.snapshot[file], "the file is in no snapshot")

    def another_block_follows(s, file: File) -> None:
        """Nothing of the new block was ever cut. What is left of the former one is put aside."""
        super().another_block_follows(file)
        s.exchange(file, those(Datanode, lambda d: s.is_original(file, s.replica[d][file])))
        s.truncate_to[file] = 0
        s.rollback_bytes[file] = 0
        s.bytes_before_cut.update(
            lambda d: each(File, lambda f: when(f == file, 0, s.bytes_before_cut[d][f])),
        )

    def is_original(s, file: File, replica: Replica) -> Bool:
        """The replica is one of the former block, and nobody works on it."""
        return replica.state.at(ReplicaLifecycle.finalized) & s.is_of_former_block(file, replica)

    def earlier_blocks_go(s, file: File) -> None:
        """They are deleted with the file: nothing is promised of it, and its first write has ended."""
        s.first_write_ends(file, s.block_stamp[file], fenced=True)
        s.earlier[file] = no_earlier()
        s.older[file] = 0
        s.hflushed[file] = 0
