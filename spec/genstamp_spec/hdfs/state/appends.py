"""Callers with streams that append to a closed file."""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.state import BlockState, Client, Datanode, File, Replica, StreamStage
from genstamp_spec.hdfs.state.streams import Streams
from genstamp_spec.lifecycles.replica import ReplicaLifecycle


class AppendState(BlockState):
    """History only."""

    appends = number(limit="appends")  # only limited, never read


class Appends(Streams, AppendState):
    """A client that appends is `OPEN` until its pipeline is set up; its stamp is 0 while it has none from the NameNode.

    Its first pipeline (facts C.5): a stamp, the datanodes, and the NameNode learns of both.
    """

    def is_setting_up(s, client: Client, file: File) -> Bool:
        """The client has a block to append to, and no pipeline yet."""
        stream = s.stream[client][file]
        return stream.stage.at(StreamStage.OPEN) & ~stream.pipeline.is_empty()

    def needs_first_stamp(s, client: Client, file: File) -> Bool:
        """The client goes to set up its first pipeline, or to try it again without a node that has failed."""
        return s.is_setting_up(client, file) & (s.stream[client][file].stamp == 0)

    def has_first_stamp(s, client: Client, file: File) -> Bool:
        """The client has a stamp for its first pipeline."""
        return s.is_setting_up(client, file) & (s.stream[client][file].stamp > 0)

    def passes_no_block(s, client: Client, file: File) -> Bool:
        """As before; but a client that appends was given one."""
        return super().passes_no_block(client, file) & ~s.is_setting_up(client, file)

    def asks_for_stamp(s, client: Client, file: File) -> None:
        """Checks: a pipeline is to be set up, for the first time or without a node that has failed."""
        require(s.needs_first_stamp(client, file), "the client is to set up a pipeline")

    def takes_stamp(s, client: Client, file: File) -> None:
        """The client goes to the nodes with it."""
        s.stream[client][file].stamp = s.last_stamp

    def passes_pipeline(s, client: Client, file: File) -> None:
        """Checks: every node of the pipeline has taken the block."""
        stream = s.stream[client][file]
        require(s.has_first_stamp(client, file), "the client sets up a pipeline")
        require(stream.pipeline <= stream.set_up, "every node of the pipeline is set up")

    def new_pipeline(s, client: Client, file: File) -> tuple[Ordered, Number, Members[Datanode]]:
        """The length is still that of the block."""
        stream = s.stream[client][file]
        return stream.stamp, stream.acked, stream.pipeline

    def goes_on(s, client: Client, file: File) -> None:
        """Packets follow."""
        s.stream[client][file].stage = StreamStage.STREAMING

    def is_first_try(s, client: Client, file: File) -> Bool:
        """No node of the pipeline has failed so far (stage PIPELINE_SETUP_APPEND, facts C.1)."""
        return s.stream[client][file].pipeline == s.locations[file]

    def takes(s, client: Client, file: File, replica: Replica) -> Bool:
        """The replica is as the client's request says: for the first try FINALIZED, else FINALIZED or RBW.

        Its stamp is the block's, or was given to this client by an earlier try; its length is the block's. The old
        stamp that the client names is the block's, unless a recovery has ended since: then no stamp fits.
        """
        stream = s.stream[client][file]
        finalized = replica.state.at(ReplicaLifecycle.finalized)
        state = when(s.is_first_try(client, file), finalized, finalized | replica.state.at(ReplicaLifecycle.rbw))
        first = replica.stamp == s.block_stamp[file]
        again = replica.stamp >= s.block_stamp[file]
        stamp = when(s.is_first_try(client, file), first, again) & (replica.stamp < stream.stamp)
        return state & stamp & (replica.num_bytes == stream.acked)
