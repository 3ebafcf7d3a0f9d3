"""A namenode as a process: `python -m genstamp_dfs.server.namenode_server DIRECTORY`.

The edit log is forced to the disk in a thread, so calls are carried out meanwhile. Those that arrive in the same turn
of the loop, or while the disk is busy, share the next sync. No answer leaves before all edits that were logged when it
was made are on the disk: not that of a read or a heartbeat either, which may tell of what others have changed, or have
a datanode delete what a crash would bring back.

Not here: high availability, a web page.

Source: NN/NameNode, NN/NameNodeRpcServer, NN/FSEditLog#logSync, Hadoop 3.4.1.
"""

import argparse
import asyncio
import contextlib
import logging
import random
import re
import sys
from pathlib import Path
from typing import Any, Final, NoReturn

from genstamp_dfs.errors import ConfigurationError, DiskError, HdfsIOException
from genstamp_dfs.hdfs.messages.datanode_protocol import RegisterDatanode
from genstamp_dfs.hdfs.namenode.configuration import Clock, NameNodeConfiguration
from genstamp_dfs.hdfs.namenode.namenode import NameNode
from genstamp_dfs.server.addresses import Address, AddressBook
from genstamp_dfs.server.disk import RealDisk
from genstamp_dfs.server.event_file import EventFile, NoEvents
from genstamp_dfs.server.local_runtime import RealClock
from genstamp_dfs.server.process import (
    LOOPBACK,
    MAX_PORT,
    add_common_options,
    configured,
    event_sink,
    lock_storage,
    log_to_stderr,
    port_to_listen,
    run_server,
    tell_of_full_disk,
)
from genstamp_dfs.server.protocols import NAMENODE_PROTOCOLS
from genstamp_dfs.server.rpc_server import RpcServer
from genstamp_dfs.server.wire.convert import Converter
from genstamp_dfs.world.request import Caller, Request

_LOG = logging.getLogger(__name__)

DEFAULT_PORT: Final = 8020
TICK_S: Final = 1.0

_NODE_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}")


class NameNodeServer:
    """A namenode that listens.

    Args:
        directory: its storage directory.
        configuration: its settings.
        events: where it tells of what it does.
        host, port: where it listens; 0 lets the system choose.
        clock: its time; the real time if None.
        ticks: whether it does by itself what is due, every second.
    """

    def __init__(
        self,
        directory: Path,
        configuration: NameNodeConfiguration,
        events: EventFile | NoEvents,
        *,
        host: str = LOOPBACK,
        port: int = 0,
        clock: Clock | None = None,
        ticks: bool = True,
    ) -> None:
        self.failure: asyncio.Future[NoReturn] | None = None
        self._clock: Clock = RealClock() if clock is None else clock
        self._ticks = ticks
        self._directory = directory
        self._configuration = configuration
        self._events = events
        self._host = host
        self._port = port
        self._addresses = AddressBook()
        self._disk: RealDisk | None = None
        self._namenode: NameNode | None = None
        self._server: RpcServer | None = None
        self._ticking: asyncio.Task[None] | None = None
        self._syncing: asyncio.Task[None] | None = None
        self._log = asyncio.Lock()

    @property
    def namenode(self) -> NameNode:
        """The namenode, once it has started."""
        assert self._namenode is not None, "the namenode has started"
        return self._namenode

    async def start(self) -> dict[str, Any]:
        """Load the namespace, and listen; says where.

        Raises:
            StorageError: the storage directory is foreign, damaged or in use; it is as it was.
            DiskError: the disk failed.
            OSError: the port cannot be had.
        """
        self.failure = asyncio.get_running_loop().create_future()
        self._disk = await lock_storage(self._directory)
        self._namenode = NameNode(self._configuration, self._disk, self._clock, random.Random(), self._events)
        self._namenode.checkpointer.on_full = tell_of_full_disk("an image is given up")
        self._disk.make_private()
        pool = self._namenode.namespace.block_pool_id
        if isinstance(self._events, EventFile):
            self._events.namespace = lambda: pool
        self._namenode.record_start()
        # Addresses that clients name are not believed: only a datanode says where it is.
        converter = Converter(pool, self._addresses, learns=False)
        self._server = RpcServer(NAMENODE_PROTOCOLS, self._handle, converter)
        self._port = await self._server.start(self._host, self._port)
        if self._ticks:
            self._ticking = asyncio.create_task(self._tick())
        return {"node": "namenode", "host": self._host, "port": self._port, "block_pool_id": pool}

    async def stop(self) -> None:
        """Answer no more, and make what was done durable."""
        if self._ticking is not None:
            self._ticking.cancel()
        if self._server is not None:
            await self._server.stop()
        if self._namenode is not None and self._namenode.failure is None:
            async with self._log:
                with contextlib.suppress(DiskError):
                    # Nobody was told of what is not synced yet.
                    self._namenode.close()
        if self._disk is not None:
            self._disk.unlock()

    # -- calls --------------------------------------------------------------------------------------------------

    async def _handle(self, request: Request[Any], caller: Caller) -> Any:
        """Answer a call or refuse it, after a sync of all that is logged by then."""
        if isinstance(request, RegisterDatanode):
            _check_registration(request)
        refusal, answer = None, None
        try:
            answer = self.namenode.handle(request, caller)
        except HdfsIOException as problem:
            refusal = problem
        except DiskError as problem:
            await self._fail(problem)
        await self._synced()
        if refusal is not None:
            raise refusal
        if isinstance(request, RegisterDatanode):
            address = Address(request.host, request.transfer_port, request.rpc_port)
            self._addresses.note(request.datanode, address)
        return answer

    async def _synced(self) -> None:
        """Wait until all edits that are logged now are on the disk (FSEditLog#logSync)."""
        edit_log = self.namenode.edit_log
        transaction = edit_log.last_transaction
        while edit_log.synced_transaction < transaction:
            if self.namenode.failure is not None:
                await self._fail(self.namenode.failure)
            if self._syncing is None:
                # As a task it begins in the next turn, so calls that came together share it.
                self._syncing = asyncio.create_task(self._sync_log())
            await asyncio.shield(self._syncing)

    async def _sync_log(self) -> None:
        try:
            async with self._log:
                force = self.namenode.begin_log_sync()
                if force is not None:
                    await asyncio.to_thread(force)
                    self.namenode.end_log_sync()
        except DiskError as problem:
            self._set_failure(problem)
        finally:
            self._syncing = None

    # -- time ---------------------------------------------------------------------------------------------------

    async def _tick(self) -> None:
        """Have done what is due, every second."""
        while True:
            await asyncio.sleep(TICK_S)
            try:
                async with self._log:
                    self.namenode.tick()
                await self._synced()
            except DiskError as problem:
                self._set_failure(problem)
                return
            except Exception:
                # A monitor that fails by our fault tries again; the operator sees why.
                _LOG.exception("a monitor failed")

    async def _fail(self, problem: DiskError) -> NoReturn:
        """The disk has failed: the caller gets no answer, as nobody knows what is on it, and the process ends."""
        self._set_failure(problem)
        await asyncio.get_running_loop().create_future()
        raise AssertionError("nothing ends this wait but its cancellation")

    def _set_failure(self, problem: DiskError) -> None:
        assert self.failure is not None, "the server has started"
        if not self.failure.done():
            self.failure.set_exception(problem)


def _check_registration(request: RegisterDatanode) -> None:
    """Refuse names and addresses that nobody could use."""
    if not _NODE_NAME.fullmatch(request.datanode):
        raise HdfsIOException(f"a datanode calls itself {request.datanode[:200]!r}, accepted: {_NODE_NAME.pattern}")
    ports = (request.transfer_port, request.rpc_port)
    if not 0 < len(request.host) <= 255 or not all(0 < port <= MAX_PORT for port in ports):
        raise HdfsIOException(
            f"{request.datanode} says that it is at {request.host[:200]!r}, ports {ports}; "
            f"accepted: a host, and ports from 1 to {MAX_PORT}"
        )


def main(arguments: list[str] | None = None) -> int:
    """Run a namenode until it is told to stop; gives the exit code."""
    parser = argparse.ArgumentParser(prog="namenode_server", description="A namenode.")
    add_common_options(parser)
    parser.add_argument(
        "--port", type=port_to_listen, default=DEFAULT_PORT, help="where to listen; 0 lets the system choose"
    )
    given = parser.parse_args(arguments)
    log_to_stderr(given.log_level)
    try:
        configuration = configured(NameNodeConfiguration(), given.settings)
        events = event_sink(given)
    except (ConfigurationError, OSError) as problem:
        parser.exit(151, f"namenode: {problem}\n")
    server = NameNodeServer(given.directory, configuration, events, host=given.host, port=given.port)
    return asyncio.run(run_server("namenode", server, ends_with_parent=given.ends_with_parent))


if __name__ == "__main__":
    sys.exit(main())
