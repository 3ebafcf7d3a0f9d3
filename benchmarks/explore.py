"""The compiled search beside other checkers, in one run: states a second, bytes a state, seconds.

Run from the repository's root: `python -m benchmarks.explore [--runs N] [--limit SECONDS] [NAME ...]`; NAME is one of
the subjects below, by default all of them. Each of our lines is the median of some runs, to be read with 30 per cent of
noise on a shared machine. A peer's line shows a speed only where it has found as many states as we have. A peer that is
not installed is said to be absent: `spin` and a C compiler (Debian package `spin`), TLC (comes with the development
dependencies), minicheck (`pip install minicheck==0.4.0`). Seconds are those of the search alone for us, Spin and
minicheck; for TLC they include the start of Java. What it takes until there is a verdict, process start included, is
measured by `benchmarks.start`.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks import peers_run
from benchmarks.line import HEADER, Line
from tests.model.systems.small_recovery import SMALL_RECOVERY
from tests.model.systems.two_phase import TWO_PHASE

from genstamp_model.explore import explore
from genstamp_model.language import Configuration, Instance, System
from genstamp_spec.hdfs.systems.recovery import RECOVERY


@dataclass(frozen=True)
class Subject:
    """What is searched.

    Attributes:
        symmetry: whether the system's symmetry is used in a line of its own.
        tlc: whether TLC is tried; on large subjects it would take hours.
    """

    system: System
    configuration: Configuration
    symmetry: bool = False
    tlc: bool = False

    @property
    def instance(self) -> Instance:
        """The subject, traced anew."""
        return Instance(self.system.model(), self.configuration)


def _two_phase(managers: int) -> Configuration:
    return Configuration(str(managers), sizes={"Rm": managers})


SUBJECTS = {
    "H(3,4,2,2)": Subject(SMALL_RECOVERY, SMALL_RECOVERY.configuration("large"), symmetry=True),
    "H(3,3,2,1)": Subject(SMALL_RECOVERY, SMALL_RECOVERY.configuration("three"), tlc=True),
    "two_phase:9": Subject(TWO_PHASE, _two_phase(9), symmetry=True),
    "two_phase:7": Subject(TWO_PHASE, _two_phase(7), tlc=True),
    "two_phase:5": Subject(TWO_PHASE, _two_phase(5)),
    "hdfs.recovery:three_datanodes": Subject(RECOVERY, RECOVERY.configuration("three_datanodes"), symmetry=True),
    "hdfs.recovery:restarts": Subject(RECOVERY, RECOVERY.configuration("restarts")),
}


def ours(name: str, subject: Subject, runs: int, *, threads: int, symmetry: bool = False) -> Line:
    """Our search of a subject, the median of some runs."""
    results, tracing = [], []
    for _ in range(runs):
        started = time.perf_counter()
        instance = subject.instance
        tracing.append(time.perf_counter() - started)
        results.append(explore(instance, threads=threads, symmetry=symmetry))
    assert len({(result.states, result.generated) for result in results}) == 1
    how = f"genstamp, {threads} thread{'s' if threads > 1 else ''}{', symmetry' if symmetry else ''}"
    return Line(
        subject=name,
        who=how,
        states=results[0].states,
        generated=results[0].generated,
        seconds=statistics.median(result.seconds for result in results),
        bytes_a_state=results[0].bytes_a_state,
        prepared_seconds=statistics.median(result.compile_seconds for result in results) + statistics.median(tracing),
    )


def lines(name: str, runs: int, limit_s: float) -> Iterator[Line | str]:
    """Every line of a subject, ours first."""
    subject = SUBJECTS[name]
    one, two = (ours(name, subject, runs, threads=threads) for threads in (1, 2))
    yield from (one, two)
    if subject.symmetry:
        reduced = ours(name, subject, runs, threads=2, symmetry=True)
        yield reduced
        yield f"  symmetry: {one.states / reduced.states:.2f} times fewer states, {two.seconds / reduced.seconds:.1f} x"
    peers = [peers_run.spin(name, subject.instance, one.states, limit_s)]
    if subject.tlc:
        peers.append(peers_run.tlc(name, subject.instance, limit_s))
    if name == "two_phase:7":
        peers.append(peers_run.tlc_by_hand(name, 7, limit_s))
    if name == "two_phase:9":
        peers.append(peers_run.spin_reduced(9, limit_s))
    if name == "two_phase:5":
        peers.append(peers_run.minicheck(name, 5))
    for peer in peers:
        yield peer
        if isinstance(peer, Line) and peer.comparable:
            assert peer.states == one.states, f"{peer.who} finds {peer.states} states of {name}, we find {one.states}"
            best = min(one.seconds, two.seconds)
            yield f"  genstamp is {peer.seconds / best:.1f} times as fast"


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=5, help="of ours, of which the median is shown")
    parser.add_argument("--limit", type=float, default=900, help="seconds after which a peer is given up")
    parser.add_argument("names", nargs="*", metavar="NAME")
    arguments = parser.parse_args()
    print(HEADER)
    for name in arguments.names or SUBJECTS:
        if name not in SUBJECTS:
            parser.error(f"there is no subject '{name}'; there is {', '.join(SUBJECTS)}")
        for line in lines(name, arguments.runs, arguments.limit):
            print(line, flush=True)


if __name__ == "__main__":
    main()
