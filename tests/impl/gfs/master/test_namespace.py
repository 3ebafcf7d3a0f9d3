"""The namespace against a plain dictionary, and how much memory a file and a chunk take."""

import random
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genstamp_dfs.gfs.master.chunks import ChunkTable
from genstamp_dfs.gfs.master.namespace import (
    DIRECTORY,
    MOST_KEYS,
    NO_CHUNKS,
    Namespace,
    Value,
    chunks_of,
    decode_block,
)
from genstamp_dfs.gfs.master.paths import is_below, key_of, parent_of

NAMES = ["a", "b", "ab", "a-b", "a.b", "a\x01", "\N{LATIN SMALL LETTER E WITH ACUTE}"]
PATHS = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3).map(lambda names: "/" + "/".join(names))


@pytest.mark.slow
@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(st.tuples(PATHS, st.sampled_from([DIRECTORY, NO_CHUNKS, b"12345678", None])), max_size=150))
def test_it_is_an_ordered_dictionary(changes: list[tuple[str, Value | None]]) -> None:
    namespace, expected = Namespace(), dict[str, Value]({"/": DIRECTORY})
    for path, value in changes:
        if value is not None:
            namespace.put(path, value)
            expected[path] = value
        elif path in expected:
            namespace.remove(path)
            del expected[path]
    assert {path: namespace.find(path) for path in expected} == expected
    assert namespace.find("/missing") is None and namespace.paths == len(expected)
    ordered = sorted(expected, key=key_of)
    assert [path for path, _ in namespace.under("/")] == ordered[1:]
    for directory in (path for path, value in expected.items() if value is DIRECTORY):
        below = [path for path in ordered if is_below(path, directory)]
        assert [path for path, _ in namespace.under(directory)] == below
        in_it = [path for path in below if parent_of(path) == directory]
        reached = [path for path in in_it if not _is_under_a_file(path, expected)]
        assert [path for path, _ in namespace.children(directory) if path in reached] == reached
        if all(expected.get(parent_of(path)) is DIRECTORY for path in below):
            assert [path for path, _ in namespace.children(directory)] == in_it


def _is_under_a_file(path: str, values: dict[str, Value]) -> bool:
    return values.get(parent_of(path)) is not DIRECTORY


@pytest.mark.slow
def test_blocks_stay_small_and_do_not_become_few_to_a_block() -> None:
    namespace, chance = Namespace(), random.Random(1)
    paths = [f"/f{number}" for number in range(5_000)]
    chance.shuffle(paths)
    for path in paths:
        namespace.put(path, NO_CHUNKS)
    assert max(len(decode_block(block)) for block in namespace.blocks()) <= MOST_KEYS
    for path in paths[:4_500]:
        namespace.remove(path)
    assert namespace.block_count <= 501 / 6


def test_a_picture_does_not_change_with_the_namespace() -> None:
    namespace = Namespace()
    for number in range(500):
        namespace.put(f"/f{number}", NO_CHUNKS)
    picture = namespace.blocks()
    before = [decode_block(block) for block in picture]
    for number in range(500):
        namespace.put(f"/f{number}", chunks_of([number]))
        if number % 3:
            namespace.remove(f"/f{number}")
    assert [decode_block(block) for block in picture] == before


@pytest.mark.slow
def test_a_chunk_takes_less_than_64_bytes_and_a_path_about_as_many() -> None:
    """Twenty thousand chunks in a thousand files, with three locations each."""
    tracemalloc.start()
    try:
        namespace, table = Namespace(), ChunkTable(slots=4)
        paths = [f"/data/region-{number // 100:03}/table-{number % 100:03}.log" for number in range(1_000)]
        before, _ = tracemalloc.get_traced_memory()
        for path in paths:
            namespace.put(path, NO_CHUNKS)
        with_paths, _ = tracemalloc.get_traced_memory()
        for number, path in enumerate(paths):
            handles = range(number * 20 + 1, number * 20 + 21)
            for handle in handles:
                table.add(handle, 1, references=1)
                table.set_locations(handle, (1, 2, 3))
            namespace.put(path, chunks_of(handles))
        with_chunks, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(table) == 20_000
    assert with_chunks - with_paths < 64 * 20_000
    assert with_paths - before < 80 * 1_000


def test_chunks_are_found_counted_and_forgotten() -> None:
    table = ChunkTable(slots=2)
    for handle in (1, 5, 9):
        table.add(handle, 1)
    table.refer([5, 5, 9], 1)
    assert table.orphans() == [1] and 4 not in table and table.references(5) == 2
    assert [table.add_location(9, number) for number in (3, 3, 4, 5)] == [True, True, True, False]
    table.set_version(9, 7)
    table.remove([1, 5])
    assert len(table) == 1 and table.version(9) == 7 and sorted(table.locations(9)) == [3, 4]
    table.drop_chunkserver(3)
    assert table.locations(9) == [4]
    with pytest.raises(KeyError):
        table.version(5)
    with pytest.raises(AssertionError):
        table.add(9, 1)
    with pytest.raises(AssertionError):
        table.set_version(9, 6)
