"""Any sequence of requests to a datanode about one block: from clients, other datanodes, primaries and the NameNode.

A request names generations of the block, with a stamp that the NameNode once gave out (facts H.1), in any order, as
late and as often as it likes. So delayed, repeated and overtaken messages need no network here, and neither is there a
client or a primary: whatever they may ask, somebody asks. What a thread of the datanode does by itself, it does only
while it runs.

Coarser than HDFS: a request speaks of lengths up to two; a thread that receives a copy is done when the copy joins a
pipeline or is finalized; a thread whose replica is deleted ends with it.
"""

import functools
import operator

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.replica_recovery import ReplicaRecovery
from genstamp_spec.hdfs.parts.replica_state import Report, Writer
from genstamp_spec.hdfs.parts.state import Datanode, OriginalState
from genstamp_spec.lifecycles.replica import ReplicaLifecycle

BYTES = 2  # lengths that requests speak of


class Generation(Index):
    """A generation of the block's replicas, by the stamp that the NameNode gave out for it."""


class TruncatedCopy(Record):
    """The replica of the new block id that a truncate by copy makes."""

    state = lifecycle(ReplicaLifecycle)
    stamp = ordered(limit="stamps")
    num_bytes = number(limit="bytes")


class ReplicaWorld(ReplicaRecovery):
    """What is around one replica."""

    last_stamp = ordered(limit="stamps")  # BlockIdManager.generationStamp
    given = per(Generation, ordered(limit="stamps"))  # 0: not given out yet
    condemned = members(Generation)  # generations that the NameNode has deleted wherever they are
    copy = per(Datanode, record(TruncatedCopy))
    lingering = per(Datanode, ordered(limit="stamps"))  # an interrupted responder that has not ended, by its stamp
    full = members(Datanode)  # no room on the volumes
    planned = members(Datanode)  # down for an upgrade, with a .restart file in time
    answered = per(Datanode, ordered(limit="stamps"))  # history: stamp under which a replica was last promised

    crashes = number(limit="crashes")  # history: only limited, never read
    fills = number(limit="fills")  # history: only limited, never read
    lingers = number(limit="lingers")  # history: only limited, never read
    failed_writes = number(limit="failed_writes")  # history: only limited, never read

    @limit("condemned")
    def how_many_are_condemned(s) -> Number:
        """Generations that are deleted."""
        return s.condemned.size()

    @limit("copies")
    def copies_made(s) -> Number:
        """Copies that truncates have made."""
        return count(Datanode, lambda datanode: ~s.copy[datanode].state.at(ReplicaLifecycle.absent))

    def is_up(s, datanode: Datanode) -> None:
        """Checks: the datanode runs."""
        require(s.running.has(datanode), "the datanode is running")

    def serves(s, datanode: Datanode, *generations: Generation) -> tuple[Ordered, ...]:
        """Checks: the datanode runs, and the request's stamps were given out; the stamps."""
        stamps = tuple(s.given[generation] for generation in generations)
        s.is_up(datanode)
        require(functools.reduce(operator.and_, (stamp > 0 for stamp in stamps)), "the stamps were given out")
        return stamps

    def answers(s, datanode: Datanode, stamp: Ordered) -> None:
        """Whoever asked is told that the replica is there under this stamp."""
        s.answered[datanode] = stamp

    def has_space(s, datanode: Datanode, is_needed: Bool | bool = True) -> None:
        """Checks: a volume has room."""
        require(~(is_needed & s.full.has(datanode)), "a volume has room", "DiskOutOfSpaceException")

    def tells(s, datanode: Datanode, report: Report) -> None:
        """Whoever sees the step sees which incremental report follows it (facts B.9)."""
        observe(reporter=datanode, **{report.name.lower(): True})

    @observation
    def full_report(s, datanode: Datanode) -> Enumerated[OriginalState]:
        """The replica's state in a full report: a RUR is its original, a TEMPORARY is left out (facts B.9)."""
        return s.original_state(s.replica[datanode])


class ReplicaWriters(ReplicaWorld, lane=Datanode):
    """Clients' requests, and what the threads do that they begin."""

    @action
    def give_out_stamp(s) -> None:
        """The NameNode gives out a stamp for a pipeline or recovery (FSNamesystem#nextGenerationStamp; facts H.1.3)."""
        generation = choose(Generation, lambda generation: s.given[generation] == 0)
        require(~generation.is_none(), "a generation has no stamp yet")
        s.last_stamp = s.last_stamp + 1
        s.given[generation] = s.last_stamp

    @action(event="create_rbw")
    def serve_create_rbw(s, datanode: Datanode, generation: Generation) -> None:
        """PIPELINE_SETUP_CREATE (FsDatasetImpl#createRbw, Hadoop 3.4.1; facts B1, C.1)."""
        (stamp,) = s.serves(datanode, generation)
        s.create_rbw(datanode, stamp)
        s.answers(datanode, stamp)

    @action(event="create_rbw")
    def serve_create_rbw_again(s, datanode: Datanode, generation: Generation) -> None:
        """PIPELINE_SETUP_CREATE under a new stamp, since HDFS-17299 (FsDatasetImpl#createRbw, 3.4.1; facts B1')."""
        (new_stamp,) = s.serves(datanode, generation)
        s.create_rbw_over_existing(datanode, new_stamp)
        s.answers(datanode, new_stamp)

    @action(event="append")
    def serve_append(s, datanode: Datanode, old: Generation, new: Generation) -> None:
        """PIPELINE_SETUP_APPEND (FsDatasetImpl#append, Hadoop 3.4.1; facts B2, C.1)."""
        stamp, new_stamp = s.serves(datanode, old, new)
        s.append(datanode, stamp, new_stamp, pick("expected_bytes", 0, BYTES))
        s.answers(datanode, new_stamp)

    @action(event="recover_append")
    def serve_recover_append(s, datanode: Datanode, old: Generation, new: Generation) -> None:
        """PIPELINE_SETUP_APPEND_RECOVERY (FsDatasetImpl#recoverAppend, Hadoop 3.4.1; facts B3, B.3, C.1)."""
        stamp, new_stamp = s.serves(datanode, old, new)
        s.recover_append(datanode, stamp, new_stamp, pick("expected_bytes", 0, BYTES))
        s.answers(datanode, new_stamp)

    @action(event="recover_close")
    def serve_recover_close(s, datanode: Datanode, old: Generation, new: Generation) -> None:
        """PIPELINE_CLOSE_RECOVERY (FsDatasetImpl#recoverClose, Hadoop 3.4.1; facts B5, B.3, C.1)."""
        stamp, new_stamp = s.serves(datanode, old, new)
        s.recover_close(datanode, stamp, new_stamp, pick("expected_bytes", 0, BYTES))
        s.answers(datanode, new_stamp)

    @action(event="recover_rbw")
    def serve_recover_rbw(s, datanode: Datanode, old: Generation, new: Generation) -> None:
        """PIPELINE_SETUP_STREAMING_RECOVERY (FsDatasetImpl#recoverRbw, Hadoop 3.4.1; facts B4, C.1)."""
        stamp, new_stamp = s.serves(datanode, old, new)
        min_bytes, max_bytes = pick("min_bytes", 0, BYTES), pick("max_bytes", 0, BYTES)
        s.recover_rbw(datanode, stamp, new_stamp, min_bytes, max_bytes)
        s.answers(datanode, new_stamp)

    # The thread that writes (C.2), and how it ends (B.6).

    @action(event="receive_packet")
    def serve_packet(s, datanode: Datanode) -> None:
        """One more byte is received (BlockReceiver#receivePacket, Hadoop 3.4.1; facts C.2)."""
        s.is_up(datanode)
        s.receive_byte(datanode)

    @action(hidden=True)
    def write_to_disk(s, datanode: Datanode) -> None:
        """What was received is written (BlockReceiver#receivePacket, Hadoop 3.4.1; facts C.2)."""
        s.is_up(datanode)
        s.write_byte(datanode)

    @action(hidden=True)
    def write_to_disk_fails(s, datanode: Datanode) -> None:
        """The file gets longer, but an error keeps the thread from noting it (HDFS-11472; facts C.2, L.3)."""
        s.is_up(datanode)
        s.write_byte_unrecorded(datanode)
        s.failed_writes = s.failed_writes + 1

    @action(event="receive_ack")
    def serve_ack(s, datanode: Datanode) -> None:
        """All nodes downstream have a byte (BlockReceiver.PacketResponder#run, Hadoop 3.4.1; facts C.2)."""
        s.is_up(datanode)
        s.acknowledge_byte(datanode)

    @action(event="finalize_block")
    def writer_finalizes(s, datanode: Datanode) -> None:
        """The last packet is written and acknowledged, or the copy is complete.

        A thread that was interrupted meanwhile is refused (FsDatasetImpl#finalizeBlock, Hadoop 3.4.1; facts B8, C.2).
        """
        replica = s.replica[datanode]
        require(s.running.has(datanode), "the datanode is running")
        require(~replica.writer.at(Writer.NONE), "a thread writes the replica")
        require(s.all_is_written(datanode), "all that was received is written and acknowledged")
        s.finalize_block(datanode, replica.stamp, replica.writer.at(Writer.INTERRUPTED))

    def all_is_written(s, datanode: Datanode) -> Bool:
        """Nothing is on its way any more."""
        replica = s.replica[datanode]
        written = (replica.num_bytes == replica.bytes_on_disk) & (replica.bytes_on_disk == replica.file_bytes)
        acked = replica.state.at(ReplicaLifecycle.temporary) | (replica.bytes_acked == replica.num_bytes)
        return written & acked

    @action(hidden=True)
    def stop_writer(s, datanode: Datanode) -> None:
        """Some request, even one that is refused later, interrupts the thread that writes the replica.

        initReplicaRecovery does so before it compares stamps, and so does recoverRbw (facts B.4 step 2, B4).

        Source  ReplicaInPipeline#stopWriter, Hadoop 3.4.1; facts B.6.
        """
        s.is_up(datanode)
        s.interrupt_writer(datanode)

    @action(hidden=True)
    def writer_has_ended(s, datanode: Datanode) -> None:
        """The interrupted thread is gone, and its responder with it (BlockReceiver#receiveBlock; facts B.6)."""
        s.writer_ends(datanode)

    @action(hidden=True)
    def writer_has_ended_but_its_responder(s, datanode: Datanode) -> None:
        """The thread waited for its responder no longer than 80 % of the stop time-out (facts 0.1.10, B.6)."""
        s.writer_ends(datanode)
        s.lingering[datanode] = s.replica[datanode].stamp
        s.lingers = s.lingers + 1

    @action(event="finalize_block", refuses="IOException")
    def lingering_responder_finalizes(s, datanode: Datanode) -> None:
        """An interrupted responder comes to its last packet late: it is refused, and ends (HDFS-3541; facts B8).

        One that ends without coming to it may as well have ended with its writer.
        """
        require(s.running.has(datanode), "the datanode is running")
        require(s.lingering[datanode] > 0, "an interrupted responder has not ended yet")
        s.lingering[datanode] = 0

    @action(hidden=True)
    def disk_fills(s, datanode: Datanode) -> None:
        """Other blocks take the room that is left."""
        require(~s.full.has(datanode), "a volume has room")
        s.full.add(datanode)
        s.fills = s.fills + 1
