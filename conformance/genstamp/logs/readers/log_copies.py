"""Reads the lines of a datanode about a replica, other than writes and recoveries: ends of pipelines, copies, orders it
cannot obey.

Not here: reads and scans, which are counted. Messages are those of Hadoop 0.20 to 3.4.
"""

from collections.abc import Iterator

from genstamp.logs.readers.log_datanode import told_at
from genstamp.logs.readers.log_message import Message, Patterns
from genstamp.logs.readers.sighting import Sighting

PATTERNS = Patterns()
"""Patterns of such messages, each with its meaning."""


@PATTERNS.says(
    rb"PacketResponder",
    rb"PacketResponder: %(pooled)b, type=[\w, =:.\[\]-]{1,2000}? terminating",
    rb"PacketResponder \d+ for block %(pooled)b terminating",
)
def _responder_ends(message: Message) -> Iterator[Sighting]:
    """Whether the replica is final, it does not say: the thread ends like this when a pipeline breaks, too."""
    yield from _told(message, "packet_responder_ends")


PATTERNS.ignores(rb"PacketResponder", rb"PacketResponder(?!.* terminating)")


@PATTERNS.says(rb"opWriteBlock ", rb"opWriteBlock %(pooled)b received exception (?P<exception>[\w.$]{1,200})")
@PATTERNS.says(rb"writeBlock ", rb"writeBlock %(pooled)b received exception (?P<exception>[\w.$]{1,200})")
def _write_failed(message: Message) -> Iterator[Sighting]:
    """The pipeline broke: the replica stays as far as it was written, for a recovery to find (B, notes)."""
    yield from _told(message, "write_block", message.text("exception").rsplit(".", 1)[-1])


@PATTERNS.says(rb"Moved BP-", rb"Moved %(pooled)b from /")
def _moved(message: Message) -> Iterator[Sighting]:
    """The balancer had this datanode fetch a copy."""
    yield from _told(message, "replace_block")


@PATTERNS.says(rb"Starting thread to transfer ", rb"Starting thread to transfer (?:block )?%(pooled)b to ")
@PATTERNS.says(
    rb"DatanodeRegistration(",
    rb"DatanodeRegistration\([^)]{1,1000}\) Starting thread to transfer (?:block )?%(pooled)b to ",
)
def _transfer_starts(message: Message) -> Iterator[Sighting]:
    yield from _told(message, "transfer_starts")


@PATTERNS.says(rb"DatanodeRegistration(", rb"DatanodeRegistration\(")
def _of_registered(message: Message) -> Iterator[Sighting]:
    message.count("of something else")
    return iter(())


@PATTERNS.says(
    rb"DataTransfer", rb"DataTransfer(?:, at [\w.:-]{1,300})?: Transmitted (?:block )?%(pooled)b (?:\(numBytes=|to )"
)
def _transfer_ends(message: Message) -> Iterator[Sighting]:
    yield from _told(message, "transfer_ends")


@PATTERNS.says(rb"Failed to delete replica ", rb"Failed to delete replica %(pooled)b: ReplicaInfo not found")
@PATTERNS.says(
    rb"Unexpected error trying to delete block ",
    rb"Unexpected error trying to delete block %(pooled)b\. BlockInfo not found in volumeMap",
)
def _nothing_to_delete(message: Message) -> Iterator[Sighting]:
    yield from _told(message, "invalidate_absent_replica")


PATTERNS.ignores(rb"Failed to delete replica ", rb"Failed to delete replica ")
PATTERNS.ignores(rb"DataTransfer", rb"DataTransfer(?!.*Transmitted)")
PATTERNS.ignores(rb"Verification succeeded for ", rb"Verification succeeded for ")
PATTERNS.ignores(rb"Deleted BP-", rb"Deleted BP-")
PATTERNS.ignores(rb"Copied BP-", rb"Copied BP-")
PATTERNS.ignores(rb"opCopyBlock ", rb"opCopyBlock ")
PATTERNS.ignores(rb"opReadBlock ", rb"opReadBlock ")
PATTERNS.ignores(rb"Exception for BP-", rb"Exception for BP-")
PATTERNS.ignores(rb"Exception in receiveBlock for ", rb"Exception in receiveBlock for ")


def _told(message: Message, event: str, refused_with: str | None = None) -> Iterator[Sighting]:
    datanode = message.state.datanode(message.line)
    yield from told_at(message, event, datanode, generation_stamp=message.number("stamp"), refused_with=refused_with)
