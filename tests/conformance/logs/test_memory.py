"""Memory that a check takes does not grow with the logs."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.logs.generator import write_logs

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
