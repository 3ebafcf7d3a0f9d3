"""Keeps the processes of a cluster on one machine running, and writes down where they are.

    DIRECTORY/cluster.json     the ports, which stay the same, and the processes

One process for each node. One that ends is started again after a second, except one whose disk has failed or is full:
the cluster goes on without it, and ends only if the others need that node. One whose storage directory or settings are
refused ends the cluster. The nodes end when the process that started them does,
killed or not.

Not here: which nodes there are (`cluster`, `genstamp_dfs.gfs.server.cluster`), several machines.
"""

import asyncio
import contextlib
import json
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from genstamp_dfs.errors import StorageError
from genstamp_dfs.server.disk import DIRECTORY_MODE, FILE_MODE
from genstamp_dfs.server.process import CONFIGURATION, FAILURE, lock_storage

BOOK: Final = "cluster.json"
FORMAT: Final = 1
EVENTS: Final = "events"

RESTART_AFTER_S: Final = 1.0
END_WITHIN_S: Final = 20.0

_LONGEST_LINE: Final = 64 * 1024

_LOG = logging.getLogger(__name__)


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


class Nodes:
    """The nodes of a cluster while it runs.

    Args:
        directory: of the cluster.
        host: where the nodes listen.
        first: the node that the others need.
        others: gives the others, when the first one listens.
    """

    def __init__(self, directory: Path, host: str, first: Node, others: Callable[[], list[Node]]) -> None:
        self.directory = directory
        self.first = first
        self.others: list[Node] = []
        self.exit_code = 0
        self._host = host
        self._new_others = others

    async def run(self, stopping: asyncio.Event) -> int:
        """Run all nodes until told to stop, or until one is refused; gives the exit code."""
        self.directory.mkdir(DIRECTORY_MODE, parents=True, exist_ok=True)
        disk = await lock_storage(self.directory)
        keeping: list[asyncio.Task[None]] = []
        try:
            ready = [asyncio.Event()]
            keeping = [asyncio.create_task(self._keep(self.first, ready[0], stopping))]
            if await _first(ready[0].wait(), stopping.wait()):
                self.others = self._new_others()
                for node in self.others:
                    ready.append(asyncio.Event())
                    keeping.append(asyncio.create_task(self._keep(node, ready[-1], stopping)))
                if await _first(asyncio.gather(*(event.wait() for event in ready)), stopping.wait()):
                    print(json.dumps(self._book()), flush=True)
                    await stopping.wait()
        finally:
            # The others first: they still have something to say to the one that they need.
            await asyncio.gather(*(node.end() for node in self.others))
            await self.first.end()
            for task in keeping:
                task.cancel()
            await asyncio.gather(*keeping, return_exceptions=True)
            disk.unlock()
        return self.exit_code

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
            if code == FAILURE:
                _LOG.error("%s ended, as its disk has failed or is full; it is not started again", node.name)
                if node is self.first:
                    self.exit_code = code
                    stopping.set()
                return
            _LOG.warning("%s ended with %s; it is started again", node.name, code)
            ready.clear()
            await asyncio.sleep(RESTART_AFTER_S)

    async def _note(self, ready: asyncio.Event) -> None:
        """Write down where the nodes are when one has told."""
        await ready.wait()
        fresh = self.directory / f"{BOOK}.tmp"
        fresh.touch(FILE_MODE)
        fresh.write_text(json.dumps(self._book(), indent=2) + "\n")
        fresh.replace(self.directory / BOOK)

    def _book(self) -> dict[str, Any]:
        nodes = [self.first, *self.others]
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


def read_book(directory: Path, first: str) -> dict[str, dict[str, int]]:
    """The ports of the last run, by node; empty for a directory that is new.

    Args:
        directory: of the cluster.
        first: name of the node that is started first.

    Raises:
        StorageError: the directory is not one of a cluster.
    """
    if not directory.exists():
        return {}
    if not directory.is_dir():
        raise StorageError(f"{directory} is no directory")
    names = sorted(path.name for path in directory.iterdir())
    if BOOK not in names:
        if any(name not in (first, EVENTS, f"{BOOK}.tmp") for name in names):
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
