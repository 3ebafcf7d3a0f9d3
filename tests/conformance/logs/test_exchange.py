"""Compact columns say what the table of concerns says, and no two entities become one."""

import itertools
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from genstamp.events import KINDS
from genstamp.logs.exchange import EXCHANGED, concerns_of, exchanged, held_rows
from genstamp.logs.grouping import by_key, distinct
from genstamp.logs.tables import CONCERNS

ENTITIES = (
    "", "@", "@n1", "0", "-0", "0@n1", "-0@n1", "5", "05", "-5", "5@n1", "5@n2", "5@", "5@n1@n2", "5x", "5#0", "-",
    "-@n1", "9" * 18, "9" * 19, "-" + "9" * 18, "1" * 18 + "@n1", "1" * 19 + "@n1", "/a#0", "/é#0", "DFSClient_1",
)  # fmt: skip

_ROWS = st.lists(
    st.tuples(
        st.sampled_from(["BP-1", "BP-2"]),
        st.sampled_from(KINDS),
        st.sampled_from(ENTITIES) | st.text(alphabet="-0159@né#/", max_size=6),
        st.integers(0, 3),
        st.integers(0, 2**62),
        st.sampled_from(["namenode", "n1", "n2"]),
        st.integers(-1, 40),
        *(st.none() | st.integers(-(2**62), 2**62) for _ in range(3)),
        st.none() | st.lists(st.integers(0, 9), max_size=2),
        st.fixed_dictionaries({"file": st.sampled_from(["a.log", "b.log"]), "line": st.integers(1, 2**40)}),
    ),
    max_size=20,
)


def _table(rows: list[tuple[Any, ...]]) -> Any:
    return pa.Table.from_pylist([dict(zip(CONCERNS.names, row, strict=True)) for row in rows], CONCERNS)


@pytest.mark.slow
@settings(max_examples=200)
@given(_ROWS, st.integers(0, 20))
def test_compact_rows_say_the_same(rows: list[tuple[Any, ...]], cut: int) -> None:
    concerns = _table(rows)
    parts = [exchanged(concerns.slice(0, cut)), exchanged(concerns.slice(cut))]
    assert concerns_of(pa.concat_tables(parts)).to_pylist() == concerns.to_pylist()


@pytest.mark.slow
@settings(max_examples=200)
@given(_ROWS)
def test_each_entity_is_one_number_and_name(rows: list[tuple[Any, ...]]) -> None:
    held = held_rows(exchanged(_table(rows)))
    keys = {(int(name), int(number)) for name, number in zip(held.name, held.number, strict=True)}
    assert len(keys) == len({row[2] for row in rows})


def test_replica_of_a_node_is_one_however_it_is_told() -> None:
    """As compiled code tells of it, and as any other reader does."""
    row = ("BP-1", "replica", "5@n1", 0, 1, "n1", 0, 1, None, None, None, {"file": "a.log", "line": 1})
    told = exchanged(_table([row])).to_pylist()[0]
    at_node = pa.Table.from_pylist([{**told, "name": None, "at_node": True}], EXCHANGED)
    held = held_rows(pa.concat_tables([exchanged(_table([row])), at_node]))
    assert held.name[0] == held.name[1]
    assert held.number[0] == held.number[1] == 5
    assert concerns_of(at_node).to_pylist() == _table([row]).to_pylist()


@pytest.mark.slow
@settings(max_examples=200)
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(-2, 1), st.integers(0, 1), st.integers(0, 99)), max_size=300))
@example([(0, 0, at % 2, 99 - at) for at in range(200)])
def test_rows_come_key_by_key_and_in_order(rows: list[tuple[int, int, int, int]]) -> None:
    words, numbers, units, sequences = np.array(rows, np.int64).reshape(-1, 4).T
    order, starts = by_key(words, numbers, units, sequences)
    found = [[rows[row] for row in order[start:end]] for start, end in itertools.pairwise(starts)]
    assert sorted(order.tolist()) == list(range(len(rows)))
    assert len({each[0][:2] for each in found}) == len(found)
    assert all(each == sorted(each) and len({row[:2] for row in each}) == 1 for each in found)


@given(st.lists(st.integers(-3, 3)))
def test_each_number_is_told_once(numbers: list[int]) -> None:
    assert distinct(np.array(numbers, np.int64)).tolist() == list(dict.fromkeys(numbers))
