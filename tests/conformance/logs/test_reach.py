"""Of very many events of an entity only the first of each node are searched, and the answer stays the same."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genstamp.events import KINDS, Kind
from genstamp.logs.automaton import automaton
from genstamp.logs.exchange import Rows, exchanged, held_rows
from genstamp.logs.orders import Found, SearchLimitError, find_order, seen
from genstamp.logs.reach import find_within_reach
from genstamp.logs.tables import CONCERNS, ROLES_MAX
from genstamp.logs.unseen import all_steps

_CONNECTED = ("add_block", "start_recovery", "sync_block", "commit_block_synchronization", "found_on_disk")
"""Steps that orders of several nodes' events are known of."""

_NONE = {"generation_stamp": None, "num_bytes": None, "after": None}


@st.composite
def _stories(draw: st.DrawFn) -> tuple[Kind, list[dict[str, Any]]]:
    """Events of one entity on a few nodes, as a file of concerns holds them."""
    kind = draw(st.sampled_from(["block", *KINDS]))
    rules = automaton(kind, frozenset()).rules
    connected = [number for number, rule in enumerate(rules) if rule.event in _CONNECTED]
    numbers = st.sampled_from([*range(-1, len(rules))])
    told = draw(
        st.lists(
            st.tuples(
                st.integers(0, 1),
                st.sampled_from(["namenode", "n1", "n2"]),
                numbers | st.sampled_from(connected) if connected else numbers,
                *(st.none() | st.integers(1, 3) for _ in range(3)),
                st.none() | st.lists(st.integers(0, 11), max_size=2),
            ),
            max_size=12,
        )
    )
    names = ("unit", "node", "rule", "generation_stamp", "recovery_id", "num_bytes", "after")
    rows = [dict(zip(names, each, strict=True)) for each in told]
    rows.sort(key=lambda row: row["unit"])
    same = {"namespace": "BP-1", "kind": kind, "entity": "5", "place": {"file": "a.log", "line": 1}}
    return kind, [{**same, **row, "sequence": number * ROLES_MAX} for number, row in enumerate(rows)]


def _found(search: Any, *given: Any) -> Found | str | None:
    try:
        found: Found | None = search(*given)
    except SearchLimitError:
        return "given up"
    return found


@pytest.mark.slow
@settings(max_examples=600, deadline=None)
@given(_stories(), st.booleans(), st.integers(1, 8), st.integers(1, 5))
def test_search_within_reach_finds_what_a_search_of_all_finds(
    story: tuple[Kind, list[dict[str, Any]]], all_unseen: bool, limit: int, size: int
) -> None:
    kind, rows = story
    of = automaton(kind, all_steps(kind) if all_unseen else frozenset())
    found = _found(find_within_reach, of, lambda: _pieces(rows, size), limit)
    expected = _found(find_order, of, [seen(row) for row in rows if row["rule"] >= 0], limit)
    if isinstance(expected, Found):
        assert isinstance(found, Found)
        assert (found.possible, found.shown, found.began) == (expected.possible, expected.shown, expected.began)
    else:
        assert found == expected


@pytest.mark.parametrize(("needed", "needing"), [("sync_block", "commit_block_synchronization"), ("", "hflush")])
def test_what_has_to_wait_for_an_event_out_of_reach_is_not_done(needed: str, needing: str) -> None:
    """The NameNode's first waits for the datanode's sixth, whose first waits for its own last."""
    of = automaton("block", all_steps("block"))
    rules = {rule.event: number for number, rule in reversed(list(enumerate(of.rules))) if not rule.role}
    same = {"namespace": "BP-1", "kind": "block", "entity": "5", "unit": 0, "place": {"file": "a.log", "line": 1}}
    told = [("namenode", needing)] + [("namenode", "hflush")] * 5 + [("n1", "hflush")] * 5
    told += [("n1", needed or "hflush"), ("n1", "hflush")]
    rows = [
        {**same, "node": node, "rule": rules[event], "sequence": number * ROLES_MAX, "recovery_id": 2}
        for number, (node, event) in enumerate(told)
    ]
    rows[6]["after"] = [12]
    rows[0]["after"] = None if needed else [11]
    assert _found(find_order, of, [seen({**_NONE, **row}) for row in rows], 3) is None
    assert _found(find_within_reach, of, lambda: _pieces(rows, 4), 3) is None


def _pieces(rows: Sequence[dict[str, Any]], size: int) -> Iterator[tuple[Rows, Any]]:
    for begin in range(0, len(rows), size):
        piece = held_rows(exchanged(pa.Table.from_pylist(list(rows[begin : begin + size]), CONCERNS)))
        yield piece, np.arange(len(piece.rule))


@pytest.mark.slow
def test_few_of_very_many_events_are_held() -> None:
    """100,000 events of two nodes, of which none can be the first."""
    of = automaton("block", frozenset())
    tables = of.tables()
    done = next(number for number in range(len(of.rules)) if not (tables.possible[0, tables.action[number]] >= 0).any())
    told = [(("namenode", "client")[number % 2], done) for number in range(100_000)]
    same = {"namespace": "BP-1", "kind": "block", "entity": "5", "unit": 0, "place": {"file": "a.log", "line": 1}}
    rows = [
        {**same, "node": node, "rule": rule, "sequence": number * ROLES_MAX} for number, (node, rule) in enumerate(told)
    ]
    held: list[int] = []

    def pieces() -> Iterator[tuple[Rows, Any]]:
        for piece, those in _pieces(rows, 10_000):
            piece.row = _counted(piece.row, held)  # type: ignore[method-assign]
            yield piece, those

    assert _found(find_within_reach, of, pieces, 50) is None
    assert len(held) < 200


def _counted(row: Any, held: list[int]) -> Any:
    def counted(index: int) -> Any:
        held.append(index)
        return row(index)

    return counted
