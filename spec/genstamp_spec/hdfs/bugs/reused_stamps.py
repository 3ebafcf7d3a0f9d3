"""HDFS-17850 in hdfs.write_path: a client of another make appends under the stamp that the block has (facts H.8).

Its pipeline is not the NameNode's. A datanode that was left out of it is a location still, with a FINALIZED replica of
the block's generation, and so its length decides when the block is recovered.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.hadoop_2_7 import ISSUE
from genstamp_spec.hdfs.parts.state import Client, File, Replica
from genstamp_spec.hdfs.state.resumptions import Resumptions
from genstamp_spec.lifecycles import BlockLifecycle, ReplicaLifecycle


class StampIsReused(Resumptions, lane=Client):
    """The same where append refuses the old stamp: the client comes back with PIPELINE_SETUP_APPEND_RECOVERY."""

    @action
    def reuse_stamp(s, client: Client, file: File) -> None:
        """The client sets up the pipeline of its append under the stamp that the append was answered."""
        require(s.alive.has(client), "the client is running")
        require(s.needs_first_stamp(client, file), "the client is to set up a pipeline")
        require(s.block[file].at(BlockLifecycle.under_construction), "the block has the stamp that the append showed")
        s.stream[client][file].stamp = s.block_stamp[file]

    @action
    def go_on_untold(s, client: Client, file: File) -> None:
        """Every node is set up, and packets follow. The NameNode is told nothing."""
        require(s.alive.has(client), "the client is running")
        s.passes_pipeline(client, file)
        require(s.stream[client][file].stamp == s.block_stamp[file], "the stamp is not a new one")
        s.goes_on(client, file)

    def ready_to_complete(s, client: Client, file: File) -> Bool:
        """A client that appends stops before it completes its block: how the file ends is left to a recovery.

        If it completed the block, another promise would be broken before: it would have a short replica of its stamp.
        """
        return super().ready_to_complete(client, file) & (s.appends == 0)

    def takes(s, client: Client, file: File, replica: Replica) -> Bool:
        """The replica's stamp may be the new one, which may be the block's."""
        again = s.again_takes(client, file, replica)
        return when(s.is_first_try(client, file), super().takes(client, file, replica), again)

    def again_takes(s, client: Client, file: File, replica: Replica) -> Bool:
        """recoverCheck: the window of stamps is closed at both ends."""
        stream = s.stream[client][file]
        state = replica.state.at(ReplicaLifecycle.finalized, ReplicaLifecycle.rbw)
        window = (replica.stamp >= s.block_stamp[file]) & (replica.stamp <= stream.stamp)
        return state & window & (replica.num_bytes == stream.acked)


class AppendTakesItToo(StampIsReused):
    """A client appends under the stamp that the block has; a datanode that it left out decides the length in the end.

    As in Hadoop 3.4.1.
    """

    def takes(s, client: Client, file: File, replica: Replica) -> Bool:
        """append asks that the replica has the block's stamp, and that the new one is not below it."""
        again = s.again_takes(client, file, replica)
        finalized = replica.state.at(ReplicaLifecycle.finalized) & (replica.stamp == s.block_stamp[file])
        return again & (~s.is_first_try(client, file) | finalized)


HDFS_17850 = Bug(
    "HDFS-17850",
    parts=(AppendTakesItToo,),
    source=ISSUE + "HDFS-17850; open; measured with Hadoop 3.4.1: of 2,000 acknowledged bytes 1,000 were left",
).at("reused_stamp", "hflushed_bytes_survive")
HDFS_17850_IN_APPEND_ALONE = Bug(
    "HDFS-17850-in-append-alone",
    parts=(StampIsReused,),
    source=ISSUE + "HDFS-17850; what the patches proposed there leave open (apache/hadoop pull requests 8320, 8334)",
).at("reused_stamp", "hflushed_bytes_survive")
