"""What each system promises that writes one block through a chain of datanodes: what a writer's stage stands for."""

from typing import Self

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.pipeline_set_up import RECOVERY_STAGES
from genstamp_spec.hdfs.parts.pipeline_state import Stage
from genstamp_spec.hdfs.parts.state import Datanode
from genstamp_spec.hdfs.state.chain import Chain
from genstamp_spec.hdfs.systems.replica_promises import ReplicaPromises
from genstamp_spec.lifecycles import BlockLifecycle, ReplicaLifecycle


class PipelinePromises(ReplicaPromises, Chain):
    """Numbers S and L are those of the facts, page J."""

    @invariant(inductive=True)
    def nothing_is_before_the_block(s) -> Bool:
        """S18: what a writer sends, waits for, gives up and is told belongs to a block that it was given."""
        counts = (s.sent == 0) & (s.bytes_sent == 0) & (s.acked == 0) & (s.new_stamp == 0) & (s.recoveries == 0)
        nodes = s.pipeline.is_empty() & s.set_up.is_empty() & s.excluded.is_empty() & s.locations.is_empty()
        absent = s.block.at(BlockLifecycle.absent)
        return (absent == s.stage.at(Stage.NONE)) & absent.implies(counts & nodes)

    @invariant(inductive=True)
    def stamps_come_from_the_counter(s, datanode: Datanode) -> Bool:
        """S9: every stamp in use was given out."""
        at_client = (s.stamp <= s.last_stamp) & (s.new_stamp <= s.last_stamp)
        return at_client & (s.block_stamp <= s.last_stamp) & (s.replica[datanode].stamp <= s.last_stamp)

    @invariant(inductive=True, given=("nothing_is_before_the_block",))
    def only_open_blocks_are_written(s) -> Bool:
        """S16: a block is written while it is under construction or taken over, and a file is closed with COMPLETE."""
        open_ = s.block.at(BlockLifecycle.under_construction, BlockLifecycle.under_recovery)
        writes = s.stage.at(Stage.STREAMING, Stage.CLOSE, *RECOVERY_STAGES)
        return writes.implies(open_) & s.stage.at(Stage.CLOSED).implies(s.block.at(BlockLifecycle.complete))

    @invariant(
        inductive=True,
        given=(
            "nothing_is_before_the_block",
            "block_is_done_when_all_is_acknowledged",
            "only_open_blocks_are_written",
            "connection_is_of_this_pipeline",
        ),
    )
    def packets_are_sent_in_order(s, datanode: Datanode) -> Bool:
        """S1: no node has taken what was not sent, and the empty packet that ends the block is the last one."""
        open_ = s.stage.at(Stage.STREAMING, *RECOVERY_STAGES)
        last = s.stage.at(Stage.CLOSE).implies((s.acked <= s.sent) & (s.sent == s.bytes_sent + 1))
        sent = open_.implies((s.acked <= s.sent) & (s.sent <= s.bytes_sent)) & last
        return sent & (s.connection[datanode].taken <= s.sent) & (s.block_bytes <= s.bytes_sent)

    @invariant(
        inductive=True,
        given=("nothing_is_before_the_block", "packets_are_sent_in_order", "connection_is_of_this_pipeline"),
    )
    def block_is_done_when_all_is_acknowledged(s) -> Bool:
        """S14: the writer takes its block for done with the ack of the last packet, and for broken only before."""
        ended = s.stage.at(Stage.ENDED, Stage.CLOSED)
        open_ = s.stage.at(Stage.STREAMING, *RECOVERY_STAGES)
        return ended.implies(s.is_last(s.acked)) & open_.implies(~s.is_last(s.acked))

    @invariant(inductive=True, given=("nothing_is_before_the_block",))
    def stamp_is_asked_for_to_set_up(s) -> Bool:
        """S9: a stamp that the client was given belongs to one attempt: it sets up under it, or has failed."""
        return (s.new_stamp == 0) | s.stage.at(*RECOVERY_STAGES, Stage.FAILED)

    @invariant(inductive=True, given=("nothing_is_before_the_block",))
    def given_up_nodes_stay_out(s) -> Bool:
        """L4: a node that was given up is not in the pipeline any more, unless it was the last one (facts C.5)."""
        return s.stage.at(Stage.FAILED) | (s.pipeline & s.excluded).is_empty()

    @invariant(inductive=True, given=("nothing_is_before_the_block",))
    def nodes_are_set_up_in_order(s, datanode: Datanode) -> Bool:
        """L4: a node is set up only after those before it, and with a stamp that was asked for (facts C.5)."""
        before = forall(Datanode, lambda d: ~s.pipeline.has(d) | ~s.nearer(d, datanode) | s.set_up.has(d))
        set_up = s.set_up.has(datanode).implies(s.pipeline.has(datanode) & before)
        unasked = s.stage.at(*RECOVERY_STAGES) & (s.new_stamp == 0)
        return set_up & s.connected.has(datanode).implies(s.set_up.has(datanode)) & unasked.implies(s.set_up.is_empty())

    @invariant(inductive=True)
    def complete_block_is_somewhere(s) -> Bool:
        """S7: a COMPLETE block counts a replica; it may be on a datanode that is down."""
        return s.block.at(BlockLifecycle.complete).implies(~s.stored.is_empty())

    @invariant(
        inductive=True,
        given=("nothing_is_before_the_block", "complete_block_is_somewhere", "only_open_blocks_are_written"),
    )
    def blocks_have_a_pipeline(s) -> Bool:
        """L4: a client that was given a block has a node to write it to, or had one until its write failed."""
        return s.stage.at(Stage.NONE) | ~s.pipeline.is_empty()

    @invariant(
        inductive=True,
        given=(
            "nothing_is_before_the_block",
            "stamp_is_asked_for_to_set_up",
            "stamps_come_from_the_counter",
            "nodes_are_set_up_in_order",
            "blocks_have_a_pipeline",
        ),
    )
    def namenode_knows_the_pipeline(s, datanode: Datanode) -> Bool:
        """S8, S20: while a client writes, the block's locations are its nodes, but for those of unknown storages.

        So another pipeline than the NameNode knows is set up under a new stamp alone (HDFS-17850).
        """
        again = s.stage.at(*RECOVERY_STAGES) & ~s.stage.at(Stage.SETUP_CREATE)
        fenced = again & (s.new_stamp <= s.stamp)
        first = s.stage.at(Stage.SETUP_CREATE) & (s.new_stamp > 0) & (s.new_stamp == s.stamp)
        writes = s.stage.at(Stage.STREAMING, Stage.CLOSE) | first
        known = s.locations.has(datanode).implies(s.pipeline.has(datanode))
        told = s.pipeline.has(datanode).implies(s.locations.has(datanode) | s.unknown.has(datanode))
        return writes.implies(known & told) & fenced.implies(s.set_up.is_empty())

    @invariant(inductive=True)
    def connection_is_of_this_pipeline(s, datanode: Datanode) -> Bool:
        """S2: a node that is not connected has taken and confirmed nothing, and confirms no more than it has taken."""
        connection = s.connection[datanode]
        none_ = (connection.taken == 0) & (connection.confirmed == 0) & connection.bad_node.is_none()
        return (s.connected.has(datanode) | none_) & (connection.confirmed <= connection.taken)

    @invariant(inductive=True, given=("nothing_is_before_the_block",))
    def acks_blame_nodes_of_the_pipeline(s, datanode: Datanode) -> Bool:
        """L4: whom an ack calls bad is in the pipeline (HDFS-3398, facts C.2)."""
        bad = s.connection[datanode].bad_node
        return bad.is_none() | s.pipeline.has(bad)

    @invariant(inductive=True, given=("nothing_is_before_the_block",))
    def nothing_is_sent_before_it_is_set_up(s) -> Bool:
        """S1: as long as the first pipeline is set up nothing is sent, and so nothing acknowledged."""
        return s.stage.at(Stage.SETUP_CREATE).implies((s.bytes_sent == 0) & (s.sent == 0) & (s.acked == 0))

    @invariant(inductive=True)
    def replicas_are_written_or_done(s, datanode: Datanode) -> Bool:
        """S24: no replica that a pipeline meets is TEMPORARY, or under a recovery, which is not looked at here."""
        return ~s.replica[datanode].state.at(ReplicaLifecycle.temporary, ReplicaLifecycle.rur)

    @invariant(inductive=True, given=("nothing_is_before_the_block", "stamps_come_from_the_counter"))
    def new_stamp_is_on_no_other_replica(s, datanode: Datanode) -> Bool:
        """S8, S9: the stamp of an attempt is on the nodes alone that were set up in it."""
        first = s.stage.at(Stage.SETUP_CREATE) & (s.new_stamp > 0)
        attempt = (first | (s.stage.at(*RECOVERY_STAGES) & (s.new_stamp > s.stamp))) & ~s.set_up.has(datanode)
        return attempt.implies(s.replica[datanode].stamp < s.new_stamp)

    @invariant(
        inductive=True,
        given=(
            "nothing_is_before_the_block",
            "only_replicas_being_written_have_a_writer",
            "only_open_blocks_are_written",
            "nodes_are_set_up_in_order",
            "new_stamp_is_on_no_other_replica",
            "stamps_come_from_the_counter",
            "blocks_have_a_pipeline",
            "namenode_knows_the_pipeline",
        ),
    )
    def counted_replicas_match(s, datanode: Datanode) -> Bool:
        """S7: each replica that is counted is of a COMPLETE block, and FINALIZED with its stamp and length.

        Or it was, before the block was opened again; none is counted any more when packets are sent.
        """
        replica = s.replica[datanode]
        same = (replica.stamp == s.block_stamp) & (replica.num_bytes == s.block_bytes)
        matches = replica.state.at(ReplicaLifecycle.finalized) & same
        open_ = s.block.at(BlockLifecycle.under_construction, BlockLifecycle.under_recovery)
        reopened = open_ & s.stage.at(Stage.SETUP_APPEND, Stage.SETUP_APPEND_RECOVERY, Stage.FAILED)
        return s.stored.has(datanode).implies((s.block.at(BlockLifecycle.complete) & matches) | reopened)

    @invariant
    def packets_go_down_the_chain(s, first: Datanode, second: Datanode) -> Bool:
        """S1: a node has taken no packet that one before it in the chain, still connected, has not."""
        chain = s.connected.has(first) & s.connected.has(second) & s.nearer(first, second)
        return chain.implies(s.connection[second].taken <= s.connection[first].taken)

    @invariant(inductive=True)
    def only_connections_hang(s) -> Bool:
        """A node hangs in a connection that it has, and not once that is closed (facts X.4.34)."""
        return s.hung <= s.connected

    @transition(inductive=True)
    def bytes_are_promised_while_streaming(s, t: Self) -> Bool:
        """S6: an hflush returns while the client streams; besides, only the commit of the block promises bytes."""
        return (t.hflushed > s.hflushed).implies(s.stage.at(Stage.STREAMING, Stage.ENDED))

    @transition(inductive=True)
    def small_blocks_get_no_other_node(s, t: Self) -> Bool:
        """L4: of a block with less than three replicas DEFAULT goes on with the nodes that are left (facts C.6)."""
        small = s.stage.at(*RECOVERY_STAGES) & (s.always_replaces == 0) & (s.replication < 3)
        return small.implies((t.pipeline <= s.pipeline) & (t.passed_over <= s.passed_over))

    @transition(inductive=True)
    def ack_ends_a_row_of_recoveries(s, t: Self) -> Bool:
        """L4: only recoveries in a row end a write: with an ack in between they are counted anew (facts C.5 step 2)."""
        writes = s.stage.at(Stage.STREAMING, Stage.CLOSE) & (s.stage == t.stage)
        return (writes & (t.acked > s.acked)).implies(t.recoveries == 0)
