"""The compiled search beside Spin: states and steps a second on one core, bytes a state, seconds to compile.

Run from the repository's root: `python -m benchmarks.explore [--runs N] [--threads N] [SYSTEM:CONFIGURATION]`.
Each line is the median of some runs, to be read with 30 per cent of noise on a shared machine; by default there is one
for a single thread and one for two. The peer searches the Promela export of two-phase commit, exhaustively and on one
core; where `spin` or a C compiler is missing, the line says so. Counts must agree, or the benchmark fails.
"""

from __future__ import annotations

import argparse
import re
import shutil
import statistics
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.model.systems.small_recovery import SMALL_RECOVERY
from tests.model.systems.two_phase import TWO_PHASE

from genstamp.agree.spin import SPIN_OPTIONS
from genstamp_model.explore import explore
from genstamp_model.export.promela import promela_model
from genstamp_model.language import Instance, System
from genstamp_spec.hdfs.systems.recovery import RECOVERY

SYSTEMS: dict[str, System] = {system.name: system for system in (TWO_PHASE, SMALL_RECOVERY, RECOVERY)}
DEFAULT = ("two_phase:nine", "small_recovery:large", "hdfs.recovery")


@dataclass(frozen=True)
class Line:
    """One line of the table."""

    name: str
    states: int
    generated: int
    seconds: float
    bytes_a_state: float
    compile_seconds: float

    def __str__(self) -> str:
        speed = f"{self.states / self.seconds / 1e6:5.2f} {self.generated / self.seconds / 1e6:6.1f}"
        sizes = f"{self.states:>11,} {self.generated:>12,}"
        return (
            f"{self.name:<36} {sizes} {self.seconds:6.2f} {speed} {self.bytes_a_state:6.1f} {self.compile_seconds:6.2f}"
        )


HEADER = (
    f"{'':<36} {'states':>11} {'generated':>12} {'s':>6} {'M/s':>5} {'M st/s':>6} {'B/st':>6} {'comp s':>6}\n"
    f"{'':<36} {'':>11} {'':>12} {'':>6} {'dist.':>5} {'gen.':>6}"
)


def ours(name: str, runs: int, threads: int) -> Line:
    """Searches one configuration of a system, traced anew each time."""
    system, _, configuration = name.partition(":")
    results, tracing = [], []
    for _ in range(runs):
        started = time.perf_counter()
        instance: Instance = SYSTEMS[system].instance(configuration or None)
        tracing.append(time.perf_counter() - started)
        results.append(explore(instance, threads=threads))
    assert len({(result.states, result.generated) for result in results}) == 1
    return Line(
        name=f"{system}:{results[0].instance.configuration.name}, threads {threads}",
        states=results[0].states,
        generated=results[0].generated,
        seconds=statistics.median(result.seconds for result in results),
        bytes_a_state=results[0].bytes_a_state,
        compile_seconds=statistics.median(result.compile_seconds for result in results) + statistics.median(tracing),
    )


def spin(name: str, runs: int) -> Line | str:
    """Spin's exhaustive search of the export of one configuration, or why there is none."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    program = shutil.which("spin")
    if program is None or compiler is None:
        return f"spin: absent ({'no spin' if program is None else 'no C compiler'} on the PATH)"
    with tempfile.TemporaryDirectory() as scratch:
        system, _, configuration = name.partition(":")
        Path(scratch, "model.pml").write_text(promela_model(SYSTEMS[system].instance(configuration or None)))
        started = time.perf_counter()
        subprocess.run([program, *SPIN_OPTIONS, "-a", "model.pml"], cwd=scratch, check=True, capture_output=True)
        options = ["-O3", "-w", "-DSAFETY", "-DNOREDUCE", "-DMEMLIM=8000", "-o", "pan", "pan.c"]
        subprocess.run([compiler, *options], cwd=scratch, check=True, capture_output=True)
        compiled = time.perf_counter() - started
        seconds, output = [], ""
        for _ in range(runs):
            started = time.perf_counter()
            command = ["./pan", "-m1000000", "-w24"]
            output = subprocess.run(command, cwd=scratch, check=True, capture_output=True, text=True).stdout
            seconds.append(time.perf_counter() - started)
    states, generated = _number(r"(\S+) states, stored", output), _number(r"(\S+) transitions", output)
    mebibytes = float(_found(r"([\d.]+)\s+total actual memory usage", output))
    size = mebibytes * 2**20 / states
    return Line(f"spin {name}", states, generated, statistics.median(seconds), size, compiled)


def _number(pattern: str, text: str) -> int:
    return int(float(_found(pattern, text)))


def _found(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    assert match, f"spin printed nothing like {pattern!r}:\n{text}"
    return match[1]


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=3, help="runs of which the median is shown")
    parser.add_argument("names", nargs="*", default=DEFAULT, metavar="SYSTEM:CONFIGURATION")
    parser.add_argument("--threads", type=int, choices=(1, 2), action="append", help="1, 2, or by default both in turn")
    arguments = parser.parse_args()
    print(HEADER)
    lines = []
    for name in arguments.names:
        for threads in arguments.threads or (1, 2):
            lines.append(ours(name, arguments.runs, threads))
            print(lines[-1], flush=True)
    if "two_phase:nine" in arguments.names:
        peer = spin("two_phase:nine", arguments.runs)
        print(peer)
        if isinstance(peer, Line):
            same = next(line for line in lines if line.name.startswith("two_phase:nine,"))
            assert peer.states == same.states, "the peer finds other states"
            print(f"genstamp finds {peer.seconds / same.seconds:.1f} times as many states a second as spin")


if __name__ == "__main__":
    main()
