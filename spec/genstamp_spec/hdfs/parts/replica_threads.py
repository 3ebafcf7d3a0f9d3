"""The threads around one replica: its writer, the writer's responder, and a copy that waits until both have ended.

Somebody writes the replica under an old stamp, and at some time the NameNode asks for a copy of a newer generation, and
goes on to ask until it is there. How the steps of threads fit together is all that matters here: no bytes are written.

Coarser than HDFS: the copy stands for every operation that stops a writer.
"""

import enum

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.replica_copies import ReplicaCopies
from genstamp_spec.hdfs.parts.replica_state import Writer
from genstamp_spec.hdfs.parts.state import Datanode
from genstamp_spec.lifecycles.replica import ReplicaLifecycle


class Operation(enum.Enum):
    """What the operation does that wants to replace the replica."""

    NONE = enum.auto()
    WAITING = enum.auto()  # until the writer's thread has ended


class Responder(enum.Enum):
    """What the thread does that sends acknowledgements (BlockReceiver.PacketResponder)."""

    ENDED = enum.auto()
    WAITING = enum.auto()  # for the next acknowledgement
    CLOSING = enum.auto()  # on its way to finalizeBlock, which needs the dataset lock


class ReplicaThreads(ReplicaCopies, lane=Datanode):
    """A pipeline, a request for a newer copy, and how they get out of each other's way."""

    old_stamp = ordered(limit="stamps", initially=1)  # of the pipeline; never changed
    new_stamp = ordered(limit="stamps", initially=2)  # of the copy; never changed
    asked = members(Datanode)  # the NameNode wants a copy there, and asks again and again
    operation = per(Datanode, enumeration(Operation))
    responder = per(Datanode, enumeration(Responder))

    def takes_lock(s, datanode: Datanode) -> None:
        """Checks: the dataset lock is free; a hook, since operations no longer keep it while they wait (facts B.6)."""

    # The pipeline.

    @action
    def open_pipeline(s, datanode: Datanode) -> None:
        """A client begins to write (FsDatasetImpl#createRbw, Hadoop 3.4.1; facts B1)."""
        require(~s.asked.has(datanode), "no newer generation is known")
        s.create_rbw(datanode, s.old_stamp)
        s.responder[datanode] = Responder.WAITING

    @action(event="receive_ack")
    def receive_last_ack(s, datanode: Datanode) -> None:
        """The last packet is acknowledged downstream (BlockReceiver.PacketResponder#run, Hadoop 3.4.1; facts C.2)."""
        require(s.replica[datanode].writer.at(Writer.RUNNING), "a thread writes the replica")
        require(s.responder[datanode].at(Responder.WAITING), "the responder waits for an acknowledgement")
        s.responder[datanode] = Responder.CLOSING

    @action(event="finalize_block")
    def responder_finalizes(s, datanode: Datanode) -> None:
        """The replica is done (FsDatasetImpl#finalizeBlock, Hadoop 3.4.1; facts B8)."""
        require(s.responder[datanode].at(Responder.CLOSING), "the responder finalizes the replica")
        s.takes_lock(datanode)
        s.finalize_block(datanode, s.old_stamp, s.replica[datanode].writer.at(Writer.INTERRUPTED))
        s.responder[datanode] = Responder.ENDED

    @action(hidden=True)
    def refused_responder_ends(s, datanode: Datanode) -> None:
        """Refused because its thread was interrupted, the responder ends (HDFS-3541; facts B8)."""
        require(s.responder[datanode].at(Responder.CLOSING), "the responder finalizes the replica")
        require(s.replica[datanode].writer.at(Writer.INTERRUPTED), "the writer was interrupted")
        s.takes_lock(datanode)
        s.responder[datanode] = Responder.ENDED

    @action(hidden=True)
    def waiting_responder_ends(s, datanode: Datanode) -> None:
        """A responder that waits for an acknowledgement is interrupted with its writer (facts B.6)."""
        require(s.responder[datanode].at(Responder.WAITING), "the responder waits for an acknowledgement")
        require(s.replica[datanode].writer.at(Writer.INTERRUPTED), "the writer was interrupted")
        s.responder[datanode] = Responder.ENDED

    @action(hidden=True)
    def writer_has_ended(s, datanode: Datanode) -> None:
        """The interrupted writer ends after its responder (BlockReceiver#receiveBlock, Hadoop 3.4.1; facts B.6)."""
        require(s.responder[datanode].at(Responder.ENDED), "the responder has ended")
        s.writer_ends(datanode)

    # The copy.

    @action
    def ask_for_copy(s, datanode: Datanode) -> None:
        """The NameNode wants a copy of a newer generation on this datanode (DNA_TRANSFER to another one)."""
        require(~s.asked.has(datanode), "the NameNode has not asked yet")
        s.asked.add(datanode)

    @action(hidden=True)
    def copy_stops_writer(s, datanode: Datanode) -> None:
        """The older replica is being written: its writer is interrupted and waited for (facts B6, B.6).

        Source  ReplicaInPipeline#stopWriter, FsDatasetImpl#createTemporary, Hadoop 3.4.1.
        """
        replica = s.replica[datanode]
        require(s.asked.has(datanode), "the NameNode has asked for the copy")
        require(s.operation[datanode].at(Operation.NONE), "nobody waits for the writer")
        require(replica.state.at(ReplicaLifecycle.rbw), "the replica is being written")
        require(~replica.writer.at(Writer.NONE), "a thread writes the replica")
        replica.writer = Writer.INTERRUPTED
        s.operation[datanode] = Operation.WAITING

    @action(hidden=True)
    def copy_goes_on(s, datanode: Datanode) -> None:
        """The writer's thread has ended: the operation begins again with its first check (facts B.6)."""
        require(s.operation[datanode].at(Operation.WAITING), "an operation waits for the writer")
        require(s.replica[datanode].writer.at(Writer.NONE), "the writer has ended")
        s.operation[datanode] = Operation.NONE

    @action(event="create_temporary", refuses="IOException")
    def copy_waits_too_long(s, datanode: Datanode) -> None:
        """The thread has not ended in 60 seconds: the operation fails, and may be asked for again (facts B.6)."""
        require(s.operation[datanode].at(Operation.WAITING), "an operation waits for the writer")
        require(~s.replica[datanode].writer.at(Writer.NONE), "the writer has not ended")
        s.operation[datanode] = Operation.NONE

    def copy_is_wanted(s, datanode: Datanode) -> None:
        """Checks: the NameNode has asked, and nobody waits for a writer."""
        require(s.asked.has(datanode), "the NameNode has asked for the copy")
        require(s.operation[datanode].at(Operation.NONE), "nobody waits for the writer")

    @action(event="create_temporary")
    def copy_begins(s, datanode: Datanode) -> None:
        """There is nothing in the way (FsDatasetImpl#createTemporary, Hadoop 3.4.1; facts B6)."""
        s.copy_is_wanted(datanode)
        s.create_temporary(datanode, s.new_stamp)

    @action(event="create_temporary")
    def copy_replaces_older(s, datanode: Datanode) -> None:
        """An older replica without a writer makes room (FsDatasetImpl#createTemporary, 3.4.1; facts B6, B.5)."""
        s.copy_is_wanted(datanode)
        s.create_temporary_over_existing(datanode, s.new_stamp, transfer=False)

    @action
    def copy_arrives(s, datanode: Datanode) -> None:
        """All bytes are here (FsDatasetImpl#finalizeBlock, Hadoop 3.4.1; facts B8)."""
        require(s.replica[datanode].state.at(ReplicaLifecycle.temporary), "the replica is a copy")
        s.replica[datanode].state.fire(ReplicaLifecycle.finalize)
        s.becomes_final(datanode)
