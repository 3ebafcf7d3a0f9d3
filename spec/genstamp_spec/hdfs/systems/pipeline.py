"""hdfs.pipeline: one block, its writer and a chain of datanodes; packets, acks, hflush, and the chain set up again.

What the writer is promised when a datanode fails at any moment, and what a reader may rely on meanwhile.
"""

from typing import Self

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.pipeline_block import BUGS
from genstamp_spec.hdfs.bugs.pipeline_holes import HADOOP_2_7, HADOOP_3_3, HADOOP_3_4
from genstamp_spec.hdfs.parts.pipeline_client import PipelineClient
from genstamp_spec.hdfs.parts.pipeline_datanode import PipelineDatanode, PipelineNetwork
from genstamp_spec.hdfs.parts.pipeline_namenode import LateCalls, PipelineNamenode
from genstamp_spec.hdfs.parts.pipeline_set_up import RECOVERY_STAGES, PipelineSetUp
from genstamp_spec.hdfs.parts.pipeline_state import PipelineState, Stage
from genstamp_spec.hdfs.parts.pipeline_surroundings import (
    BlockReaders,
    PipelineAppends,
    PlannedRestarts,
    StampsAreReused,
    WriterIsFenced,
)
from genstamp_spec.hdfs.parts.state import Client, Datanode
from genstamp_spec.hdfs.systems.durable_prefix import DURABLE_PREFIX
from genstamp_spec.hdfs.systems.pipeline_promises import PipelinePromises
from genstamp_spec.lifecycles import BlockLifecycle, ReplicaLifecycle

OMITS = (
    "files of more than one block; abandonBlock and another block where the first pipeline cannot be set up",
    "leases and other writers: somebody else's recovery of the block begins, and its end is not looked at",
    "chunks and their checksums, packets larger than a byte; corruption on the way (ERROR_CHECKSUM)",
    "bytes that are acknowledged before they are on disk; hsync; the time that it takes to stop a writer",
    "timers, heartbeat packets, slow nodes: silence is noticed, and nobody is blamed who is only slow",
    "reports of replicas: a report shows the replica as it is, and stale replicas stay (hdfs.reports has them)",
    "best-effort and min-replication, with which a write goes on where no datanode can be added",
    "calls of the writer that are lost or repeated, but for one late updatePipeline",
)


WRITING = (PipelineDatanode, PipelineNetwork, PipelineNamenode, PipelineClient, PipelineSetUp)
"""A block that is written through a pipeline, set up again when it breaks."""


class PipelineProperties(PipelinePromises):
    """What hdfs.pipeline promises; numbers S and L are those of the facts, page J."""

    # Bytes along the chain.

    @invariant
    def acked_bytes_are_visible_on_every_node(s, datanode: Datanode) -> Bool:
        """S1: what the client knows to be acknowledged is visible on every node that it writes to."""
        writing = s.stage.at(Stage.STREAMING, Stage.CLOSE) & s.pipeline.has(datanode) & s.connected.has(datanode)
        return writing.implies(s.acked_bytes() <= s.visible_bytes(s.replica[datanode]))

    @invariant(inductive=True)
    def visible_bytes_were_received_and_sent(s, datanode: Datanode) -> Bool:
        """S1: a node shows no more than it has received, and has received no more than was sent."""
        replica = s.replica[datanode]
        return (s.visible_bytes(replica) <= replica.num_bytes) & (replica.num_bytes <= s.bytes_sent)

    @invariant
    def chain_is_in_order(s, nearer: Datanode, farther: Datanode) -> Bool:
        """S1, S2: farther nodes show more and have received less, and what one shows each has received.

        Until a node is given up. After a planned restart of one, too, farther nodes show more; but then each is cut to
        what it shows itself.
        """
        both = s.pipeline.has(nearer) & s.pipeline.has(farther) & s.nearer(nearer, farther)
        up = s.connected.has(nearer) & s.connected.has(farther) & s.excluded.is_empty()
        near, far = s.replica[nearer], s.replica[farther]
        shows = s.visible_bytes(near) <= s.visible_bytes(far)
        received = far.num_bytes <= near.num_bytes
        in_order = shows & (received | (s.restarts > 0))
        return (both & up & s.stage.at(Stage.STREAMING, Stage.CLOSE)).implies(in_order)

    @transition(inductive=True, given=("visible_bytes_were_received_and_sent",))
    def visible_bytes_never_shrink(s, t: Self, datanode: Datanode) -> Bool:
        """S3: whatever a pipeline recovery cuts off, a node that goes on shows as much as before."""
        before, after = s.replica[datanode], t.replica[datanode]
        readable = (ReplicaLifecycle.rbw, ReplicaLifecycle.finalized)
        goes_on = before.state.at(*readable) & after.state.at(*readable)
        return goes_on.implies(t.visible_bytes(after) >= s.visible_bytes(before))

    @invariant
    def shown_bytes_are_at_every_location(s, client: Client, datanode: Datanode) -> Bool:
        """S2, S4: what a reader was shown, every location that a reader may ask next has."""
        return s.serves(datanode).implies(s.shown[client] <= s.replica[datanode].num_bytes)

    @invariant
    def finalized_replica_shows_no_more_than_others(s, one: Datanode, other: Datanode) -> Bool:
        """S1, S2: a node finalizes its replica when all nodes have all bytes, so that any location shows as much."""
        replica = s.replica[one]
        both = replica.state.at(ReplicaLifecycle.finalized) & s.serves(one) & s.serves(other)
        return both.implies(s.visible_bytes(replica) <= s.visible_bytes(s.replica[other]))

    @invariant
    def hflushed_bytes_survive(s, datanode: Datanode) -> Bool:
        """S6: a node of the pipeline that has not crashed has what an hflush promised, and is not stale."""
        replica = s.replica[datanode]
        kept = (replica.num_bytes >= s.hflushed) & (replica.stamp >= s.block_stamp)
        return s.steady.has(datanode).implies(s.is_visible(replica) & kept)

    @transition
    def joining_node_has_what_is_acknowledged(s, t: Self, datanode: Datanode) -> Bool:
        """S6: a node that joins a pipeline has the replica, and shows what is acknowledged."""
        joins = s.stage.at(*RECOVERY_STAGES) & ~s.pipeline.has(datanode) & t.pipeline.has(datanode)
        replica = t.replica[datanode]
        has_all = t.is_visible(replica) & (t.visible_bytes(replica) >= t.acked_bytes())
        return joins.implies(has_all)

    @transition
    def lost_node_is_replaced(s, t: Self) -> Bool:
        """S6: a pipeline goes on with another node for the one that it lost, if the policy says so and there is one."""
        set_up = s.stage.at(Stage.STREAMING_RECOVERY, Stage.CLOSE_RECOVERY) & t.stage.at(Stage.STREAMING, Stage.ENDED)
        few = s.pipeline.size() + s.pipeline.size() <= s.replication
        wanted = (s.always_replaces == 1) | ((s.replication >= 3) & (few | s.has_flushed | (s.appends > 0)))
        whole = (s.pipeline.size() >= s.replication) | s.has_replaced
        return (set_up & wanted).implies(whole | ~exists(Datanode, lambda d: s.is_spare(d)))

    # Stamps.

    @transition(inductive=True, given=("stamps_come_from_the_counter",))
    def block_stamp_never_decreases(s, t: Self) -> Bool:
        """S8, at the NameNode."""
        return t.block_stamp >= s.block_stamp

    @transition(inductive=True, given=("stamps_come_from_the_counter",))
    def replica_stamp_never_decreases(s, t: Self, datanode: Datanode) -> Bool:
        """S8, at a datanode: while it has the replica."""
        before, after = s.replica[datanode], t.replica[datanode]
        return (s.exists(before) & t.exists(after)).implies(after.stamp >= before.stamp)

    @transition(inductive=True)
    def last_stamp_never_decreases(s, t: Self) -> Bool:
        """S9: the counter only rises."""
        return t.last_stamp >= s.last_stamp

    # The block at the NameNode.

    @transition(inductive=True)
    def fenced_writer_changes_nothing(s, t: Self) -> Bool:
        """S11: once somebody recovers the block, its writer changes nothing of it at the NameNode."""
        same = (t.block_stamp == s.block_stamp) & (t.block_bytes == s.block_bytes) & (t.locations == s.locations)
        recovering = s.block.at(BlockLifecycle.under_recovery)
        return recovering.implies(t.block.at(BlockLifecycle.under_recovery) & same)

    @invariant
    def committed_length_is_acknowledged(s, datanode: Datanode) -> Bool:
        """S14: a block is committed with what the client has had acknowledged, and no replica of it is shorter."""
        committed = s.block.at(BlockLifecycle.committed, BlockLifecycle.complete)
        replica = s.replica[datanode]
        current = s.exists(replica) & (replica.stamp == s.block_stamp)
        whole = current.implies(replica.num_bytes >= s.block_bytes)
        return committed.implies((s.block_bytes == s.acked_bytes()) & whole)

    @invariant
    def complete_block_has_matching_replicas(s, datanode: Datanode) -> Bool:
        """S7: each replica of a COMPLETE block is FINALIZED with its length, or of an older generation."""
        replica = s.replica[datanode]
        current = s.exists(replica) & (replica.stamp >= s.block_stamp)
        matches = replica.state.at(ReplicaLifecycle.finalized) & (replica.num_bytes == s.block_bytes)
        same_stamp = replica.stamp == s.block_stamp
        return (s.block.at(BlockLifecycle.complete) & current).implies(matches & same_stamp)

    # A bad node.

    @invariant
    def only_failed_nodes_are_given_up(s, datanode: Datanode) -> Bool:
        """L4: a location that the writer gives up has failed: a good node is not blamed for another one.

        A writer that brings no new stamp gives up who refuses it.
        """
        given_up = s.excluded.has(datanode) & s.locations.has(datanode)
        new_stamps: Bool = s.reused_stamps == 0
        return (given_up & new_stamps).implies(s.failed.has(datanode))

    @invariant
    def write_fails_only_with_cause(s) -> Bool:
        """L4: a write ends with an error only if it was fenced, or no good node is left to write to or to add.

        What was acknowledged to the last packet does not fail. Not promised to a writer that brings no new stamp.
        """
        every = forall(Datanode, lambda d: ~s.pipeline.has(d) | s.failed.has(d))
        some = exists(Datanode, lambda d: s.pipeline.has(d) & s.failed.has(d))
        no_other = forall(Datanode, lambda d: s.pipeline.has(d) | s.failed.has(d) | s.unknown.has(d))
        cause = every | (s.wants_replacement() & (some | no_other))
        fenced = s.block.at(BlockLifecycle.under_recovery)
        refused = s.reused_stamps > 0
        return s.stage.at(Stage.FAILED).implies(fenced | refused | (cause & ~s.is_last(s.acked)))

    # What can happen.

    @witness
    def farther_nodes_show_more(s, nearer: Datanode, farther: Datanode) -> Bool:
        """J.3: a byte becomes visible at the last node first."""
        both = s.pipeline.has(nearer) & s.connected.has(nearer) & s.connected.has(farther) & s.nearer(nearer, farther)
        return both & (s.visible_bytes(s.replica[nearer]) < s.visible_bytes(s.replica[farther]))

    @witness
    def recovery_cuts_bytes_that_were_visible(s, datanode: Datanode) -> Bool:
        """J.3: what only a failed node showed is on no node of the pipeline that goes on."""
        shown = s.visible_bytes(s.replica[datanode])
        cut = forall(Datanode, lambda d: ~s.pipeline.has(d) | (s.set_up.has(d) & (s.replica[d].num_bytes < shown)))
        return s.stage.at(Stage.STREAMING_RECOVERY) & s.excluded.has(datanode) & cut

    @witness
    def recovery_leaves_the_chain_out_of_order(s, nearer: Datanode, farther: Datanode) -> Bool:
        """J.3: after a recovery a node may lack a byte that one after it shows, until it is sent again."""
        both = s.pipeline.has(nearer) & s.pipeline.has(farther) & s.nearer(nearer, farther)
        up = s.stage.at(Stage.STREAMING) & s.connected.has(nearer) & s.connected.has(farther)
        return both & up & (s.replica[nearer].num_bytes < s.visible_bytes(s.replica[farther]))

    @witness
    def stamp_is_burned(s) -> Bool:
        """A stamp was drawn for an attempt that failed, and the block never gets it."""
        return s.stage.at(*RECOVERY_STAGES) & (s.new_stamp == 0) & (s.last_stamp > s.block_stamp)

    @witness
    def writer_is_fenced(s) -> Bool:
        """A recovery of the block ends the write."""
        return s.stage.at(Stage.FAILED) & s.block.at(BlockLifecycle.under_recovery)

    @witness
    def joined_node_is_all_that_is_left(s, datanode: Datanode) -> Bool:
        """What an hflush promised is on a node that joined later, when all others have failed."""
        others = forall(Datanode, lambda d: (d == datanode) | s.failed.has(d))
        joined = s.steady.has(datanode) & ~s.failed.has(datanode)
        return (s.hflushed > 0) & joined & others & s.stage.at(Stage.STREAMING)


UNREACHABLE = {"delete": "no step deletes the file"}


def is_open(s: PipelineState) -> Bool:
    """The file is open at the NameNode."""
    return ~s.block.at(BlockLifecycle.absent, BlockLifecycle.complete)


def keeps_promises(s: PipelineState) -> Bool:
    """A node has had all that was promised ever since."""
    return ~s.steady.is_empty()


def promised(s: PipelineState) -> Number:
    """What an hflush promised, or a reader was shown."""
    shown = maximum(Client, lambda client: s.shown[client], where=lambda client: True, default=0)
    return when(keeps_promises(s), largest(s.hflushed, shown), 0)


AS_DURABLE_PREFIX = RefinementDeclaration(
    DURABLE_PREFIX,
    {
        "open": is_open,
        "length": lambda s: when(is_open(s), 0, s.block_bytes),
        "promised": promised,
        "seen": lambda s: each(Client, lambda client: when(keeps_promises(s), s.shown[client], 0)),
    },
    unreachable=UNREACHABLE,
)
"""hflush is the promise to the writer, the visible length the one to readers."""


def may_stop(s: PipelineProperties) -> Bool:
    """The write has ended, well or not, or its writer has."""
    return s.stage.at(Stage.CLOSED, Stage.FAILED) | ~s.writer_alive


PIPELINE = System(
    "hdfs.pipeline",
    parts=[
        BlockReaders,
        *WRITING,
        PlannedRestarts,
        LateCalls,
        WriterIsFenced,
        PipelineAppends,
        StampsAreReused,
        PipelineProperties,
    ],
    doc="One block, its writer and a chain of datanodes: packets, acks, hflush, and the pipeline set up again.",
    semantics={"repaired": (), "hadoop-3.4": HADOOP_3_4, "hadoop-3.3": HADOOP_3_3, "hadoop-2.7": HADOOP_2_7},
    rows="""
        *: Client=1 Datanode=2 stamps=0 bytes=0 packets=0 replication=0 appends=0 always=0 crashes=0 faults=0 hangs=0
            restarts=0 client_crashes=0 takeovers=0 registrations=0 late_calls=0 reused_stamps=0
        pair: stamps=2 bytes=1 packets=2 replication=2 crashes=1 takeovers=1; two datanodes, either of which may fail
        fenced: stamps=4 bytes=1 packets=2 replication=2 appends=1 always=1 crashes=1 takeovers=1;
            a block is taken over while its pipeline is set up again, after an append too
        chain: Datanode=3 stamps=3 bytes=2 packets=3 replication=3 faults=1 hangs=1; three datanodes, two of which fail
        spare: Datanode=3 stamps=3 bytes=1 packets=2 replication=2 always=1 crashes=2 registrations=1;
            another datanode takes the place of one that failed
        four: Datanode=4 stamps=4 packets=1 replication=3 always=1 crashes=2 faults=1; four datanodes and an empty block
        append: stamps=4 bytes=2 packets=3 replication=2 appends=1 crashes=1 late_calls=1;
            the file is closed and opened again
        reused_stamps: stamps=2 bytes=2 packets=3 replication=2 appends=1 crashes=1 reused_stamps=2;
            a client appends under the stamp that the block has
        restart: stamps=3 bytes=1 packets=2 replication=2 crashes=1 faults=1 restarts=2;
            datanodes that say so before they restart
        upgrade: Datanode=1 stamps=8 bytes=1 packets=2 replication=1 restarts=7;
            one datanode that restarts again and again
        given_up: Datanode=7 stamps=7 packets=1 replication=2 always=1 faults=6 on_demand;
            a write that ends after too many recoveries, though a node is left
        client: stamps=3 bytes=2 packets=3 replication=2 crashes=1 client_crashes=1 takeovers=1;
            the client fails, and its block is taken over
    """,
    bugs=BUGS,
    idle={"ReplicaLifecycle.rur": "no replica is recovered"},
    refines=[AS_DURABLE_PREFIX],
    may_stop=may_stop,
    omits=OMITS,
)
