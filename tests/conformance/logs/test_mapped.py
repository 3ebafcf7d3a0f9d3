"""What the reader of a NameNode's log remembers of files may be larger than memory."""

import subprocess
import sys
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

from genstamp.logs.readers import mapped
from genstamp.logs.readers.mapped import Numbers, SeenReplicas

_LOG = "2026-11-01 12:00:00,000 INFO org.apache.hadoop.hdfs.StateChange: "
_STATE = "{UCState=UNDER_CONSTRUCTION, truncateBlock=null, primaryNodeIndex=-1, replicas=[]}"
_NEVER = 1 << 60


def _write(log: Path, files: int) -> str:
    """A log in which so many files get a block and are closed."""
    with log.open("w", encoding="ascii") as out:
        for number in range(files):
            path = f"/warehouse/table/part={number // 1000}/file-{number:09d}"
            out.write(f"{_LOG}BLOCK* allocate blk_{1 << 30 | number}_{1001 + number}{_STATE} for {path}\n")
            out.write(f"{_LOG}DIR* completeFile: {path} is closed by DFSClient_{number % 1000}\n")
    return str(log)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="arrays are mapped on Linux alone")
def test_files_of_a_log_take_hardly_more_memory_when_they_are_four_times_as_many(
    tmp_path: Path, repository: Path
) -> None:
    small, logs = _write(tmp_path / "small", 50_000), {n: _write(tmp_path / str(n), n) for n in (100_000, 400_000)}

    def took(files: int, mapped_from: int) -> int:
        command = [sys.executable, "-m", "tests.conformance.logs.anonymous", small, logs[files], str(mapped_from)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=repository)
        return int(done.stdout)

    assert took(400_000, 1 << 20) < 1.3 * took(100_000, 1 << 20)
    assert took(400_000, _NEVER) > 1.3 * took(100_000, _NEVER)


def test_large_array_stands_below_the_directory_for_temporary_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mapped, "MAPPED_FROM", 4096)
    with mock.patch.object(mapped, "_file_of_zeros", wraps=mapped._file_of_zeros) as made:
        assert mapped.zeros((511,), np.int64).shape == (511,)
        made.assert_not_called()
        rows = mapped.zeros((64, 8), np.int64)
        made.assert_called_once_with(4096)
    rows[63, 7] = 5
    assert (rows.shape, int(rows.sum()), rows.flags.c_contiguous, rows.flags.writeable) == ((64, 8), 5, True, True)


def test_array_stands_in_memory_where_the_disk_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mapped, "MAPPED_FROM", 1)
    with mock.patch("os.posix_fallocate", side_effect=OSError(28, "No space left on device")) as asked:
        assert mapped.zeros((3,), np.int32).tolist() == [0, 0, 0]
    asked.assert_called_once()


@pytest.mark.parametrize("mapped_from", [1, _NEVER])
def test_numbers_are_those_that_were_put_by(monkeypatch: pytest.MonkeyPatch, mapped_from: int) -> None:
    monkeypatch.setattr(mapped, "MAPPED_FROM", mapped_from)
    numbers, expected = Numbers(), np.arange(10_000)
    for piece in np.array_split(expected, 7):
        numbers.extend(piece)
    assert len(numbers) == 10_000
    assert np.array_equal(numbers.between(0, 10_000), expected)
    assert numbers.between(4095, 4097).tolist() == [4095, 4096]


def test_replicas_are_taken_in_order_and_once() -> None:
    seen = SeenReplicas()
    seen.add("BP-1", 2, np.array([7, 8]))
    seen.add("BP-2", 1, np.array([9]))
    taken = [(namespace, node, blocks.tolist()) for namespace, node, blocks in seen.take()]
    assert taken == [("BP-1", 2, [7, 8]), ("BP-2", 1, [9])]
    assert list(seen.take()) == []
