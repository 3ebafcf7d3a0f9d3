"""Where new replicas go: on racks that have none yet, on disks with more room than others, few at a time on each.

Not here: moving replicas that are there already (`rebalancing`).

Source: sections 4.2 and 4.3.
"""

import random
from collections import Counter
from collections.abc import Collection, Iterable

from genstamp_dfs.gfs.master.chunkservers import Chunkserver


def choose_chunkservers(
    live: Iterable[Chunkserver],
    count: int,
    *,
    chunk_bytes: int,
    chance: random.Random,
    beside: Collection[Chunkserver] = (),
) -> list[Chunkserver]:
    """Chunkservers for new replicas of one chunk, each once; fewer if there are no more.

    Args:
        live: those to choose from.
        count: how many are wanted.
        chunk_bytes: room that each must have.
        chance: decides among equals.
        beside: those that have a replica already, which are not chosen again.

    >>> servers = [Chunkserver(name, 0, rack, 9) for name, rack in (("a", "r1"), ("b", "r1"), ("c", "r2"))]
    >>> chosen = choose_chunkservers(servers, 2, chunk_bytes=9, chance=random.Random(0))
    >>> len({server.rack for server in chosen})
    2
    """
    taken = {chunkserver.name for chunkserver in beside}
    racks = Counter(chunkserver.rack for chunkserver in beside)
    candidates = [server for server in live if server.name not in taken and server.free_bytes >= chunk_bytes]
    chance.shuffle(candidates)
    average = sum(server.free_bytes for server in candidates) / max(1, len(candidates))
    chosen: list[Chunkserver] = []
    while candidates and len(chosen) < count:
        best = min(
            candidates, key=lambda server: (racks[server.rack], len(server.creations_us), server.free_bytes < average)
        )
        candidates.remove(best)
        chosen.append(best)
        racks[best.rack] += 1
    return chosen
