"""Reads a DFSClient's lines about its pipelines: set up in vain, abandoned, recovered.

Not here: reads. Such lines stand among those of any program that uses HDFS. What a client asks for, the NameNode may
never hear, so none of them is taken for a step that was carried out. Messages are those of Hadoop 0.20 to 3.4.
"""

from collections.abc import Iterator

from genstamp.logs.readers.log_message import Message, Patterns
from genstamp.logs.readers.sighting import Sighting
from genstamp.logs.sources import CLIENT_LOG

PATTERNS = Patterns()
"""Patterns of such messages, each with its meaning."""

_SET_UP = "createBlockOutputStream"


@PATTERNS.says(rb"Exception in createBlockOutputStream", rb"Exception in createBlockOutputStream")
def _set_up_failed(message: Message) -> Iterator[Sighting]:
    """Names no block; the thread's next line that does, names it."""
    message.state.ask(message.line, _SET_UP, client=message.line.thread.decode(errors="backslashreplace"), deletes=True)
    message.count("pipeline that could not be set up, told of again with its block")
    return iter(())


@PATTERNS.says(rb"Abandoning ", rb"Abandoning (?:block )?%(pooled)b")
def _abandoned(message: Message) -> Iterator[Sighting]:
    """nextBlockOutputStream: the pipeline could not be set up, and the NameNode is asked to take the block back."""
    if message.state.asked(message.line, _SET_UP).deletes:
        message.state.ask(message.line, _SET_UP)
        yield _of_block(message, "set_up_create", refused_with="IOException")
    yield _of_block(message, "abandon_block")


@PATTERNS.says(rb"Excluding datanode ", rb"Excluding datanode %(datanode)b")
def _excluded(message: Message) -> Iterator[Sighting]:
    datanode = message.text("datanode")
    yield message.seen("exclude_datanode", "node", datanode, node=_client(message), source=CLIENT_LOG)


@PATTERNS.says(
    rb"Error Recovery for ",
    rb"Error Recovery for (?:block )?%(pooled)b(?: in pipeline .*?(?:bad datanode |datanode \d{1,5}\()(?:\w+\[)?"
    rb"(?P<datanode>[\w.-]+:\d+))",
    rb"Error Recovery for (?:block )?%(pooled)b",
)
def _pipeline_recovery(message: Message) -> Iterator[Sighting]:
    """processDatanodeError: the pipeline is to go on without a datanode."""
    yield _of_block(message, "pipeline_recovery", bad=message.text("datanode"))


@PATTERNS.says(
    rb"DFSOutputStream ResponseProcessor exception ",
    rb"DFSOutputStream ResponseProcessor exception +for (?:block )?%(pooled)b",
)
def _no_ack(message: Message) -> Iterator[Sighting]:
    yield _of_block(message, "receive_ack", refused_with="IOException")


PATTERNS.ignores(rb"Could not obtain ", rb"Could not obtain ")
PATTERNS.ignores(rb"Successfully connected to ", rb"Successfully connected to ")
PATTERNS.ignores(rb"Failed to connect to ", rb"Failed to connect to ")


def _of_block(message: Message, event: str, *, refused_with: str | None = None, bad: str = "") -> Sighting:
    block_id = message.text("block")
    return message.seen(
        event,
        "block",
        block_id,
        node=_client(message),
        generation_stamp=message.number("stamp"),
        refused_with=refused_with,
        source=CLIENT_LOG,
        outcome="" if refused_with else "unknown",
        bad_datanode=bad,
    )


def _client(message: Message) -> str:
    """Each thread by itself: nothing tells the order between them."""
    return f"client {message.line.thread[:100].decode(errors='backslashreplace')}".strip()
