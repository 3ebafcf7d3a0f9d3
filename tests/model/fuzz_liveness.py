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
    kinds = ((False, False, False), (True, False, False), (seed % 2 == 0, True, False), (seed % 2 == 1, False, True))
    for stamps, several, forms in kinds:
        found, expected = judged(seed, stamps, several, forms)
        assert (found.verdict, found.pending) == expected, (stamps, several, forms, found.verdict, expected)
        what = f"{' with stamps' * stamps}{' from several states' * several}{' of other forms' * forms}"
        counts[f"{found.verdict.value}{what}"] += 1


def judged(seed: int, stamps: bool, several: bool = False, forms: bool = False) -> tuple[Liveness, tuple[object, int]]:
    """What both judges find: ours, and verdict and pending states of the other.

    Args:
        seed: of the system.
        stamps: whether it has ordered numbers, which are renumbered.
        several: whether it has two initial states.
        forms: whether the property says again and again, or assumes it.
    """
    instance = random_system(random.Random(seed), stamps, several, forms).instance()
    [found] = judge(instance, max_states=MOST_STATES, renumber=stamps)
    return found, reference.verdict(instance, found.claim, reference.graph_of(instance, stamps))


if __name__ == "__main__":
    sys.exit(run({"leads-to": compare}, __doc__))
