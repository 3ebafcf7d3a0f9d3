"""Lines a second of the check of logs: in one process, and on Spark with one core and with two, beside its peers.

Run from the repository's root: `.venv/bin/python -m benchmarks.logs [--lines N] [--seed N] [--skew SHARE] [--sql]
[--engine spark]`, which leaves out Spark with one core and all peers but Spark's.
Speeds are told after all agree on how many keys of each kind are conformant and violated, with `--sql` the twin in SQL
too, and the violated ones are those that were put in. How busy the machine is with other work is told beside. The peers
read every line and check nothing: `wc -l`, `grep -c`, and Spark with one regular expression. On Linux, Spark with one
core has no other to run on.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.logs.generator import write_logs

PATTERN = r"blk_(-?\d+)_(\d+)"
_SCAN = """
import sys, time
from pyspark.sql import functions
from benchmarks.logs.measured import processor_seconds
from genstamp.logs.session import spark_session
with spark_session(sys.argv[1], computes=True) as spark:
    found = functions.regexp_extract("value", sys.argv[2], 1).alias("block")
    spark.read.text(sys.argv[3]).select(found).where("block != ''").count()
    began, processor = time.perf_counter(), processor_seconds()
    spark.read.text(sys.argv[4:]).select(found).where("block != ''").count()
    print(time.perf_counter() - began, processor_seconds() - processor)
"""


def main() -> None:
    """Writes the logs, checks them in every way, and prints what it took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--lines", type=int, default=10_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--skew", type=_share, default=0.0, help="about what share of the lines is of one file, below 1"
    )
    parser.add_argument("--sql", action="store_true", help="ask the twin in SQL too, which takes much longer")
    parser.add_argument("--engine", choices=("all", "spark"), default="all", help="which ways are measured")
    parser.add_argument("--directory", type=Path, help="for the logs; by default one that is removed at the end")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="genstamp-logs-") as scratch:
        _run(arguments.directory or Path(scratch) / "logs", Path(scratch) / "small", arguments)


def _share(text: str) -> float:
    share = float(text)
    if not 0 <= share < 1:
        raise argparse.ArgumentTypeError(f"{text} is no share of the lines that leaves others: from 0 to below 1")
    return share


def _run(directory: Path, small: Path, asked: argparse.Namespace) -> None:
    seed = asked.seed
    written = write_logs(directory, asked.lines, seed, skew=asked.skew)
    # Long enough for the compiled code.
    write_logs(small, 100_000, seed + 1)
    print(
        f"seed {seed}, skew {asked.skew}: {written.lines:,} lines, {written.num_bytes / 1e9:.2f} GB,"
        f" {len(written.violated)} violated; load before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores",
        flush=True,
    )
    logs = sorted(map(str, directory.glob("*.log")))
    ways = {
        "one process": ("", ""),
        "Spark, 1 core": ("local[1]", ""),
        "Spark, 2 cores": ("local[2]", "sql" if asked.sql else ""),
    }
    if asked.engine == "spark":
        del ways["Spark, 1 core"]
    found = {who: _measured(directory, small, *way) for who, way in ways.items()}
    for who, each in found.items():
        assert each["counts"] == found["one process"]["counts"], f"{who} counts otherwise: {each['counts']}"
        # A report tells the first ones.
        assert set(each["violated"]) <= set(written.violated), f"{who} finds other violations"
        assert each["counts"].get("block violated", 0) == len(written.violated), f"{who} finds more or fewer"
    twin = found["Spark, 2 cores"]
    assert twin["sql"] in (None, twin["counts"]), f"the twin in SQL counts otherwise: {twin['sql']}"
    told = f", and in SQL in {twin['sql_seconds']:.1f} s" if asked.sql else ""
    print(f"all violations found, no others; counts equal in every way{told}: {twin['counts']}")
    print(f"{'':<28}{'seconds':>9}{'M lines/s':>11}{'processor':>11}{'us a line':>11}{'peak GB':>9}")
    for who, each in found.items():
        print(
            f"{who:<28}{each['seconds']:>9.1f}{written.lines / each['seconds'] / 1e6:>11.2f}{each['processor']:>11.1f}"
            f"{1e6 * each['processor'] / written.lines:>11.2f}{each['peak'] / 1e9:>9.2f}"
        )
    few = str(next(small.glob("*.log")))
    scan = [sys.executable, "-c", _SCAN, "local[2]", PATTERN, few, *logs]
    scanned = subprocess.run(scan, check=True, capture_output=True, text=True).stdout.split()
    peers = {"Spark, one regex, 2 cores": (float(scanned[0]), float(scanned[1]))}
    if asked.engine == "all":
        peers |= {"wc -l": _timed(["wc", "-l", *logs]), "grep -c blk_": _timed(["grep", "-c", "blk_", *logs])}
    for who, (seconds, processor) in peers.items():
        print(
            f"{who:<28}{seconds:>9.1f}{written.lines / seconds / 1e6:>11.2f}{processor:>11.1f}"
            f"{1e6 * processor / written.lines:>11.2f} (Spark, 2 cores: {twin['processor'] / processor:.1f} times that)"
        )
    print(f"load of the machine after: {os.getloadavg()[0]:.1f}")


def _measured(directory: Path, small: Path, master: str, sql: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.logs.measured", str(directory), str(small), master, sql]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    print(f"  {master or 'one process'}: {found['seconds']:.1f} s", flush=True)
    return found


def _timed(command: list[str]) -> tuple[float, float]:
    """Seconds of the clock, and of the processor."""
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    # Not to the null device: there grep ends with the first match.
    subprocess.run(command, check=True, stdout=subprocess.PIPE)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter() - began, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
