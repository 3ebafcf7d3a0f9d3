"""Record appends by many clients at once, and the push of data along a chain, on a cluster of real processes.

Run from the repository's root: `python -m benchmarks.gfs [--appends] [--push] [--runs N]`; both by default.

Appends: 1 to 16 clients, all in this process, append records of one size to one file for some seconds, each waiting
for its last record before the next, as in figure 3(c) of the paper. Three chunkservers, three replicas. Processor time
is that of all processes; it says more than the clock on a machine that does other things too.

Push: the time from opening the connection to the answer that all replicas have the data, for 1 to 3 replicas, beside
the ideal time of section 3.2, B / T + R * L. T and L are measured just before, between two processes on loopback: T
with a plain TCP connection that carries bytes in the same pieces, L as half of its round trip of one byte. So the ratio
is what gRPC, checksums, Python and the processors cost.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import multiprocessing
import os
import socket
import statistics
import tempfile
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import google_crc32c
from tests.impl.gfs.server.processes import GfsProcesses
from tests.impl.server.processes import pids_of

from genstamp_dfs.gfs.messages.data_flow import DataPiece, PushData, Pushed
from genstamp_dfs.gfs.protocol import PIECE_BYTES
from genstamp_dfs.gfs.server.client import gfs_client
from genstamp_dfs.gfs.server.runtime import GfsRuntime

MIB = 1 << 20
CLIENTS = (1, 2, 4, 8, 16)
RECORD_BYTES = (1024, 64 * 1024)
PUSHED_MIB = (1, 8, 32)
REPLICAS = (1, 2, 3)
ROUND_TRIPS = 2000


@contextlib.contextmanager
def running(scratch: Path, *settings: str) -> Iterator[GfsProcesses]:
    """A cluster with the paper's defaults, but for these settings."""
    processes = GfsProcesses(scratch / "cluster", settings=list(settings))
    processes.start()
    try:
        yield processes
    finally:
        processes.stop()


# -- record appends -------------------------------------------------------------------------------------------------


def processor_seconds(pids: list[int]) -> float:
    """Processor time so far of some processes and of this one."""
    fields = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in pids]
    return sum(int(one[11]) + int(one[12]) for one in fields) / os.sysconf("SC_CLK_TCK") + time.process_time()


async def appended(master: str, path: str, clients: int, num_bytes: int, seconds: float) -> int:
    """How many records so many clients append in some seconds, each one after the other."""
    data = os.urandom(num_bytes)
    counts = [0] * clients
    starting = asyncio.Barrier(clients)

    async def one(number: int) -> None:
        async with gfs_client(master) as client:
            # The lease is granted, and the channels are there, before the time begins.
            await client.append(path, data)
            await starting.wait()
            end = time.perf_counter() + seconds
            while time.perf_counter() < end:
                await client.append(path, data)
                counts[number] += 1

    async with gfs_client(master) as client:
        await client.create(path)
    await asyncio.gather(*(one(number) for number in range(clients)))
    return sum(counts)


def measure_appends(scratch: Path, seconds: float, runs: int) -> None:
    """Print the median rate of each number of clients, and the processor time of all processes for a record."""
    with running(scratch) as processes:
        master, pids = processes.environment["GENSTAMP_MASTER"], pids_of(processes.book())
        for num_bytes in RECORD_BYTES:
            alone = 0.0
            for clients in CLIENTS:
                rates, used, count = [], 0.0, 0
                for run in range(runs):
                    before = processor_seconds(pids)
                    records = asyncio.run(
                        appended(master, f"/{num_bytes}-{clients}-{run}", clients, num_bytes, seconds)
                    )
                    used += processor_seconds(pids) - before
                    count += records
                    rates.append(records / seconds)
                rate = statistics.median(rates)
                alone = alone or rate
                print(
                    f"{num_bytes:6} bytes, {clients:2} clients: {rate:7.0f} records/s ({min(rates):.0f} to "
                    f"{max(rates):.0f}), {rate * num_bytes / MIB:6.2f} MiB/s, {rate / alone:4.2f} of one client, "
                    f"{used / count * 1e3:.1f} ms processor a record, load {os.getloadavg()[0]:.1f}",
                    flush=True,
                )


# -- the push of data -----------------------------------------------------------------------------------------------


def _receive(pipe: Connection) -> None:
    """The other end of the link: gives back each byte of the round trips, then takes all and says so with one byte."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        pipe.send(server.getsockname()[1])
        link, _ = server.accept()
        with link:
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for _ in range(ROUND_TRIPS):
                link.sendall(link.recv(1))
            waiting, buffer = int(pipe.recv()), bytearray(PIECE_BYTES)
            while waiting:
                waiting -= link.recv_into(buffer, min(waiting, len(buffer)))
            link.sendall(b"x")


def link(num_bytes: int) -> tuple[float, float]:
    """Bytes a second of a plain TCP connection between two processes, and seconds of one hop."""
    here, there = multiprocessing.Pipe()
    other = multiprocessing.get_context("spawn").Process(target=_receive, args=(there,))
    other.start()
    with socket.create_connection(("127.0.0.1", here.recv())) as sender:
        sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        began = time.perf_counter()
        for _ in range(ROUND_TRIPS):
            sender.sendall(b"x")
            sender.recv(1)
        hop = (time.perf_counter() - began) / ROUND_TRIPS / 2
        piece = os.urandom(PIECE_BYTES)
        here.send(num_bytes)
        began = time.perf_counter()
        for _ in range(num_bytes // PIECE_BYTES):
            sender.sendall(piece)
        sender.recv(1)
        rate = num_bytes / (time.perf_counter() - began)
    other.join()
    return rate, hop


async def push(runtime: GfsRuntime, chain: list[str], data: bytes) -> float:
    """Seconds to push data along a chain."""
    operation = PushData(os.urandom(16), len(data), google_crc32c.value(data), tuple(chain[1:]))
    began = time.perf_counter()
    connection = await runtime.connect(chain[0], operation)
    for offset in range(0, len(data), PIECE_BYTES):
        await connection.send(DataPiece(data[offset : offset + PIECE_BYTES]))
    answer = await connection.receive()
    taken = time.perf_counter() - began
    connection.close()
    assert answer == Pushed(()), f"all have the data, not {answer}"
    return taken


async def pushes(chain: list[str], num_bytes: int, runs: int) -> list[float]:
    """Several pushes, after one that opens the channels."""
    runtime = GfsRuntime("benchmark", "127.0.0.1:1")
    data = os.urandom(num_bytes)
    try:
        await push(runtime, chain, data)
        return [await push(runtime, chain, data) for _ in range(runs)]
    finally:
        await runtime.stop()


def measure_push(scratch: Path, runs: int) -> None:
    """Print ideal and median measured times."""
    with running(scratch) as processes:
        book = processes.book()
        chain = [f"127.0.0.1:{book[f'chunkserver{number}']['port']}" for number in REPLICAS]
        for mib in PUSHED_MIB:
            links = [link(max(mib, 32) * MIB) for _ in range(5)]
            rate, hop = statistics.median(one[0] for one in links), statistics.median(one[1] for one in links)
            print(f"{mib} MiB: T = {rate / MIB:.0f} MiB/s, L = {hop * 1e6:.0f} us")
            for replicas in REPLICAS:
                ideal = mib * MIB / rate + replicas * hop
                times = asyncio.run(pushes(chain[:replicas], mib * MIB, runs))
                measured = statistics.median(times)
                print(
                    f"  {replicas} replicas: ideal {ideal * 1e3:7.2f} ms, measured {measured * 1e3:7.2f} ms "
                    f"({min(times) * 1e3:.2f} to {max(times) * 1e3:.2f}), {measured / ideal:5.1f} times",
                    flush=True,
                )


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--appends", action="store_true")
    parser.add_argument("--push", action="store_true")
    parser.add_argument("--seconds", type=float, default=5.0, help="of each run of appends")
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as scratch:
        if given.appends or not given.push:
            measure_appends(Path(scratch) / "appends", given.seconds, given.runs)
        if given.push or not given.appends:
            measure_push(Path(scratch) / "push", 5 * given.runs)


if __name__ == "__main__":
    main()
