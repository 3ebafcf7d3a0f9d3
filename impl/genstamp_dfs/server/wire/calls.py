"""One call of ClientProtocol: how our request and answer are Hadoop's, and the answers that many calls have.

Not here: the calls themselves.

Source: facts W.2.2, W.2.3; CL/protocolPB/ClientNamenodeProtocolTranslatorPB, Hadoop 3.4.1.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import Message

from genstamp_dfs.hdfs.messages import client_protocol as ours
from genstamp_dfs.server.wire import namenode_pb2 as theirs
from genstamp_dfs.server.wire.convert import Converter
from genstamp_dfs.world.request import Request


@dataclass(frozen=True)
class Call:
    """One call.

    Attributes:
        method: Hadoop's name of it.
        request, answer: the classes of Hadoop's messages.
        read: Hadoop's request as ours.
        write: our request as Hadoop's.
        write_answer: our answer as Hadoop's.
        read_answer: Hadoop's answer as ours.
    """

    method: str
    request: type[Message]
    answer: type[Message]
    read: Callable[[Any, Converter], Request[Any]]
    write: Callable[[Any, Converter], Message]
    write_answer: Callable[[Any, Converter], Message]
    read_answer: Callable[[Any, Converter], Any]


def status(field: str, answer: type[Message]) -> tuple[Callable[..., Message], Callable[..., Any]]:
    """An answer with one file status, which may be missing."""

    def write(status: ours.HdfsFileStatus | None, c: Converter) -> Message:
        return answer(**({} if status is None else {field: c.file_status(status)}))

    def read(m: Any, c: Converter) -> ours.HdfsFileStatus | None:
        return c.to_file_status(getattr(m, field)) if m.HasField(field) else None

    return write, read


def located(answer: type[Message]) -> tuple[Callable[..., Message], Callable[..., Any]]:
    """An answer with one located block."""
    return (lambda located, c: answer(block=c.located_block(located)), lambda m, c: c.to_located_block(m.block))


def flag(answer: type[Message]) -> tuple[Callable[..., Message], Callable[..., Any]]:
    """An answer of yes or no."""
    return (lambda result, c: answer(result=result), lambda m, c: bool(m.result))


def empty(answer: type[Message]) -> tuple[Callable[..., Message], Callable[..., Any]]:
    """An answer that says nothing."""
    return (lambda result, c: answer(), lambda m, c: None)


def call(
    kind: type[Request[Any]],
    method: str,
    read: Callable[[Any, Converter], Request[Any]],
    write: Callable[..., Message],
    answers: tuple[Callable[..., Message], Callable[..., Any]],
) -> tuple[type[Request[Any]], Call]:
    """An entry of the table of calls.

    Args:
        kind: our request.
        method: Hadoop's name of the call, by which its messages are found.
        read, write: Hadoop's request as ours, and back.
        answers: our answer as Hadoop's, and back.
    """
    name = method[0].upper() + method[1:]
    request: type[Message] = getattr(theirs, f"{name}Request")
    answer: type[Message] = getattr(theirs, f"{name}Response")
    return kind, Call(method, request, answer, read, write, *answers)
