"""A request to another node, and who asks it.

Not here: how requests travel.
"""

from typing import Any, Generic, TypeVar, get_args

import msgspec

Answer = TypeVar("Answer")


class Request(msgspec.Struct, Generic[Answer], frozen=True, tag=True):
    """A call at another node; the parameter is the type of its answer."""


def answer_type(request: type[Request[Any]]) -> Any:
    """The type of the answer to requests of this class.

    >>> from genstamp_dfs.hdfs.messages.client_protocol import Complete
    >>> answer_type(Complete)
    <class 'bool'>
    """
    (base,) = request.__orig_bases__  # type: ignore[attr-defined]
    (answer,) = get_args(base)
    return answer


class Caller(msgspec.Struct, frozen=True):
    """Who makes a call.

    Attributes:
        machine: the node that it comes from; a new block's first replica goes there if a datanode runs on it.
        client_id: 16 bytes, one for each client object; empty if the caller has none.
        call_id: number of the call, the same for each repetition of it.
        user: the user that the call is made for.

    Source: RpcHeader.proto; Server#getClientId, #getCallId, Hadoop 3.4.1.
    """

    machine: str
    client_id: bytes = b""
    call_id: int = -1
    user: str = "hdfs"
