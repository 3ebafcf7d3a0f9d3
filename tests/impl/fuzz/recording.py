"""Conversations of our own nodes and client, as the bytes that crossed the wire."""

import asyncio
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

MAX_BYTES = 256 * 1024
"""Of one conversation that are kept."""


@dataclass
class Recording:
    """What each end that opened a connection said on it, by the port that it was opened to."""

    said: list[tuple[int, bytearray]] = field(default_factory=list)

    def to(self, ports: set[int]) -> list[bytes]:
        """The conversations with these ports, under names that no node of the cluster has."""
        return [bytes(data).replace(b"datanode", b"dataname") for port, data in self.said if port in ports and data]


@contextlib.contextmanager
def recording() -> Iterator[Recording]:
    """Record all connections that are opened meanwhile in this process."""
    found = Recording()
    really = asyncio.open_connection

    async def open_connection(host: str, port: int, **options: Any) -> Any:
        reader, writer = await really(host, port, **options)
        said, write = bytearray(), writer.write
        found.said.append((port, said))

        def tapped(data: bytes) -> None:
            if len(said) + len(data) <= MAX_BYTES:
                said.extend(data)
            write(data)

        writer.write = tapped  # type: ignore[assignment, method-assign]
        return reader, writer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asyncio, "open_connection", open_connection)
        yield found
