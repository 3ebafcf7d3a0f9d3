"""Callers with streams that set their pipelines up again."""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.state import Client, Datanode, File, StreamStage, no_datanode
from genstamp_spec.hdfs.state.appends import Appends


class Resumption(Record):
    """How far a client is with setting its pipeline up again."""

    new_stamp = ordered(limit="stamps")  # 0: it is not setting one up
    ready = members(Datanode)  # nodes that have taken it


def no_resumption() -> Resumption:
    """The client is not setting a pipeline up again."""
    return Resumption(new_stamp=0, ready=no_datanode())


class ResumptionState(Part):
    """What clients know of the pipelines that they set up again."""

    resumption = per(Client, per(File, record(Resumption)))


class Resumptions(Appends, ResumptionState):
    """The client between updateBlockForPipeline and updatePipeline, for the first time or without a failed node."""

    def is_resuming(s, client: Client, file: File) -> Bool:
        """The client has a stamp for what is left of its pipeline, and has not told the NameNode of it yet."""
        return s.resumption[client][file].new_stamp > 0

    def still_good(s, client: Client, file: File) -> Members[Datanode]:
        """Nodes of the client's pipeline that have not failed it."""
        stream = s.stream[client][file]
        return those(Datanode, lambda d: stream.pipeline.has(d) & s.is_good(client, file, d))

    def is_good(s, client: Client, file: File, datanode: Datanode) -> Bool:
        """The node takes the client's packets, has acknowledged the last one, or is set up anew."""
        ready = s.resumption[client][file].ready | s.stream[client][file].finalized
        return super().writes_to(client, file, datanode) | (s.running.has(datanode) & ready.has(datanode))

    def writes_to(s, client: Client, file: File, datanode: Datanode) -> Bool:
        """The datanode takes the client's packets: its connection is not closed for the pipeline to be set up again."""
        return super().writes_to(client, file, datanode) & ~s.is_resuming(client, file)

    def ready_to_complete(s, client: Client, file: File) -> Bool:
        """The client's last packet is acknowledged, and it is not setting its pipeline up again."""
        return super().ready_to_complete(client, file) & ~s.is_resuming(client, file)

    def has_lost_a_node(s, client: Client, file: File) -> Bool:
        """A node of the pipeline has failed since it was set up, and another is left."""
        stream = s.stream[client][file]
        good = s.still_good(client, file)
        has_block = stream.stage.at(StreamStage.STREAMING, StreamStage.CLOSING)
        was_set_up = stream.pipeline <= (stream.set_up | (stream.pipeline - s.running))
        return has_block & was_set_up & (good != stream.pipeline) & ~good.is_empty()

    def asks_for_stamp(s, client: Client, file: File) -> None:
        """Checks: a pipeline is to be set up, for the first time or without a node that has failed (facts C.5)."""
        first = s.needs_first_stamp(client, file)
        require(first | s.has_lost_a_node(client, file), "the client is to set up a pipeline")

    def takes_stamp(s, client: Client, file: File) -> None:
        """The client goes to the nodes with it; those that have failed are left out."""
        first, good = s.needs_first_stamp(client, file), s.still_good(client, file)
        stream, resumption = s.stream[client][file], s.resumption[client][file]
        resumption.new_stamp = when(first, 0, s.last_stamp)
        resumption.ready.clear()
        stream.pipeline = when(first, stream.pipeline, good)
        stream.stamp = when(first, s.last_stamp, stream.stamp)

    def passes_pipeline(s, client: Client, file: File) -> None:
        """Checks: every node of the pipeline is set up."""
        again = s.is_resuming(client, file)
        nodes = when(again, s.resumption[client][file].ready, s.stream[client][file].set_up)
        require(again | s.has_first_stamp(client, file), "the client sets up a pipeline")
        require(s.stream[client][file].pipeline <= nodes, "every node of the pipeline is set up")

    def new_pipeline(s, client: Client, file: File) -> tuple[Ordered, Number, Members[Datanode]]:
        """The new stamp, what is acknowledged, and the nodes that are left."""
        stream = s.stream[client][file]
        new = s.resumption[client][file].new_stamp
        return when(s.is_resuming(client, file), new, stream.stamp), stream.acked, stream.pipeline

    def forgets(s, client: Client) -> None:
        """A client that stops sets nothing up any more."""
        s.resumption[client].update(lambda file: no_resumption())

    def goes_on(s, client: Client, file: File) -> None:
        """The stream goes on under the new stamp; a closing one has every ack (facts C.5 step 5)."""
        stream = s.stream[client][file]
        stream.stamp = when(s.is_resuming(client, file), s.resumption[client][file].new_stamp, stream.stamp)
        stream.stage = when(stream.stage.at(StreamStage.OPEN), StreamStage.STREAMING, stream.stage)
        stream.set_up = stream.pipeline
        stream.finalized = when(stream.stage.at(StreamStage.CLOSING), stream.pipeline, no_datanode())
        s.resumption[client][file] = no_resumption()
