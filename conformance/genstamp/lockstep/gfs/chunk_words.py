"""The events that gfs.chunk_lease does not cover, and the reasons: tables of `chunk_lease`."""

from collections.abc import Mapping
from typing import Final

FORGOTTEN: Final = ("ahead", "behind", "complete", "copies", "crashes", "losses", "master_restarts")

UNANSWERED: Final = "extend_lease without its answer"
TOLD_APART: Final[Mapping[str, str]] = {"extend_lease_unanswered": UNANSWERED, "expire_lease": "expire_lease"}
"""A run shows whether a primary heard of its extension, and when the master takes a lease for over."""

IMPOSSIBLE: Final = frozenset({"crash", "restart_chunkserver", "drop_grant"})
"""No event of its own shows these: they are inserted where they are known to have happened."""

TREE: Final = "names of files, and what is read of them"
LOG: Final = "the operation log: gfs.master_log has it"
HEARTBEATS: Final = "a chunkserver reports: what follows from it has events of its own"
MUTATION: Final = "a mutation before it is answered: gfs.mutation_order has it"
COPIES: Final = "a copy is begun: the new replica is told of when it is there"
SAID: Final = "the other end of a step that was judged where it was done"
REFUSED: Final = "a call that is refused"
NO_CHUNK: Final = "of a chunk of which no more is known"
NOBODY: Final = "of a chunkserver or a master without any replica"
AGAIN: Final = "said again, and nothing follows"
LATE_REPORT: Final = "a report that was overtaken by what the chunkserver did since"
LATE_ANSWER: Final = "an answer to a client that waited for the log while the lease ended"
LATE_REVOCATION: Final = "a revocation that arrives when the lease is over"
CREATED: Final = "a chunk is named; its life begins with its first replica"

LATE_OFFER: Final = "a version is recorded that the master waits for no longer"
LATE_COPY: Final = "a replica is there that the master waits for no longer"
REPLACED: Final = "a copy takes the place of a replica that is not current"
UNTOLD: Final = "a replica is there whose chunkserver died before it told of it"
UNDONE: Final = "the master died before records of the chunk were on its disk"
UNLISTED: Final = "no file lists the chunk any more"

DROPPED: Final[Mapping[str, str]] = {
    **dict.fromkeys(("heartbeat", "register"), HEARTBEATS),
    **dict.fromkeys(("push_data", "acknowledge", "hear_failure", "hear_full", "retry"), MUTATION),
    **dict.fromkeys(("order_mutation", "order_append", "pad_chunk", "fail_at_primary"), MUTATION),
    **dict.fromkeys(("apply_mutation", "fail_to_apply"), MUTATION),
}
"""Events of chunks and nodes that the system has no word for, each with the reason."""

DROPPED_KINDS: Final[Mapping[str, str]] = {"file": TREE, "log": LOG}
"""Kinds of events that it has no word for."""
