"""Rules for the logs of Hadoop 0.20, whose lines have no stamps and do not name the datanode of a replica.

Such a line cannot be assigned to one replica, and the order of lines of different nodes is unknown. What is checked is
the life of the block at the NameNode, and the number of steps of its replicas: no more replicas can be finalized than
were begun.

Not here: steps that 0.20 logs without the block's id (the end of a file, which commits its last block), and useless
steps that the protocol allows: a repeated report (I.1 row 6), a report of a block without a file (I.1 row 2), an order
to delete an absent replica (B17), the deletion of an extra copy (I.3). Deletions are not counted against orders: an
order can also be the answer to a block report, which is not logged.

Letters with numbers refer to sections of the facts file `hdfs-protocol.md`.
"""

from genstamp.logs.rules.block_checks import COMPLETE, NOT_THERE
from genstamp.logs.rules.shape import UNCHANGED, Balance, Rule, Way, each, states

UNPLACED = "unplaced"
"""The role of a block in an event of one of its replicas on an unnamed datanode."""

REPLICA_ORDERS = "add_to_invalidates ask_to_delete mark_block_as_corrupt"
"""Decisions of the NameNode about replicas of any stamp; they are no steps of a replica."""


_TOLD = (
    # A datanode of 0.20 reports a replica after its last packet: the writer has finished the block. One replica is
    # enough (minRepl is 1 by default). The line of `completeFile` names no block.
    Rule(
        "add_stored_block",
        (Way(("commit", "complete_block")), Way(("complete_block",)), Way((), (), COMPLETE)),
        "A7, A8, I.1 row 6  FSNamesystem#addStoredBlock of 0.20",
        when={"block_map": "updated"},
    ),
    Rule(
        "add_stored_block",
        (Way((), (), COMPLETE),),
        "I.1 row 6  FSNamesystem#addStoredBlock of 0.20: known on that datanode, nothing is done",
        when={"block_map": "redundant"},
    ),
    Rule(
        "block_received",
        (Way((), (), NOT_THERE),),
        "I.1 row 2  FSNamesystem#addStoredBlock of 0.20",
        when={"block_state": "none"},
    ),
    Rule(
        "drop_needed_replication",
        (Way((), (), NOT_THERE),),
        "A20  FSNamesystem#computeReplicationWork of 0.20: the block belongs to no file",
    ),
    Rule(
        "add_to_invalidates",
        (Way(("remove",)), Way((), (), states("removed"))),
        "A20  FSNamesystem#deleteInternal of 0.20, one line for each location",
    ),
    *each(
        "write_block finalize_replica packet_responder_ends transfer_starts transfer_ends transfer_fails"
        " invalidate_replica invalidate_absent_replica ask_to_replicate ask_to_delete replication_times_out",
        UNCHANGED,
        "a step of some replica, not of the block",
    ),
    Rule("write_block", UNCHANGED, "C.1  DataXceiver#writeBlock failed", refused="*"),
)

UNPLACED_RULES = tuple(Rule(told.event, told.ways, told.source, UNPLACED, told.refused, told.when) for told in _TOLD)

BALANCES = (
    Balance(
        ("write_block", "finalize_replica", "packet_responder_ends"),
        ("add_block",),
        "A1, C.5: a pipeline is set up only for a block that was allocated",
        one_for_all=True,
    ),
    Balance(
        ("finalize_replica",),
        ("write_block",),
        "B1, B6, B8: a replica is finalized once, after the call that begins it",
    ),
    Balance(("invalidate_replica",), ("write_block",), "B1, B6, B17: only an existing replica is deleted"),
    Balance(
        ("add_to_invalidates",),
        ("add_stored_block",),
        "A20, I.1 row 6: the locations of a removed block are those that were stored",
    ),
)
