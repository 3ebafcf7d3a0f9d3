"""A large file, written while servers, its writer and then all servers are killed: what was hflushed is there.

Takes minutes, so it runs on demand: `GENSTAMP_LARGE_MIB=1024 .venv/bin/pytest -s tests/impl/server/test_large_file.py`.
"""

import os
from pathlib import Path

import pytest
from benchmarks.dfs import kill

LARGE_MIB = os.environ.get("GENSTAMP_LARGE_MIB", "")


@pytest.mark.slow
@pytest.mark.skipif(not LARGE_MIB, reason="takes minutes; GENSTAMP_LARGE_MIB says how many MiB")
def test_what_was_hflushed_of_a_large_file_is_there_after_everything_was_killed(tmp_path: Path) -> None:
    length, acknowledged = kill(int(LARGE_MIB), tmp_path)
    assert length >= acknowledged >= 5 * int(LARGE_MIB) * (1 << 20) // 6
