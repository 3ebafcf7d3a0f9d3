"""Three writers append records to one file while a chunkserver and the master are killed.

A cluster of real processes is started, with leases of two seconds. When a quarter of the records is acknowledged, a
chunkserver is killed (kill -9), and when half of them are, the master; both come back. What is read in the end has
every record that was acknowledged, whole: at least once in the chunks, and once out of the reader, which drops padding,
fragments and duplicates.

    python examples/three_writers.py
"""

import asyncio
import json
import os
import random
import signal
import sys
import tempfile
from pathlib import Path

from genstamp_dfs.errors import Refusal
from genstamp_dfs.gfs.records import Record, RecordId
from genstamp_dfs.gfs.server.client import gfs_client

WRITERS = 3
RECORDS = 200
"""Of each writer."""

SETTINGS = [
    "limits.chunk_bytes=1048576",
    "limits.lease_us=2000000",
    "heartbeat_period_us=200000",
    "dead_after_us=3000000",
]
PATH = "/records"


def data_of(writer: int, number: int) -> bytes:
    """What a record holds: as many bytes as chance says, but the same ones when it is asked again."""
    return random.Random(f"{writer}/{number}").randbytes(random.Random(number).randrange(1, 4000))


async def write(master: str, writer: int, acknowledged: set[RecordId]) -> None:
    """Append records, each until it is acknowledged."""
    async with gfs_client(master) as client:
        for number in range(RECORDS):
            record = Record(RecordId(writer, number), data_of(writer, number))
            while record.id not in acknowledged:
                try:
                    await client.append_record(PATH, record)
                    acknowledged.add(record.id)
                except Refusal:
                    # The client has tried for long; the record keeps its id when it is appended again.
                    await asyncio.sleep(0.1)


async def kill(directory: Path, node: str, acknowledged: set[RecordId], when: int) -> None:
    """kill -9 of a process of the cluster, when so many records are acknowledged."""
    while len(acknowledged) < when:
        await asyncio.sleep(0.01)
    os.kill(json.loads((directory / "cluster.json").read_text())[node]["pid"], signal.SIGKILL)


async def story(directory: Path) -> list[str]:
    """What happens, line by line."""
    command = [sys.executable, "-m", "genstamp", "gfs", "up", str(directory), *(f"--set={one}" for one in SETTINGS)]
    up = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
    )
    try:
        assert up.stdout is not None, "standard output is a pipe"
        master = f"127.0.0.1:{json.loads(await up.stdout.readline())['master']['port']}"
        acknowledged: set[RecordId] = set()
        async with gfs_client(master) as client:
            await client.create(PATH)
            total = WRITERS * RECORDS
            await asyncio.gather(
                *(write(master, writer, acknowledged) for writer in range(WRITERS)),
                kill(directory, "chunkserver2", acknowledged, total // 4),
                kill(directory, "master", acknowledged, total // 2),
            )
            found = {record.id: record.data async for record in client.records(PATH)}
    finally:
        up.terminate()
        await up.wait()
    whole = sum(found.get(one) == data_of(one.writer, one.sequence) for one in acknowledged)
    return [
        f"{WRITERS} writers, {len(acknowledged)} records acknowledged; chunkserver2 and the master were killed",
        f"the reader got {whole} of them in full",
    ]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        print("\n".join(asyncio.run(story(Path(scratch) / "cluster"))))
