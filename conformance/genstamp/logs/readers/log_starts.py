"""Reads the lines that processes log when they start: STARTUP_MSG, and that a NameNode becomes active.

A NameNode that starts, or takes over, knows blocks and leases from its images and edits alone (A.7), so the line
concerns the blocks and the leases of all files that are open by then; a datanode that starts, its replicas. A file that
is closed has nothing to lose.
"""

from collections.abc import Iterator

from genstamp.logs.readers.log_message import Message, Patterns
from genstamp.logs.readers.log_state import UNKNOWN
from genstamp.logs.readers.sighting import Concern, Sighting

PATTERNS = Patterns()
"""Patterns of such messages, each with its meaning."""


@PATTERNS.says(rb"STARTUP_MSG:", rb"STARTUP_MSG:")
def _starting(message: Message) -> Iterator[Sighting]:
    if message.line.logger.rpartition(b".")[2] == b"NameNode":
        yield from _of_namenode(message)
        return
    datanode = message.state.datanode(message.line)
    if not message.line.logger.endswith(b"DataNode") or datanode == UNKNOWN:
        message.count("start of a process")
        return
    namespace = message.namespace()
    replicas = [Concern("replica", entity) for entity in message.state.replicas(namespace, datanode)]
    yield message.seen(
        "datanode_restart", "node", datanode, [Concern("node", datanode), *replicas], namespace=namespace, node=datanode
    )


@PATTERNS.says(rb"Starting services required for active state", rb"Starting services required for active state")
def _becomes_active(message: Message) -> Iterator[Sighting]:
    yield from _of_namenode(message)


def _of_namenode(message: Message) -> Iterator[Sighting]:
    """It applies to every namespace in the log, because the line names none."""
    message.state.forget_granted()
    is_told = False
    for namespace in message.state.namespaces():
        concerns: dict[Concern, None] = {}
        for file in message.state.open_files(namespace):
            for block in file.blocks:
                role = "last" if block is file.blocks[-1] else ""
                concerns[Concern("block", str(block.block_id), role)] = None
            if file.holder:
                concerns[Concern("lease", file.holder)] = None
        if concerns:
            is_told = True
            yield message.seen(
                "namenode_restart",
                "node",
                message.state.namenode(message.line),
                sorted(concerns, key=lambda concern: (concern.kind, concern.entity, concern.role)),
                namespace=namespace,
            )
    if not is_told:
        message.count("start of a process")
