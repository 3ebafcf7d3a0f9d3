"""The world as a node of GFS sees it: connections push data along a chain of chunkservers."""

from typing import TypeAlias

from genstamp_dfs.gfs.messages.data_flow import Message, Operation
from genstamp_dfs.world import runtime as world

Connection: TypeAlias = world.Connection[Message]
Runtime: TypeAlias = world.Runtime[Operation, Message]
