"""Runs real daemons of Apache Hadoop, and checks the logs and edits that they leave.

    python -m benchmarks.apache_logs DIRECTORY [--level DEBUG] [--seed N] [--release 3.5.0] [--keep] [RUN ...]

Prints of each run what was acknowledged and what is left, and what `genstamp logs check` says, without and with
`--complete`. Exits with 0 only if all is as `DECLARED` and `HOLES` say, and no key is violated. Needs Java and Maven.
"""

import argparse
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from benchmarks.apache_daemons import Cluster, compiled, libraries

from genstamp.logs.readers.sighting import KNOWN_HOLE

_LOST = {"acknowledged": "1000", "closed": "true", "left": "0"}

DECLARED: Mapping[str, Mapping[str, str]] = {
    "plain": {"left": "350000"},
    "soft_limit": {"waited_for_soft_limit": "true", "left": "1010"},
    "recover_alive": {"closed": "true", "fenced": "true", "left": "70000"},
    "hard_limit": {"closed": "true", "left": "90000"},
    "truncate": {"left": "[250000,131072,100001,5]"},
    "kill_in_pipeline": {"left": "272000"},
    "kill_then_recover": {"closed": "true", "left": "70000"},
    "hang": {"left": "80000"},
    "all_restart": {"closed": "true", "left": "70000"},
    "namenode": {"closed": "true", "left": "340000"},
    "calls": {},
    "outages": {},
    "unreachable": _LOST,
    "stale": _LOST,
    "granted_twice": {"acknowledged": "2000", "granted": "1002", "closed": "true", "left": "1000"},
    "granted_twice_repaired": {"acknowledged": "2000", "granted": "1003", "closed": "true", "left": "2000"},
}
"""What clients tell of each run, by name; of random calls nothing but that they come to an end."""

HOLES: Mapping[str, int] = {"granted_twice": 1}
"""Stamps that are granted again, by run: a known hole, which the edits show."""

_SOFT_LIMIT_MS, _QUICK_MS = "60000", "15000"
_PORT = 27100


def _settings(run: str) -> dict[str, str]:
    settings = {"genstamp.soft.ms": _SOFT_LIMIT_MS if run == "soft_limit" else _QUICK_MS, "genstamp.hard.ms": "90000"}
    if run == "hard_limit":
        settings["genstamp.hard.ms"] = "30000"
    if run.startswith("granted_twice"):
        settings["dfs.client.socket-timeout"] = "180000"  # Longer than the restart, while the request is held.
        settings["genstamp.repaired"] = str(run.endswith("repaired")).lower()
        settings["dfs.client.block.write.replace-datanode-on-failure.policy"] = "NEVER"
    return settings


def _carry_out(run: str, cluster: Cluster, seed: int) -> dict[str, str]:
    """What the clients of a run tell, by name."""
    told = {}
    began = time.monotonic()
    with cluster.running():
        for line in cluster.lines(run, seed):
            print(f"{time.monotonic() - began:7.1f} {line}", flush=True)
            if line.startswith("= "):
                name, _, value = line[2:].partition(" ")
                told[name] = value
    return told


def _checked(directory: Path, *options: str) -> tuple[str, tuple[int, int, int]]:
    """What `genstamp logs check` says in a line; how many keys are violated, lines not read and known holes noted."""
    command = [sys.executable, "-m", "genstamp", "logs", "check", "--format", "json", *options, str(directory)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode not in (0, 12, 3, 13):
        raise RuntimeError(
            f"genstamp logs check ended with {done.returncode}, 0 or a verdict was expected: {done.stderr}"
        )
    report = json.loads(done.stdout)
    violated = sum(row["keys"] for row in report["keys"] if row["safety"] == "violated")
    unread = sum(source["rejects"] for source in report["sources"])
    keys = sum(row["keys"] for row in report["keys"])
    counts = f"{report['events']} events in {report['lines']} lines, {keys} keys, {violated} violated"
    holes = sum(note["note"].startswith(KNOWN_HOLE) for note in report["notes"])
    answer = f"{' '.join(['logs check', *options])}: {report['safety']}, {report['completion']}"
    return f"{answer}; {counts}, {unread} lines not read, {holes} known holes noted", (violated, unread, holes)


def main() -> int:
    """Runs what the command line names; 0 if all is as declared."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("runs", nargs="*", metavar="RUN", help=f"{', '.join(DECLARED)}; all if none is named")
    parser.add_argument("--level", choices=["INFO", "DEBUG"], default="INFO")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--release", default="3.4.1")
    parser.add_argument("--port", type=int, default=_PORT)
    parser.add_argument("--keep", action="store_true", help="leave what the daemons have written")
    options = parser.parse_intermixed_args()
    unknown = [run for run in options.runs if run not in DECLARED]
    if unknown:
        parser.error(f"there is no run {unknown[0]}, there are {', '.join(DECLARED)}")
    where = options.directory.resolve()
    where.mkdir(parents=True, exist_ok=True)
    jars = libraries(options.release)
    classes = compiled(jars, where / "classes")
    print(f"Apache Hadoop {options.release}, {options.level}, seed {options.seed}")
    wrong = []
    for run in options.runs or DECLARED:
        of_run = where / run
        shutil.rmtree(of_run, ignore_errors=True)
        cluster = Cluster(
            jars, classes, of_run, options.port, _settings(run), debug=options.level == "DEBUG",
            behind_proxies=run.startswith("granted_twice"),
        )  # fmt: skip
        told = _carry_out(run, cluster, options.seed)
        checked = [_checked(of_run), _checked(of_run, "--complete")]
        print("\n".join([f"{run}: {told}", *(said for said, _ in checked)]), flush=True)
        expected = 0, 0, HOLES.get(run, 0)
        if told != DECLARED[run] or any(found != expected for _, found in checked):
            print(f"{run}: declared is {DECLARED[run]}, no key violated, no line not read, {expected[2]} known holes")
            wrong.append(run)
        if not options.keep:
            shutil.rmtree(of_run)
    print(f"{len(wrong)} runs are not as declared: {', '.join(wrong)}" if wrong else "all is as declared")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
