"""Rules for a block at the NameNode that is found in an image, or of which a replica is found on disk.

Not here: the rules for the replica itself (`replica.py`).

Letters with numbers refer to sections of the facts file `hdfs-protocol.md`.
"""

from genstamp.logs.rules.block_checks import AS_GIVEN, LENGTH_IS_STORED, NOT_THERE, STAMP, STAMP_IS_STORED
from genstamp.logs.rules.shape import Check, Rule, Way, states

_OPEN = states("under_construction", "under_recovery")
_CLOSED = states("committed", "complete")
_ANY_STAMP = _OPEN | states("removed")

_STORED = (
    *(
        Rule(
            "stored_in_image",
            (
                Way((), (STAMP_IS_STORED, LENGTH_IS_STORED), those),
                *(Way(born, (), states("absent")) for born in births),
            ),
            "A.7  FSImageFormatPBINode",
            when=when,
            sets=AS_GIVEN,
        )
        for when, those, births in (
            # Where the history of the block begins, all earlier steps count as one.
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
    Rule("missing_from_image", (Way((), (), NOT_THERE),), "A.7  FSImageFormatPBINode"),
)

# I.2: which replicas the NameNode accepts. A stamp is granted before the block gets it, so a block that is open, or
# was when its file was deleted, may have replicas of any stamp.
_FOUND = (
    Rule(
        "found_on_disk",
        (
            Way((), (STAMP_IS_STORED, LENGTH_IS_STORED), _CLOSED),
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
