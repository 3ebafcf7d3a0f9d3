"""Files to and from a cluster of real processes, against a plain copy on the same disk; and a cluster that is killed.

Run from the repository's root: `python -m benchmarks.dfs [--mib N] [--directory D]`. A plain copy is forced to the
disk, as is what `put --sync` writes; `put` alone leaves that to the datanodes' system. Processor time is that of all
processes of the cluster and of the client; it says more than the clock on a machine that does other things too.

With `--small` many small files are put, one and several at a time, against as many plain ones.

With `--appends` each of 1 and 64 writers appends records of 100 bytes to a file of its own, and has each forced to the
disk (hsync) before the next, as a write-ahead log does. The peer is as many threads that append to plain files and call
fsync, in the same run on the same disk: what the disk gives.

With `--kill` one file is put while a datanode, the namenode and another datanode are killed (kill -9), one after the
other and each to come back, then the client, then all servers at once. After a restart and recover-lease, what was
acknowledged by hflush must be there, and all of it must be what was put.
"""

from __future__ import annotations

import argparse
import asyncio
import filecmp
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from statistics import median

from tests.impl.clients.jvm import class_path, java_command, write_configuration
from tests.impl.clients.shell import SHELL
from tests.impl.server.processes import Processes, are_gone, pids_of, until

from genstamp_dfs.server.client import dfs_client

MIB = 1 << 20
SMALL = bytes(4096)
AT_ONCE = (1, 16)
RECORD = bytes(100)
WRITERS = (1, 64)
REPLICATIONS = (1, 3)
TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


@contextmanager
def running(scratch: Path) -> Iterator[Processes]:
    """A cluster with HDFS' defaults."""
    processes = Processes(scratch / "cluster", settings=[])
    processes.start()
    try:
        yield processes
    finally:
        processes.stop()


def write_random(path: Path, mib: int) -> None:
    """A file that does not compress."""
    with path.open("wb") as file:
        for _ in range(mib):
            file.write(os.urandom(MIB))
        os.fsync(file.fileno())


def plain_copy(source: Path, target: Path) -> None:
    """Copy by reading and writing, and force it to the disk."""
    with source.open("rb") as reader, target.open("wb") as writer:
        shutil.copyfileobj(reader, writer, MIB)
        writer.flush()
        os.fsync(writer.fileno())


def processor_seconds(pids: list[int]) -> float:
    """Processor time of some processes so far, and of the children that this one has waited for."""
    children = os.times()
    ticks = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / TICKS_A_SECOND + children.children_user + children.children_system + children.user + children.system


def compare(mib: int, scratch: Path, runs: int) -> None:
    """Time copies, puts and gets in turn, and print the best of each."""
    source = scratch / "source"
    write_random(source, mib)
    with running(scratch) as processes:
        pids = pids_of(processes.book())
        address = f"hdfs://{processes.environment['GENSTAMP_NAMENODE']}/"
        classes = class_path(write_configuration(scratch / "configuration", address, {}))

        def ours(*arguments: str) -> None:
            assert processes.command(*arguments).wait() == 0

        def shell(*arguments: str) -> None:
            command = java_command(classes, SHELL, *arguments, options=[])
            subprocess.run(command, check=True, stderr=subprocess.DEVNULL)

        works: dict[str, Callable[[int], object]] = {
            "plain copy": lambda run: plain_copy(source, scratch / f"copy{run}"),
            "put": lambda run: ours("put", str(source), f"/put{run}"),
            "put --sync": lambda run: ours("put", str(source), f"/sync{run}", "--sync"),
            "put --replication 1": lambda run: ours("put", str(source), f"/one{run}", "--replication", "1"),
            "get": lambda run: ours("get", f"/put{run}", str(scratch / f"back{run}")),
            "Hadoop's -put": lambda run: shell("-put", str(source), f"/shell{run}"),
            "Hadoop's -get": lambda run: shell("-get", f"/shell{run}", str(scratch / f"shell{run}")),
        }
        best: dict[str, tuple[float, float]] = {}
        for run in range(runs):
            for name, work in works.items():
                began, used = time.perf_counter(), processor_seconds(pids)
                work(run)
                taken = time.perf_counter() - began, processor_seconds(pids) - used
                best[name] = min(best.get(name, taken), taken)
            for path in (f"back{run}", f"shell{run}"):
                assert filecmp.cmp(source, scratch / path, shallow=False), "what comes back is what was put"
            for path in (f"copy{run}", f"back{run}", f"shell{run}"):
                (scratch / path).unlink()
            for path in (f"/put{run}", f"/sync{run}", f"/one{run}", f"/shell{run}"):
                processes.run("rm", path)
    copy = best["plain copy"][0]
    print(
        f"{mib} MiB, best of {runs}, {len(pids) - 1} datanodes, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    )
    for name, (seconds, used) in best.items():
        rate, ratio = mib / seconds, seconds / copy
        print(f"{name:20} {seconds:7.2f} s {rate:8.1f} MiB/s {ratio:6.1f} copies {used:6.2f} s processor")


async def put_small(port: int, directory: str, count: int, at_once: int) -> None:
    """Put many small files with one client, so many at a time; each is closed, and forced to the disks."""
    turn = asyncio.Semaphore(at_once)
    async with dfs_client("127.0.0.1", port) as client:

        async def one(number: int) -> None:
            async with turn:
                stream = await client.create(f"{directory}/{number}")
                await stream.write(SMALL)
                await stream.close()

        await asyncio.gather(*(one(number) for number in range(count)))


def plain_small(directory: Path, count: int) -> None:
    """Write as many small files here, one after the other, and force each and its name to the disk."""
    directory.mkdir()
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    for number in range(count):
        with (directory / str(number)).open("wb") as file:
            file.write(SMALL)
            file.flush()
            os.fsync(file.fileno())
        os.fsync(descriptor)
    os.close(descriptor)


def compare_small(count: int, scratch: Path, runs: int) -> None:
    """Time small files, and print the best of each."""
    best: dict[str, float] = {}
    with running(scratch) as processes:
        port = processes.book()["namenode"]["port"]
        for run in range(runs):
            began = time.perf_counter()
            plain_small(scratch / f"small{run}", count)
            taken = {"plain files": time.perf_counter() - began}
            for at_once in AT_ONCE:
                began = time.perf_counter()
                asyncio.run(put_small(port, f"/small{run}-{at_once}", count, at_once))
                taken[f"put, {at_once} at a time"] = time.perf_counter() - began
            best = {name: min(best.get(name, seconds), seconds) for name, seconds in taken.items()}
    print(
        f"{count} files of {len(SMALL)} bytes, best of {runs}, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    )
    for name, seconds in best.items():
        ratio = seconds / best["plain files"]
        print(f"{name:20} {seconds:7.2f} s {count / seconds:8.1f} files/s {ratio:6.1f} plain")


def plain_appends(directory: Path, writers: int, count: int) -> float:
    """Append so many records to each of some plain files, one thread a file, each forced to the disk; in seconds."""
    directory.mkdir()

    def one(number: int) -> None:
        with (directory / str(number)).open("wb", buffering=0) as file:
            for _ in range(count):
                file.write(RECORD)
                os.fsync(file.fileno())

    with ThreadPoolExecutor(writers) as threads:
        began = time.perf_counter()
        list(threads.map(one, range(writers)))
        return time.perf_counter() - began


async def hsynced_appends(port: int, directory: str, writers: int, count: int, replication: int) -> float:
    """Append so many records to each of some files, each with hsync, after a first one; in seconds."""
    async with dfs_client("127.0.0.1", port) as client:
        starting = asyncio.Barrier(writers)

        async def one(number: int) -> tuple[float, float]:
            stream = await client.create(f"{directory}/{number}", replication=replication)
            await stream.write(RECORD)
            await stream.hsync()
            await starting.wait()
            began = time.perf_counter()
            for _ in range(count):
                await stream.write(RECORD)
                await stream.hsync()
            ended = time.perf_counter()
            await stream.close()
            return began, ended

        spans = await asyncio.gather(*(one(number) for number in range(writers)))
        return max(ended for _, ended in spans) - min(began for began, _ in spans)


def compare_appends(count: int, scratch: Path, runs: int) -> None:
    """Time hsynced appends, and plain ones just before and after, as a disk is not always as fast; print medians."""
    with running(scratch) as processes:
        port = processes.book()["namenode"]["port"]
        for writers in WRITERS:
            each = max(1, count // writers)
            rates: dict[str, list[float]] = {}
            ratios: dict[str, list[float]] = {}
            for run, replication in product(range(runs), REPLICATIONS):
                name = f"{writers}-{replication}-{run}"
                before = plain_appends(scratch / f"{name}-before", writers, each)
                seconds = asyncio.run(hsynced_appends(port, f"/{name}", writers, each, replication))
                plain = (before + plain_appends(scratch / f"{name}-after", writers, each)) / 2
                for mode, taken in (("write and fsync", plain), (f"hsync, replication {replication}", seconds)):
                    rates.setdefault(mode, []).append(writers * each / taken)
                    ratios.setdefault(mode, []).append(plain / taken)
            print(
                f"{writers} writers, {each} appends of {len(RECORD)} bytes each, medians of {runs} runs, "
                f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
            )
            for mode, found in rates.items():
                print(f"{mode:22} {median(found):8.1f} appends/s {median(ratios[mode]):6.2f} of plain")


def kill(mib: int, scratch: Path) -> tuple[int, int]:
    """Put a file while everything is killed; gives the length that is there in the end, and what was acknowledged."""
    write_random(scratch / "source", mib)
    with running(scratch) as processes:
        return put_and_kill(mib, scratch, processes)


def put_and_kill(mib: int, scratch: Path, processes: Processes) -> tuple[int, int]:
    """Put the file, kill everything on the way, and look at what is there."""
    source, back = scratch / "source", scratch / "back"
    began = time.perf_counter()
    writer = processes.command(
        "put", str(source), "/file", "--flush-every", str(4 * MIB), "--acknowledged", stdout=subprocess.PIPE
    )
    assert writer.stdout is not None
    # Not the third datanode: the client leaves one out for good that is away when a block begins, and a block begins
    # every few seconds. HDFS' client does so for ten minutes.
    acknowledged, victims = 0, ["datanode1", "namenode", "datanode2"]
    for line in writer.stdout:
        acknowledged = int(line)
        if victims and acknowledged >= (4 - len(victims)) * mib * MIB // 6:
            victim = victims.pop(0)
            processes.kill(victim)
            print(f"{time.perf_counter() - began:6.1f} s: {victim} killed at {acknowledged:,} bytes", flush=True)
        if acknowledged >= 5 * mib * MIB // 6:
            break
    writer.kill()
    rest = writer.communicate()[0].split()
    acknowledged = max([acknowledged, *(int(line) for line in rest[:-1])])
    print(f"{time.perf_counter() - began:6.1f} s: client killed, {acknowledged:,} bytes were acknowledged by hflush")
    assert processes.process is not None
    pids = pids_of(processes.book())
    processes.process.kill()
    for pid in pids:
        os.kill(pid, 9)
    processes.process.wait()
    until(lambda: are_gone(pids))
    began = time.perf_counter()
    processes.start()
    processes.run("recover-lease", "/file")
    print(f"{time.perf_counter() - began:6.1f} s from the restart to the end of recover-lease")
    processes.run("get", "/file", str(back))
    sys.stdout.write(processes.run("fsck", "/"))
    length = back.stat().st_size
    with source.open("rb") as one, back.open("rb") as other:
        same = all(one.read(min(MIB, length - at)) == other.read(MIB) for at in range(0, length, MIB))
    print(f"{length:,} bytes are there, {'all' if same else 'NOT all'} of them what was put")
    assert same and length >= acknowledged, "what was hflushed is there"
    return length, acknowledged


def main() -> None:
    """Measure, or kill."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--mib", type=int, default=256)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--directory", type=Path, help="on the disk to measure")
    parser.add_argument("--small", type=int, default=0, metavar="FILES", help="so many small files instead")
    parser.add_argument("--appends", type=int, default=0, metavar="RECORDS", help="so many hsynced appends instead")
    parser.add_argument("--kill", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.directory) as scratch:
        if given.kill:
            kill(given.mib, Path(scratch))
        elif given.appends:
            compare_appends(given.appends, Path(scratch), given.runs)
        elif given.small:
            compare_small(given.small, Path(scratch), given.runs)
        else:
            compare(given.mib, Path(scratch), given.runs)


if __name__ == "__main__":
    main()
