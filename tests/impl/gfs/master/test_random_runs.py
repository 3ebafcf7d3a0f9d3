"""A master in a bad world: whatever dies and is lost, what it names is complete, and nobody else writes.

Clients write through leases, take snapshots, delete and have back; master and chunkservers die at any moment, messages
are lost, late and repeated, nodes do not hear each other. A mutation that all replicas of a lease have is acknowledged.
All the time: every replica that the master would name has all acknowledged mutations of its chunk, what a snapshot
shows does not change, and there is one primary (which the scripted chunkservers look after).
"""

import random
from typing import Any

import pytest
from tests.impl.gfs.master.bench import Bench
from tests.impl.gfs.master.test_snapshot import check_counts

from genstamp_dfs.errors import NETWORK_FAILURES
from genstamp_dfs.gfs.errors import GfsRefusal
from genstamp_dfs.gfs.messages import master_protocol as messages
from genstamp_dfs.gfs.protocol import MASTER, ChunkLease
from genstamp_dfs.simulation.network import NetworkFaults
from genstamp_dfs.world.request import Request
from genstamp_dfs.world.times import SECOND_US

BAD_US = 200 * SECOND_US


class BadWorld:
    """One run."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(f"bad world {seed}")
        self.bench = Bench(
            5,
            seed=seed,
            sync_us=self.chance.choice([0, SECOND_US // 10]),
            dead_after_us=12 * SECOND_US,
            garbage_period_us=7 * SECOND_US,
            clone_timeout_us=5 * SECOND_US,
            call_timeout_us=2 * SECOND_US,
            checkpoint_records=20,
            deleted_keep_ms=60_000,
        )
        for server in self.bench.chunkservers.values():
            server.extend = True
        self.acknowledged: dict[int, list[int]] = {}
        self.snapshots: list[tuple[int, int]] = []
        self.number = 0
        self.writes = 0
        self.checked = 0

    def run(self) -> None:
        bench, chance = self.bench, self.chance
        bench.ask(messages.Create("/a"))
        bench.ask(messages.Create("/b"))
        bench.network.faults = NetworkFaults(lose=0.05, repeat=0.05, slow=0.05, slow_us=8 * SECOND_US)
        for client in range(3):
            bench.client.spawn(self.live(random.Random(chance.random())), f"client {client}")
        end_us = bench.loop.now_us + BAD_US
        while bench.loop.now_us < end_us:
            bench.pass_time(chance.randrange(3 * SECOND_US))
            self.check()
            self.go_wrong()
        self.end()

    def go_wrong(self) -> None:
        bench, chance = self.bench, self.chance
        node = chance.choice([MASTER, *bench.chunkservers])
        kind = chance.random()
        if not bench.is_up(node):
            bench.start(node)
        elif kind < 0.15:
            bench.crash(node, power_loss=node == MASTER and chance.random() < 0.5)
        elif kind < 0.25 and node == MASTER:
            bench.crash_at_effect(MASTER, chance.randrange(1, 12))
        elif kind < 0.4 and node != MASTER:
            bench.network.part(MASTER, node)
        elif kind < 0.7:
            bench.network.heal()

    def end(self) -> None:
        """Nothing goes wrong any more: everything is as it should be in the end."""
        bench = self.bench
        bench.network.heal()
        bench.network.faults = NetworkFaults()
        view = bench.machines[MASTER].view
        if view is not None:
            view.crash_at = None
        for node in (MASTER, *bench.chunkservers):
            if not bench.is_up(node):
                bench.start(node)
        bench.pass_time(120 * SECOND_US)
        assert bench.problem is None, bench.problem
        self.check()
        check_counts(bench)
        assert self.writes > 0 and self.checked > 0

    async def live(self, chance: random.Random) -> None:
        """One client."""
        bench = self.bench
        hidden: list[str] = []
        while True:
            path = chance.choice(["/a", "/b"])
            try:
                match chance.randrange(10):
                    case 0:
                        self.number += 1
                        await self.snapshot(path, f"/s{self.number}")
                    case 1 if hidden:
                        await self.ask(messages.Undelete(hidden.pop()))
                    case 2 if chance.random() < 0.3:
                        hidden.append(await self.ask(messages.Delete(path)))
                    case 3:
                        await self.ask(messages.Create(path))
                    case _:
                        index = chance.randrange(2)
                        lease = await self.ask(messages.FindLease(path, index))
                        for _ in range(chance.randrange(5)):
                            self.write(lease, chance)
                            await bench.client.sleep_us(chance.randrange(2 * SECOND_US))
            except (GfsRefusal, *NETWORK_FAILURES):
                await bench.client.sleep_us(chance.randrange(2 * SECOND_US))

    async def ask(self, request: Request[Any]) -> Any:
        return await self.bench.client.call(MASTER, request, timeout_us=15 * SECOND_US)

    async def snapshot(self, path: str, target: str) -> None:
        """Take a snapshot, and note how many writes its first chunk has: there will be no others."""
        await self.ask(messages.Snapshot(path, target))
        found = await self.ask(messages.FindChunk(target, 0))
        self.snapshots.append((found.handle, len(self.acknowledged.get(found.handle, []))))

    def write(self, lease: ChunkLease, chance: random.Random) -> None:
        """What a write under a lease does to replicas, all at once or to some of them."""
        servers = self.bench.chunkservers
        primary = servers[lease.primary]
        handle = lease.handle
        holds = self.bench.is_up(lease.primary) and primary.believes(handle)
        if not holds or primary.leases[handle][0] != lease.version:
            return
        able = [
            name
            for name in lease.chunkservers
            if self.bench.is_up(name) and servers[name].replicas.get(handle) == lease.version
        ]
        self.number += 1
        if len(able) == len(lease.chunkservers) and chance.random() < 0.9:
            self.acknowledged.setdefault(handle, []).append(self.number)
            self.writes += 1
        else:
            able = able[: chance.randrange(len(able) + 1)]
        for name in able:
            servers[name].content[handle].append(self.number)

    def check(self) -> None:
        """What the master would name is complete, and snapshots are as they were."""
        for handle, writes in self.snapshots:
            assert len(self.acknowledged.get(handle, [])) == writes, f"chunk {handle} of a snapshot was written"
        master = self.bench.master
        if master is None or master._base is None:
            return
        base = master._base
        handles, _ = base.state.chunks.counts()
        for handle in handles.tolist():
            for number in base.state.chunks.locations(handle):
                name = base.chunkservers.of_number(number).name
                content = self.bench.chunkservers[name].content.get(handle)
                wanted = set(self.acknowledged.get(handle, []))
                if content is not None:
                    self.checked += 1
                    assert wanted <= set(content), f"{name} lacks {wanted - set(content)} of chunk {handle}"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_what_the_master_names_is_complete(seed: int) -> None:
    BadWorld(seed).run()
