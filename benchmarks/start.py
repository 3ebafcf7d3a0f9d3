"""Seconds from the command to the verdict on a small system, start of the process included.

Run from the repository's root: `python -m benchmarks.start [--runs N]`. Cold: nothing of ours but its source is on
disk, so that Python compiles it too; libraries are as pip leaves them. Warm: the same command again.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
LAYERS = ("spec", "model", "impl", "conformance")
COMMAND = (sys.executable, "-c", "from genstamp.cli import main; main()", "check")
SUBJECT = "tests.model.systems.two_phase:TWO_PHASE:three"


def seconds(copy: Path) -> float:
    """One run of the sources in a directory, from its start to its end."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(str(copy / layer) for layer in LAYERS)}
    started = time.perf_counter()
    done = subprocess.run([*COMMAND, SUBJECT], cwd=copy, env=environment, capture_output=True, text=True, check=True)
    taken = time.perf_counter() - started
    assert "288 distinct states" in done.stdout, done.stdout
    return taken


def measured(runs: int) -> tuple[list[float], list[float]]:
    """Cold runs and warm runs in turn, each pair on a fresh copy of the sources."""
    cold, warm = [], []
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as scratch:
            copy = Path(scratch)
            for name in (*LAYERS, "tests/model/systems"):
                shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
            cold.append(seconds(copy))
            warm.append(seconds(copy))
    return cold, warm


def main() -> None:
    """Prints medians."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=5)
    for name, times in zip(("cold", "warm"), measured(parser.parse_args().runs), strict=True):
        print(f"{name} {statistics.median(times):.2f} s ({min(times):.2f} to {max(times):.2f})")


if __name__ == "__main__":
    main()
