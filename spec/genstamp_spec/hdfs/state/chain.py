"""A pipeline as its actors share it: the writer's loop of recoveries, and what the datanodes of the chain are asked."""

from genstamp_model.language import *
from genstamp_model.language import Attempt
from genstamp_spec.hdfs.parts.pipeline_state import Connection, PipelineState, Stage
from genstamp_spec.hdfs.parts.replica_recovery import ReplicaRecovery
from genstamp_spec.hdfs.parts.replica_state import Writer
from genstamp_spec.hdfs.parts.state import Datanode
from genstamp_spec.lifecycles.replica import ReplicaLifecycle


class Chain(PipelineState, ReplicaRecovery):
    """The writer's stages, requests to the nodes, whom the NameNode names, and which nodes are silent or serve."""

    # The writer.

    def in_stage(s, *stages: Stage) -> None:
        """Checks: where the client is."""
        require(s.writer_alive, "the client is running")
        require(s.stage.at(*stages), "the client is in this stage")

    def may_write(s) -> None:
        """Checks: the application has something to write; a hook, here without effect."""

    def has_to_recover(s) -> None:
        """Checks: the client has a connection with packets not acknowledged yet."""
        s.in_stage(Stage.STREAMING, Stage.CLOSE)
        require(~s.is_last(s.acked), "the last packet is not acknowledged yet (HDFS-16127)")

    def set_up_again(s) -> None:
        """Step 1: the stage becomes its recovery stage, and what is not acknowledged waits to be sent again."""
        later = when(s.stage.at(Stage.SETUP_APPEND), Stage.SETUP_APPEND_RECOVERY, s.stage)
        later = when(s.stage.at(Stage.STREAMING), Stage.STREAMING_RECOVERY, later)
        s.stage = when(s.stage.at(Stage.CLOSE), Stage.CLOSE_RECOVERY, later)
        s.sent = s.acked
        s.start_attempt()

    def start_attempt(s) -> None:
        """Nothing is connected, no stamp asked for; what a node of the old connections still does, it did before."""
        s.new_stamp = 0
        s.set_up.clear()
        s.connected.clear()
        s.hung.clear()
        s.connection = each(Datanode, lambda d: Connection(taken=0, confirmed=0, bad_node=none))
        s.has_replaced = False
        s.passed_over.clear()

    def wants_replacement(s) -> Bool:
        """ReplaceDatanodeOnFailure: DEFAULT, or ALWAYS; never while the block is created."""
        nodes = s.pipeline.size()
        grave = (nodes + nodes <= s.replication) | (s.appends > 0) | s.has_flushed
        policy = (s.always_replaces == 1) | ((s.replication >= 3) & grave)
        return policy & (nodes < s.replication) & ~s.stage.at(Stage.SETUP_CREATE) & ~s.has_replaced

    def is_spare(s, datanode: Datanode) -> Bool:
        """getAdditionalDatanode gives this node: the first one that is not in the pipeline and was not given up.

        A block is placed on storages that the NameNode knows.

        Which one it is makes no difference: they are alike, so that the chain stays in the order of their numbers.
        """
        unwanted = s.pipeline | s.excluded | s.passed_over | s.unknown
        others = those(Datanode, lambda d: ~unwanted.has(d))
        return others.has(datanode) & ~exists(Datanode, lambda d: others.has(d) & s.nearer(d, datanode))

    def is_known_by_storages(s) -> None:
        """Checks: the NameNode can place a replica beside those of the pipeline; a hook, here without effect."""

    def waits(s) -> None:
        """A planned restart does not count as a recovery: a hook, here without effect."""

    # Requests of the writer to the nodes. They name the block's old and new stamp, and what was acknowledged and sent.

    def requested_stamp(s, datanode: Datanode) -> Ordered:
        """The block's stamp in the request that reaches this node: each node passes it on as it came (HDFS-1467)."""
        del datanode
        return s.stamp

    def create(s, datanode: Datanode) -> None:
        """PIPELINE_SETUP_CREATE, for the first time."""
        s.create_rbw(datanode, s.new_stamp)

    def create_again(s, datanode: Datanode) -> None:
        """PIPELINE_SETUP_CREATE under a new stamp, where an earlier attempt has left a replica."""
        s.create_rbw_over_existing(datanode, s.new_stamp)

    def open_again(s, datanode: Datanode) -> None:
        """PIPELINE_SETUP_APPEND."""
        s.append(datanode, s.requested_stamp(datanode), s.new_stamp, s.acked_bytes())

    def open_again_again(s, datanode: Datanode) -> None:
        """PIPELINE_SETUP_APPEND_RECOVERY."""
        s.recover_append(datanode, s.requested_stamp(datanode), s.new_stamp, s.acked_bytes())

    def stream_again(s, datanode: Datanode) -> None:
        """PIPELINE_SETUP_STREAMING_RECOVERY."""
        s.recover_rbw(datanode, s.requested_stamp(datanode), s.new_stamp, s.acked_bytes(), s.bytes_sent)

    def close_again(s, datanode: Datanode) -> None:
        """PIPELINE_CLOSE_RECOVERY."""
        s.recover_close(datanode, s.requested_stamp(datanode), s.new_stamp, s.acked_bytes())

    def asked(s, datanode: Datanode, *stages: Stage) -> None:
        """Checks: the request reaches this node, from the client or the node before it."""
        before = forall(Datanode, lambda d: ~s.pipeline.has(d) | ~s.nearer(d, datanode) | s.connected.has(d))
        require(s.stage.at(*stages), "the client sets the pipeline up in this stage")
        require(s.new_stamp > 0, "the client has a stamp for it")
        require(s.pipeline.has(datanode) & ~s.set_up.has(datanode), "the datanode is in the pipeline, not set up yet")
        require(before, "the nodes before it are set up")
        require(s.running.has(datanode), "the datanode is running")

    def grants(s, datanode: Datanode, call: Attempt) -> None:
        """The replica takes the writer, and the node is connected."""
        require(call.possible, "the datanode does not refuse")
        call.take()
        s.set_up.add(datanode)
        s.connected.add(datanode)
        s.restarting.remove(datanode)
        s.connection[datanode] = Connection(taken=s.acked, confirmed=s.acked, bad_node=none)
        observe(generation_stamp=s.new_stamp)

    def refuses(s, datanode: Datanode) -> Bool:
        """The datanode refuses what the stage asks for: it closes the connection without an answer."""
        first, again = attempt(lambda: s.create(datanode)), attempt(lambda: s.create_again(datanode))
        create = first.refused & ((s.new_stamp == s.stamp) | again.refused)
        open_ = attempt(lambda: s.open_again(datanode)).refused
        open_again = attempt(lambda: s.open_again_again(datanode)).refused
        stream = attempt(lambda: s.stream_again(datanode)).refused
        close = attempt(lambda: s.close_again(datanode)).refused
        return (
            (s.stage.at(Stage.SETUP_CREATE) & create)
            | (s.stage.at(Stage.SETUP_APPEND) & open_)
            | (s.stage.at(Stage.SETUP_APPEND_RECOVERY) & open_again)
            | (s.stage.at(Stage.STREAMING_RECOVERY) & stream)
            | (s.stage.at(Stage.CLOSE_RECOVERY) & close)
        )

    def can_copy(s, source: Datanode) -> Bool:
        """The node is up and has the replica, of the block's generation or a later one (facts B18; HDFS-3436)."""
        return s.running.has(source) & attempt(lambda: s.transfer_source(source, s.stamp)).possible

    def transfer(s, source: Datanode, target: Datanode) -> None:
        """What readers may see of the source is copied, under the stamp that the source has (facts B6, B7, B8, B.5).

        The copy is opened for the writer, or finalized if the source is: no other call can come in between here.
        """
        from_ = s.replica[source]
        stamp, visible = from_.stamp, s.visible_bytes(from_)
        finalized = from_.state.at(ReplicaLifecycle.finalized)
        attempt(lambda: s.create_temporary(target, stamp)).take()
        to = s.replica[target]
        s.set_lengths(to, visible)
        to.bytes_acked = when(finalized, 0, visible)
        to.writer = Writer.NONE
        to.state.fire(ReplicaLifecycle.finalize, where=finalized)
        to.state.fire(ReplicaLifecycle.convert_temporary_to_rbw, where=~finalized)

    # Faults and restarts of nodes.

    def is_silent(s, datanode: Datanode) -> Bool:
        """Whoever reads from the node finds its connection closed, or waits longer than the time-out.

        Heartbeat packets keep a connection without traffic from running into it, since HDFS-724 (facts C.2).
        """
        return ~s.connected.has(datanode) | s.hung.has(datanode)

    def may_fail(s, datanode: Datanode) -> None:
        """Checks: the datanode may have a fault; a hook, here without effect."""

    def close_connections(s, datanode: Datanode) -> None:
        """What was on its way to the node or from it is lost, or was received before."""
        s.connected.remove(datanode)
        s.hung.remove(datanode)
        s.connection[datanode] = Connection(taken=0, confirmed=0, bad_node=none)

    def notes_replica(s, datanode: Datanode) -> None:
        """It writes down that the replica is to be found as it was: a hook, here without effect (facts B12)."""

    def serves(s, datanode: Datanode) -> Bool:
        """The datanode is a location of the block, up, and has a replica of its generation that can be read."""
        replica = s.replica[datanode]
        current = replica.stamp >= s.block_stamp
        return s.locations.has(datanode) & s.running.has(datanode) & s.is_visible(replica) & current
