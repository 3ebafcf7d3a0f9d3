"""Replicas of a cell: the same where all writes were acknowledged, whatever else where one was not."""

from genstamp_dfs.gfs.simulation.cells import Cells, Write, content
from genstamp_dfs.gfs.simulation.plan import CELL_BYTES


def two_writes(cells: Cells, *, ended_us: int | None) -> tuple[Write, Write]:
    """Two concurrent writes of the first cell, the second of which ends or does not."""
    first, second = cells.begin(1, 10, 0, CELL_BYTES), cells.begin(2, 11, 0, CELL_BYTES)
    first.ended_us = 20
    if ended_us is not None:
        second.ended_us = ended_us
    return first, second


def test_replicas_differ_though_all_writes_were_acknowledged() -> None:
    cells = Cells()
    first, second = two_writes(cells, ended_us=21)
    replicas = {"c1": content(first), "c2": content(second)}
    [problem] = cells.differences(replicas, 0, CELL_BYTES, 30)
    assert problem == "cell 0: is [1] at c1, [2] at c2, though all of its writes were acknowledged"
    assert cells.differences({"c1": content(second), "c2": content(second)}, 0, CELL_BYTES, 30) == []


def test_while_a_write_is_under_way_or_has_failed_replicas_may_differ() -> None:
    for ended_us in (None, 31):
        cells = Cells()
        first, second = two_writes(cells, ended_us=ended_us)
        assert cells.differences({"c1": content(first), "c2": content(second)}, 0, CELL_BYTES, 30) == []


def test_a_replica_that_ends_before_the_cell_has_zeros_there() -> None:
    cells = Cells()
    _, second = two_writes(cells, ended_us=21)
    assert cells.differences({"c1": b"", "c2": content(second)}, 0, CELL_BYTES, 30) != []
    assert cells.differences({"c1": b"", "c2": bytes(CELL_BYTES)}, 0, CELL_BYTES, 9) == []
