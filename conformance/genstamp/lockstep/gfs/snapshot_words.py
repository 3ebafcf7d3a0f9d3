"""The events that gfs.snapshot does not cover, and the reasons: tables of `snapshot`."""

from collections.abc import Mapping
from typing import Final

STAND_IN: Final = "all replicas"
"""Stands for the chunkservers that have a chunk: their contents are not checked here."""

HERE: Final = "here"
"""The only position: each is checked separately."""

FILES: Final = tuple(f"file {number}" for number in range(1, 10))
CHUNKS: Final = tuple(f"chunk {number}" for number in range(1, 8))
"""Names under which files that share chunks are checked, and these chunks."""

FORGOTTEN: Final = ("snapshots", "crashes", "master_restarts")

NEVER: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        ("crash", "restart_chunkserver", "report_orphan", "report_stale", "delete_replica"),
        "of single chunkservers, for all of which one stands",
    ),
}
"""Actions that simulated runs do not show, each with the reason."""

IMPOSSIBLE: Final = frozenset(NEVER)

TOLD_APART: Final[Mapping[str, str]] = {"expire_lease": "expire_lease", "lease_runs_out": "lease_runs_out"}
"""Hidden actions that a run shows."""

ANSWERS: Final = "an answer: what it tells of has an event of its own"
VERSIONS: Final = "versions, and who records them: gfs.chunk_lease has them"
REPLICAS: Final = "replicas that are made, lost, stale or garbage: gfs.replicas has them"
LOG: Final = "the log: gfs.master_log has it"

DROPPED: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        (
            "create",
            "make_directory",
            "delete",
            "undelete",
            "rename",
            "snapshot",
            "list",
            "get_file_info",
            "find_chunk",
            "register",
            "heartbeat",
        ),
        ANSWERS,
    ),
    **dict.fromkeys(("begin_grant", "leave_out", "log_version", "adopt_version"), VERSIONS),
    **dict.fromkeys(
        (
            "begin_clone",
            "clone",
            "move_replica",
            "lose_chunkserver",
            "hear_registration",
            "place_chunk",
            "find_replica",
            "find_surplus",
            "hear_corrupt",
            "detect_stale",
            "orphan",
        ),
        REPLICAS,
    ),
    **dict.fromkeys(
        ("flush_log", "switch_log", "complete_checkpoint", "delete_old_log", "start_master", "remove_deleted"), LOG
    ),
    "create_chunk": "a chunk that no file lists yet: that one does is in the log",
}
"""Events of the master that the system has no word for, each with the reason."""

RECORDS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("CreateFile", "CreateDirectory"), "a file without chunks, or a directory"),
    **dict.fromkeys(("HideFile", "RenamePath"), "a file is the same under any name"),
    **dict.fromkeys(("ChooseVersion", "SetVersion"), VERSIONS),
    "NewChunk": "a chunk that no file lists yet: that one does is in the log",
    "RemoveChunks": "chunks of which there is no file any more: gfs.replicas has them",
}
"""Records that are no step of the system, each with the reason."""

OTHER_NODES: Final = "neither at the master nor the answer of a primary"
NO_CHUNKS: Final = "of files that have no chunks"
OTHER_REVOCATION: Final = "a lease is revoked for another reason than a snapshot, or again"
EXTENDED: Final = "a lease goes on: its time is counted anew"
OVER_BEFORE: Final = "a lease is over whose time was known to be up"
FAILED: Final = "a mutation that failed at some replica: gfs.mutation_order has it"
KNOWN: Final = "an answer that names a lease of which the file's clients know"
LATE: Final = "an answer that names a lease that is over by now"
NO_LEASE: Final = "an answer without a lease"
NOT_LISTED: Final = "of a chunk that no file lists any more"
NOTHING_SHARED: Final = "the master starts, and no file with chunks is judged"

COPY_GIVEN_UP: Final = "a copy that no chunkserver makes is given up: here the copy is made eventually"
UNDONE: Final = "the master died before its last records were on the disk: here each is at once"
TOO_MANY: Final = "more files or chunks in turn than are followed"
