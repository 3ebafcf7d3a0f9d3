"""What calls, answers and connections are as bytes: MessagePack of the messages, in either direction.

A body is decoded into the one type that it may have: tags that nobody knows, fields that are missing or of another type
are refused, never guessed.

Not here: gRPC, which carries the bytes.
"""

import functools
from collections.abc import Iterable
from types import ModuleType
from typing import Any, Final, Generic, TypeVar, Union

import msgspec

from genstamp_dfs.errors import GenstampDfsError, Refusal
from genstamp_dfs.gfs.errors import GfsRefusal
from genstamp_dfs.gfs.messages import chunkserver_protocol, data_flow, log_protocol, master_protocol
from genstamp_dfs.gfs.protocol import PIECE_BYTES, Limits
from genstamp_dfs.world.request import Caller, Request, answer_type

Decoded = TypeVar("Decoded")

FORMAT: Final = 1
"""Of what is said here; a node refuses one that speaks another."""

SERVICE: Final = "genstamp.gfs.Node"
CALL: Final = f"/{SERVICE}/Call"
DESCRIBE: Final = f"/{SERVICE}/Describe"
PUSH: Final = f"/{SERVICE}/Push"

MAX_CALL_BYTES: Final = 16 * 1024 * 1024
"""Of a call at the master, and of any answer: a chunkserver says all its replicas in one."""

MAX_PIECE_BYTES: Final = PIECE_BYTES + 64 * 1024
"""Of whatever a chunkserver is sent."""


class MalformedMessageError(GenstampDfsError):
    """Bytes are not the message that they should be; the message says where they differ."""


class Description(msgspec.Struct, frozen=True):
    """What a node says of itself.

    Attributes:
        format: of its wire.
        role: "master", "shadow" or "chunkserver".
        cluster_id: which cluster it belongs to.
        limits: what all nodes of the cluster, and their clients, agree on.
    """

    format: int
    role: str
    cluster_id: str
    limits: Limits


class Answered(msgspec.Struct, frozen=True, tag=True):
    """The answer to a call."""

    answer: msgspec.Raw


class Refused(msgspec.Struct, frozen=True, tag=True):
    """The node refuses: the class of its refusal, and why."""

    name: str
    message: str


class Decoder(Generic[Decoded]):
    """Bytes to messages of one type.

    Args:
        wanted: the type.
        name: what it is called in errors.
    """

    def __init__(self, wanted: Any, name: str) -> None:
        self._decoder: msgspec.msgpack.Decoder[Decoded] = msgspec.msgpack.Decoder(wanted)
        self._name = name

    def decode(self, body: bytes) -> Decoded:
        """The message.

        Raises:
            MalformedMessageError: the bytes are none.
        """
        try:
            return self._decoder.decode(body)
        except (msgspec.MsgspecError, GenstampDfsError, UnicodeDecodeError, RecursionError) as problem:
            raise MalformedMessageError(f"no {self._name}: {str(problem)[:300]}") from problem


def _requests(module: ModuleType) -> list[type[Request[Any]]]:
    """The requests that a module of messages defines."""
    found = [value for value in vars(module).values() if isinstance(value, type) and issubclass(value, Request)]
    return [request for request in found if request.__module__ == module.__name__]


def _one_of(types: Iterable[type]) -> Any:
    return Union[tuple(types)]  # noqa: UP007 (as many as there are)


MASTER_REQUESTS: Final = Decoder[tuple[Caller, Request[Any]]](
    tuple[Caller, _one_of(_requests(master_protocol))],  # type: ignore[misc]
    "request to a master",
)
SHADOW_REQUESTS: Final = Decoder[tuple[Caller, Request[Any]]](
    tuple[Caller, _one_of([*_requests(master_protocol), *_requests(log_protocol)])],  # type: ignore[misc]
    "request to a shadow master",
)
CHUNKSERVER_REQUESTS: Final = Decoder[tuple[Caller, Request[Any]]](
    tuple[Caller, _one_of(_requests(chunkserver_protocol))],  # type: ignore[misc]
    "request to a chunkserver",
)
OPERATIONS: Final = Decoder[data_flow.Operation](data_flow.Operation, "operation")
MESSAGES: Final = Decoder[data_flow.Message](data_flow.Message, "message of a connection")
DESCRIPTIONS: Final = Decoder[Description](Description, "description of a node")

_ANSWERS: Final = Decoder[Answered | Refused](Answered | Refused, "answer")
_ENCODER: Final = msgspec.msgpack.Encoder()


def encode(message: Any) -> bytes:
    """A message as bytes."""
    return _ENCODER.encode(message)


def encode_call(caller: Caller, request: Request[Any]) -> bytes:
    """A call as bytes."""
    return encode((caller, request))


def encode_answer(answer: Any) -> bytes:
    """An answer as bytes."""
    return encode(Answered(msgspec.Raw(encode(answer))))


def encode_refusal(refusal: Refusal) -> bytes:
    """A refusal as bytes. One that is not GFS' own, such as a third node that does not answer, goes by its name too."""
    return encode(Refused(type(refusal).__name__, str(refusal)))


def decode_answer(request: type[Request[Any]], body: bytes) -> Any:
    """What was answered to a request of this class.

    Raises:
        GfsRefusal: that is what was answered; the very class if it is one of ours.
        MalformedMessageError: the bytes are no answer to such a request.
    """
    found = _ANSWERS.decode(body)
    if isinstance(found, Refused):
        known = refusals().get(found.name)
        raise known(found.message) if known else GfsRefusal(f"{found.name}: {found.message}")
    return _answers_to(request).decode(bytes(found.answer))


@functools.cache
def _answers_to(request: type[Request[Any]]) -> Decoder[Any]:
    return Decoder(answer_type(request), f"answer to {request.__name__}")


@functools.cache
def refusals() -> dict[str, type[GfsRefusal]]:
    """All refusals of GFS by name."""
    found, waiting = {}, [GfsRefusal]
    while waiting:
        one = waiting.pop()
        found[one.__name__] = one
        waiting += one.__subclasses__()
    return found
