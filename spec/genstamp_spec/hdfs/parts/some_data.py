"""Clients and datanodes for systems about files, leases and logs: what becomes of a block, and not how.

Coarser than the parts about replicas: the replicas of a block are alike and either being written or finalized; a
client's bytes reach them at once; a block recovery, once started, ends at any time, in one step with its commit, and
fails only if it is younger than what the NameNode knows of; a datanode leads one recovery of a file at a time; there is
no pipeline recovery. A replica is reported at any time.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.state import (
    Client,
    Datanode,
    File,
    StreamStage,
    only,
)
from genstamp_spec.hdfs.state.outline import Outline, no_writer
from genstamp_spec.lifecycles.block import BlockLifecycle


class SomeData(Outline, lane=Datanode):
    """Replicas that are finalized and reported, and recoveries that end."""

    @action(hidden=True)
    def finalize_replicas(s, file: File) -> None:
        """The last packet reaches the datanodes, sooner or later."""
        waiting = exists(Client, lambda client: s.has_sent_all(client, file))
        require(~s.running.is_empty(), "a datanode is running")
        require(waiting | s.block[file].at(BlockLifecycle.committed), "the client has sent its last packet")
        require(s.block[file].at(BlockLifecycle.under_construction, BlockLifecycle.committed), "nobody recovers it")
        require((s.written[file] > 0) & ~s.finalized[file], "there are replicas that are being written")
        s.finalized[file] = True


class SomeOutages(Outline, lane=Datanode):
    """Datanodes that are dead for a time."""

    @action
    def datanode_stops(s, datanode: Datanode) -> None:
        """A datanode is dead; the recoveries that it led end with it."""
        require(s.running.has(datanode), "the datanode is running")
        s.running.remove(datanode)
        s.crashes = s.crashes + 1
        s.stored.update(lambda file: s.stored[file] - only(datanode))
        s.led[datanode].update(lambda file: 0)

    @action
    def datanode_returns(s, datanode: Datanode) -> None:
        """The datanode is back with its replicas, and will report them."""
        require(~s.running.has(datanode), "the datanode is down")
        s.running.add(datanode)


class SomeStreams(Outline, lane=Client):
    """Clients that write a block, end it, and ask for the next one or close the file."""

    @action
    def write(s, client: Client, file: File) -> None:
        """One more byte is acknowledged. A recovery does not stop the client until its stamp is there."""
        writer = s.writer[client][file]
        require(s.alive.has(client) & ~s.running.is_empty(), "client and datanodes are running")
        require(writer.stage.at(StreamStage.STREAMING), "the client has a block to write")
        require(~writer.gone & (writer.stamp == s.block_stamp[file]), "the replicas are of the client's generation")
        require(s.block[file].at(*BlockLifecycle.not_complete) & ~s.finalized[file], "the replicas are being written")
        s.has_room(file)
        s.written[file] = s.written[file] + 1
        observe(num_bytes=s.written[file])

    @action
    def last_packet(s, client: Client, file: File) -> None:
        """The client ends its block: everything is acknowledged."""
        require(s.alive.has(client), "the client is running")
        require(s.writer[client][file].stage.at(StreamStage.STREAMING), "the client is streaming")
        s.writer[client][file].stage = StreamStage.CLOSING

    @action
    def client_crash(s, client: Client) -> None:
        """A client stops without warning; its files stay open at the NameNode."""
        require(s.alive.has(client), "the client is running")
        s.alive.remove(client)
        s.writer[client].update(lambda file: no_writer())
