"""The namespace: full paths in their order, prefix-compressed, with what is known of each.

There are no inodes of directories: a directory is a path like others, and what is in it stands behind it. Keys (see
`paths`) are kept in blocks of a few dozen, in which each is stored as how many bytes it shares with the one before it,
and the rest. A block is never changed but replaced, so a copy of the list of blocks is a picture of the whole namespace
at that moment: this is what a checkpoint is written from while mutations go on.

A file's value is its list of chunks, 8 bytes a handle. Files that a snapshot made share the bytes of the list.

Not here: locks, and whether an operation makes sense (`tree_calls`).

Source: sections 2.6.1 and 4.1.
"""

import struct
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Final, NamedTuple, TypeAlias

from genstamp_dfs.gfs.master.paths import ROOT, key_of, path_of

MOST_KEYS: Final = 64
"""Keys of a block before it is split."""

FEWEST_KEYS: Final = 12
"""Keys of a block before it is joined with the one behind it."""

_LENGTHS: Final = struct.Struct("<HH")


class Directory(Enum):
    """The value of a path that is a directory."""

    DIRECTORY = "directory"


DIRECTORY: Final = Directory.DIRECTORY
NO_CHUNKS: Final = b""

Value: TypeAlias = bytes | Directory
Item: TypeAlias = tuple[bytes, Value]


class Block(NamedTuple):
    """Some keys that stand side by side, and their values."""

    keys: bytes
    values: tuple[Value, ...]


def handles_of(chunks: bytes) -> "array[int]":
    """The handles in a file's list of chunks."""
    handles: array[int] = array("Q")
    handles.frombytes(chunks)
    return handles


def chunks_of(handles: Sequence[int]) -> bytes:
    """A file's list of chunks.

    >>> handles_of(chunks_of([3, 2**60])).tolist()
    [3, 1152921504606846976]
    """
    return array("Q", handles).tobytes()


def encode_block(items: Sequence[Item]) -> Block:
    """The block of keys in order, with their values.

    >>> decode_block(encode_block([(b"a", DIRECTORY), (b"ab", b"")]))
    [(b'a', <Directory.DIRECTORY: 'directory'>), (b'ab', b'')]
    """
    parts = []
    before = b""
    for key, _ in items:
        shared = _shared_length(before, key)
        parts.append(_LENGTHS.pack(shared, len(key) - shared))
        parts.append(key[shared:])
        before = key
    return Block(b"".join(parts), tuple(value for _, value in items))


def decode_block(block: Block) -> list[Item]:
    """The keys of a block and their values, in order."""
    items: list[Item] = []
    position, key, data = 0, b"", block.keys
    for value in block.values:
        shared, length = _LENGTHS.unpack_from(data, position)
        position += _LENGTHS.size
        key = key[:shared] + data[position : position + length]
        position += length
        items.append((key, value))
    return items


def _shared_length(one: bytes, other: bytes) -> int:
    length = min(len(one), len(other))
    for position in range(length):
        if one[position] != other[position]:
            return position
    return length


class Namespace:
    """All paths. A new one has the root.

    Attributes:
        paths: how many there are, the root included.
    """

    def __init__(self) -> None:
        self._firsts = [b""]
        self._blocks = [encode_block([(b"", DIRECTORY)])]
        self.paths = 1

    # -- looking --------------------------------------------------------------------------------------------------

    def find(self, path: str) -> Value | None:
        """What is known of a path; None if there is none."""
        key = key_of(path)
        for found, value in decode_block(self._blocks[self._block_of(key)]):
            if found == key:
                return value
        return None

    def under(self, path: str) -> Iterator[tuple[str, Value]]:
        """All paths below a directory, in order; the namespace may not change meanwhile."""
        for key, value in self._items_under(key_of(path)):
            yield path_of(key), value

    def children(self, path: str) -> Iterator[tuple[str, Value]]:
        """The paths directly in a directory, in order; the namespace may not change meanwhile."""
        start = _start_below(key_of(path))
        after = start or b"\0"
        number = self._block_of(after)
        while number < len(self._blocks):
            for key, value in decode_block(self._blocks[number]):
                if key < after:
                    continue
                if not key.startswith(start):
                    return
                yield path_of(key), value
                # Behind all that is below it: a zero byte follows its name there, and a greater one elsewhere.
                after = key + (b"\1" if value is DIRECTORY else b"\0")
            number = max(number + 1, self._block_of(after))

    def is_empty(self, path: str) -> bool:
        """Whether nothing is in a directory."""
        return next(self.children(path), None) is None

    @property
    def block_count(self) -> int:
        """How many blocks there are."""
        return len(self._blocks)

    def items(self, begin: int, end: int) -> list[tuple[str, Value]]:
        """The paths in some blocks, for whoever goes over all of them in steps."""
        return [(path_of(key), value) for block in self._blocks[begin:end] for key, value in decode_block(block)]

    def blocks(self) -> list[Block]:
        """All blocks as they are now, for a checkpoint."""
        return list(self._blocks)

    # -- changing -------------------------------------------------------------------------------------------------

    def put(self, path: str, value: Value) -> None:
        """Give a path a value, whether it is there or not."""
        key = key_of(path)
        number = self._block_of(key)
        items = decode_block(self._blocks[number])
        position = bisect_right(items, key, key=lambda item: item[0])
        if position and items[position - 1][0] == key:
            keys, values = self._blocks[number]
            self._blocks[number] = Block(keys, (*values[: position - 1], value, *values[position:]))
            return
        items.insert(position, (key, value))
        self.paths += 1
        self._replace(number, number + 1, items)

    def remove(self, path: str) -> None:
        """Forget a path that is there; never the root."""
        key = key_of(path)
        number = self._block_of(key)
        items = decode_block(self._blocks[number])
        left = [item for item in items if item[0] != key]
        assert len(left) == len(items) - 1 and path != ROOT, f"{path} is not to be removed"
        self.paths -= 1
        end = number + 1
        if len(left) < FEWEST_KEYS and end < len(self._blocks):
            left += decode_block(self._blocks[end])
            end += 1
        self._replace(number, end, left)

    def load(self, blocks: Sequence[Block]) -> None:
        """Take the place of all paths; the blocks are in order, and the root is in the first."""
        self._blocks = list(blocks)
        self._firsts = [decode_block(block)[0][0] for block in blocks]
        self.paths = sum(len(block.values) for block in blocks)

    # -- below ----------------------------------------------------------------------------------------------------

    def _block_of(self, key: bytes) -> int:
        """The block in which the key stands, or would."""
        return bisect_right(self._firsts, key) - 1

    def _items_under(self, key: bytes) -> Iterator[Item]:
        start = _start_below(key)
        for number in range(self._block_of(start), len(self._blocks)):
            for item in decode_block(self._blocks[number]):
                if item[0].startswith(start):
                    if item[0]:
                        yield item
                elif item[0] > start:
                    return

    def _replace(self, begin: int, end: int, items: list[Item]) -> None:
        """Put items into the place of some blocks."""
        pieces = -(-len(items) // MOST_KEYS)
        size = -(-len(items) // pieces) if pieces else 1
        groups = [items[start : start + size] for start in range(0, len(items), size)]
        self._blocks[begin:end] = [encode_block(group) for group in groups]
        self._firsts[begin:end] = [group[0][0] for group in groups]


def _start_below(key: bytes) -> bytes:
    """How the keys below a directory begin."""
    return key + b"\0" if key else b""
