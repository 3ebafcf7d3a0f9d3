"""What images and replicas on disk say about a block at the NameNode: rules of the book in `block.py`.

Leaves out what they say about the replica itself (`replica.py`).

Sections A, B and I are those of the facts file `hdfs-protocol.md`.
"""

from genstamp.logs.rules.shape import Check, Register, Rule, Sets, Way, states

STAMP, _, LENGTH = Register
_STAMP_IS_STORED = Check("generation_stamp", "is", STAMP)
_LENGTH_IS_STORED = Check("num_bytes", "is", LENGTH)
_AS_GIVEN: Sets = {STAMP: "generation_stamp", LENGTH: "num_bytes"}
_NOT_THERE = states("absent", "removed")
_OPEN = states("under_construction", "under_recovery")
_CLOSED = states("committed", "complete")
_ANY_STAMP = _OPEN | states("removed")

_STORED = (
    *(
        Rule(
            "stored_in_image",
            (
                Way((), (_STAMP_IS_STORED, _LENGTH_IS_STORED), those),
                *(Way(born, (), states("absent")) for born in births),
            ),
            "A.7  FSImageFormatPBINode",
            when=when,
            sets=_AS_GIVEN,
        )
        for when, those, births in (
            # Where what is known of the block begins, it is as if its whole life so far had passed at once.
            (
                {"block_state": "COMPLETE", "history": "begins"},
                _CLOSED,
                (("add_block", "commit", "complete_block"),),
            ),
            ({"block_state": "COMPLETE"}, _CLOSED, ()),
            (
                {"block_state": "UNDER_CONSTRUCTION", "history": "begins"},
                _OPEN | _CLOSED,
                (("add_block",),),
            ),
            ({"block_state": "UNDER_CONSTRUCTION"}, _OPEN | _CLOSED, ()),
        )
    ),
    Rule("missing_from_image", (Way((), (), _NOT_THERE),), "A.7  FSImageFormatPBINode"),
)

# I.2: which replicas the NameNode takes for those of the block. Stamps are given out before it knows of them in the
# block, so that a block that is open, or went with its file while it was, may have replicas of any stamp.
_FOUND = (
    Rule(
        "found_on_disk",
        (
            Way((), (_STAMP_IS_STORED, _LENGTH_IS_STORED), _CLOSED),
            Way((), (Check("generation_stamp", "below", STAMP),), _CLOSED),
            Way((), (), _ANY_STAMP),
        ),
        "I.2, B.9  BlockManager#checkReplicaCorrupt",
        role="replica",
        when={"replica_state": "FINALIZED"},
    ),
    Rule(
        "found_on_disk",
        (Way((), (Check("generation_stamp", "at_most", STAMP),), _CLOSED), Way((), (), _ANY_STAMP)),
        "I.2, B.9  BlockManager#checkReplicaCorrupt",
        role="replica",
    ),
)

ON_DISK = (*_STORED, *_FOUND)
