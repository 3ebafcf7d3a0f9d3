"""The steps in a NameNode's edit log, by layout version.

Every change of the namespace is logged before its call is answered (I.5); states of blocks are not on disk. Source for
the layout version of each operation: `LayoutVersion.Feature` and `NameNodeLayoutVersion.Feature` of Hadoop 2.2 and 3.3.
"""

from collections.abc import Mapping
from typing import Final

from genstamp.events import Kind
from genstamp.logs.sources import (
    EDITS,
    EDITS_BEFORE_36,
    EDITS_BEFORE_40,
    EDITS_BEFORE_60,
    Logged,
    Steps,
    declared,
)

ALWAYS, MAYBE, UNSEEN, ABSENT = Logged

_FROM: Final = ((-60, EDITS), (-40, EDITS_BEFORE_60), (-36, EDITS_BEFORE_40))
"""The first layout version of each source. Versions are negative, and lower ones are newer."""


def edits_source(layout_version: int) -> str:
    """The source for edit logs of a layout version.

    >>> edits_source(-64), edits_source(-47), edits_source(-24)
    ('hdfs-edits', 'hdfs-edits-before-60', 'hdfs-edits-before-36')
    """
    return next((source for first, source in _FROM if layout_version <= first), EDITS_BEFORE_36)


_NO_TRUNCATE = "OP_TRUNCATE came with layout -61, and was in some builds of -60"
_REASSIGNED = "OP_REASSIGN_LEASE"
_REASSIGNED_OR_NOT = "OP_REASSIGN_LEASE is a part of the layout from -36 on; some builds before had it"
_IN_MEMORY = "states of blocks are in memory only; a later operation shows what they came to"
_NOT_CLOSED = "in memory only: the call fails before the file is closed, and writes nothing"
_REPLAYED = (
    "a NameNode that starts replays these very operations: what it does to a block in memory changes none of them"
)
_AT_CLOSE = "blocks are written with OP_CLOSE; before it only by fsync, hflush and pipeline recovery, if at all"

_FILE: Steps = declared(
    (ALWAYS, "create create_overwrite", "OP_ADD; before layout -58 an overwrite is OP_DELETE and OP_ADD"),
    (ALWAYS, "append", "OP_APPEND; before layout -62 an OP_ADD of a file that is there"),
    (ALWAYS, "truncate truncate_at_block_boundary", "OP_TRUNCATE"),
    (ALWAYS, "add_block", "OP_ADD_BLOCK; before it OP_UPDATE_BLOCKS"),
    (
        ALWAYS,
        "abandon_block update_pipeline commit_block_synchronization_without_close",
        "OP_UPDATE_BLOCKS with the blocks that are left, or with the new stamp",
    ),
    (ALWAYS, "reassign_lease", _REASSIGNED),
    (ALWAYS, "close", "OP_CLOSE, by its writer or by a recovery"),
    (ALWAYS, "delete", "OP_DELETE, or the operation that overwrites or takes in the file"),
    (MAYBE, "fsync", "OP_UPDATE_BLOCKS; one that leaves the length as it was cannot be told from others"),
)

_BLOCK: Steps = declared(
    (ALWAYS, "add_block", "OP_ADD_BLOCK; before it OP_UPDATE_BLOCKS"),
    (ALWAYS, "update_pipeline fsync", "OP_UPDATE_BLOCKS with the new stamp or length"),
    (ALWAYS, "abandon_block drop_empty_block", "OP_UPDATE_BLOCKS or OP_CLOSE without the block"),
    (ALWAYS, "append", "OP_APPEND; before layout -62 an OP_ADD of a file that is there"),
    (ALWAYS, "truncate copy_on_truncate", "OP_TRUNCATE names the block that is to be cut"),
    (
        ALWAYS,
        "commit_block_synchronization commit_block_synchronization_delete",
        "OP_CLOSE, which the recovery ends in",
    ),
    (ALWAYS, "commit_block_synchronization_without_close", "OP_UPDATE_BLOCKS with the new stamp"),
    (ALWAYS, "remove", "OP_DELETE, or the operation that overwrites or cuts the file"),
    (UNSEEN, "commit complete_block complete_after_recovery start_recovery", _IN_MEMORY),
    (UNSEEN, "commit_block_synchronization_too_few_replicas", _NOT_CLOSED),
    (ABSENT, "force_complete restart_last_of_open_file restart_any_other", _REPLAYED),
)

_LEASE: Steps = declared(
    (ALWAYS, "grant", "OP_ADD, OP_APPEND and OP_TRUNCATE name the holder"),
    (ALWAYS, "take_over reassign", _REASSIGNED),
    (ALWAYS, "release", "OP_CLOSE or OP_DELETE of the last file of the holder"),
    (MAYBE, "recovery_ends", "OP_CLOSE of one file; how many the holder has left is not known"),
    (
        UNSEEN,
        "start_recovery renew soft_limit_passes hard_limit_passes restart",
        "how old a lease is, and what was begun with it, is in memory only",
    ),
)

_NODE: Steps = declared(
    (ALWAYS, "set_generation_stamp", "OP_SET_GENSTAMP, before the stamp is used"),
    (ALWAYS, "allocate_block_id", "OP_ALLOCATE_BLOCK_ID, before a block has the id; older layouts draw ids at random"),
)

_WITHOUT_TRUNCATE_FILE: Steps = {
    **_FILE,
    **declared((ABSENT, "truncate truncate_at_block_boundary", _NO_TRUNCATE)),
}

_OLD_FILE: Steps = {
    **_WITHOUT_TRUNCATE_FILE,
    **declared(
        (ALWAYS, "append", "OP_ADD of a file that is there"),
        (
            MAYBE,
            "add_block abandon_block update_pipeline fsync commit_block_synchronization_without_close",
            _AT_CLOSE,
        ),
    ),
}

_OLD_BLOCK: Steps = declared(
    (
        MAYBE,
        "add_block update_pipeline fsync abandon_block append drop_empty_block commit_block_synchronization"
        " commit_block_synchronization_without_close commit_block_synchronization_delete remove",
        _AT_CLOSE,
    ),
    (UNSEEN, "commit complete_block complete_after_recovery start_recovery", _IN_MEMORY),
    (UNSEEN, "commit_block_synchronization_too_few_replicas", _NOT_CLOSED),
    (ABSENT, "truncate copy_on_truncate", _NO_TRUNCATE),
    (ABSENT, "force_complete restart_last_of_open_file restart_any_other", _REPLAYED),
)

DECLARED: Final[Mapping[str, Mapping[Kind, Steps]]] = {
    EDITS: {"file": _FILE, "block": _BLOCK, "lease": _LEASE, "node": _NODE},
    EDITS_BEFORE_60: {
        "file": _WITHOUT_TRUNCATE_FILE,
        "block": {**_BLOCK, **declared((ABSENT, "truncate copy_on_truncate", _NO_TRUNCATE))},
        "lease": _LEASE,
        "node": _NODE,
    },
    EDITS_BEFORE_40: {"file": _OLD_FILE, "block": _OLD_BLOCK, "lease": _LEASE, "node": _NODE},
    EDITS_BEFORE_36: {
        "file": {**_OLD_FILE, **declared((MAYBE, "reassign_lease", _REASSIGNED_OR_NOT))},
        "block": _OLD_BLOCK,
        "lease": {**_LEASE, **declared((MAYBE, "take_over reassign", _REASSIGNED_OR_NOT))},
        "node": _NODE,
    },
}
