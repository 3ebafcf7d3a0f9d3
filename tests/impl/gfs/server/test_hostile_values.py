"""Requests that are well formed and make no sense: each has an answer, nobody else notices, and no server fails."""

import logging
import random
import types
from collections import Counter
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import msgspec
import pytest
from tests.impl.gfs.server.servers import servers

from genstamp_dfs.errors import NETWORK_FAILURES
from genstamp_dfs.gfs.errors import GfsRefusal
from genstamp_dfs.gfs.messages import chunkserver_protocol, master_protocol
from genstamp_dfs.gfs.messages.data_flow import DataPiece, PushData, Pushed
from genstamp_dfs.gfs.protocol import MASTER
from genstamp_dfs.gfs.server import wire
from genstamp_dfs.gfs.server.runtime import GfsRuntime

REQUESTS = 700
"""At each kind of node, for each seed."""

NUMBERS = (0, 1, 2, 3, 5, 1000, 65_536, 262_144, 2**31, 2**40, 2**63 - 1, 2**63, 2**64 - 1, -1, -(2**63))
TEXTS = (
    "", "/", "//", "/hostile", "/hostile/a", "/hostile/a/b", "/hostile/../witness", "/.", "hostile", "/a\0b", "../up",
    "/\u00e9\U0001f40d", "/hostile/" + "x" * 300, "/" + "long" * 3000, "/hostile/" + "y/" * 300, "127.0.0.1:1",
    "127.0.0.1:99999", "nowhere:5",
)  # fmt: skip
BYTES = (b"", bytes(16), b"x" * 15, b"\xff" * 16, bytes(5000))

LEFT_OUT = (chunkserver_protocol.CloneChunk, master_protocol.Register)
"""They would have a server wait for nodes that are not there, which is what they are for."""


def drawn(draw: random.Random, wanted: Any) -> Any:
    """A value of a type that messages have."""
    simple: dict[Any, Any] = {int: NUMBERS, str: TEXTS, bytes: BYTES, bool: (False, True), type(None): (None,)}
    if wanted in simple:
        return draw.choice(simple[wanted])
    if get_origin(wanted) is tuple:
        inner = get_args(wanted)
        kinds = [inner[0]] * draw.choice((0, 1, 3)) if inner[-1] is Ellipsis else inner
        return tuple(drawn(draw, kind) for kind in kinds)
    if get_origin(wanted) is types.UnionType:
        return drawn(draw, draw.choice(get_args(wanted)))
    assert issubclass(wanted, msgspec.Struct), wanted
    hints = get_type_hints(wanted)
    return wanted(**{name: drawn(draw, hints[name]) for name in wanted.__struct_fields__})


@pytest.mark.slow
@pytest.mark.parametrize("seed", [11, 12])
async def test_no_request_makes_a_server_fail(
    seed: int, tmp_path: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    answered: Counter[str] = Counter()
    draw = random.Random(seed)
    async with servers(tmp_path) as cluster, cluster.client() as witness:
        await witness.create("/witness")
        kept = draw.randbytes(300_000)
        await witness.write("/witness", 0, kept)
        await witness.make_directory("/hostile")
        await witness.create("/hostile/a")
        await witness.write("/hostile/a", 0, kept)
        hostile = GfsRuntime("hostile", cluster.address)
        chunkservers = [server.address for server in cluster.chunkservers.values()]
        for module in (master_protocol, chunkserver_protocol):
            kinds = [kind for kind in wire._requests(module) if kind not in LEFT_OUT]
            for _ in range(REQUESTS):
                node = MASTER if module is master_protocol else draw.choice(chunkservers)
                request = drawn(draw, draw.choice(kinds))
                if names_witness(request):
                    continue
                try:
                    await hostile.call(node, request, timeout_us=10_000_000)
                    answered["done"] += 1
                except GfsRefusal as refusal:
                    answered[refusal.name] += 1
        for _ in range(60):
            answered[await pushed_wrongly(hostile, draw, draw.choice(chunkservers))] += 1
        await hostile.stop()
        assert await witness.read("/witness", 0, 400_000) == kept
        await witness.append("/witness", b"more")
    assert answered["done"] > 50, answered
    assert len(answered) > 8, answered
    assert capfd.readouterr().err == ""
    assert [record.message for record in caplog.records if record.levelno >= logging.WARNING] == []


WITNESS_CHUNKS = (1, 2)
HARMLESS = (chunkserver_protocol.Read, chunkserver_protocol.ReadBlocks)


def names_witness(request: Any) -> bool:
    """Whether a request concerns what another client relies on: anybody may make it, so it would be carried out."""
    handles = {getattr(request, name, None) for name in ("handle", "source")}
    return not isinstance(request, HARMLESS) and not handles.isdisjoint((*WITNESS_CHUNKS, "/"))


async def pushed_wrongly(hostile: GfsRuntime, draw: random.Random, chunkserver: str) -> str:
    """Open a connection as nobody should, and say what came of it."""
    targets = tuple(draw.choice(("127.0.0.1:1", "nowhere", "")) for _ in range(draw.choice((0, 1, 30))))
    operation = PushData(draw.choice(BYTES), draw.choice((0, 5, 70_000, 2**50)), draw.choice(NUMBERS), targets)
    connection = await hostile.connect(chunkserver, operation)
    try:
        for _ in range(draw.choice((0, 1, 3))):
            message = draw.choice((DataPiece(b""), DataPiece(bytes(5)), DataPiece(bytes(100_000)), Pushed(("a",))))
            await connection.send(message)
        if draw.random() < 0.3:
            connection.close()
            return "left"
        answer = await connection.receive(300_000)
    except NETWORK_FAILURES as failure:
        return type(failure).__name__
    else:
        return "pushed" if answer == Pushed(()) else "told who failed"
    finally:
        connection.close()
