"""What is said of a block by logs that do not name the datanode of a replica, and that know no stamps: Hadoop 0.20.

Such lines cannot be put under the key of a replica, and between nodes their order is not known. What can be held
against the specification is the block's own life at the NameNode, and how often each step of its replicas is told
of: whatever the order and whosever the replicas, no more can have been finalized than were begun.

Leaves out what 0.20 logs without saying which block it is (the end of a file, which commits its last block), and all
that the protocol allows though nobody wants it: a report that comes twice (I.1 row 6) or for a block of no file (I.1
row 2), an order to delete what is not there any more (B17), an extra copy that is deleted again (I.3). Deletions are
not weighed against orders: an order can also be the answer to a block report, which no line tells.

Sections A, B, C and I are those of the facts file `hdfs-protocol.md`.
"""

from genstamp.logs.rules.shape import Balance, Rule, Way, states

UNPLACED = "unplaced"
"""Role of a block in an event of one of its replicas, where nothing says on which datanode that is."""

REPLICA_ORDERS = ("add_to_invalidates", "ask_to_delete", "mark_block_as_corrupt")
"""What the NameNode decides about replicas, which is no step of any of them yet, and may be of any stamp."""

_COMPLETE = states("complete")
_NOT_THERE = states("absent", "removed")
_UNCHANGED = (Way(),)

_TOLD = (
    # A datanode of 0.20 reports a replica when the last packet has come: the writer has ended the block. One replica
    # suffices (minRepl is 1 by default); who ended it, `completeFile`, names no block.
    Rule(
        "add_stored_block",
        (Way(("commit", "complete_block")), Way(("complete_block",)), Way((), (), _COMPLETE)),
        "A7, A8, I.1 row 6  FSNamesystem#addStoredBlock of 0.20",
        when={"block_map": "updated"},
    ),
    Rule(
        "add_stored_block",
        (Way((), (), _COMPLETE),),
        "I.1 row 6  FSNamesystem#addStoredBlock of 0.20: known on that datanode, nothing is done",
        when={"block_map": "redundant"},
    ),
    Rule(
        "block_received",
        (Way((), (), _NOT_THERE),),
        "I.1 row 2  FSNamesystem#addStoredBlock of 0.20",
        when={"block_state": "none"},
    ),
    Rule(
        "drop_needed_replication",
        (Way((), (), _NOT_THERE),),
        "A20  FSNamesystem#computeReplicationWork of 0.20: the block belongs to no file",
    ),
    Rule(
        "add_to_invalidates",
        (Way(("remove",)), Way((), (), states("removed"))),
        "A20  FSNamesystem#deleteInternal of 0.20, one line a location",
    ),
    *(
        Rule(event, _UNCHANGED, "of some replica, no step of the block")
        for event in (
            "write_block",
            "finalize_replica",
            "packet_responder_ends",
            "transfer_starts",
            "transfer_ends",
            "transfer_fails",
            "invalidate_replica",
            "invalidate_absent_replica",
            "ask_to_replicate",
            "ask_to_delete",
            "replication_times_out",
        )
    ),
    Rule("write_block", _UNCHANGED, "C.1  DataXceiver#writeBlock failed", refused="*"),
)

UNPLACED_RULES = tuple(Rule(told.event, told.ways, told.source, UNPLACED, told.refused, told.when) for told in _TOLD)

BALANCES = (
    Balance(
        ("write_block", "finalize_replica", "packet_responder_ends"),
        ("add_block",),
        "A1, C.5: a pipeline is set up for a block that was given out",
        one_for_all=True,
    ),
    Balance(
        ("finalize_replica",),
        ("write_block",),
        "B1, B6, B8: a replica is finalized once, after the call that begins it",
    ),
    Balance(("invalidate_replica",), ("write_block",), "B1, B6, B17: what is deleted was there"),
    Balance(
        ("add_to_invalidates",),
        ("add_stored_block",),
        "A20, I.1 row 6: the locations of a block that goes are those that were stored",
    ),
)
