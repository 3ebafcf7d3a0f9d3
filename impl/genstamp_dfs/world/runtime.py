"""What the processes of a node may ask of the world: time, chance, other processes, other nodes.

The cores are coroutines and plain calls over these; they import no event loop, open no socket and read no clock. One
driver runs them in virtual time in one process (`genstamp_dfs.simulation`), the other on asyncio with real sockets
(`genstamp_dfs.server`, `genstamp_dfs.gfs.server`). Everything runs on one thread: between two `await`s nothing else
happens.

Not here: disks (`disk.py`).
"""

import random
from collections.abc import Callable, Coroutine
from typing import Any, Protocol, TypeVar

from genstamp_dfs.world.request import Request

Answer = TypeVar("Answer")

Message = TypeVar("Message")
"""What is said on connections."""

Operation = TypeVar("Operation", contravariant=True)
"""What a connection is opened for."""

Process = Coroutine[Any, Any, None]
"""Something that a node does, from its start to its end."""


class Task(Protocol):
    """A process that was started."""

    @property
    def is_done(self) -> bool:
        """Whether it has ended, in whatever way."""

    def cancel(self) -> None:
        """End it at the `await` where it waits; what it has under `finally` is done."""


class Condition(Protocol):
    """Something that processes of one node wait for."""

    def notify_all(self) -> None:
        """Wake all that wait now."""

    async def wait(self, timeout_us: int | None = None) -> bool:
        """Wait to be woken; False if the time passed first, in microseconds."""


class Connection(Protocol[Message]):
    """A two-way stream of messages between two nodes: in order, without loss, until it breaks."""

    @property
    def peer(self) -> str:
        """Name of the node at the other end; empty where it is not known."""

    async def send(self, message: Message) -> None:
        """Send; returns when the message is on its way, waits while too much is.

        Raises:
            EOFException: the connection is broken, or the other end has closed it.
        """

    async def receive(self, timeout_us: int | None = None) -> Message:
        """The next message.

        Raises:
            EOFException: the connection is broken, or the other end has closed it.
            SocketTimeoutException: nothing came in the time given, in microseconds.
        """

    def close(self) -> None:
        """Close; what was sent arrives before the end does. Closing twice is allowed."""


class Runtime(Protocol[Operation, Message]):
    """The world as one node sees it."""

    @property
    def node(self) -> str:
        """Name of the node."""

    @property
    def random(self) -> random.Random:
        """Where all random choices of the node come from."""

    def now_us(self) -> int:
        """Time since the node's own beginning of time, in microseconds; never goes back."""

    def time_ms(self) -> int:
        """Wall clock of the node, in milliseconds since 1970; only for what users are shown."""

    async def sleep_us(self, duration_us: int) -> None:
        """Wait so many microseconds; 0 lets others run."""

    def spawn(self, process: Process, name: str) -> Task:
        """Start a process that lives no longer than the node; `name` is for whoever debugs."""

    def condition(self) -> Condition:
        """Something new to wait for."""

    async def force(self, *syncs: Callable[[], None]) -> None:
        """Have the disk do something while other processes run; all of it is asked for at the same time.

        Args:
            syncs: calls of `Disk.sync` and `Disk.sync_directory`, of which none may need another one to be done first.

        Raises:
            DiskError: one of them failed; none of the others is under way any more.
        """

    async def ahead(self, *syncs: Callable[[], None]) -> None:
        """As `force`, for what the next step is going to ask of the disk: it asks all the same, and finds it done.

        A world whose disks take no time need not do anything.

        Raises:
            DiskError: one of them failed. The step fails with it, and does not ask again.
        """

    async def call(self, node: str, request: Request[Answer], *, timeout_us: int | None = None) -> Answer:
        """Ask another node, and wait for its answer; a repetition after a lost answer has the same call id.

        Raises:
            Refusal: the other node refuses, with the exception that it named.
            ConnectException: the node cannot be reached.
            SocketTimeoutException: no answer in the time given, in microseconds; the call may have been carried out.
            EOFException: the node died over the call, which it may have carried out.
        """

    async def connect(self, node: str, operation: Operation, *, timeout_us: int | None = None) -> Connection[Message]:
        """Open a connection for bytes of a file, and send the operation.

        Raises:
            ConnectException: the node cannot be reached.
            SocketTimeoutException: it does not answer in the time given, in microseconds.
        """
