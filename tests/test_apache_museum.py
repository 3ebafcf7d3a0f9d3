"""Faults of the museum on Apache HDFS: the records are of the programs that there are, and one is shown again."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

APACHE = Path(__file__).parents[1] / "adapters" / "apache-hdfs"
MUSEUM = APACHE / "museum"


def test_each_program_has_a_record_of_an_old_release_and_of_the_repaired_one() -> None:
    programs = re.findall(r'put\("(HDFS-\d+)"', (MUSEUM / "src" / "genstamp" / "museum" / "Main.java").read_text())
    seen = {path.stem: json.loads(path.read_text()) for path in (MUSEUM / "seen").glob("*.json")}
    repaired = seen.pop("3.4.1")
    assert sorted(repaired) == sorted(programs)
    assert sorted(name for faults in seen.values() for name in faults) == sorted(programs)
    for faults in seen.values():
        for name, what in faults.items():
            assert what != repaired[name], name


@pytest.mark.slow
def test_a_fault_is_shown_again() -> None:
    if os.environ.get("GENSTAMP_ON_DEMAND") != "1":
        pytest.skip("needs an old release from Maven; run where GENSTAMP_ON_DEMAND is 1")
    command = [sys.executable, str(APACHE / "museum.py"), "HDFS-9289"]
    shown = subprocess.run(command, capture_output=True, text=True, check=False)
    assert shown.returncode == 0, shown.stderr
    assert [json.loads(line)["release"] for line in shown.stdout.splitlines()] == ["2.7.1", "3.4.1"]
