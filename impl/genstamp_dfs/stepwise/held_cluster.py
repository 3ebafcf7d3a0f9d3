"""All nodes of a cluster in which everything waits.

Not here: the steps.
"""

import random
from typing import Any

from msgspec import structs

from genstamp_dfs.hdfs.client import DFSClient
from genstamp_dfs.hdfs.client.output_stream import DFSOutputStream
from genstamp_dfs.hdfs.messages.client_protocol import LastBlockWithStatus, LocatedBlocks
from genstamp_dfs.hdfs.namenode.namenode import NameNode
from genstamp_dfs.simulation.cluster import SimulatedCluster
from genstamp_dfs.stepwise.loop import HeldLoop
from genstamp_dfs.stepwise.network import HeldNetwork
from genstamp_dfs.stepwise.orders import Orders
from genstamp_dfs.world.request import Caller, Request


class InOrder(random.Random):
    """Leaves what it is to shuffle as it is."""

    def shuffle(self, x: Any) -> None:
        """Change nothing."""


class EndingStream(DFSOutputStream):
    """A stream that ends its block also if nothing was written: the streamer and the datanodes know no difference."""

    async def close(self) -> None:
        """As its parent; of an empty file too there is a block to end."""
        if self.position == 0:
            await self._end_block()
        await super().close()


class LocalClient(DFSClient):
    """A client on the machine of each datanode."""

    stream_class = EndingStream

    def is_local(self, datanode: str) -> bool:  # noqa: ARG002
        """It is."""
        return True


class HeldCluster(SimulatedCluster):
    """All nodes, each call of the writer and each message of its pipeline held.

    Attributes:
        orders: what is in which order.
        first_read: the datanode that readers are to ask first.
    """

    first_read = ""
    client_class = LocalClient
    loop_class = HeldLoop
    network_class = HeldNetwork

    def __init__(self, *arguments: Any) -> None:
        self.orders = Orders()
        super().__init__(*arguments)

    def dice(self, what: str) -> random.Random:
        """In which the datanodes come in their order."""
        return InOrder(f"{what} {self._seed}")

    def _handle(self, namenode: NameNode, request: Request[Any], caller: Caller) -> Any:
        """As its parent; the datanodes of a block that is appended to are named in the order of their names.

        Of a block that is read, `first_read` is named first.
        """
        answer = super()._handle(namenode, request, caller)
        if isinstance(answer, LocatedBlocks) and answer.last_block is not None:
            last = answer.last_block
            nodes = sorted(last.locations, key=lambda node: node != self.first_read)
            return structs.replace(answer, last_block=structs.replace(last, locations=tuple(nodes)))
        if isinstance(answer, LastBlockWithStatus) and answer.block is not None:
            located = structs.replace(answer.block, locations=tuple(sorted(answer.block.locations)))
            return structs.replace(answer, block=located)
        return answer
