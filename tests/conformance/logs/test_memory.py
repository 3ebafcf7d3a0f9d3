"""Memory that a check takes does not grow with the logs, nor with the events of one key."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.dataset
import pyarrow.parquet
import pytest
from benchmarks.logs.generator import write_logs

from genstamp.logs.exchange import EXCHANGED, exchanged
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


def test_four_times_the_lines_take_hardly_more_memory(tmp_path: Path, repository: Path) -> None:
    peaks = []
    write_logs(tmp_path / "small", 50_000, seed=2)
    for lines in (500_000, 2_000_000):
        write_logs(tmp_path / f"{lines}", lines, seed=1)
        logs = str(tmp_path / f"{lines}"), str(tmp_path / "small")
        command = [sys.executable, "-m", "benchmarks.logs.measured", *logs, "", ""]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=repository)
        peaks.append(json.loads(done.stdout.splitlines()[-1])["peak"])
    assert peaks[1] < 1.4 * peaks[0], peaks


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
    _write(checked.concerns, tmp_path / "small", 3000)
    peaks = []
    for rows in (1_000_000, 5_000_000):
        built = tmp_path / str(rows)
        _write(checked.concerns, built, rows)
        command = [sys.executable, "-m", "tests.conformance.logs.limited", str(tmp_path / "small"), str(built)]
        done = subprocess.run([*command, str(_LIMIT)], check=True, stdout=subprocess.PIPE, text=True, cwd=repository)
        peaks.append(int(done.stdout))
        verdicts = {(row["kind"], row["entity"]): row for row in _verdicts(built)}
        hot = verdicts["block", _HOT]
        assert (hot["safety"], hot["events"], hot["place"]["line"]) == ("violated", rows, rows)
        assert hot["failed"] == f"generation stamp 1 is not above {rows}"
        assert {key: row["safety"] for key, row in verdicts.items()} == expected | {("block", _HOT): "violated"}
    assert rows * _ROW > 2.3 * (_LIMIT << 20)
    # Of five times the rows. Threads that read ahead have more or less at a time: peaks of one size differ by a third.
    assert 0 < peaks[1] < 2 * peaks[0], peaks


def _verdicts(built: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pyarrow.dataset.dataset(built / "verdicts").to_table().to_pylist()
    return rows


def _write(concerns: Any, built: Path, rows: int) -> None:
    """A part with the concerns of a log and so many of one block, the last of which stand first in the file."""
    for table in ("concerns", "verdicts", "steps"):
        (built / table).mkdir(parents=True)
    rule = next(number for number, rule in enumerate(BOOKS["block"].rules) if rule.event == "update_pipeline")
    row = concerns.slice(0, 1).to_pylist()[0] | {"kind": "block", "entity": _HOT, "rule": rule, "after": None}
    hot = exchanged(pa.Table.from_pylist([row], CONCERNS)).combine_chunks()
    with pyarrow.parquet.ParquetWriter(built / "concerns" / "part-000000-unit-000000.parquet", EXCHANGED) as writer:
        writer.write_table(exchanged(concerns))
        for begin in reversed(range(0, rows, _PIECE)):
            numbers = np.arange(begin, min(rows, begin + _PIECE)) + 1
            stamps = np.where(numbers == rows, 1, numbers + 1)
            piece = hot.take(pa.array(np.zeros(len(numbers), np.int64)))
            for name, values in (("sequence", numbers * ROLES_MAX), ("generation_stamp", stamps), ("line", numbers)):
                field = EXCHANGED.get_field_index(name)
                piece = piece.set_column(field, EXCHANGED.field(name), pa.array(values))
            writer.write_table(piece)
