"""One block, its writer and the chain of datanodes that it is written through: the variables, with no steps.

A packet carries one byte, and the byte's place in the block is the packet's number; the empty last packet has the
number after the last byte. Packets of one connection follow each other without a gap and are neither lost nor reordered
(TCP), and so are acks. So what is on its way between two neighbours is what their counts tell: the packets that the
upper one has taken and the lower one has not, the acks that the lower one has sent and the upper one has not.

The chain is in the order of the datanodes' numbers: a pipeline is a set, and its first and last node are known. A node
that joins later is the last one in HDFS too.
"""

import enum
from typing import Final

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.block_record import BlockRecord, replace_generation
from genstamp_spec.hdfs.parts.replica_state import ReplicaState
from genstamp_spec.hdfs.parts.state import Client, Datanode
from genstamp_spec.lifecycles.block import BlockLifecycle

MOST_RECOVERIES: Final = 5
"""How often in a row a pipeline is set up again without an ack in between."""


class Stage(enum.Enum):
    """How far the writer is with the block (BlockConstructionStage, and what comes before and after).

    The stage in which a pipeline is set up again has the name of the recovery; ENDED has every ack, the last one too.
    """

    NONE = enum.auto()
    SETUP_CREATE = enum.auto()
    SETUP_APPEND = enum.auto()
    SETUP_APPEND_RECOVERY = enum.auto()
    STREAMING = enum.auto()
    STREAMING_RECOVERY = enum.auto()
    CLOSE = enum.auto()
    CLOSE_RECOVERY = enum.auto()
    ENDED = enum.auto()
    CLOSED = enum.auto()
    FAILED = enum.auto()


class WriterState(Part):
    """What the client knows. `acked` to `bytes_sent` is what it keeps to send again (ackQueue and dataQueue)."""

    writer_alive = flag(initially=True)
    stage = enumeration(Stage)
    stamp = ordered(limit="stamps")  # of the block, as the client knows it
    new_stamp = ordered(limit="stamps")  # under which the pipeline is being set up; 0: not asked for yet
    pipeline = members(Datanode)
    set_up = members(Datanode)  # nodes that have done what the stage asks for, in this attempt
    excluded = members(Datanode)  # nodes that were given up
    recoveries = number(0, MOST_RECOVERIES)  # in a row, without an ack
    passed_over = members(Datanode)  # nodes that did not take a transfer, in this attempt
    replication = number(0, limit="replication")
    sent = number(limit="packets")  # last packet sent on this connection
    bytes_sent = number(limit="bytes")  # the most that was ever sent
    acked = number(limit="packets")  # last packet that every node has acknowledged
    has_flushed = flag()
    appends = number(limit="appends")
    always_replaces = number(limit="always")  # policy ALWAYS; else DEFAULT
    client_crashes = number(limit="client_crashes")  # history: only limited, never read
    has_replaced = flag()  # a node was added in this attempt


class LateCall(Record):
    """A second copy of an updatePipeline call that was answered; of stamp 0 if there is none."""

    stamp = ordered(limit="stamps")
    num_bytes = number(limit="bytes")
    locations = members(Datanode)


class BlockAtNamenode(Part):
    """What the NameNode keeps of the block."""

    block = lifecycle(BlockLifecycle)
    block_stamp = ordered(limit="stamps")
    block_bytes = number(limit="bytes")
    locations = members(Datanode)
    stored = members(Datanode)  # whose FINALIZED replica was reported
    last_stamp = ordered(limit="stamps")
    unknown = members(Datanode)  # nodes that registered anew and have not told of their storages yet
    registrations = number(limit="registrations")  # history: only limited, never read
    late_call = record(LateCall)
    late_calls = number(limit="late_calls")  # history: only limited, never read
    takeovers = number(limit="takeovers")  # history: only limited, never read

    # Calls of the writer.

    def under_construction(s) -> Bool:
        """FSNamesystem#checkUCBlock: a recovery of the block shuts its writer out (facts E.6, HDFS-1555)."""
        return s.block.at(BlockLifecycle.under_construction)

    def next_stamp(s) -> Ordered:
        """FSNamesystem#nextGenerationStamp: a stamp that nobody had before (facts H.1.3)."""
        s.last_stamp = s.last_stamp + 1
        return s.last_stamp

    def allocate(s, locations: Members[Datanode]) -> None:
        """FSDirWriteFileOp#storeAllocatedBlock (facts A1, E.5)."""
        s.block.fire(BlockLifecycle.add_block)
        s.block_stamp = s.next_stamp()
        s.locations = locations

    def replace_generation(s, stamp: Ordered, length: Number, locations: Members[Datanode]) -> None:
        """The new pipeline is the block's; locations are the nodes that the NameNode knows storages of (facts E.7)."""
        replace_generation(BlockRecord(s), stamp, length, s.known_among(locations))

    def known_among(s, locations: Members[Datanode]) -> Members[Datanode]:
        """Locations whose storages the NameNode knows; the others are left out, which is no error (HDFS-12299)."""
        return locations - s.unknown

    def commit(s, stamp: Ordered, length: Number) -> None:
        """Stamp and length become the client's; with a replica that was reported before, the block is COMPLETE at once.

        Such a replica there is only if the block was opened again, and its pipeline was not told of (facts A.4.9).

        Source  BlockManager#commitOrCompleteLastBlock, #commitBlock, Hadoop 3.4.1; facts A7, A8, A.3.
        """
        s.block.fire(BlockLifecycle.commit)
        s.block_stamp = stamp
        s.block_bytes = length
        s.block.fire(BlockLifecycle.complete_block, where=~s.stored.is_empty())


class Connection(Record):
    """What a datanode's receiver and responder have done since the pipeline was set up."""

    taken = number(limit="packets")  # last packet received and forwarded
    confirmed = number(limit="packets")  # last ack sent towards the client
    bad_node = optional(Datanode)  # whom the acks call bad, if they do


class NodesState(ReplicaState):
    """What the datanodes of the chain keep beside their replicas."""

    connected = members(Datanode)  # receiver and responder of the writer's block are up
    restarting = members(Datanode)  # they have said so, and are not in the pipeline again yet
    hung = members(Datanode)  # they are up and do nothing any more
    connection = per(Datanode, record(Connection))
    crashes = number(limit="crashes")  # history: only limited, never read
    faults = number(limit="faults")  # history: likewise
    hangs = number(limit="hangs")  # history: likewise
    restarts = number(limit="restarts")  # history of planned ones: likewise


class PipelineState(WriterState, BlockAtNamenode, NodesState):
    """All of it, and what properties remember.

    History variables, which no step of the protocol reads: `hflushed` bytes were promised by an hflush, or by the
    commit of the block; `shown` bytes were shown to a reader; `steady` are the nodes that have had all
    of that ever since: those of the pipeline, without those that crashed while they were writing; `failed` are the
    nodes that ever had a fault.
    """

    hflushed = number(limit="bytes")
    steady = members(Datanode)
    shown = per(Client, number(limit="bytes"))
    failed = members(Datanode)

    # The chain.

    def nearer(s, one: Datanode, other: Datanode) -> Bool:
        """One node stands before another in the chain, nearer to the client."""
        return (one != other) & (choose(Datanode, lambda d: (d == one) | (d == other)) == one)

    def first_node(s) -> Datanode:
        """The node that the client is connected to."""
        return choose(Datanode, lambda d: s.pipeline.has(d))

    def mirror(s, datanode: Datanode) -> Datanode:
        """The next node of the chain; none after the last one."""
        return choose(Datanode, lambda d: s.pipeline.has(d) & s.nearer(datanode, d))

    def offered(s, datanode: Datanode) -> Number:
        """The last packet that was sent to a node of the chain."""
        before = those(Datanode, lambda d: s.pipeline.has(d) & s.nearer(d, datanode))
        taken = minimum(Datanode, lambda d: s.connection[d].taken, where=lambda d: before.has(d), default=0)
        return when(before.is_empty(), s.sent, taken)

    def is_last(s, packet: Number) -> Bool:
        """The packet is the empty one that ends the block (lastPacketInBlock)."""
        return packet > s.bytes_sent

    def acked_bytes(s) -> Number:
        """Bytes of the block that every node has acknowledged."""
        return when(s.is_last(s.acked), s.bytes_sent, s.acked)
