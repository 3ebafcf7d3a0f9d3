"""The most frequent messages of NameNodes and datanodes, compiled: how they look, byte by byte.

Each function decides a message only if the result of the patterns of `log_namenode`, `log_datanode` and similar modules
is certain. Not here: lines (`log_scan`).
"""

from enum import IntEnum
from typing import Any, NamedTuple

from genstamp.logs.compiled import inlined
from genstamp.logs.readers.log_bytes import (
    as_bytes,
    has,
    is_blank,
    is_plain,
    is_word,
    number,
    same,
    until_blank,
    until_brace,
    until_comma,
)


class Told(IntEnum):
    """The content of a decided line."""

    WRITE_BLOCK = 0
    FINALIZE_REPLICA = 1
    RESPONDER_ENDS = 2
    INVALIDATE_REPLICA = 3
    STORED = 4
    STORED_UNDER_CONSTRUCTION = 5
    STORED_UNDER_RECOVERY = 6
    STORED_COMMITTED = 7
    STORED_COMPLETE = 8


class Known(NamedTuple):
    """The content of the lines before.

    Attributes:
        pool: the block pool; empty if there is none. nodes: names of the nodes, one after another. node_starts: where
        each begins, and the end; node 0 is the NameNode. only: number of the only datanode, -1 if there is none or
        several. lacking: by the low bits of a block's id, whether replicas of such a block are counted.
        decides_files: whether lines of files are decided. files_here: whether files may be in `log_files`. granted: see
        `log_state.LogState.granted`.
    """

    pool: Any
    nodes: Any
    node_starts: Any
    only: int
    lacking: Any
    decides_files: bool
    files_here: bool
    granted: Any


LACKING_BITS = 16
"""Low bits of a block's id by which replicas are counted."""

UNDECIDED, NOTHING = -1, -2
"""Given in place of a `Told`: it is not certain what the line tells; it is certain that it is no step."""

_FINALIZE, _STORED = Told.FINALIZE_REPLICA.value, Told.STORED.value

# Read-only arrays of the module are constants for the compiler.
_POOL = as_bytes(b"BP-")
_SERVICE, _BLK, _OLD = as_bytes(b"Block pool "), as_bytes(b"blk_"), as_bytes(b"block ")
_SRC, _DEST, _DEST_IN_TRACE = as_bytes(b" src: /"), as_bytes(b" dest: /"), as_bytes(b" dest: /")
_BYTES, _OP, _WRITES = as_bytes(b", bytes: "), as_bytes(b", op: "), as_bytes(b"HDFS_WRITE")
_CLIENT, _OFFSET = as_bytes(b", cliID: "), as_bytes(b", offset: ")
_SERVER, _BLOCK_ID = as_bytes(b", srvID: "), as_bytes(b", blockid: ")
_TYPE, _TERMINATING = as_bytes(b", type="), as_bytes(b" terminating")
_FILE, _REPLICA, _URI = as_bytes(b" file "), as_bytes(b" replica "), as_bytes(b" URI ")
_UPDATED, _ADDED = as_bytes(b" blockMap updated: "), as_bytes(b" is added to ")
_REPLICAS, _FOR, _CLOSED_BY = as_bytes(b", replicas="), as_bytes(b" for "), as_bytes(b" is closed by ")
_SIZE, _SIZE_IS = as_bytes(b" size "), as_bytes(b" (size=")
_UC_STATE, _BLOCK_UC_STATE = as_bytes(b"{UCState="), as_bytes(b"{blockUCState=")
_CONSTRUCTION, _RECOVERY = as_bytes(b"UNDER_CONSTRUCTION"), as_bytes(b"UNDER_RECOVERY")
_COMMITTED, _COMPLETE = as_bytes(b"COMMITTED"), as_bytes(b"COMPLETE")


@inlined()  # type: ignore[untyped-decorator, unused-ignore]
def _block(text: Any, at: int, end: int) -> tuple[int, int, int]:
    """Id and stamp of a block, and where its name ends; -1 for the end if there is none."""
    if not has(text, at, end, _BLK):
        return 0, 0, -1
    here = at + 4
    negative = here < end and text[here] == 45
    block, here = number(text, here + negative, end)
    if here < 0 or here >= end or text[here] != 95 or (negative and block == 0):
        return 0, 0, -1
    stamp, here = number(text, here + 1, end)
    return -block if negative else block, stamp, here


@inlined()  # type: ignore[untyped-decorator, unused-ignore]
def _pooled(text: Any, at: int, end: int, pool: Any) -> tuple[int, int, int, int]:
    """The same, with or without its block pool before it, and whether that is there."""
    named = 0
    if has(text, at, end, _POOL):
        if len(pool) == 0 or not has(text, at, end, pool) or at + len(pool) >= end or text[at + len(pool)] != 58:
            return 0, 0, -1, 0
        at += len(pool) + 1
        named = 1
    block, stamp, here = _block(text, at, end)
    return block, stamp, here, named


@inlined()  # type: ignore[untyped-decorator, unused-ignore]
def _node(text: Any, at: int, end: int, nodes: Any, starts: Any) -> int:
    """Number of the datanode whose name is exactly this; -1 if it is none that is known."""
    for node in range(1, len(starts) - 1):
        if starts[node + 1] - starts[node] == end - at and same(text, at, nodes, starts[node], end - at):
            return node
    return -1


@inlined()  # type: ignore[untyped-decorator, unused-ignore]
def names_only(text: Any, at: int, end: int, began: int, pool: Any) -> bool:
    """Whether a `BP-` is the known block pool, and nothing that a line may tell of pools beside."""
    if len(pool) == 0 or not has(text, at, end, pool):
        return False
    if at > began and is_word(text[at - 1]):
        return False
    if at - 11 >= began and has(text, at - 11, end, _SERVICE):
        return False
    here = at + len(pool)
    if here < end and text[here] == 58:
        here += 1
        _, _, after = _block(text, here, end)
        if after > 0:
            here = after
    # Nothing that could make the name of the pool any longer.
    return here >= end or not (is_word(text[here]) or text[here] == 58 or text[here] == 45)


@inlined()  # type: ignore[untyped-decorator, unused-ignore]
def stored(text: Any, at: int, end: int) -> tuple[int, int, int, int, int, int]:
    """The kind of step, block, stamp, length, and where the datanode's name begins and ends; -1 if that is not
    certain.
    """
    nothing = -1, 0, 0, 0, 0, 0
    updated = has(text, at, end, _UPDATED)
    began = at + (len(_UPDATED) if updated else 1)
    stop = until_blank(text, began, end)
    if stop == began or text[at] != 32 or not has(text, stop, end, _ADDED):
        return nothing
    block, stamp, here = _block(text, stop + len(_ADDED), end)
    if here < 0:
        return nothing
    told = _STORED
    if updated:
        told = _STORED + 4
        if here < end and text[here] == 123:
            told, here = _state(text, here, end)
            if told < 0:
                return nothing
        if not has(text, here, end, _SIZE):
            return nothing
        length, here = number(text, here + len(_SIZE), end)
    else:
        if not has(text, here, end, _SIZE_IS):
            return nothing
        length, here = number(text, here + len(_SIZE_IS), end)
        if here >= end or text[here] != 41:
            return nothing
        length = -1
    if here < 0:
        return nothing
    return told, block, stamp, length, began, stop


@inlined()  # type: ignore[untyped-decorator, unused-ignore]
def _state(text: Any, at: int, end: int) -> tuple[int, int]:
    """The facts about a block in this state, and where its visible part ends."""
    if has(text, at, end, _UC_STATE):
        at += len(_UC_STATE)
    elif has(text, at, end, _BLOCK_UC_STATE):
        at += len(_BLOCK_UC_STATE)
    else:
        return -1, at
    here = at
    while here < end and is_word(text[here]):
        here += 1
    size = here - at
    told = -1
    if size == len(_CONSTRUCTION) and has(text, at, end, _CONSTRUCTION):
        told = _STORED + 1
    elif size == len(_RECOVERY) and has(text, at, end, _RECOVERY):
        told = _STORED + 2
    elif size == len(_COMMITTED) and has(text, at, end, _COMMITTED):
        told = _STORED + 3
    elif size == len(_COMPLETE) and has(text, at, end, _COMPLETE):
        told = _STORED + 4
    began = here
    here = until_brace(text, here, end)
    if here >= end or here - began > 5000:
        return -1, at
    return told, here + 1


@inlined()  # type: ignore[untyped-decorator, unused-ignore]
def receiving(text: Any, at: int, end: int, known: Known) -> tuple[int, int, int, int]:
    """Block, stamp, node, whether the pool is named; -1 for the node if that is not certain."""
    nothing = 0, 0, -1, 0
    if has(text, at, end, _OLD):
        at += len(_OLD)
    block, stamp, here, named = _pooled(text, at, end, known.pool)
    if here < 0 or not has(text, here, end, _SRC):
        return nothing
    began = here + len(_SRC)
    here = until_blank(text, began, end)
    if here == began or not has(text, here, end, _DEST):
        return nothing
    began = here + len(_DEST)
    return block, stamp, _node(text, began, until_blank(text, began, end), known.nodes, known.node_starts), named


@inlined()  # type: ignore[untyped-decorator, unused-ignore]
def trace(text: Any, at: int, end: int, known: Known) -> tuple[int, int, int, int, int, int, int, int]:
    """The kind of step, block, stamp, length, node, whether the pool is named, where the client begins and ends.

    -1 for the kind if that is not certain, -2 if it is no step.
    """
    nothing = -1, 0, 0, 0, 0, 0, 0, 0
    if at >= end or text[at] != 47:
        return nothing
    here = until_blank(text, at + 1, end)
    if here - at < 3 or text[here - 1] != 44 or not has(text, here, end, _DEST):
        return nothing
    began = here + len(_DEST)
    stop = until_comma(text, began, end)
    if stop == began or not has(text, stop, end, _BYTES):
        return nothing
    length, here = number(text, stop + len(_BYTES), end)
    if here < 0 or not has(text, here, end, _OP):
        return nothing
    here += len(_OP)
    if not has(text, here, end, _WRITES):
        return NOTHING, 0, 0, 0, 0, 0, 0, 0
    here += len(_WRITES)
    node = _node(text, began, stop, known.nodes, known.node_starts)
    if node < 0 or not has(text, here, end, _CLIENT):
        return nothing
    client = here + len(_CLIENT)
    client_end = until_comma(text, client, end)
    if client_end == client or not has(text, client_end, end, _OFFSET) or not is_plain(text, client, client_end):
        return nothing
    here = client_end + len(_OFFSET)
    here += here < end and text[here] == 45
    _, here = number(text, here, end)
    if here < 0 or not has(text, here, end, _SERVER):
        return nothing
    began = here + len(_SERVER)
    here = until_comma(text, began, end)
    if here == began or not has(text, here, end, _BLOCK_ID):
        return nothing
    block, stamp, here, named = _pooled(text, here + len(_BLOCK_ID), end, known.pool)
    if here < 0:
        return nothing
    return _FINALIZE, block, stamp, length, node, named, client, client_end


@inlined()  # type: ignore[untyped-decorator, unused-ignore]
def responder(text: Any, at: int, end: int, known: Known) -> tuple[int, int, int, int]:
    """Block, stamp, where the line was certain, -1 if it was not, and whether the pool is named."""
    nothing = 0, 0, -1, 0
    if at + 2 > end or text[at] != 58 or text[at + 1] != 32:
        return nothing
    block, stamp, here, named = _pooled(text, at + 2, end, known.pool)
    if here < 0 or not has(text, here, end, _TYPE):
        return nothing
    began = here + len(_TYPE)
    here = began
    while here < end and here - began <= 2000:
        byte = text[here]
        if byte == 32 and here > began and has(text, here, end, _TERMINATING):
            return block, stamp, here, named
        if not (is_word(byte) or byte in (44, 32, 61, 58, 46, 91, 93, 45)):
            break
        here += 1
    return nothing


@inlined()  # type: ignore[untyped-decorator, unused-ignore]
def scheduling(text: Any, at: int, end: int) -> tuple[int, int, int]:
    """Block, stamp, where its name ends, -1 if that is not certain."""
    block, stamp, here = _block(text, at, end)
    if here > 0 and (has(text, here, end, _FILE) or has(text, here, end, _REPLICA) or has(text, here, end, _URI)):
        return block, stamp, here
    return 0, 0, -1


@inlined()  # type: ignore[untyped-decorator, unused-ignore]
def allocated(text: Any, at: int, end: int) -> tuple[int, int, int]:
    """Block, stamp, and where the path begins that goes to the end of the line; -1 if that is not certain."""
    nothing = 0, 0, -1
    if at >= end or text[at] != 32:
        return nothing
    block, stamp, here = _block(text, at + 1, end)
    if here < 0:
        return nothing
    if here < end and text[here] == 123:
        began = here
        here = until_brace(text, here, end)
        if here >= end or here - began > 5000:
            return nothing
        here += 1
    if has(text, here, end, _REPLICAS):
        began = here
        while here < end and text[here] != 47:
            byte = text[here]
            if here > began + 10 and not (is_word(byte) or byte in (46, 58, 44, 32, 45)):
                return nothing
            here += 1
        if here - began > 5000 or here - began < len(_REPLICAS) + len(_FOR):
            return nothing
        here -= len(_FOR)
    if not has(text, here, end, _FOR) or here + len(_FOR) >= end or text[here + len(_FOR)] != 47:
        return nothing
    return block, stamp, here + len(_FOR)


@inlined()  # type: ignore[untyped-decorator, unused-ignore]
def completed(text: Any, at: int, end: int) -> tuple[int, int]:
    """Where the path begins, and where the holder, with which the line ends; -1 if that is not certain."""
    return _path_and_holder(text, at, end, _CLOSED_BY)  # type: ignore[no-any-return]


@inlined()  # type: ignore[untyped-decorator, unused-ignore]
def synced(text: Any, at: int, end: int) -> tuple[int, int]:
    """As `completed`."""
    return _path_and_holder(text, at, end, _FOR)  # type: ignore[no-any-return]


@inlined()  # type: ignore[untyped-decorator, unused-ignore]
def _path_and_holder(text: Any, at: int, end: int, between: Any) -> tuple[int, int]:
    holder = end
    while holder > at and not is_blank(text[holder - 1]):
        holder -= 1
    if holder == end or holder - len(between) <= at or not has(text, holder - len(between), end, between):
        return -1, -1
    if text[at] != 32 or text[at + 1] != 47:
        return -1, -1
    return at + 1, holder
