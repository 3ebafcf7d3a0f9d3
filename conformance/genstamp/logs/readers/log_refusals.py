"""Reads the first line of a stack trace: commits of recoveries that the NameNode refused.

Such lines have no time and no logger; they belong to the log line before them. Not here: every other exception.
"""

from collections.abc import Iterator

from genstamp.logs.readers.log_message import Message, Patterns
from genstamp.logs.readers.sighting import Sighting

PATTERNS = Patterns()
"""Patterns of such lines, each with its meaning."""

_STALE = (
    rb"(?:FAILED: \{\} )?(?:org\.apache\.hadoop\.ipc\.RemoteException\(java\.io\.IOException\)|java\.io\.IOException): "
    rb"The recovery id (?P<recovery_id>\d{1,20}) does not match current recovery id (?P<current>\d{1,20}) for block"
    rb" %(named)b"
)
_STATE = (
    rb"java\.lang\.IllegalStateException: Unexpected block state: (?:BP-[\w.:-]{1,300}:)?blk_(?P<other>-?\d{1,20})"
    rb"_(?P<other_stamp>\d{1,20}) is (?P<state>COMMITTED) but not COMPLETE"
)


@PATTERNS.says(rb"FAILED: {} org.apache.hadoop.ipc.RemoteException", _STALE)
@PATTERNS.says(rb"org.apache.hadoop.ipc.RemoteException(java.io.IOException): The recovery id ", _STALE)
@PATTERNS.says(rb"java.io.IOException: The recovery id ", _STALE)
def _stale_recovery_id(message: Message) -> Iterator[Sighting]:
    """G.6 row 7: a recovery that was overtaken cannot be committed."""
    block_id = message.text("block")
    yield message.seen(
        "commit_block_synchronization",
        "block",
        block_id,
        namespace=message.state.namespace(message.line, _pool(message)),
        recovery_id=message.number("recovery_id"),
        refused_with="IOException",
        observed={"current_recovery_id": message.text("current")},
    )


@PATTERNS.says(rb"java.lang.IllegalStateException: Unexpected block state: ", _STATE)
def _not_complete(message: Message) -> Iterator[Sighting]:
    """A.5: a file could not be closed, as a block of it is not COMPLETE (HDFS-17861 if a recovery closes it)."""
    other = message.text("other")
    yield message.seen(
        "check_file_progress",
        "block",
        other,
        generation_stamp=message.number("other_stamp"),
        observed={"block_state": message.text("state")},
    )
    asked = message.state.asked(message.line, "commitBlockSynchronization")
    if asked.block_id and b"commitBlockSynchronization" in message.line.message:
        yield message.seen(
            "commit_block_synchronization",
            "block",
            asked.block_id,
            recovery_id=asked.recovery_id,
            num_bytes=asked.length,
            refused_with="IllegalStateException",
            observed={"deleted": str(asked.deletes).lower()},
        )


def _pool(message: Message) -> str:
    """The block pool, unless it was made anonymous: other lines of the same log may not name it at all."""
    pool = message.text("pool")
    return pool if any(character.isdecimal() for character in pool) else ""
