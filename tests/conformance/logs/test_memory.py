"""Memory that a part of the keys takes does not grow with the events of one key."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from benchmarks.logs.generator import write_logs
from tests.conformance.logs.in_order import in_order

from genstamp.logs.flat import SORTED
from genstamp.logs.local import check_locally
from genstamp.logs.rules import BOOKS
from genstamp.logs.tables import CONCERNS, ROLES_MAX

_HOT = "7"
"""A block of many events."""

_PIECE = 100_000

_LIMIT = 160
"""MiB that a check may take beside what the process has when it begins."""

_ROW = 80
"""Bytes of a row in memory, at least."""

pytestmark = pytest.mark.slow


def test_peak_is_not_that_of_the_process_that_forked(repository: Path) -> None:
    """As it was, the other tests here could not fail, or failed, when they came after many others."""
    held = bytearray(b"x" * (512 << 20))
    command = [sys.executable, "-c", "from benchmarks.memory import peak_bytes; print(peak_bytes())"]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=repository)
    assert 1 << 20 < int(done.stdout) < len(held)


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is one of Linux")
def test_key_of_more_events_than_memory_is_checked(tmp_path: Path, repository: Path) -> None:
    """The pipeline of one block is updated again and again, and its stamp goes back in the last event of all."""
    write_logs(tmp_path / "logs", 20_000, seed=3)
    checked = check_locally(sorted((tmp_path / "logs").glob("*.log")))
    expected = {(row["kind"], row["entity"]): row["safety"] for row in checked.verdicts.to_pylist()}
    assert ("block", _HOT) not in expected
    small, found = tmp_path / "small", tmp_path / "found"
    _write(checked.concerns, small, 3000)
    peaks = []
    for rows in (1_000_000, 5_000_000):
        part = tmp_path / str(rows)
        _write(checked.concerns, part, rows)
        command = [sys.executable, "-m", "tests.conformance.logs.limited", *map(str, (small, part, found, _LIMIT))]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=repository)
        peaks.append(int(done.stdout))
        verdicts = {(row["kind"], row["entity"]): row for row in pyarrow.parquet.read_table(found).to_pylist()}
        hot = verdicts["block", _HOT]
        assert (hot["safety"], hot["events"], hot["place"]["line"]) == ("violated", rows, rows)
        assert hot["failed"] == f"generation stamp 1 is not above {rows}"
        assert {key: row["safety"] for key, row in verdicts.items()} == expected | {("block", _HOT): "violated"}
    assert rows * _ROW > 2.3 * (_LIMIT << 20)
    # Of five times the rows. Threads that read ahead have more or less at a time: peaks of one size differ by a third.
    assert 0 < peaks[1] < 2 * peaks[0], peaks


def _write(concerns: Any, path: Path, rows: int) -> None:
    """A part with the concerns of a log and so many of one block, in order."""
    rule = next(number for number, rule in enumerate(BOOKS["block"].rules) if rule.event == "update_pipeline")
    row = concerns.slice(0, 1).to_pylist()[0] | {"kind": "block", "entity": _HOT, "rule": rule, "after": None}
    hot = next(in_order(pa.Table.from_pylist([row], CONCERNS), 1))
    others = pa.concat_tables(in_order(concerns, _PIECE))
    (here,) = np.searchsorted(np.asarray(others.column("number").combine_chunks()), [int(_HOT)])
    with pa.ipc.new_stream(str(path), SORTED) as writer:

        def write(table: Any) -> None:
            # A dictionary of a stream is told once.
            writer.write_table(table.unify_dictionaries(), max_chunksize=1 << 16)

        write(others.slice(0, here))
        for begin in range(0, rows, _PIECE):
            numbers = np.arange(begin, min(rows, begin + _PIECE)) + 1
            stamps = np.where(numbers == rows, 1, numbers + 1)
            piece = hot.take(pa.array(np.zeros(len(numbers), np.int64)))
            for name, values in (("sequence", numbers * ROLES_MAX), ("generation_stamp", stamps), ("line", numbers)):
                field = SORTED.get_field_index(name)
                piece = piece.set_column(field, SORTED.field(name), pa.array(values))
            write(piece)
        write(others.slice(here))
