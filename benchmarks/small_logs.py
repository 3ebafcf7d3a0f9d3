"""Seconds from `genstamp logs check` of a small log to its verdict, start of the process included.

Run from the repository's root: `python -m benchmarks.small_logs [--runs N] [--lines N]`. First: nothing that was
compiled on an earlier run is on the disk, as after an installation. Then the same again, and with each sort of result.
Seconds of the processor are told beside, as other work of the machine changes these less.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.logs.generator import write_logs

COMMAND = (sys.executable, "-c", "from genstamp.cli import main; main()", "logs", "check")
VIOLATED = 12


def seconds(arguments: list[str], compiled: Path) -> tuple[float, float]:
    """One run from its start to its end, with what is compiled kept in a directory; and that of the processor."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(compiled)}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    done = subprocess.run([*COMMAND, *arguments], env=environment, capture_output=True, text=True)
    taken = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == VIOLATED, f"{done.returncode}: {done.stdout}{done.stderr}"
    return taken, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Prints medians."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--lines", type=int, default=5000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        logs, out = Path(scratch) / "logs", Path(scratch) / "out"
        written = write_logs(logs, asked.lines, seed=1, one_in=500)
        print(f"{written.lines:,} lines; load before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        ways: dict[str, list[str]] = {
            "text": [],
            "--out": ["--out", str(out)],
            "--html": ["--html", str(Path(scratch) / "page.html")],
            "--format json": ["--format", "json"],
        }
        compiled = Path(scratch) / "compiled"
        first = seconds([str(logs)], compiled)
        print(f"{'first run':<16}{first[0]:>7.2f} s ({first[1]:.2f} s of the processor)")
        for who, arguments in ways.items():
            runs = [seconds([str(logs), *arguments], compiled) for _ in range(asked.runs)]
            taken, processor = (statistics.median(each) for each in zip(*runs, strict=True))
            print(f"{who:<16}{taken:>7.2f} s ({processor:.2f} s of the processor)")


if __name__ == "__main__":
    main()
