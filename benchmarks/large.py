"""Hundreds of millions of states by fingerprints: seconds, memory at its peak, bytes a state, and how sure it is.

Run from the repository's root: `.venv/bin/python -m benchmarks.large [--memory BYTES] [--spill DIRECTORY] [NAME]`. NAME
is one of

    two_phase:N   two-phase commit with N managers, which has 6**N + 4**N + 2**N states: 366 993 408 for 11
    dials:N       N dials of ten digits that turn one by one, which have 10**N states: the largest that is of use is 9

The number of states must be the one that is known, or the benchmark fails. Memory is the peak of the whole process,
Python and the compiler included. To the disk go 8 bytes a state, for traces, and of two levels what memory has no room
for.

Two-phase commit has so many states because each manager is for itself, given what the transaction manager has decided:
before, it works, has aborted, or is prepared and heard of or not; after an abort it may also have aborted after it was
prepared, heard of or not; after a commit it is prepared or committed.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from benchmarks.memory import peak_bytes
from tests.model.systems.two_phase import TWO_PHASE

from genstamp_model.explore import Fingerprints, Progress, explore
from genstamp_model.language import Configuration, Index, Instance, Part, System, action, number, per, when


class Dial(Index, symmetric=True):
    """One of some dials."""


class Dials(Part):
    """A lock of dials that know nothing of each other."""

    digit = per(Dial, number(0, 9))

    @action
    def turn(s, dial: Dial) -> None:
        """One further; after nine comes zero."""
        s.digit[dial] = when(s.digit[dial] == 9, 0, s.digit[dial] + 1)


DIALS = System("dials", parts=[Dials], configurations=[Configuration("one", sizes={"Dial": 1})])


def instance(name: str) -> tuple[Instance, int]:
    """What to search, and how many states it has."""
    system, _, size = name.partition(":")
    count = int(size)
    match system:
        case "two_phase":
            configuration = Configuration(size, sizes={"Rm": count})
            return Instance(TWO_PHASE.model(), configuration), 6**count + 4**count + 2**count
        case "dials":
            return Instance(DIALS.model(), Configuration(size, sizes={"Dial": count})), 10**count
        case _:
            raise SystemExit(f"there is no '{system}'; there are two_phase:N and dials:N")


def main() -> None:
    """Search, and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--memory", type=int, metavar="BYTES", help="by default three quarters of what is free")
    parser.add_argument("--spill", type=Path, metavar="DIRECTORY", help="by default where temporary files are")
    parser.add_argument("--seed", type=int, default=0, help="chooses the hash")
    parser.add_argument("name", nargs="?", default="two_phase:11", metavar="NAME")
    arguments = parser.parse_args()
    searched, expected = instance(arguments.name)
    last = time.monotonic()

    def show(progress: Progress) -> None:
        nonlocal last
        if time.monotonic() - last > 10:
            last = time.monotonic()
            print(
                f"  level {progress.levels}, {progress.states:,} of {expected:,} states, {progress.seconds:.0f} s, "
                f"{peak_bytes() / 1e9:.2f} GB",
                flush=True,
            )

    result = explore(
        searched,
        fingerprints=Fingerprints(arguments.seed),
        memory_bytes=arguments.memory,
        spill=arguments.spill,
        progress=show,
    )
    print(f"{arguments.name}: {result.verdict.value}{result.undetermined and ', '}{result.undetermined}")
    print(f"  {result.states:,} states, {result.generated:,} generated, depth {result.depth}")
    print(f"  {result.seconds:.1f} s, {result.states_a_second / 1e6:.2f} M states/s")
    print(
        f"  {result.bytes_a_state:.2f} bytes a state for table, queues and traces; "
        f"{peak_bytes() / result.states:.2f} for the whole process, {peak_bytes() / 1e9:.2f} GB at its peak"
    )
    print(
        f"  {result.disk_bytes / 1e9:.2f} GB on disk; "
        f"the probability that a state was missed is at most {result.doubt:.1e}"
    )
    assert result.states == expected, f"{expected:,} states are known"


if __name__ == "__main__":
    main()
