"""A small cluster on one machine: `python -m genstamp_dfs.server.cluster DIRECTORY`.

    DIRECTORY/cluster.json     the ports, which stay the same, and the processes
    DIRECTORY/namenode         storage directories
    DIRECTORY/datanode1 ...
    DIRECTORY/events/*.jsonl   what each node tells of what it does

One process for each node. One that ends, in whatever way, is started again after a second; one whose storage directory
or settings are refused ends the cluster. The nodes end when the process that started them does, killed or not.

Leaves out: several machines.
"""

import argparse
import asyncio
import contextlib
import json
import os
import sys
from pathlib import Path
from typing import Any, Final

from genstamp_dfs.errors import ConfigurationError, StorageError
from genstamp_dfs.hdfs.datanode.configuration import DataNodeConfiguration
from genstamp_dfs.hdfs.namenode.configuration import NameNodeConfiguration
from genstamp_dfs.hdfs.protocol import NAMENODE
from genstamp_dfs.server.event_file import EVENTS_LIMIT_MIB
from genstamp_dfs.server.process import (
    CONFIGURATION,
    LOOPBACK,
    configured,
    has_setting,
    lock_storage,
    setting_names,
    stopped_by_signals,
)

BOOK: Final = "cluster.json"
FORMAT: Final = 1
DATANODES: Final = 3

RESTART_AFTER_S: Final = 1.0
END_WITHIN_S: Final = 20.0

_LONGEST_LINE: Final = 64 * 1024


class Node:
    """One process of the cluster, again and again.

    Args:
        name: of the node.
        command: what to run; the ports that it is given come after it.
        ports: options and ports of the last run, if there was one.
    """

    def __init__(self, name: str, command: list[str], ports: dict[str, int]) -> None:
        self.name = name
        self.ports = ports
        self.ready: dict[str, Any] | None = None
        self._command = command
        self._process: asyncio.subprocess.Process | None = None

    async def run_once(self, on_ready: asyncio.Event) -> int:
        """Start the process and wait for its end; gives its exit code, negative if a signal ended it."""
        options = [f"--{name.replace('_', '-')}={port}" for name, port in self.ports.items()]
        # The node reads its standard input to its end, which comes with the end of this process.
        self._process = await asyncio.create_subprocess_exec(
            *self._command,
            *options,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=_LONGEST_LINE,
        )
        try:
            assert self._process.stdout is not None, "standard output is a pipe"
            line = await self._process.stdout.readline()
            if line:
                self.ready = json.loads(line)
                self.ports = {name: value for name, value in json.loads(line).items() if name.endswith("port")}
                on_ready.set()
            return await self._process.wait()
        finally:
            self.ready = None
            await self.end()

    async def end(self) -> None:
        """End the process in order, and without if that takes too long."""
        process = self._process
        if process is None or process.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        try:
            async with asyncio.timeout(END_WITHIN_S):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()


class Cluster:
    """A namenode and datanodes.

    Args:
        directory: of the cluster; an empty one becomes one.
        datanodes: how many.
        host: where to listen.
        port: of the namenode; None for the one of the last run, or whichever the system chooses.
        settings: name=value, for the namenode, the datanodes or both.
        events_limit_mib: how long each node's file of events gets, of which one older is kept; 0 for no limit.

    Raises:
        ConfigurationError: a setting is not one of theirs.
        StorageError: the directory is something else; it is as it was.
    """

    def __init__(
        self,
        directory: Path,
        *,
        datanodes: int,
        host: str,
        port: int | None,
        settings: list[str],
        events_limit_mib: int = EVENTS_LIMIT_MIB,
    ) -> None:
        self.directory = directory.resolve()
        self._events_limit_mib = events_limit_mib
        self._host = host
        namenode, datanode = NameNodeConfiguration(), DataNodeConfiguration()
        for setting in settings:
            if not has_setting(namenode, setting) and not has_setting(datanode, setting):
                accepted = sorted({*setting_names(namenode), *setting_names(datanode)})
                name = setting.partition("=")[0]
                raise ConfigurationError(
                    f"neither namenode nor datanode has the setting {name!r}, accepted: {', '.join(accepted)}"
                )
        self._for_namenode = [setting for setting in settings if has_setting(namenode, setting)]
        self._for_datanodes = [setting for setting in settings if has_setting(datanode, setting)]
        configured(namenode, self._for_namenode)
        configured(datanode, self._for_datanodes)
        # HDFS waits half a minute for more datanodes than it needs; here it is known how many there are.
        self._for_namenode[:0] = ["safe_mode_extension_ms=0", f"safe_mode_min_datanodes={datanodes // 2 + 1}"]
        known = _read_book(self.directory)
        ports = known.get(NAMENODE, {})
        self.namenode = Node(
            NAMENODE, self._command(NAMENODE, self._for_namenode), ports if port is None else {"port": port}
        )
        if not self.namenode.ports:
            self.namenode.ports = {"port": 0}
        self._names = [f"datanode{number}" for number in range(1, datanodes + 1)]
        self._known = known
        self.datanodes: list[Node] = []
        self.exit_code = 0

    async def run(self, stopping: asyncio.Event) -> int:
        """Run all nodes until told to stop, or until one is refused; gives the exit code."""
        self.directory.mkdir(parents=True, exist_ok=True)
        disk = await lock_storage(self.directory)
        keeping: list[asyncio.Task[None]] = []
        try:
            ready = [asyncio.Event()]
            keeping = [asyncio.create_task(self._keep(self.namenode, ready[0], stopping))]
            if await _first(ready[0].wait(), stopping.wait()):
                self.datanodes = [self._datanode(name) for name in self._names]
                for node in self.datanodes:
                    ready.append(asyncio.Event())
                    keeping.append(asyncio.create_task(self._keep(node, ready[-1], stopping)))
                if await _first(asyncio.gather(*(event.wait() for event in ready)), stopping.wait()):
                    print(json.dumps(self._book()), flush=True)
                    await stopping.wait()
        finally:
            # Datanodes first: they still have something to say to the namenode.
            await asyncio.gather(*(node.end() for node in self.datanodes))
            await self.namenode.end()
            for task in keeping:
                task.cancel()
            await asyncio.gather(*keeping, return_exceptions=True)
            disk.unlock()
        return self.exit_code

    def _datanode(self, name: str) -> Node:
        address = f"{self._host}:{self.namenode.ports['port']}"
        command = [*self._command(name, self._for_datanodes), "--name", name, "--namenode", address]
        return Node(name, command, self._known.get(name, {"transfer_port": 0, "rpc_port": 0}))

    def _command(self, name: str, settings: list[str]) -> list[str]:
        module = "namenode_server" if name == NAMENODE else "datanode_server"
        command = [sys.executable, "-m", f"genstamp_dfs.server.{module}", str(self.directory / name)]
        command += ["--host", self._host, "--ends-with-parent"]
        command += ["--events", str(self.directory / "events" / f"{name}.jsonl")]
        command += ["--events-limit", str(self._events_limit_mib)]
        return command + [f"--set={setting}" for setting in settings]

    async def _keep(self, node: Node, ready: asyncio.Event, stopping: asyncio.Event) -> None:
        """Run a node, and again when it ends."""
        while True:
            noting = asyncio.create_task(self._note(ready))
            code = await node.run_once(ready)
            noting.cancel()
            if stopping.is_set():
                return
            if code == CONFIGURATION:
                self.exit_code = code
                stopping.set()
                return
            print(f"{node.name} ended with {code}; it is started again", file=sys.stderr, flush=True)
            ready.clear()
            await asyncio.sleep(RESTART_AFTER_S)

    async def _note(self, ready: asyncio.Event) -> None:
        """Write down where the nodes are when one has told."""
        await ready.wait()
        fresh = self.directory / f"{BOOK}.tmp"
        fresh.write_text(json.dumps(self._book(), indent=2) + "\n")
        fresh.replace(self.directory / BOOK)

    def _book(self) -> dict[str, Any]:
        nodes = [self.namenode, *self.datanodes]
        return {
            "format": FORMAT,
            "pid": os.getpid(),
            "host": self._host,
            **{node.name: {**node.ports, "pid": (node.ready or {}).get("pid")} for node in nodes},
        }


async def _first(wanted: Any, other: Any) -> bool:
    """Whether what is wanted comes before the other."""
    tasks = [asyncio.ensure_future(wanted), asyncio.ensure_future(other)]
    done, waiting = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    return tasks[1] not in done


def _read_book(directory: Path) -> dict[str, dict[str, int]]:
    """The ports of the last run; empty for a directory that is new.

    Raises:
        StorageError: the directory is not one of a cluster.
    """
    if not directory.exists():
        return {}
    if not directory.is_dir():
        raise StorageError(f"{directory} is no directory")
    names = sorted(path.name for path in directory.iterdir())
    if BOOK not in names:
        if any(name not in (NAMENODE, "events", f"{BOOK}.tmp") for name in names):
            raise StorageError(f"{directory} has {', '.join(names[:5])} in it and no {BOOK}; accepted: an empty one")
        return {}
    try:
        book = json.loads((directory / BOOK).read_bytes())
        if book["format"] != FORMAT:
            raise StorageError(f"{directory / BOOK} has format {book['format']}, accepted: {FORMAT}")
        return {
            name: {key: int(value) for key, value in entry.items() if key.endswith("port")}
            for name, entry in book.items()
            if isinstance(entry, dict)
        }
    except (ValueError, KeyError, TypeError) as problem:
        raise StorageError(f"{directory / BOOK} is damaged: {problem}") from problem


def add_cluster_options(parser: argparse.ArgumentParser) -> None:
    """The options of a cluster."""
    parser.add_argument("directory", type=Path, help="of the cluster; an empty one becomes one")
    parser.add_argument("--datanodes", type=int, default=DATANODES)
    parser.add_argument("--host", default=LOOPBACK, help="where to listen; loopback by default")
    parser.add_argument("--port", type=int, help="of the namenode; by default that of the last run")
    parser.add_argument("--set", dest="settings", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--events-limit", type=int, default=EVENTS_LIMIT_MIB, metavar="MIB")


def main(arguments: list[str] | None = None) -> int:
    """Run a cluster until it is told to stop; gives the exit code."""
    parser = argparse.ArgumentParser(prog="cluster", description="A namenode and datanodes on this machine.")
    add_cluster_options(parser)
    given = parser.parse_args(arguments)
    return run_cluster(
        given.directory,
        datanodes=given.datanodes,
        host=given.host,
        port=given.port,
        settings=given.settings,
        events_limit_mib=given.events_limit,
    )


def run_cluster(
    directory: Path,
    *,
    datanodes: int,
    host: str,
    port: int | None,
    settings: list[str],
    events_limit_mib: int = EVENTS_LIMIT_MIB,
) -> int:
    """Run a cluster until SIGTERM or SIGINT; gives the exit code. The arguments are those of `Cluster`."""

    async def run() -> int:
        cluster = Cluster(
            directory,
            datanodes=datanodes,
            host=host,
            port=port,
            settings=settings,
            events_limit_mib=events_limit_mib,
        )
        return await cluster.run(stopped_by_signals())

    try:
        if events_limit_mib < 0:
            raise ConfigurationError(f"--events-limit is {events_limit_mib}, accepted: 0 or more")
        if not 1 <= datanodes <= 100:
            raise ConfigurationError(f"{datanodes} datanodes, accepted: 1 to 100")
        return asyncio.run(run())
    except (ConfigurationError, StorageError, OSError) as problem:
        print(f"cluster: {problem}", file=sys.stderr)
        return CONFIGURATION


if __name__ == "__main__":
    sys.exit(main())
