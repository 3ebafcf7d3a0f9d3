"""A longer attack, on demand: `python -m tests.impl.fuzz --seed 7 --connections 20000`; prints what came of it."""

import argparse
import asyncio
import random
import tempfile
from pathlib import Path

from tests.impl.fuzz.attack import Totals, attack
from tests.impl.fuzz.besieged import besieged
from tests.impl.fuzz.crowds import measure

CHECK_EACH = 2_000


async def besiege(directory: Path, seed: int, connections: int) -> Totals:
    """Attack a cluster that was made for it, and look after each part whether others still can work."""
    totals = Totals()
    async with besieged(directory, random.Random(seed)) as siege:
        for first in range(0, connections, CHECK_EACH):
            numbers = range(first, min(first + CHECK_EACH, connections))
            await attack(siege.targets, siege.attacker, seed, numbers, totals)
            await siege.check_others()
        await siege.restart()
        await siege.check_others()
    return totals


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(prog="python -m tests.impl.fuzz", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--connections", type=int, default=20_000)
    parser.add_argument("--crowds", action="store_true", help="measure memory instead, of servers that are processes")
    given = parser.parse_args()
    if given.crowds:
        with tempfile.TemporaryDirectory() as directory:
            measure(Path(directory))
        return
    print(f"seed {given.seed}")
    with tempfile.TemporaryDirectory() as directory:
        totals = asyncio.run(besiege(Path(directory), given.seed, given.connections))
    print("\n".join(totals.lines()))


if __name__ == "__main__":
    main()
