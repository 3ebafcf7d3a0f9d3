"""Opens connections to hosts that others have named, who may name what takes long to find, or is no name at all.

Names are looked up in a few threads of their own: those that force files to the disk never wait for a name.

Not here: remembering what was found.
"""

import asyncio
import ipaddress
import socket
from concurrent.futures import ThreadPoolExecutor
from typing import Final

LOOKUPS: Final = 4
"""Names that are looked up at a time; a connection that is given up meanwhile is not looked up any more."""

_POOL: Final = ThreadPoolExecutor(LOOKUPS, "lookup")


async def open_connection(
    host: str, port: int, limit: int = 1 << 16
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connect to a host, at the first of its addresses that takes a connection.

    Args:
        host: its name or address.
        port: where it listens.
        limit: bytes that the reader takes in before they are read.

    Raises:
        OSError: it has no address, or none that takes a connection.
    """
    *others, last = await _addresses(host)
    for address in others:
        try:
            return await asyncio.open_connection(address, port, limit=limit)
        except OSError:
            # The next one may do.
            pass
    return await asyncio.open_connection(last, port, limit=limit)


async def _addresses(host: str) -> list[str]:
    """All addresses of a host, each once."""
    try:
        return [str(ipaddress.ip_address(host))]
    except ValueError:
        found = await asyncio.get_running_loop().run_in_executor(_POOL, _look_up, host)
        return list(dict.fromkeys(found))


def _look_up(host: str) -> list[str]:
    try:
        return [str(address[0]) for *_, address in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)]
    except ValueError as problem:
        # What Python says of names that cannot be written as a question to anybody.
        raise OSError(f"{host[:200]!r} is no name of a host: {problem}") from problem
