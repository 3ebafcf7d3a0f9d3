"""Rows of random bytes, made by a worker of Spark; the second half of them only when a file is there.

Workers import this module, so that it imports nothing of the tests.
"""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pandas

BYTES_A_ROW = 1024
ROWS_A_BATCH = 1000
LIMIT_S = 120.0


def gated(total: int, gate: Path) -> Iterator[pandas.DataFrame]:
    """So many rows, each with a number."""
    limit = time.monotonic() + LIMIT_S
    for first in range(0, total, ROWS_A_BATCH):
        while first >= total // 2 and not gate.exists():
            assert time.monotonic() < limit, f"{gate} did not come in {LIMIT_S} s"
            time.sleep(0.05)
        numbers = range(first, min(total, first + ROWS_A_BATCH))
        yield pandas.DataFrame({"id": list(numbers), "bytes": [os.urandom(BYTES_A_ROW) for _ in numbers]})
