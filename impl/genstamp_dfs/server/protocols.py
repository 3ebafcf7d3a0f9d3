"""The protocols that nodes speak, and how each call of them lies in a frame.

ClientProtocol and ClientDatanodeProtocol go as Hadoop writes them. What nodes of this implementation say to each other
goes in the same frames, as MessagePack; an answer that names datanodes has their addresses with it.

Not here: sockets.

Source: facts W.1.1, W.2.2, W.3.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, NoReturn, TypeVar

import msgspec

from genstamp_dfs.errors import HdfsIOException
from genstamp_dfs.hdfs.messages import datanode_protocol, inter_datanode
from genstamp_dfs.server.addresses import Address
from genstamp_dfs.server.wire import calls, client_calls, foreign_calls
from genstamp_dfs.server.wire import datanode_pb2 as datanode
from genstamp_dfs.server.wire import rpc_pb2 as rpc
from genstamp_dfs.server.wire.convert import Converter, signed, unsigned
from genstamp_dfs.server.wire.frames import WireError, delimited, delimited_bytes, parse
from genstamp_dfs.world.request import Request, answer_type

Content = TypeVar("Content")

MAX_CLIENT_NAME: Final = 8_000
"""In characters. Hadoop has no such limit; its own clients are well below a hundred."""

OWN: Final = "genstamp."
"""Start of the names of protocols that Hadoop does not have."""


@dataclass(frozen=True)
class Codec:
    """One call as bytes, without the lengths before them.

    Attributes:
        method: name of the call.
        names_caller: whether the user of the connection is the name of the node that calls.
        read_request, read_answer: raise `WireError` where the bytes are none, and the former `HdfsIOException` where
            they ask for more than is kept. A request is None where the answer is always the same: no handler sees it.
    """

    method: str
    write_request: Callable[[Any, Converter], bytes]
    read_request: Callable[[bytes, Converter], Request[Any] | None]
    write_answer: Callable[[Any, Converter], bytes]
    read_answer: Callable[[bytes, Converter], Any]
    names_caller: bool = False


@dataclass(frozen=True)
class Protocol:
    """A protocol.

    Attributes:
        name: on the wire.
        calls: by the class of the request.
        answered_only: calls that our own client does not make.
    """

    name: str
    calls: Mapping[type[Request[Any]], Codec]
    answered_only: tuple[Codec, ...] = ()

    @property
    def is_own(self) -> bool:
        """Whether it is one of this implementation: the user of a connection is the name of the node that calls."""
        return self.name.startswith(OWN)

    def frame(self, header: rpc.RpcRequestHeader, request: Request[Any], converter: Converter) -> bytes:
        """A whole call, with the length of its frame."""
        codec = self.calls[type(request)]
        call = rpc.RequestHeader(methodName=codec.method, declaringClassProtocolName=self.name, clientProtocolVersion=1)
        body = delimited(header) + delimited(call) + delimited_bytes(codec.write_request(request, converter))
        return len(body).to_bytes(4, "big") + body

    def by_method(self) -> dict[str, Codec]:
        """The calls by name."""
        return {codec.method: codec for codec in (*self.calls.values(), *self.answered_only)}


def _hadoop_call(call: calls.Call) -> Codec:
    def read_request(data: bytes, c: Converter) -> Request[Any]:
        message = parse(call.request, data)
        try:
            request = call.read(message, c)
        except (ValueError, KeyError) as problem:
            raise WireError(f"{call.method} with a value that it does not have: {problem}") from problem
        _check_client_name(request)
        return request

    return Codec(
        method=call.method,
        write_request=lambda request, c: call.write(request, c).SerializeToString(),
        read_request=read_request,
        write_answer=lambda answer, c: call.write_answer(answer, c).SerializeToString(),
        read_answer=lambda data, c: call.read_answer(parse(call.answer, data), c),
    )


def _check_client_name(request: Request[Any]) -> None:
    """Refuse a client whose name is as long as no program makes one: a namenode keeps it with each lease and edit."""
    name: str = getattr(request, "client_name", "")
    if len(name) > MAX_CLIENT_NAME:
        raise HdfsIOException(f"the client's name has {len(name)} characters, accepted: up to {MAX_CLIENT_NAME}")


def _foreign_call(call: foreign_calls.ForeignCall) -> Codec:
    def not_asked(*arguments: Any) -> NoReturn:
        raise AssertionError(f"{call.method} is not called from here")

    def read_request(data: bytes, c: Converter) -> Request[Any] | None:
        message = parse(call.request, data)
        return None if call.read is None else call.read(message)

    return Codec(
        method=call.method,
        write_request=not_asked,
        read_request=read_request,
        write_answer=lambda answer, c: call.write_answer(answer, c).SerializeToString(),
        read_answer=not_asked,
    )


# The field has no sign; a length that is not known is all ones, as Java writes it.
_VISIBLE_LENGTH: Final = Codec(
    method="getReplicaVisibleLength",
    write_request=lambda request, c: datanode.GetReplicaVisibleLengthRequest(
        block=c.block(request.block)
    ).SerializeToString(),
    read_request=lambda data, c: inter_datanode.GetReplicaVisibleLength(
        c.to_block(parse(datanode.GetReplicaVisibleLengthRequest, data).block)
    ),
    write_answer=lambda answer, c: datanode.GetReplicaVisibleLengthResponse(
        length=unsigned(answer)
    ).SerializeToString(),
    read_answer=lambda data, c: signed(parse(datanode.GetReplicaVisibleLengthResponse, data).length),
)


class _Answer(msgspec.Struct, Generic[Content], array_like=True):
    """An answer with the addresses of the datanodes that it names: host, port for blocks, port for calls."""

    content: Content
    addresses: dict[str, tuple[str, int, int]]


def _own_call(request: type[Request[Any]]) -> Codec:
    requests = msgspec.msgpack.Decoder(request)
    answers = msgspec.msgpack.Decoder(_Answer[answer_type(request)])  # type: ignore[misc]

    def write_answer(content: Any, c: Converter) -> bytes:
        found = {name: c.addresses.address(name) for name in _datanodes_in(content)}
        addresses = {name: (one.host, one.transfer_port, one.rpc_port) for name, one in found.items()}
        return msgspec.msgpack.encode(_Answer(content, addresses))

    def read_answer(data: bytes, c: Converter) -> Any:
        answer = _decode(answers, data)
        for name, address in answer.addresses.items():
            c.addresses.note(name, Address(*address))
        if isinstance(answer.content, datanode_protocol.NamespaceInfo):
            c.block_pool_id = answer.content.block_pool_id
        return answer.content

    return Codec(
        method=request.__name__,
        write_request=lambda request, c: msgspec.msgpack.encode(request),
        read_request=lambda data, c: _decode(requests, data),
        write_answer=write_answer,
        read_answer=read_answer,
        names_caller=True,
    )


def _datanodes_in(content: Any) -> Iterator[str]:
    """The datanodes that commands send a datanode to."""
    for command in content if isinstance(content, tuple) else ():
        match command:
            case datanode_protocol.RecoverBlocks():
                for block in command.blocks:
                    yield from block.locations
            case datanode_protocol.TransferBlocks():
                for transfer in command.transfers:
                    yield from transfer.targets


def _decode(decoder: "msgspec.msgpack.Decoder[Any]", data: bytes) -> Any:
    try:
        return decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as problem:
        raise WireError(f"{len(data)} bytes are no message: {problem}") from problem


CLIENT_PROTOCOL: Final = Protocol(
    client_calls.PROTOCOL,
    {request: _hadoop_call(call) for request, call in client_calls.CALLS.items()},
    tuple(_foreign_call(call) for call in foreign_calls.FOREIGN),
)
CLIENT_DATANODE_PROTOCOL: Final = Protocol(
    "org.apache.hadoop.hdfs.protocol.ClientDatanodeProtocol", {inter_datanode.GetReplicaVisibleLength: _VISIBLE_LENGTH}
)
DATANODE_PROTOCOL: Final = Protocol(
    OWN + "DatanodeProtocol",
    {
        request: _own_call(request)
        for request in (
            datanode_protocol.VersionRequest,
            datanode_protocol.RegisterDatanode,
            datanode_protocol.SendHeartbeat,
            datanode_protocol.BlockReport,
            datanode_protocol.BlockReceivedAndDeleted,
            datanode_protocol.CommitBlockSynchronization,
            datanode_protocol.ReportBadReplicas,
            datanode_protocol.ErrorReport,
        )
    },
)
INTER_DATANODE_PROTOCOL: Final = Protocol(
    OWN + "InterDatanodeProtocol",
    {
        request: _own_call(request)
        for request in (inter_datanode.InitReplicaRecovery, inter_datanode.UpdateReplicaUnderRecovery)
    },
)

NAMENODE_PROTOCOLS: Final = (CLIENT_PROTOCOL, DATANODE_PROTOCOL)
DATANODE_PROTOCOLS: Final = (CLIENT_DATANODE_PROTOCOL, INTER_DATANODE_PROTOCOL)

_OF_REQUEST: Final = {
    request: protocol for protocol in (*NAMENODE_PROTOCOLS, *DATANODE_PROTOCOLS) for request in protocol.calls
}


def protocol_of(request: type[Request[Any]]) -> Protocol:
    """The protocol that a request belongs to."""
    return _OF_REQUEST[request]
