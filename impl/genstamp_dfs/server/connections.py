"""The connections of a server, and the memory that they may take.

A server that is full takes the next connection all the same, in place of one that nobody works for: one that has not
said yet what it wants, the oldest first, or else the one that has been idle for the longest. So whoever opens thousands
keeps nobody out.

Not here: what is said on connections.
"""

import asyncio
import logging
import traceback
from typing import Any, Final

from genstamp_dfs.errors import GenstampDfsError

CLOSE_S: Final = 10.0
"""How long the other end may take what was sent to it before a close."""

_LOG = logging.getLogger(__name__)

Task = asyncio.Task[None]


class NoRoomError(GenstampDfsError):
    """A message is larger than what is left for all connections together."""


class Connections:
    """The tasks that serve connections.

    Args:
        limit: how many there may be.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._all: set[Task] = set()
        self._opening: dict[Task, None] = {}
        self._idle: dict[Task, None] = {}

    def __len__(self) -> int:
        return len(self._all)

    def admit(self, task: Task) -> bool:
        """Take one more; False if all the others are worked for."""
        if len(self._all) >= self._limit:
            given_up = next(iter(self._opening), None) or next(iter(self._idle), None)
            if given_up is None:
                return False
            self.leave(given_up)
            given_up.cancel()
        self._all.add(task)
        self._opening[task] = None
        return True

    def works(self, task: Task) -> None:
        """Something is done for it; it is not given up."""
        self._opening.pop(task, None)
        self._idle.pop(task, None)

    def rests(self, task: Task) -> None:
        """Nothing is done for it from now on."""
        self.works(task)
        if task in self._all:
            self._idle[task] = None

    def leave(self, task: Task) -> None:
        """It is over."""
        self.works(task)
        self._all.discard(task)

    async def end_all(self) -> None:
        """Cancel all, and wait for their ends."""
        tasks = list(self._all)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class Room:
    """Bytes that large messages of all connections may take together.

    Args:
        limit: how many.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._taken = 0

    def take(self, length: int) -> None:
        """Take so many.

        Raises:
            NoRoomError: they are not there.
        """
        if self._taken + length > self._limit:
            raise NoRoomError(
                f"no room for a message of {length} bytes now, accepted: {self._limit - self._taken}; try again later"
            )
        self._taken += length

    def give_back(self, length: int) -> None:
        """They are not needed any more."""
        self._taken -= length


async def close(writer: asyncio.StreamWriter) -> None:
    """Close a connection; whoever does not take the rest in time is cut off."""
    writer.close()
    try:
        async with asyncio.timeout(CLOSE_S):
            await writer.wait_closed()
    except (OSError, TimeoutError):
        writer.transport.abort()
    except asyncio.CancelledError:
        writer.transport.abort()
        raise


def tell_of_fault(what: str, fault: BaseException) -> None:
    """Tell the operator of a fault of ours, in one line."""
    frames = traceback.extract_tb(fault.__traceback__)
    place = f" at {frames[-1].filename}:{frames[-1].lineno}" if frames else ""
    reason = " ".join(str(fault).split())[:300]
    _LOG.error("%s failed%s: %s: %s", what, place, type(fault).__name__, reason)


def tell_of_loop_fault(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """What the event loop complains of, in one line."""
    fault = context.get("exception")
    if fault is None:
        _LOG.error("%s", context["message"])
    else:
        tell_of_fault(context["message"], fault)
