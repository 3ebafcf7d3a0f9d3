"""What goes wrong in a simulated run, and when: plain data, made from a seed before the run.

Not here: how it is made to happen (`chaos`), and the chances inside the network and the disks, which have dice of
their own.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from genstamp_dfs.simulation.network import NetworkFaults
from genstamp_dfs.world.times import SECOND_US

LATE_US: Final = 8 * SECOND_US
"""How late a message may come that still finds somebody waiting: less than most calls are waited for."""


class FaultKind(StrEnum):
    """What can go wrong."""

    CRASH = "crash"
    POWER_LOSS = "power loss"
    CRASH_AT_EFFECT = "crash at effect"
    PARTITION = "partition"
    BAD_NETWORK = "bad network"
    LATE_MESSAGES = "late messages"
    ROT = "rot"
    SLOW_DISK = "slow disk"
    FULL_DISK = "full disk"
    SYNC_FAILS = "sync fails"


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that goes wrong.

    Attributes:
        node: whose; for a partition the first of the nodes concerned; nobody where the network is bad.
        lasts_us: how long the node stays down, or network or disk bad; a client never comes back.
        effect: for CRASH_AT_EFFECT, how many more changes to its disk the node makes; for FULL_DISK, for how many more
            bytes it has room; for SLOW_DISK, what a sync takes at most, in microseconds; for SYNC_FAILS, which of the
            next syncs fails; for ROT, the dice.
        others: for PARTITION, the nodes that do not hear `node`.
        network: for BAD_NETWORK and LATE_MESSAGES, how bad.
    """

    at_us: int
    kind: FaultKind
    node: str
    lasts_us: int
    effect: int = 0
    others: tuple[str, ...] = ()
    network: NetworkFaults = field(default_factory=NetworkFaults)


@dataclass(frozen=True, slots=True)
class Nodes:
    """Who may be hit: the one that keeps the namespace, those that keep bytes, and the clients.

    One that keeps bytes is hit twice as often as any other; the first client is spared, so that some work is done.
    """

    master: str
    servers: tuple[str, ...]
    clients: tuple[str, ...]


EVERYDAY: Final = {
    FaultKind.CRASH: 4,
    FaultKind.POWER_LOSS: 2,
    FaultKind.CRASH_AT_EFFECT: 4,
    FaultKind.PARTITION: 3,
    FaultKind.BAD_NETWORK: 3,
}
"""How often each fault happens, against the others, in whatever file system."""


def make_faults(
    chance: random.Random, nodes: Nodes, mean_s: int, safety_s: int, weights: Mapping[FaultKind, int] = EVERYDAY
) -> list[Fault]:
    """What goes wrong, from the first seconds to the end of the safety phase; times in virtual seconds.

    Args:
        chance: the dice.
        nodes: who may be hit.
        mean_s: mean time between two faults; 0 for none.
        safety_s: how long anything may fail.
        weights: how often each kind happens, against the others; a kind that is not there does not.
    """
    faults: list[Fault] = []
    at_us = 0
    while mean_s:
        at_us += int(chance.expovariate(1 / (mean_s * SECOND_US)))
        if at_us >= safety_s * SECOND_US:
            break
        faults.append(_fault(chance, at_us, nodes, weights))
    return faults


def make_disk_faults(chance: random.Random, nodes: Nodes, mean_s: int, safety_s: int) -> list[Fault]:
    """Disks that are full or lose writes, of the master too; after half of the lost writes the machine loses power.

    They have dice of their own, so that all else in a plan is the same with them and without.

    Args:
        chance, nodes, mean_s, safety_s: as for `make_faults`.
    """
    faults: list[Fault] = []
    at_us = 0
    while mean_s:
        at_us += int(chance.expovariate(1 / (mean_s * SECOND_US)))
        if at_us >= safety_s * SECOND_US:
            break
        node = chance.choice((*nodes.servers, nodes.master))
        lasts_us = int(chance.expovariate(1 / (30 * SECOND_US)))
        if chance.random() < 0.5:
            room = chance.choice((0, 1, 20, 100, 1000, 3000))
            faults.append(Fault(at_us, FaultKind.FULL_DISK, node, lasts_us, effect=room))
            continue
        faults.append(Fault(at_us, FaultKind.SYNC_FAILS, node, lasts_us, effect=chance.randint(1, 8)))
        power_us = at_us + int(chance.expovariate(1 / (20 * SECOND_US)))
        if chance.random() < 0.5 and power_us < safety_s * SECOND_US:
            faults.append(Fault(power_us, FaultKind.POWER_LOSS, node, lasts_us))
    return faults


def _fault(chance: random.Random, at_us: int, nodes: Nodes, weights: Mapping[FaultKind, int]) -> Fault:
    kind = chance.choices(list(weights), list(weights.values()))[0]
    node = chance.choice((*nodes.servers, *nodes.servers, nodes.master, *nodes.clients[1:]))
    lasts_us = int(chance.expovariate(1 / (30 * SECOND_US)))
    match kind:
        case FaultKind.CRASH_AT_EFFECT:
            node = chance.choice((*nodes.servers, nodes.master))
            return Fault(at_us, kind, node, lasts_us, effect=chance.randint(1, 60))
        case FaultKind.POWER_LOSS:
            return Fault(at_us, kind, chance.choice((*nodes.servers, nodes.master)), lasts_us)
        case FaultKind.PARTITION:
            everybody = [one for one in (*nodes.servers, nodes.master, *nodes.clients) if one != node]
            others = tuple(chance.sample(everybody, chance.randint(1, len(everybody))))
            return Fault(at_us, kind, node, lasts_us, others=others)
        case FaultKind.BAD_NETWORK:
            bad = NetworkFaults(
                lose=chance.choice((0.0, 0.02, 0.2)), repeat=chance.choice((0.0, 0.1)), slow=chance.choice((0.0, 0.05))
            )
            return Fault(at_us, kind, "", lasts_us, network=bad)
        case FaultKind.LATE_MESSAGES:
            late = NetworkFaults(repeat=chance.choice((0.0, 0.3)), slow=chance.choice((0.2, 0.5)), slow_us=LATE_US)
            return Fault(at_us, kind, "", lasts_us, network=late)
        case FaultKind.CRASH:
            return Fault(at_us, kind, node, lasts_us)
        case FaultKind.ROT:
            return Fault(at_us, kind, chance.choice(nodes.servers), 0, effect=chance.getrandbits(32))
        case FaultKind.SLOW_DISK:
            node = chance.choice((*nodes.servers, nodes.master))
            return Fault(at_us, kind, node, lasts_us, effect=chance.choice((SECOND_US // 10, SECOND_US, LATE_US)))
        case FaultKind.FULL_DISK | FaultKind.SYNC_FAILS:
            return Fault(at_us, kind, chance.choice(nodes.servers), lasts_us, effect=chance.choice((0, 100, 3000)))
