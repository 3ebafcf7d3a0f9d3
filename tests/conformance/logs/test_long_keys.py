"""Keys of more rows than memory are checked piece by piece, with the verdicts that all rows at once give."""

import itertools
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.dataset
import pyarrow.parquet
import pytest
from benchmarks.logs.generator import write_logs
from hypothesis import given, settings
from hypothesis import strategies as st

from genstamp.logs.check import Terms, verdicts
from genstamp.logs.exchange import EXCHANGED, exchanged
from genstamp.logs.job import shared_out
from genstamp.logs.local import Checked, check_locally
from genstamp.logs.parts import check_part
from genstamp.logs.sorted_rows import WORD, in_order
from genstamp.logs.tables import CONCERNS, STEPS
from genstamp_dfs.events import encode_lines
from genstamp_dfs.hdfs.cluster.random_runs import simulate

_SEQUENCES = "block_id,label,events\n" + "".join(
    f"blk_{number},Normal,{events}\n"
    for number, events in enumerate(("22 5 5" + " 11 9" * 40, "5 5" + " 11 9" * 40, "22" + " 5" * 60 + " 11 9" * 70))
)


@pytest.fixture(scope="module", params=[False, True], ids=["default", "complete"])
def checked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Checked:
    """A run, an edit log, sequences that do not balance, and logs with violations."""
    directory = tmp_path_factory.mktemp("logs")
    (directory / "events.jsonl").write_bytes(encode_lines(simulate(3).events))
    write_logs(directory / "logs", 600, seed=8, one_in=10)
    (directory / "some.csv").write_text(_SEQUENCES, encoding="utf-8")
    edits = repository / "tests" / "data" / "edits" / "editsStored"
    paths = [edits, directory / "events.jsonl", directory / "some.csv", *sorted((directory / "logs").glob("*.log"))]
    return check_locally(paths, complete=request.param)


@pytest.fixture(autouse=True)
def _few_rows_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that short tests have long keys."""
    monkeypatch.setattr("genstamp.logs.sorted_rows._BLOCK_MIN", 8)


@pytest.mark.parametrize("rows_max", [30, 200])
@pytest.mark.parametrize("keeps", [False, True])
def test_verdicts_are_those_of_all_rows_at_once(checked: Checked, tmp_path: Path, rows_max: int, keeps: bool) -> None:
    _write(checked.concerns, tmp_path, keeps)
    check_part(tmp_path, 0, checked.terms, rows_max)
    found = pyarrow.dataset.dataset(tmp_path / "verdicts").to_table()
    assert _rows(found) == _rows(checked.verdicts)
    assert len({row["safety"] for row in checked.verdicts.to_pylist()}) > 1
    if checked.terms.complete:
        assert any(" and only " in str(row["failed"]) for row in checked.verdicts.to_pylist())
    assert _steps(pyarrow.dataset.dataset(tmp_path / "steps").to_table()) == _steps(checked.steps)
    assert {path.name for path in tmp_path.iterdir()} == {"concerns", "verdicts", "steps"}


def test_entities_of_a_kind_as_one_have_the_verdict_of_all_rows_at_once(checked: Checked, tmp_path: Path) -> None:
    """So there are long keys of several nodes, rejected ones, and some with events that no rule knows."""
    names = checked.concerns.column("entity")
    is_file = pa.compute.equal(checked.concerns.column("kind"), "file")
    one = pa.compute.if_else(is_file, names, "5")
    index = checked.concerns.schema.get_field_index("entity")
    concerns = checked.concerns.set_column(index, CONCERNS.field("entity"), one)
    rules = pa.compute.if_else(pa.compute.equal(checked.concerns.column("kind"), "lease"), -1, concerns.column("rule"))
    concerns = concerns.set_column(CONCERNS.get_field_index("rule"), CONCERNS.field("rule"), rules.cast(pa.int32()))
    terms = replace(checked.terms, situations_max=40)
    expected = verdicts(concerns, terms)
    _write(concerns, tmp_path, False)
    check_part(tmp_path, 0, terms, 60)
    assert _rows(pyarrow.dataset.dataset(tmp_path / "verdicts").to_table()) == _rows(expected)
    long = [row for row in expected.to_pylist() if row["events"] > 60]
    assert {(row["safety"], row["path"]) for row in long} > {("undetermined", "slow"), ("undetermined", "fast")}


def _write(concerns: Any, directory: Path, keeps: bool) -> None:
    """One part in two files, as of two units."""
    for table in ("concerns", "verdicts", "steps"):
        (directory / table).mkdir()
    half = concerns.num_rows // 2
    for unit, rows in enumerate((concerns.slice(0, half), concerns.slice(half))):
        path = directory / "concerns" / f"part-000000-unit-{unit:06d}.parquet"
        pyarrow.parquet.write_table(rows if keeps else exchanged(rows), path, row_group_size=500)


def _rows(table: Any) -> list[str]:
    return sorted(map(repr, table.to_pylist()))


def _steps(table: Any) -> list[Any]:
    keys = STEPS.names[:4]
    added = table.group_by(keys).aggregate([("seen", "sum"), ("perhaps", "sum")])
    return sorted(tuple(row.values()) for row in added.to_pylist())


_ROWS = st.lists(
    st.tuples(
        st.sampled_from(["BP-1", "BP-2"]),
        st.sampled_from(["block", "replica", "file"]),
        st.sampled_from(["5", "6", "5@n1", "/a#0", "/b#0"]),
        st.integers(0, 1),
        st.integers(0, 3),
    ),
    min_size=1,
    max_size=120,
)


@settings(max_examples=40, deadline=None)
@given(_ROWS, st.integers(1, 30), st.integers(1, 40))
def test_rows_come_key_by_key_and_those_of_one_place_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[Any, ...]], rows_max: int, size: int
) -> None:
    given_in = [
        dict.fromkeys(CONCERNS.names)
        | {"node": "n1", "rule": number, "place": {"file": "a.log", "line": number}}
        | dict(zip(("namespace", "kind", "entity", "unit", "sequence"), row, strict=True))
        for number, row in enumerate(rows)
    ]
    table = exchanged(pa.Table.from_pylist(given_in, CONCERNS))
    pieces = [table.slice(at, size) for at in range(0, len(rows), size)]
    tables = list(in_order(pieces, len(rows), tmp_path_factory.mktemp("runs"), rows_max))
    assert max(each.num_rows for each in tables) <= max(rows_max, 8 * (1 + len(rows) // rows_max))
    order = [number for each in tables for number in each.column("rule").to_pylist()]
    assert sorted(order) == list(range(len(rows)))
    keys = [rows[number][:3] for number in order]
    borders = sum(one != other for one, other in itertools.pairwise(keys))
    assert borders == len(set(keys)) - 1
    for key in set(keys):
        of_key = [number for number in order if rows[number][:3] == key]
        assert of_key == sorted(of_key, key=lambda number: (*rows[number][3:], number))


def test_two_keys_with_one_word_are_two(checked: Checked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hashes of names tell hardly ever the same of two keys; here always."""

    def constant(rows: Any) -> Any:
        return np.zeros(rows.num_rows, np.int64)

    monkeypatch.setattr("genstamp.logs.sorted_rows._words", constant)
    test_verdicts_are_those_of_all_rows_at_once(checked, tmp_path, 200, False)


def test_order_of_files_changes_nothing(checked: Checked, tmp_path: Path) -> None:
    order = list(range(checked.concerns.num_rows))
    random.Random(4).shuffle(order)
    shuffled = checked.concerns.take(pa.array(order))
    # Rows of one unit with one sequence are ordered by where they stand, and there are none.
    assert _rows(verdicts(shuffled, checked.terms)) == _rows(checked.verdicts)
    _write(shuffled, tmp_path, False)
    check_part(tmp_path, 0, checked.terms, 30)
    assert _rows(pyarrow.dataset.dataset(tmp_path / "verdicts").to_table()) == _rows(checked.verdicts)


def test_empty_part_has_no_verdict(tmp_path: Path) -> None:
    _write(CONCERNS.empty_table(), tmp_path, False)
    check_part(tmp_path, 0, Terms())
    assert not any((tmp_path / "verdicts").iterdir())
    assert WORD not in EXCHANGED.names


def test_what_takes_longest_is_begun_first_and_alone() -> None:
    sizes = {0: 5, 1: 90, 2: 6, 3: 4, 4: 7}
    assert shared_out(sizes, 3) == [[1], [4, 3], [2, 0]]
    assert shared_out({}, 2) == [[], []]
