"""Where new replicas go: to the writer's own machine first if a datanode runs there, then to any others, by chance.

Not here: racks, load, free space, storage types; Hadoop spreads a block over two racks.

Source: BM/BlockPlacementPolicyDefault#chooseTarget, Hadoop 3.4.1.
"""

import random
from collections.abc import Collection, Iterable


def choose_targets(
    live: Iterable[str], count: int, machine: str, excluded: Collection[str], chance: random.Random
) -> tuple[str, ...]:
    """Up to `count` datanodes, each once, the local one first.

    Args:
        live: the datanodes to choose from.
        count: how many.
        machine: where the writer runs.
        excluded: datanodes that are not wanted.
        chance: decides among the others, and about their order.

    >>> choose_targets(["a", "b", "c"], 2, "b", {"c"}, random.Random(0))
    ('b', 'a')
    """
    candidates = [name for name in live if name not in excluded]
    chance.shuffle(candidates)
    if machine in candidates:
        candidates.remove(machine)
        candidates.insert(0, machine)
    return tuple(candidates[:count])
