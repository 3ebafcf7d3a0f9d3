"""The world as a node of HDFS sees it: connections are opened for a block, and carry what data transfer says."""

from typing import TypeAlias

from genstamp_dfs.hdfs.messages.data_transfer import Message, Operation
from genstamp_dfs.world import runtime as world

Connection: TypeAlias = world.Connection[Message]
Runtime: TypeAlias = world.Runtime[Operation, Message]
