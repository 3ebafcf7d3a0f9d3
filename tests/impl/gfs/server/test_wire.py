"""What nodes of GFS say to each other as bytes: every message comes out as it went in, and nothing else comes out."""

import types
from typing import Any, get_args, get_origin, get_type_hints

import msgspec
import pytest

from genstamp_dfs.errors import ConnectException
from genstamp_dfs.gfs.errors import GfsRefusal, NotPrimary, PathNotFound
from genstamp_dfs.gfs.messages import chunkserver_protocol, master_protocol
from genstamp_dfs.gfs.messages.data_flow import DataPiece, PushData, Pushed
from genstamp_dfs.gfs.protocol import Limits
from genstamp_dfs.gfs.server import wire
from genstamp_dfs.world.request import Caller, answer_type

CALLER = Caller("client1", b"0123456789abcdef", 7)
ROLES = (
    (wire.MASTER_REQUESTS, wire._requests(master_protocol)),
    (wire.CHUNKSERVER_REQUESTS, wire._requests(chunkserver_protocol)),
)
PLAIN: dict[Any, Any] = {int: 2**40 + 3, str: "/some/päth", bytes: bytes(range(256)), bool: True, type(None): None}


def some(wanted: Any) -> Any:
    """Some value of a type that messages have."""
    if wanted in PLAIN:
        return PLAIN[wanted]
    if get_origin(wanted) is tuple:
        inner = get_args(wanted)
        return (some(inner[0]),) * 2 if inner[-1] is Ellipsis else tuple(some(one) for one in inner)
    if get_origin(wanted) is types.UnionType:
        return some(get_args(wanted)[0])
    assert issubclass(wanted, msgspec.Struct), wanted
    return wanted(**{name: some(kind) for name, kind in get_type_hints(wanted).items() if not name.startswith("__")})


def test_every_request_and_answer_comes_out_as_it_went_in() -> None:
    for decoder, requests in ROLES:
        assert len(requests) >= 9
        for request in requests:
            sent = some(request)
            assert decoder.decode(wire.encode_call(CALLER, sent)) == (CALLER, sent)
            answer = some(answer_type(request))
            assert wire.decode_answer(request, wire.encode_answer(answer)) == answer


def test_what_is_said_on_connections_comes_out_as_it_went_in() -> None:
    operation = some(PushData)
    assert wire.OPERATIONS.decode(wire.encode(operation)) == operation
    for message in (DataPiece(b"bytes"), Pushed(("127.0.0.1:1",)), Pushed(())):
        assert wire.MESSAGES.decode(wire.encode(message)) == message


def test_a_request_to_another_role_is_none() -> None:
    for decoder, others in ((ROLES[0][0], ROLES[1][1]), (ROLES[1][0], ROLES[0][1])):
        for request in others:
            with pytest.raises(wire.MalformedMessageError, match="no request to a"):
                decoder.decode(wire.encode_call(CALLER, some(request)))


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xc1",
        b"\x92\xc0\xc0",
        b"\xff" * 100,
        msgspec.msgpack.encode([CALLER, {"type": "Nothing"}]),
        msgspec.msgpack.encode([CALLER, {"type": "Create"}]),
        msgspec.msgpack.encode([CALLER, {"type": "Create", "path": 5}]),
        msgspec.msgpack.encode([CALLER, {"path": "/a", "kind": "Create"}]),
        msgspec.msgpack.encode([{"machine": 3}, {"type": "Create", "path": "/a"}]),
        msgspec.msgpack.encode([CALLER, {"type": "Create", "path": "/a"}]) + b"\x00",
        b"\x92\x81\xa7machine\xa1a\x82\xa4type\xa6Create\xa4path\xa2\xff\xfe",
        b"\x92\x81\xa7machine\xa1a\x83\xa4type\xa6Create\xa4path\xa2/a\xa1x" + b"\x91" * 100_000,
    ],
    ids=range(12),
)
def test_bytes_that_are_no_request_are_told_from_one(body: bytes) -> None:
    with pytest.raises(wire.MalformedMessageError, match="no request to a master: "):
        wire.MASTER_REQUESTS.decode(body)


def test_a_refusal_becomes_the_same_exception() -> None:
    with pytest.raises(PathNotFound, match=r"^there is no /a$"):
        wire.decode_answer(master_protocol.Create, wire.encode_refusal(PathNotFound("there is no /a")))
    assert wire.refusals()["NotPrimary"] is NotPrimary


def test_a_refusal_that_nobody_knows_is_one_of_gfs() -> None:
    with pytest.raises(GfsRefusal, match=r"^ConnectException: 127\.0\.0\.1:1 is away$") as found:
        wire.decode_answer(master_protocol.Create, wire.encode_refusal(ConnectException("127.0.0.1:1 is away")))
    assert type(found.value) is GfsRefusal


@pytest.mark.parametrize("answer", [5, None, [1], b"bytes"])
def test_an_answer_of_another_type_is_none(answer: object) -> None:
    with pytest.raises(wire.MalformedMessageError, match="no answer to Delete"):
        wire.decode_answer(master_protocol.Delete, wire.encode_answer(answer))


def test_limits_that_make_no_cluster_are_no_description() -> None:
    described = wire.Description(1, "master", "c", Limits())
    assert wire.DESCRIPTIONS.decode(wire.encode(described)) == described
    broken = wire.encode(described).replace(b"\xa8replicas\x03", b"\xa8replicas\x00")
    with pytest.raises(wire.MalformedMessageError, match="0 replicas"):
        wire.DESCRIPTIONS.decode(broken)
