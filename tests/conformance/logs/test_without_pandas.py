"""A check in one process does without pandas, and who wants it later has it."""

import subprocess
import sys
from pathlib import Path

import pytest

_CHECK = """
import sys
from genstamp.cli import main
try:
    main()
except SystemExit:
    print("loaded" if "pandas" in sys.modules else "spared", file=sys.stderr)
"""

_LATER = """
import sys
from genstamp.logs.without_pandas import spare_pandas
spare_pandas()
import pyarrow as pa
assert "pandas" not in sys.modules
print(pa.table({"a": [1, 2]}).to_pandas()["a"].sum())
"""


@pytest.mark.slow
def test_no_result_of_a_check_takes_pandas(repository: Path, tmp_path: Path) -> None:
    events = str(repository / "examples" / "late_writer.jsonl")
    wanted = ["--out", str(tmp_path / "out"), "--html", str(tmp_path / "page.html"), "--format", "json"]
    command = [sys.executable, "-c", _CHECK, "logs", "check", events, *wanted]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.stderr.splitlines()[-1] == "spared", done.stderr
    assert (tmp_path / "page.html").exists()


@pytest.mark.slow
def test_pandas_is_there_for_who_asks_for_it() -> None:
    done = subprocess.run([sys.executable, "-c", _LATER], check=True, capture_output=True, text=True)
    assert done.stdout == "3\n"
