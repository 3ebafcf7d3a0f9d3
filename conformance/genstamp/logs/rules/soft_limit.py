"""Rules for create, append and truncate on a file whose lease is past its soft limit.

Such a call first takes the file from its writer: it closes the file and continues, or it starts a recovery and is
refused. A source that has one event for the whole call shows this in `observed`: `closed_before` is true if the call
has closed the file, and `new_holder` names the holder during the recovery, if that is no longer the writer.

Source: FSNamesystem#recoverLeaseInternal and #internalReleaseLease, Hadoop 3.4.1. Letters with numbers refer to
sections of the facts file `hdfs-protocol.md`.
"""

from typing import Final

from genstamp.logs.rules.block_checks import (
    ID_ABOVE_FORMER,
    ID_ABOVE_STAMP,
    LENGTH,
    RECOVERY_ID,
    STAMP,
    STAMP_IS_STORED,
)
from genstamp.logs.rules.shape import OR_REFUSED, Rule, Sets, Way, each, states

CALLS: Final = "create append truncate"
STARTED: Final = "RecoveryInProgressException"
"""The exception of a call that has found or started a recovery."""

COMPLETING: Final = (("complete_block",), ("complete_after_recovery",))
STARTS: Final = Way(("start_recovery",), (ID_ABOVE_FORMER, ID_ABOVE_STAMP))
CLOSES_THE_BLOCK: Final = (Way(), *(Way(fires) for fires in (*COMPLETING, ("drop_empty_block",))))
"""The possible ends of the last block of a file that is closed at once (F.3 rows 1, 4, 8)."""

HAS_LEASE: Final = states("held", "past_soft_limit", "past_hard_limit", "being_recovered")
FILE_LEAVES: Final = (Way((), (), HAS_LEASE), Way(("release",)), Way(("recovery_ends",)))
"""The possible changes of a lease when a file of its holder is closed or deleted: the holder may have other files."""

_CLOSES = {"closed_before": "true"}

_OPENS_FILE: Sets = {STAMP: "generation_stamp"}
_TRUNCATES_FILE: Sets = {**_OPENS_FILE, LENGTH: ""}
_MAY_BE_TAKEN: Sets = {STAMP: "", LENGTH: ""}


OF_FILES: Final = (
    *each(
        CALLS,
        (Way((), (), states("under_construction")),),
        "F.1 row 5  FSNamesystem#recoverLeaseInternal",
        refusals=(STARTED,),
        sets=_MAY_BE_TAKEN,
    ),
    *each(
        CALLS, (Way(("close",)),), "F.1 row 5, E.1  FSNamesystem#recoverLeaseInternal", refusals=("*",), when=_CLOSES
    ),
    Rule(
        "append",
        (Way(("close", "append")),),
        "F.1 row 5, E.2  FSDirAppendOp#appendFile",
        when=_CLOSES,
        sets=_OPENS_FILE,
    ),
    Rule(
        "truncate",
        (Way(("close", "truncate_at_block_boundary")), Way(("close",))),
        "F.1 row 5, E.4  FSDirTruncateOp#truncate, or a truncate to the length that the file has",
        when={**_CLOSES, "answer": "true"},
    ),
    Rule(
        "truncate",
        (Way(("close", "truncate")),),
        "F.1 row 5, E.4  FSDirTruncateOp#truncate",
        when=_CLOSES,
        sets=_TRUNCATES_FILE,
    ),
)

OF_BLOCKS: Final = (
    # The refused call itself started the recovery.
    *each(
        CALLS,
        (STARTS,),
        "F.1 row 5  FSNamesystem#recoverLeaseInternal",
        refusals=(STARTED,),
        when={"recovery_id": "*"},
        sets={RECOVERY_ID: "recovery_id"},
    ),
    # The event does not show whether the call started the recovery.
    *each(
        CALLS,
        (Way(("start_recovery",)), Way()),
        "F.1 rows 5, 6  FSNamesystem#recoverLeaseInternal",
        refusals=(STARTED,),
        loosens=frozenset({RECOVERY_ID}),
    ),
    *each(CALLS, CLOSES_THE_BLOCK, "E.1, F.3  FSNamesystem#internalReleaseLease", refusals=("*",), when=_CLOSES),
    Rule(
        "append",
        (
            Way((), (STAMP_IS_STORED,), states("complete")),
            *(
                Way(fires, (STAMP_IS_STORED,))
                for fires in (("append",), *COMPLETING, *((*each, "append") for each in COMPLETING))
            ),
        ),
        "F.3, A2, A.4  BlockManager#convertLastBlockToUnderConstruction; a full block stays COMPLETE",
        when=_CLOSES,
    ),
    Rule(
        "append",
        (Way(("drop_empty_block",)),),
        "F.3 row 8  FSNamesystem#internalReleaseLease: the file is opened at the block before",
        role="previous",
        when=_CLOSES,
    ),
    Rule(
        "truncate",
        (*CLOSES_THE_BLOCK, *(Way(fires) for fires in (("remove",), *((*each, "remove") for each in COMPLETING)))),
        "F.3, A20  FSDirTruncateOp#truncate: the former last block",
        role="previous",
        when=_CLOSES,
    ),
    Rule(
        "truncate",
        tuple(Way((*each, "truncate"), STARTS.checks) for each in ((), *COMPLETING)),
        "F.3, A3, A.6  FSDirTruncateOp#prepareFileForTruncate",
        when=_CLOSES,
        sets={RECOVERY_ID: "recovery_id"},
    ),
)

OF_LEASES: Final = (
    *each(
        CALLS,
        (Way(("start_recovery",)), Way(("reassign",))),
        "F.1 row 5  FSNamesystem#recoverLeaseInternal; reassigned where soft-limit-takes-the-file is repaired",
        role="holder",
        refusals=(STARTED,),
        when={"recovery_id": "*"},
    ),
    *each(
        CALLS,
        (Way((), (), HAS_LEASE), Way(("start_recovery",)), Way(("reassign",))),
        "F.1 rows 5, 6  FSNamesystem#recoverLeaseInternal",
        role="holder",
        refusals=(STARTED,),
    ),
    *each(
        CALLS,
        (Way(("take_over",)),),
        "F.4  FSNamesystem#reassignLease, where soft-limit-takes-the-file is repaired",
        role="new_holder",
        refusals=(STARTED,),
        when={"new_holder": "*"},
    ),
    *each(CALLS, FILE_LEAVES, "F.3, A.5  LeaseManager#removeLease", OR_REFUSED, role="holder", when=_CLOSES),
)
