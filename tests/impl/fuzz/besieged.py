"""A cluster under attack, and the clients beside the attacker."""

import contextlib
import random
from collections.abc import AsyncIterator
from pathlib import Path

from tests.impl.fuzz.attack import HOST, Target, without_registrations
from tests.impl.fuzz.hostile import Attacker
from tests.impl.fuzz.recording import Recording, recording
from tests.impl.server.servers import BLOCK, ServerCluster, cluster

from genstamp_dfs.hdfs.client.dfs_client import DFSClient
from genstamp_dfs.hdfs.messages.client_protocol import GetBlockLocations
from genstamp_dfs.server.addresses import Address


class Siege:
    """What an attack is to leave alone.

    Attributes:
        targets: all listeners.
        attacker: draws what they hear.
    """

    def __init__(self, servers: ServerCluster, targets: list[Target], attacker: Attacker, kept: bytes) -> None:
        self.targets = targets
        self.attacker = attacker
        self._servers = servers
        self._kept = kept
        self._files = 0

    async def check_others(self) -> None:
        """What was written is there, and another file is written."""
        client = self._servers.client("reader")
        assert await (await client.open("/keep/before")).read() == self._kept
        path, data = f"/keep/meanwhile-{self._files}", self._kept[: 100_000 + self._files]
        stream = await self._servers.client("writer").create(path)
        await stream.write(data)
        await stream.close()
        self._files += 1
        for number in range(self._files):
            data = await (await client.open(f"/keep/meanwhile-{number}")).read()
            assert data == self._kept[: 100_000 + number]

    async def restart(self) -> None:
        """Stop all servers, and start them from their disks."""
        names = list(self._servers.datanodes)
        for name in names:
            await self._servers.stop_datanode(name)
        await self._servers.stop_namenode()
        await self._servers.start_namenode()
        for name in names:
            await self._servers.start_datanode(name)


@contextlib.asynccontextmanager
async def besieged(directory: Path, draw: random.Random) -> AsyncIterator[Siege]:
    """A cluster with a file that is kept, and conversations of the client that wrote another."""
    kept = draw.randbytes(BLOCK + 12_345)
    with recording() as found:
        async with cluster(directory) as servers:
            client = servers.client("fuzz")
            for path, data in (("/keep/before", kept), ("/fuzz/file", kept[:20_000])):
                stream = await client.create(path)
                await stream.write(data)
                await stream.hflush()
                # A file that is being written is read, so a datanode is asked for its length.
                assert await (await servers.client("other").open(path)).read() == data
                await stream.close()
            stream = await client.append("/fuzz/file")
            await stream.write(b"more")
            await stream.close()
            await (await client.open("/fuzz/file")).read()
            targets = _targets(servers)
            yield Siege(servers, targets, await _attacker(servers, client, targets, found), kept)


def _targets(servers: ServerCluster) -> list[Target]:
    targets = [Target("namenode", servers.port, True)]
    for transfer_port, rpc_port in servers.ports.values():
        targets += [Target("datanode", rpc_port, True), Target("transfer", transfer_port, False)]
    return targets


async def _attacker(servers: ServerCluster, client: DFSClient, targets: list[Target], found: Recording) -> Attacker:
    blocks = (await client.ask(GetBlockLocations("/fuzz/file", 0, BLOCK))).blocks
    nodes = {
        name.replace("datanode", "dataname"): Address(HOST, *ports) for name, ports in sorted(servers.ports.items())
    }
    # Others write to these; nobody may be led astray by what is said here.
    nodes.update({name: Address(HOST, 1, 1) for name in servers.ports})
    # None of these is a name, so that nothing beyond this machine is asked.
    nodes.update({f"nowhere{number}": Address(host, 1, 1) for number, host in enumerate(("x" * 64, "a\0b", "..", ""))})
    recorded = {
        name: [
            without_registrations(said) for said in found.to({target.port for target in targets if target.name == name})
        ]
        for name in ("namenode", "datanode", "transfer")
    }
    assert all(recorded.values()), {name: len(said) for name, said in recorded.items()}
    return Attacker(servers.block_pool_id, nodes, [located.block for located in blocks], recorded)
