"""Reads the NameNode's lines about replicas: reported, ordered to be copied or deleted, found corrupt.

Not here: full block reports, which name no block. None of these is a step of a replica: what the NameNode orders, a
datanode carries out later, and logs itself. Messages are those of Hadoop 0.20 to 3.4.
"""

import re
from collections.abc import Iterator

from genstamp.logs.readers.log_message import Message, Patterns, UnreadableError
from genstamp.logs.readers.sighting import Concern, Sighting, whole_number

PATTERNS = Patterns()
"""Patterns of such messages, each with its meaning."""

_BLOCKS = re.compile(rb"blk_(-?\d{1,20})_(\d{1,20})(?:\{(?:block)?UCState=(\w+))?")
_ADDRESSES = re.compile(rb"[\w.-]+:\d+")

_REPORTED = {"RECEIVED": "block_received", "RECEIVING": "block_receiving", "DELETED": "block_deleted"}


@PATTERNS.says(
    rb"BLOCK* block ",
    rb"BLOCK\* block (?P<status>RECEIVED|RECEIVING|DELETED)_BLOCK: %(block)b is received from"
    rb" (?P<datanodes>[\w.-]+:\d+)",
)
def _reported(message: Message) -> Iterator[Sighting]:
    """An incremental report, after the NameNode has taken it in."""
    yield from _of(message, _REPORTED[message.text("status")], message.text("block"), message.text("stamp"))


PATTERNS.ignores(rb"BLOCK* block ", rb"BLOCK\* block blk_-?\d{1,20}_\d{1,20} is moved from neededReconstruction ")


@PATTERNS.says(
    rb"BLOCK* addToInvalidates:", rb"BLOCK\* addToInvalidates: %(block)b(?P<datanodes>(?: [\w.-]+:\d+){1,1000})"
)
@PATTERNS.says(
    rb"BLOCK* InvalidateBlocks: add ",
    rb"BLOCK\* InvalidateBlocks: add %(block)b to (?P<datanodes>[\w.-]+:\d+)",
)
@PATTERNS.says(
    rb"BLOCK* NameSystem.delete:",
    rb"BLOCK\* NameSystem\.delete: %(block)b is added to invalidSet of (?P<datanodes>[\w.-]+:\d+)",
)
def _invalidated(message: Message) -> Iterator[Sighting]:
    """Replicas are to be deleted: with their block, because there are too many, or because they are corrupt."""
    yield from _of(message, "add_to_invalidates", message.text("block"), message.text("stamp"))


@PATTERNS.says(
    rb"BLOCK* BlockManager: ask ",
    rb"BLOCK\* BlockManager: ask (?P<datanodes>[\w.-]+:\d+) to (?P<what>delete) (?=\[?blk_-?\d+_\d+)",
)
@PATTERNS.says(
    rb"BLOCK* InvalidateBlocks: ask ",
    rb"BLOCK\* InvalidateBlocks: ask (?P<datanodes>[\w.-]+:\d+) to (?P<what>delete) (?=\[?blk_-?\d+_\d+)",
)
@PATTERNS.says(
    rb"BLOCK* ask ",
    rb"BLOCK\* ask (?P<datanodes>[\w.-]+:\d+) to (?P<what>delete|replicate) +(?=\[?blk_-?\d+_\d+)",
    # Since 3.0 several may be asked at once, for the parts of a striped block.
    rb"BLOCK\* ask \[(?P<datanodes>[\w.-]+:\d+(?:, [\w.-]+:\d+){0,1000})\] to (?P<what>replicate) (?=blk_-?\d+_\d+)",
)
def _ordered(message: Message) -> Iterator[Sighting]:
    """An order for one datanode; one line of them names many blocks, up to 2.7 with the state of one that is open."""
    event, rest = f"ask_to_{message.text('what')}", message.match.string[message.match.end() :]
    if message.text("what") == "replicate" and b" to " not in rest:
        raise UnreadableError("the line ends before the datanodes that get the copy")
    for block_id, stamp, state in _BLOCKS.findall(rest):
        yield from _of(message, event, block_id.decode(), stamp.decode(), state.decode())


@PATTERNS.says(
    rb"BLOCK NameSystem.addToCorruptReplicasMap:",
    rb"BLOCK NameSystem\.addToCorruptReplicasMap: (?:duplicate requested for )?%(block)b"
    rb"(?: added as corrupt on|.{0,300}? to add as corrupt on) /?(?P<datanodes>[\w.-]+:\d+) by ",
)
@PATTERNS.says(
    rb"BLOCK* addToCorruptReplicasMap:",
    rb"BLOCK\* addToCorruptReplicasMap: %(block)b added as corrupt on /?(?P<datanodes>[\w.-]+:\d+) by ",
)
def _corrupt(message: Message) -> Iterator[Sighting]:
    yield from _of(message, "mark_block_as_corrupt", message.text("block"), message.text("stamp"))


def _of(message: Message, event: str, block_id: str, stamp: str, state: str = "") -> Iterator[Sighting]:
    """An event of a block and of its replicas on the datanodes that the line names."""
    generation_stamp = whole_number(stamp)
    if generation_stamp is None or whole_number(block_id) is None:
        raise UnreadableError(f"a number of blk_{block_id[:40]}_{stamp[:40]} does not fit 64 bits")
    datanodes = [address.decode() for address in _ADDRESSES.findall(message.match["datanodes"])]
    replicas = [Concern("replica", f"{block_id}@{datanode}") for datanode in datanodes]
    yield message.seen(
        event,
        "block",
        block_id,
        [Concern("block", block_id), *replicas],
        generation_stamp=generation_stamp,
        observed={"block_state": state} if state else {},
        datanodes=",".join(datanodes),
    )
