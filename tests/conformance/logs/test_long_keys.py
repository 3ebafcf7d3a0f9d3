"""Keys of more rows than memory are checked piece by piece, with the verdicts that all rows at once give."""

import itertools
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pytest
from benchmarks.logs.generator import write_logs
from tests.conformance.logs.in_order import in_order

from genstamp.logs.check import Terms, verdicts
from genstamp.logs.exchange import NO_NUMBER
from genstamp.logs.local import Checked, check_locally
from genstamp.logs.long_keys import verdicts_in_order
from genstamp.logs.tables import CONCERNS, STEPS
from genstamp_dfs.events import encode_lines
from genstamp_dfs.simulation.whole import run_whole

_SEQUENCES = "block_id,label,events\n" + "".join(
    f"blk_{number},Normal,{events}\n"
    for number, events in enumerate(("22 5 5" + " 11 9" * 40, "5 5" + " 11 9" * 40, "22" + " 5" * 60 + " 11 9" * 70))
)


@pytest.fixture(scope="module", params=[False, True], ids=["default", "complete"])
def checked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Checked:
    """A run, an edit log, sequences that do not balance, and logs with violations."""
    directory = tmp_path_factory.mktemp("logs")
    (directory / "events.jsonl").write_bytes(encode_lines(run_whole(3).events))
    write_logs(directory / "logs", 600, seed=8, one_in=10)
    (directory / "some.csv").write_text(_SEQUENCES, encoding="utf-8")
    edits = repository / "tests" / "data" / "edits" / "editsStored"
    paths = [edits, directory / "events.jsonl", directory / "some.csv", *sorted((directory / "logs").glob("*.log"))]
    return check_locally(paths, complete=request.param)


@pytest.mark.slow
@pytest.mark.parametrize("rows_max", [30, 200])
def test_verdicts_are_those_of_all_rows_at_once(checked: Checked, tmp_path: Path, rows_max: int) -> None:
    found, steps = _found(checked.concerns, checked.terms, tmp_path, rows_max)
    assert _rows(found) == _rows(checked.verdicts)
    assert len({row["safety"] for row in checked.verdicts.to_pylist()}) > 1
    if checked.terms.complete:
        assert any(" and only " in str(row["failed"]) for row in checked.verdicts.to_pylist())
    assert _steps(steps) == _steps(checked.steps)


@pytest.mark.slow
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
    found, _ = _found(concerns, terms, tmp_path, 60)
    assert _rows(found) == _rows(expected)
    long = [row for row in expected.to_pylist() if row["events"] > 60]
    assert {(row["safety"], row["path"]) for row in long} > {("undetermined", "slow"), ("undetermined", "fast")}


def _found(concerns: Any, terms: Terms, scratch: Path, rows_max: int) -> tuple[Any, Any]:
    """Verdicts and steps."""
    steps: list[Any] = [STEPS.empty_table()]
    found = list(verdicts_in_order(in_order(concerns, 25), terms, scratch, rows_max, steps))
    return pa.concat_tables(found), pa.concat_tables(steps)


def _rows(table: Any) -> list[str]:
    return sorted(map(repr, table.to_pylist()))


def _steps(table: Any) -> list[Any]:
    keys = STEPS.names[:4]
    added = table.group_by(keys).aggregate([("seen", "sum"), ("perhaps", "sum")])
    return sorted(tuple(row.values()) for row in added.to_pylist())


@pytest.mark.slow
def test_two_names_with_one_key_are_two(checked: Checked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hashes of names tell hardly ever the same of two keys; here always."""

    def constant(column: Any) -> Any:
        return np.zeros(len(column["number"]), np.int64)

    concerns = checked.concerns.take(pa.array(range(0, checked.concerns.num_rows, 12)))
    expected = verdicts(concerns, checked.terms)
    monkeypatch.setattr("genstamp.logs.flat.keys_of", constant)
    found, _ = _found(concerns, checked.terms, tmp_path, 200)
    assert found.num_rows > 100
    assert _rows(found) == _rows(expected)


@pytest.mark.slow
def test_order_of_files_changes_nothing(checked: Checked, tmp_path: Path) -> None:
    order = list(range(checked.concerns.num_rows))
    random.Random(4).shuffle(order)
    shuffled = checked.concerns.take(pa.array(order))
    # Rows of one unit with one sequence are ordered by where they stand, and there are none.
    assert _rows(verdicts(shuffled, checked.terms)) == _rows(checked.verdicts)
    found, _ = _found(shuffled, checked.terms, tmp_path, 30)
    assert _rows(found) == _rows(checked.verdicts)


@pytest.mark.slow
def test_a_block_is_checked_with_its_replicas_and_with_what_others_tell_of_it(checked: Checked, tmp_path: Path) -> None:
    """However many rows are held, if those of one number are no more."""
    tables = list(in_order(checked.concerns, 7))
    together: list[set[int]] = []

    def seen(concerns: Any, *_: Any) -> Any:
        together.append({each for each in concerns.column("number").to_pylist() if each != NO_NUMBER})
        return verdicts(concerns, checked.terms)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("genstamp.logs.long_keys.verdicts", seen)
        list(verdicts_in_order(tables, checked.terms, tmp_path, 400, []))
    assert len(together) > 3
    for one, other in itertools.combinations(together, 2):
        assert not one & other


def test_empty_part_has_no_verdict(tmp_path: Path) -> None:
    found, _ = _found(CONCERNS.empty_table(), Terms(), tmp_path, 30)
    assert not found.num_rows
