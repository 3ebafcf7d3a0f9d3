"""The liveness judge against the second one, of random systems with and without ordered numbers.

Run as `python -m tests.model.fuzz_liveness FIRST --seconds 3600`; see `tests/model/fuzzing.py`.
"""

from __future__ import annotations

import random
import sys
from collections import Counter

from tests.model import liveness_reference as reference
from tests.model.fuzzing import run
from tests.model.random_liveness import random_system

from genstamp_model.liveness import Liveness, judge

MOST_STATES = 1000


def compare(seed: int, counts: Counter[str]) -> None:
    """Both judges on the systems of a seed: verdict, and how many states are pending."""
    for stamps, several in ((False, False), (True, False), (seed % 2 == 0, True)):
        found, expected = judged(seed, stamps, several)
        assert (found.verdict, found.pending) == expected, (stamps, several, found.verdict, found.pending, expected)
        counts[f"{found.verdict.value}{' with stamps' * stamps}{' from several states' * several}"] += 1


def judged(seed: int, stamps: bool, several: bool = False) -> tuple[Liveness, tuple[object, int]]:
    """What both judges find: ours, and verdict and pending states of the other.

    Args:
        seed: of the system.
        stamps: whether it has ordered numbers, which are renumbered.
        several: whether it has two initial states.
    """
    instance = random_system(random.Random(seed), stamps, several).instance()
    [found] = judge(instance, max_states=MOST_STATES, renumber=stamps)
    return found, reference.verdict(instance, found.claim, reference.graph_of(instance, stamps))


if __name__ == "__main__":
    sys.exit(run({"leads-to": compare}, __doc__))
