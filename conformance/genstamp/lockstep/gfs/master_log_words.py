"""The events that gfs.master_log does not cover, and the reasons: tables of `master_log`."""

from collections.abc import Mapping
from typing import Final

STAND_IN: Final = "the master's own disk"
"""Stands for the log replicas of a master that has none: what is on the one is on the other."""

FORGOTTEN: Final = ("crashes", "damages")

NEVER: Final[Mapping[str, str]] = {
    "damage_checkpoint": "a simulated disk loses what was not forced to it, and changes nothing else",
    "shadow_replays": "the master of these runs has no log replicas; others, that have, are held in the tests",
    "start_elsewhere": "no run starts a master on another machine",
}
"""Actions that simulated runs do not show, each with the reason."""

IMPOSSIBLE: Final = frozenset({"start_elsewhere"})
"""Actions that no event is."""

TOLD_APART: Final[Mapping[str, str]] = {
    "delete_old_log": "delete_old_log",
    "damage_checkpoint": "damage_checkpoint",
}
"""Hidden actions that a run shows: files that are deleted, and a checkpoint that cannot be read."""

ANSWERS: Final = frozenset(
    {
        "create",
        "make_directory",
        "delete",
        "undelete",
        "rename",
        "snapshot",
        "list",
        "get_file_info",
        "find_chunk",
        "find_lease",
        "register",
        "heartbeat",
    }
)
"""Requests of clients and chunkservers: what their answers can show is all that was logged before them."""

INSIDE: Final = "a step inside a request or in the background: what it logs has an event of its own"

DROPPED: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        (
            "begin_snapshot",
            "create_chunk",
            "copy_chunk",
            "begin_grant",
            "leave_out",
            "log_version",
            "grant_lease",
            "extend_lease",
            "revoke_lease",
            "give_up_lease",
            "expire_lease",
            "detect_stale",
            "adopt_version",
            "hear_corrupt",
            "begin_clone",
            "clone",
            "move_replica",
            "remove_deleted",
            "orphan",
            "lose_chunkserver",
            "hear_registration",
            "place_chunk",
            "find_replica",
            "find_surplus",
        ),
        INSIDE,
    ),
    "start_master": "the master begins to answer: what it has recovered was told before",
}
"""Events of the master that the system has no word for, each with the reason."""

OTHER_NODES: Final = "neither at the master nor at a log replica"
OF_A_REPLICA: Final = "a record that a log replica takes: that it is flushed is told"
STARTED_AS_IT_WAS: Final = "a log replica starts with what was told to be on its disk"
SHADOWED_BEFORE: Final = "a shadow shows what it, or another one, has shown before"
SHOWN_BEFORE: Final = "an answer that shows no record that was not shown before"
NOTHING_DELETED: Final = "no file of the log is deleted"
TWO_DAMAGED: Final = "two checkpoints cannot be read: here only the newest cannot"
