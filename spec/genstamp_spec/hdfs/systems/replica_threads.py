"""hdfs.replica_threads: an operation stops a replica's writer and takes its place, and nobody waits for ever."""

from typing import Self

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.replica import HDFS_5016, HDFS_6948, STOPS_UNDER_THE_LOCK
from genstamp_spec.hdfs.parts.replica_state import Writer
from genstamp_spec.hdfs.parts.replica_threads import Operation, ReplicaThreads, Responder
from genstamp_spec.hdfs.parts.state import Datanode
from genstamp_spec.hdfs.systems.replica_promises import ReplicaPromises
from genstamp_spec.lifecycles.replica import ReplicaLifecycle

OMITS = (
    "bytes, and every request but the one for a newer copy: hdfs.replica",
    "a responder that outlives its writer: hdfs.replica",
    "crashes of the datanode",
    "an older FINALIZED replica in the way, which the NameNode has deleted first (facts I.3): hdfs.reports",
)

_THREADS = ("responder_finalizes", "refused_responder_ends", "waiting_responder_ends", "writer_has_ended")
_COPY = ("copy_stops_writer", "copy_goes_on", "copy_begins", "copy_replaces_older", "copy_arrives")


class ReplicaThreadsProperties(ReplicaPromises, ReplicaThreads):
    """What hdfs.replica_threads promises."""

    @leads_to(fair=(*_THREADS, "copy_goes_on"))
    def waiting_for_a_writer_ends(s, datanode: Datanode) -> tuple[Bool, Bool]:
        """L8: whoever waits for a writer goes on at last, even if no time-out ever comes to help."""
        return s.operation[datanode].at(Operation.WAITING), s.operation[datanode].at(Operation.NONE)

    @leads_to(fair=(*_THREADS, *_COPY))
    def newer_copy_arrives(s, datanode: Datanode) -> tuple[Bool, Bool]:
        """L5: a copy that the NameNode asks for arrives at last, unless the older replica is finalized before."""
        return s.asked.has(datanode), s.replica[datanode].state.at(ReplicaLifecycle.finalized)

    @invariant(inductive=True)
    def interrupted_thread_writes_no_copy(s, datanode: Datanode) -> Bool:
        """S23: a replica is replaced only when its interrupted writer has ended."""
        replica = s.replica[datanode]
        return replica.writer.at(Writer.INTERRUPTED).implies(replica.state.at(ReplicaLifecycle.rbw))

    @invariant(inductive=True)
    def responder_ends_before_its_writer(s, datanode: Datanode) -> Bool:
        """S23: as long as a responder lives the replica is its pipeline's, and its writer has not ended (facts B.6)."""
        replica = s.replica[datanode]
        written = replica.state.at(ReplicaLifecycle.rbw) & ~replica.writer.at(Writer.NONE)
        return s.responder[datanode].at(Responder.ENDED) | (written & (replica.stamp == s.old_stamp))

    @invariant(inductive=True, given=("responder_ends_before_its_writer",))
    def replica_waits_for_the_operation(s, datanode: Datanode) -> Bool:
        """S23: while an operation waits for a writer nobody else writes, finalizes or replaces the replica (B.6)."""
        replica, waiting = s.replica[datanode], s.operation[datanode].at(Operation.WAITING)
        stopped = replica.state.at(ReplicaLifecycle.rbw) & ~replica.writer.at(Writer.RUNNING)
        return waiting.implies(s.asked.has(datanode) & stopped)

    @invariant(inductive=True)
    def copies_are_newer(s, datanode: Datanode) -> Bool:
        """S8: what is written has the old stamp, a copy the new one, and that is the higher one."""
        replica = s.replica[datanode]
        written = replica.state.at(ReplicaLifecycle.rbw).implies(replica.stamp == s.old_stamp)
        copied = replica.state.at(ReplicaLifecycle.temporary).implies(replica.stamp == s.new_stamp)
        return written & copied & (s.old_stamp < s.new_stamp)

    @invariant(inductive=True)
    def only_the_copy_stops_a_writer(s, datanode: Datanode) -> Bool:
        """S23: a pipeline's writer goes on until the NameNode has asked for the copy."""
        replica = s.replica[datanode]
        stopped = replica.state.at(ReplicaLifecycle.rbw) & ~replica.writer.at(Writer.RUNNING)
        return stopped.implies(s.asked.has(datanode))

    @transition(inductive=True, given=("responder_ends_before_its_writer",))
    def closing_responder_waits_no_more(s, t: Self, datanode: Datanode) -> Bool:
        """S23: after the last acknowledgement a responder finalizes the replica, or ends (facts C.2, B8)."""
        return s.responder[datanode].at(Responder.CLOSING).implies(~t.responder[datanode].at(Responder.WAITING))

    @witness
    def responder_closes_while_its_writer_is_stopped(s, datanode: Datanode) -> Bool:
        """A responder is on its way to finalizeBlock when an operation begins to wait."""
        return s.operation[datanode].at(Operation.WAITING) & s.responder[datanode].at(Responder.CLOSING)

    @witness
    def copy_has_replaced_an_older_replica(s, datanode: Datanode) -> Bool:
        """The copy is here."""
        replica = s.replica[datanode]
        return replica.state.at(ReplicaLifecycle.finalized) & (replica.stamp == s.new_stamp)


REPLICA_THREADS = System(
    "hdfs.replica_threads",
    parts=[ReplicaThreadsProperties],
    doc="A replica's writer, its responder, and an operation that stops them and takes their place.",
    semantics={"repaired": (), "hadoop-3.4": (), "hadoop-2.7": (STOPS_UNDER_THE_LOCK,)},
    rows="""
        copy: Datanode=1 stamps=2 bytes=0; one datanode, two generations
        two_datanodes: Datanode=2 stamps=2 bytes=0; two datanodes, each with threads of its own
    """,
    bugs=[HDFS_5016, HDFS_6948, STOPS_UNDER_THE_LOCK],
    idle={
        "ReplicaLifecycle.rur": "no replica is recovered",
        "running": "datanodes do not stop",
        **dict.fromkeys(("old_stamp", "new_stamp"), "there are one pipeline and one copy"),
    },
    omits=OMITS,
)
