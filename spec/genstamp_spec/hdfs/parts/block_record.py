"""The NameNode's record of a block, for rules that are the same however a system keeps it.

Some systems have one block, others the last block of each file. What a call does to a block stands here once and is
told the record; who may call, and what it passes, is left to the parts that have the call as a step.
"""

from typing import Any, Generic, TypeVar, overload

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.state import Datanode, File
from genstamp_spec.lifecycles.block import BlockLifecycle

V = TypeVar("V")


class Kept(Generic[V]):
    """A field of a block's record, kept in the state's variable of this name."""

    def __init__(self, variable: str) -> None:
        self.variable = variable

    @overload
    def __get__(self, record: None, owner: type) -> "Kept[V]": ...
    @overload
    def __get__(self, record: "BlockRecord", owner: type) -> V: ...
    def __get__(self, record: "BlockRecord | None", owner: type) -> Any:
        if record is None:
            return self
        kept = getattr(record.part, self.variable)
        return kept if record.file is None else kept[record.file]

    def __set__(self, record: "BlockRecord", value: object) -> None:
        if record.file is None:
            setattr(record.part, self.variable, value)
        else:
            getattr(record.part, self.variable)[record.file] = value


class BlockRecord:
    """The one block of a system, or the last block of a file, to be read and assigned."""

    state = Kept[Lifecycle]("block")
    stamp = Kept[Ordered]("block_stamp")
    num_bytes = Kept[Number]("block_bytes")
    locations = Kept[Members[Datanode]]("locations")
    stored = Kept[Members[Datanode]]("stored")

    def __init__(self, part: Part, file: File | None = None) -> None:
        self.part = part
        self.file = file


def may_replace_generation(block: BlockRecord, stamp: Ordered, num_bytes: Number) -> None:
    """Checks: what a client passes to updatePipeline (FSNamesystem#updatePipelineInternal, 3.4.1; facts E.7)."""
    require(stamp > block.stamp, "the new stamp is above the block's", "IOException", defensive=True)
    require(num_bytes >= block.num_bytes, "the block does not get shorter", "IOException", defensive=True)


def replace_generation(block: BlockRecord, stamp: Ordered, num_bytes: Number, locations: Members[Datanode]) -> None:
    """The block takes stamp, length and nodes of its new pipeline; replicas of another stamp count no more.

    Source  FSNamesystem#updatePipelineInternal, BlockManager#updateLastBlock, Hadoop 3.4.1; facts A5, E.7.
    """
    block.state.fire(BlockLifecycle.update_pipeline)
    block.stamp = stamp
    block.num_bytes = num_bytes
    block.locations = locations
    block.stored.clear()
