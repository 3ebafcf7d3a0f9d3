"""What the anomalies of HDFS_v1 are, by what is logged of them, and what a specification can say to each.

Only docs/detection.md is made of this; no verdict depends on it.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

Events = Counter[int]


@dataclass(frozen=True)
class Family:
    """Anomalous blocks that are alike.

    Attributes:
        name: for the table.
        has: whether a block with these events belongs to it; the first family that says so is taken.
        why: what the specification has to say, Markdown.
    """

    name: str
    has: Callable[[Events], bool]
    why: str


FAMILIES = (
    Family(
        "no replica is ever stored",
        lambda of: not of[26],
        "Unfinished: the block is allocated, a pipeline begins, and no datanode reports a replica. Nothing of this is"
        " against safety (C.5: the client abandons the block and asks for another, which is logged at DEBUG).",
    ),
    Family(
        "a datanode is ordered to delete a replica that it does not have",
        lambda of: of[20] + of[32] + of[33] > 0,
        "Not seen, and no violation: an order to delete a replica that is not there is ignored (B17). Most of these"
        " blocks have one deletion more than orders to delete. To count that as a violation would find nearly all "
        "of them, and it would be wrong: before Hadoop 0.19 the answer to a block report was an order, too, and "
        "that order has no line.",
    ),
    Family(
        "a replica of a block of no file is reported",
        lambda of: of[28] + of[24] > 0,
        "Not seen in sequences. A late report is allowed (I.1 row 2). It is not allowed that the NameNode records "
        "the replica again after the block was removed. Whether it did depends on the order, which a sequence does "
        "not have. Raw lines have the order: see below.",
    ),
    Family(
        "a replica is reported twice",
        lambda of: of[27] + of[1] + of[31] > 0,
        "Not seen, and no violation: a report of a known replica changes nothing (I.1 row 6), and a write over an "
        "existing replica is refused (B1).",
    ),
    Family(
        "a copy is made by transfer, and replicas are deleted",
        lambda of: of[6] > 0 and of[21] > 0 and of[23] > 0,
        "Not seen, and no violation: how many replicas a block has is a matter of placement, not of the protocol.",
    ),
    Family(
        "empty packets, and a life like any other",
        lambda of: of[13] > 0,
        "Not seen: a packet without data is a packet (C.2).",
    ),
    Family(
        "anything else",
        lambda of: True,
        "Connection faults after which the block was still stored, and replications that timed out: the protocol "
        "handles both.",
    ),
)


def family(events: Events) -> Family:
    """The first family that a block belongs to."""
    return next(one for one in FAMILIES if one.has(events))
