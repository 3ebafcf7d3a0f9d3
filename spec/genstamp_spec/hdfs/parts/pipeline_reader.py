"""Readers of a block that is written: how much of it they are shown.

Coarser than HDFS: a reader asks for the length and reads no bytes; checksums play no part.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.state import Client, Datanode
from genstamp_spec.hdfs.state.chain import Chain


class BlockReaders(Chain, lane="client"):
    """DFSInputStream."""

    @action
    def read(s, client: Client, datanode: Datanode) -> None:
        """A reader opens the file and asks its locations how much is visible. The smallest answer counts.

        Locations that restart and will be back are waited for; how a reader tells them from dead ones is left open.

        Hadoop takes the first answer: bytes that only a node far down the chain shows may be cut off by a recovery.

        Source  DFSInputStream#readBlockLength, Hadoop 3.4.1; facts C.3.
        """
        require(s.serves(datanode), "the datanode answers")
        visible = s.visible_bytes(s.replica[datanode])
        least = forall(Datanode, lambda d: ~s.serves(d) | (visible <= s.visible_bytes(s.replica[d])))
        away = exists(Datanode, lambda d: s.locations.has(d) & s.restarting.has(d) & ~s.running.has(d))
        require(least & ~away, "no location shows less")
        require(visible > s.shown[client], "something new is shown")
        s.shown[client] = visible
        observe(num_bytes=visible)
