"""More damaged sources, on demand: `python -m tests.conformance.logs.fuzz --seed 7 --sources 20000`."""

import argparse

from tests.conformance.logs.fuzz.checking import Totals, try_one
from tests.conformance.logs.fuzz.samples import SAMPLES


def main() -> None:
    """Damage and check; the first that is not taken well ends it."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.logs.fuzz", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sources", type=int, default=10_000)
    parser.add_argument("--kind", choices=SAMPLES, action="append")
    given = parser.parse_args()
    kinds = given.kind or SAMPLES
    totals = Totals()
    print(f"seeds from {given.seed}")
    for number in range(given.sources):
        try_one(kinds[number % len(kinds)], given.seed + number // len(kinds), totals)
    print("\n".join(totals.lines()))


if __name__ == "__main__":
    main()
