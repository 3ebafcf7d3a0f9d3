"""Comparisons of judges on random systems, seed by seed: as tests, and by hand for as long as there is time.

    python -m tests.model.fuzz_judges FIRST [--seconds 3600] [--seeds 100] [--profile extended]

and likewise `fuzz_symmetry` and `fuzz_liveness`, from the repository's root. What differs is printed with its seed, and
the comparison goes on; the exit code is 1 if anything differed. A seed gives the same systems again.
"""

from __future__ import annotations

import argparse
import itertools
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

# Compares the judges on the systems of one seed, and counts what was compared; raises where they differ.
Comparison: TypeAlias = Callable[[int, Counter[str]], None]


def compare_all(comparison: Comparison, seeds: range) -> Counter[str]:
    """What was compared on all systems of some seeds; the first difference is raised, with its seed."""
    print(f"seeds {seeds.start} to {seeds.stop - 1}")
    counts = Counter[str]()
    for seed in seeds:
        try:
            comparison(seed, counts)
        except Exception as error:
            error.add_note(f"seed {seed}")
            raise
    return counts


def run(profiles: Mapping[str, Comparison], doc: str | None) -> int:
    """Compare from the command line; the profile is the first one unless another is named."""
    parser = argparse.ArgumentParser(description=doc)
    parser.add_argument("first", type=int, help="the first seed")
    parser.add_argument("--seeds", type=int, help="stop after so many seeds")
    parser.add_argument("--seconds", type=float, default=60.0, help="stop after so long (60)")
    parser.add_argument("--profile", choices=list(profiles), default=next(iter(profiles)), help="which systems")
    given = parser.parse_args()
    seeds = itertools.count(given.first) if given.seeds is None else range(given.first, given.first + given.seeds)
    return _compare_while(profiles[given.profile], seeds, given.seconds)


def _compare_while(comparison: Comparison, seeds: Iterable[int], seconds: float) -> int:
    counts, faults, last, started = Counter[str](), 0, None, time.monotonic()
    for seed in seeds:
        if time.monotonic() - started > seconds:
            break
        try:
            comparison(seed, counts)
        except KeyboardInterrupt:
            break
        except Exception:
            faults += 1
            print(f"seed {seed} differs:\n{traceback.format_exc()}", flush=True)
        last = seed
    for what, times in sorted(counts.items()):
        print(f"{times:8} {what}")
    print(f"{faults} seeds differ; the last one was {last}, after {time.monotonic() - started:.0f} s")
    return 1 if faults else 0
