"""The files of a NameNode's log that are known only from allocations and completions, compiled.

These are by far the most. Every other file is one of the `FileTree`, with which each file is in one of both places: as
soon as a line of another sort asks for a file or a block, the file moves there for good (`log_moves`). Not here: paths
that are not plain ASCII or are written in more than one way, which are never here.
"""

from typing import Any, NamedTuple

import numpy as np

from genstamp.logs.compiled import compiled
from genstamp.logs.readers.mapped import zeros


class Files(NamedTuple):
    """Paths, files and blocks, by number; arrays with room for more.

    Attributes:
        places: by hash, 1 and the number of a path. paths: a row for each, see `BEGINS` and so on. block_places: by
        hash, 1 and the number of the last block with an id. blocks: a row for each, see `ID` and so on. text: bytes of
        all paths. totals: how many paths and how many blocks there are, and how many bytes of paths.

    Few arrays, because each costs time when it is handed from function to function. All may be larger than memory.
    """

    places: Any
    paths: Any
    block_places: Any
    blocks: Any
    text: Any
    totals: Any


HASH, BEGINS, ENDS, SORT, FIRST, LAST, IS_OPEN = range(7)
"""Of a path: its hash, where it is in the text, `HERE`, `DIRECTORY` or `ELSEWHERE`; of a file here, 1 and the number of
its first and last block, and whether it was last seen under construction.
"""

ID, FOLLOWING, COMPLETE, OF_FILE = range(4)
"""Of a block: its id, 1 and the number of the next of its file, whether it was seen complete, 1 and the number of its
file, 0 if somebody else knows better.
"""

HERE, DIRECTORY, ELSEWHERE = range(3)
PATHS, BLOCKS, BYTES = range(3)

_PATH_BYTES = 64

_LARGE = 1 << 20


def new_files(paths: int = 1 << 12, blocks: int = 1 << 12, size: int = _PATH_BYTES << 12) -> Files:
    """No files yet, and room for as many.

    Args:
        paths, blocks: how many; powers of two.
        size: bytes of paths.
    """
    return Files(
        places=zeros((2 * paths,), np.int32),
        paths=zeros((paths, 8), np.int64),
        block_places=zeros((2 * blocks,), np.int32),
        blocks=zeros((blocks, 4), np.int64),
        text=zeros((size,), np.uint8),
        totals=np.zeros(3, np.int64),
    )


def with_room(files: Files, paths: int, blocks: int, size: int) -> Files:
    """The same files, with room for this many more paths, blocks and bytes of paths."""
    wanted = [known + more for known, more in zip(files.totals.tolist(), (paths, blocks, size), strict=True)]
    room = [len(files.paths), len(files.blocks), len(files.text)]
    if all(there >= each for there, each in zip(room, wanted, strict=True)):
        return files
    wider = new_files(*map(_grown, room, wanted))
    # No more than is used: what is not touched takes no memory.
    for name, used in zip(("paths", "blocks", "text"), files.totals.tolist(), strict=True):
        getattr(wider, name)[:used] = getattr(files, name)[:used]
    wider.totals[:] = files.totals
    _place_again(wider)
    return wider


def _grown(size: int, wanted: int) -> int:
    while size < wanted:
        size *= 2 if size >= _LARGE else 4
    return size


@compiled()  # type: ignore[untyped-decorator, unused-ignore]
def _place_again(files: Files) -> None:
    for number in range(files.totals[PATHS]):
        at = files.paths[number, HASH] & (len(files.places) - 1)
        while files.places[at]:
            at = (at + 1) & (len(files.places) - 1)
        files.places[at] = number + 1
    for number in range(files.totals[BLOCKS]):
        place = _block_place(files.block_places, files.blocks, files.blocks[number, ID])
        files.block_places[place] = number + 1


@compiled()  # type: ignore[untyped-decorator, unused-ignore]
def _hash(text: Any, at: int, end: int) -> Any:
    value = np.uint64(0xCBF29CE484222325)
    for index in range(at, end):
        value = (value ^ np.uint64(text[index])) * np.uint64(0x100000001B3)
    return np.int64((value ^ (value >> np.uint64(29))) & np.uint64(0x7FFFFFFFFFFFFFFF))


@compiled()  # type: ignore[untyped-decorator, unused-ignore]
def _path_place(places: Any, paths: Any, own: Any, text: Any, at: int, end: int, hashed: int) -> Any:
    """Where a path is in the table, or may be put."""
    mask = len(places) - 1
    place = hashed & mask
    while places[place]:
        number = places[place] - 1
        if paths[number, HASH] == hashed:
            begins = paths[number, BEGINS]
            if paths[number, ENDS] - begins == end - at:
                same = True
                for index in range(end - at):
                    if own[begins + index] != text[at + index]:
                        same = False
                        break
                if same:
                    break
        place = (place + 1) & mask
    return place


@compiled()  # type: ignore[untyped-decorator, unused-ignore]
def _block_place(places: Any, blocks: Any, block: int) -> Any:
    """Where a block is in the table, or may be put."""
    mask = len(places) - 1
    mixed = np.uint64(block) * np.uint64(0x9E3779B97F4A7C15)
    place = np.int64(mixed >> np.uint64(20)) & mask
    while places[place] and blocks[places[place] - 1, ID] != block:
        place = (place + 1) & mask
    return place


@compiled()  # type: ignore[untyped-decorator, unused-ignore]
def _put(files: Files, text: Any, at: int, end: int, place: int, hashed: int, sort: int) -> Any:
    totals, own = files.totals, files.text
    number, begins = totals[PATHS], totals[BYTES]
    for index in range(end - at):
        own[begins + index] = text[at + index]
    row = files.paths[number]
    row[HASH], row[BEGINS], row[ENDS], row[SORT] = hashed, begins, begins + end - at, sort
    files.places[place] = number + 1
    totals[PATHS], totals[BYTES] = number + 1, begins + end - at
    return number


@compiled()  # type: ignore[untyped-decorator, unused-ignore]
def is_simple(text: Any, at: int, end: int) -> bool:
    """Whether a path is written as it is everywhere."""
    if text[at] != 47 or text[end - 1] == 47:
        return False
    before = 0
    for index in range(at, end):
        byte = text[index]
        if byte >= 128 or (byte == 47 and before == 47):
            return False
        before = byte
    return True


@compiled()  # type: ignore[untyped-decorator, unused-ignore]
def number_of(files: Files, text: Any, at: int, end: int, sort: int) -> Any:
    """Number of a simple path, which is inserted with its parent directories if it is new; -1 if a file is above it.

    Args:
        files: with room for the path and all above it.
        text, at, end: where the path stands.
        sort: `HERE` or `ELSEWHERE`, of a new one.
    """
    hashed = _hash(text, at, end)
    place = _path_place(files.places, files.paths, files.text, text, at, end, hashed)
    if files.places[place]:
        return np.int64(files.places[place] - 1)
    return _new(files, text, at, end, sort, hashed)


@compiled()  # type: ignore[untyped-decorator, unused-ignore]
def _new(files: Files, text: Any, at: int, end: int, sort: int, hashed: int) -> Any:
    stop = end - 1
    while stop > at:
        if text[stop] == 47:
            above = _hash(text, at, stop)
            place = _path_place(files.places, files.paths, files.text, text, at, stop, above)
            if files.places[place]:
                if files.paths[files.places[place] - 1, SORT] != DIRECTORY:
                    return np.int64(-1)
                break  # What is above it is known, too.
            _put(files, text, at, stop, place, above, DIRECTORY)
        stop -= 1
    place = _path_place(files.places, files.paths, files.text, text, at, end, hashed)
    return _put(files, text, at, end, place, hashed, sort)


@compiled()  # type: ignore[untyped-decorator, unused-ignore]
def found_at(files: Files, text: Any, at: int, end: int) -> Any:
    """Number of a path; -1 if it is not known."""
    place = _path_place(files.places, files.paths, files.text, text, at, end, _hash(text, at, end))
    return files.places[place] - 1


@compiled()  # type: ignore[untyped-decorator, unused-ignore]
def is_elsewhere(files: Files, text: Any, at: int, end: int) -> bool:
    """Whether a path is that of a file that is known, and is not here."""
    number = found_at(files, text, at, end)
    return bool(number >= 0 and files.paths[number, SORT] == ELSEWHERE)


@compiled()  # type: ignore[untyped-decorator, unused-ignore]
def put_name(files: Files, text: Any) -> Any:
    """Inserts a new name without a parent; gives its number."""
    hashed = _hash(text, 0, len(text))
    place = _path_place(files.places, files.paths, files.text, text, 0, len(text), hashed)
    return _put(files, text, 0, len(text), place, hashed, HERE)


@compiled()  # type: ignore[untyped-decorator, unused-ignore]
def give_block(files: Files, number: int, block: int) -> Any:
    """A file here gets a block; gives the one before, -1 if there is none."""
    new, file = files.totals[BLOCKS], files.paths[number]
    files.blocks[new, ID], files.blocks[new, OF_FILE] = block, number + 1
    before = file[LAST] - 1
    if before < 0:
        file[FIRST] = new + 1
    else:
        files.blocks[before, FOLLOWING] = new + 1
    file[LAST], file[IS_OPEN] = new + 1, 1
    files.block_places[_block_place(files.block_places, files.blocks, block)] = new + 1
    files.totals[BLOCKS] = new + 1
    return before


@compiled()  # type: ignore[untyped-decorator, unused-ignore]
def file_of(files: Files, block: int) -> Any:
    """Number of the file here that was last given a block; -1 if none was, or somebody else knows better."""
    found = files.block_places[_block_place(files.block_places, files.blocks, block)]
    return files.blocks[found - 1, OF_FILE] - 1 if found else -1


@compiled()  # type: ignore[untyped-decorator, unused-ignore]
def forget_block(files: Files, block: int) -> None:
    """Another source knows better which file the block belongs to."""
    found = files.block_places[_block_place(files.block_places, files.blocks, block)]
    if found:
        files.blocks[found - 1, OF_FILE] = 0
