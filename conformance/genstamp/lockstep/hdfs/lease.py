"""Maps the NameNode's events in a run to steps of hdfs.lease: one file at a time, by its inode.

The NameNode's calls are taken in its own order. What it does not see is not in the events of this projection either:
that a client has written more is inserted where the NameNode is told of more, and as much as it will be told; replicas,
their reports, and datanodes that are up or down are *unseen*, so that all their possible steps are allowed.

Lengths are renamed by their order among all that are told of a block, and stamps by the order in which they are given
out, for a pipeline recovery gives a block a stamp that this system does not know of. The age of a client's lease is
that of its last renewal, by the NameNode's own clock; the ages of the NameNode's own leases are left open.

Two datanodes stand for all of them: a recovery that was overtaken and the one that overtook it have a primary each.

Not here: more files than one in a lease, beyond that all of them renew it; and whatever `lease_words` names.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from genstamp.events import Event
from genstamp.lockstep.hdfs.lease_calls import LeaseCalls
from genstamp.lockstep.hdfs.lease_file import Inode
from genstamp.lockstep.hdfs.lease_words import (
    AGAIN,
    DROPPED,
    FORGOTTEN,
    IMPOSSIBLE,
    NO_FILE,
    OTHER_NODES,
    OTHER_STREAM,
    REOPENED,
    TOLD_APART,
    TREE_WITH_FILES,
    UNDONE,
    UNSEEN,
)
from genstamp.lockstep.hdfs.lengths import told_lengths
from genstamp.lockstep.projection import OVER, Entity, LeftOut, Projected

_CLIENT_STATE: Final = frozenset({"add_block", "complete", "fsync", "abandon_block"})
"""Calls after which the model's client has gone on, so that it cannot make them again."""


_OPENING: Final = frozenset({"create", "append", "recover_lease", "truncate"})
"""Calls after which the client may have the file open."""


_ELSEWHERE: Final[list[Projected]] = [LeftOut(OTHER_NODES)]
_AT_ONCE: Final[dict[str, list[Projected]]] = {event: [LeftOut(reason)] for event, reason in DROPPED.items()}
"""The usual kind of event."""


class LeaseProjection(LeaseCalls):
    """The projection of one run on hdfs.lease; its arguments are those of `LeaseCalls`."""

    unseen = UNSEEN
    impossible = IMPOSSIBLE
    told_apart = TOLD_APART
    forgotten = FORGOTTEN

    def project(self, events: Sequence[Event]) -> Iterator[tuple[Event, list[Projected]]]:
        """Each event of a run, with what it is to the system."""
        self._told = told_lengths(events, self._is_repetition)
        self._carried_out.clear()
        for event in events:
            dropped = _AT_ONCE.get(event.event) if event.node == "namenode" else _ELSEWHERE
            yield event, dropped or list(self._projected(event))

    # -- which file ---------------------------------------------------------------------------------------------

    def _projected(self, event: Event) -> Iterator[Projected]:
        if event.event == "namenode_restart":
            yield from self._restarted(event)
        elif event.event == "renew_lease":
            yield from self._renewed(event)
        elif self._is_repetition(event):
            yield LeftOut(AGAIN)
        else:
            yield from self._called(event)

    def _is_repetition(self, event: Event) -> bool:
        """Whether the call was carried out before, and the model's client cannot make it again."""
        call = event.arguments.get("call")
        if call is None or event.event not in _CLIENT_STATE:
            return False
        if call in self._carried_out:
            return True
        # complete() that is answered with false has to come again, be it as the same call or another.
        if event.refused_with is None and event.observed.get("closed") != "false":
            self._carried_out.add(call)
        return False

    def _called(self, event: Event) -> Iterator[Projected]:
        inode = self._inode_of(event)
        if event.event == "create" and event.refused_with is None:
            inode = self._begun(event)
        if inode is None:
            yield from self._about_no_file(event)
            return
        if not inode.latest().is_judged:
            # Any file that a client opens renews its lease.
            is_open = event.event in _OPENING and event.observed.get("closed") != "true"
            if is_open and event.refused_with is None:
                self._renewed_us[event.arguments["client"]] = event.time_us or 0
            yield LeftOut(OVER)
            return
        if inode.successor is not None and event.arguments.get("client", "") in inode.latest().callers:
            yield LeftOut(OTHER_STREAM)
            return
        projected = self._of_file(event, inode)
        if isinstance(projected, LeftOut) and projected.key is not None:
            inode.latest().is_judged = False
        elif isinstance(projected, Entity):
            self._transactions[inode.key] = int(event.arguments.get("transaction", 0))
        yield projected

    def _inode_of(self, event: Event) -> Inode | None:
        arguments = event.arguments
        found = self._inodes.get(arguments.get("inode", ""))
        return found or self._of_block.get(event.entity if event.kind == "block" else "")

    def _begun(self, event: Event) -> Inode:
        """A create() that succeeds: a new file, or one in place of another, whose story goes on."""
        replaced = self._inodes.get(event.arguments.get("replaced", ""))
        inode_id = event.arguments["inode"]
        if replaced is None or replaced.is_gone:
            inode = Inode(inode_id, event.arguments["file"])
        else:
            replaced.is_gone = True
            inode = Inode(
                replaced.key,
                replaced.path,
                stamps=replaced.stamps,
                given_out=replaced.given_out,
                is_judged=replaced.is_judged,
            )
            replaced.successor = inode
        self._inodes[inode_id] = inode
        return inode

    def _about_no_file(self, event: Event) -> Iterator[Projected]:
        is_done = event.refused_with is None and event.observed.get("answer") != "false"
        if not is_done or event.event not in ("delete", "rename", "rename2", "concat"):
            yield LeftOut(NO_FILE)
            return
        for inode in self._inodes.values():
            if inode.is_judged and not inode.is_gone:
                inode.is_judged = False
                yield LeftOut(TREE_WITH_FILES, inode.key)

    # -- time and restarts --------------------------------------------------------------------------------------

    def _restarted(self, event: Event) -> Iterator[Projected]:
        at_us = event.time_us or 0
        for client in self._renewed_us:
            self._renewed_us[client] = at_us
        known = int(event.arguments.get("transaction", 0))
        inodes = [inode for inode in self._inodes.values() if inode.is_judged and inode.successor is None]
        inodes = [inode for inode in inodes if not inode.is_gone or self._is_undone(inode, known)]
        if not inodes:
            yield LeftOut("the NameNode starts, and no file is judged")
        for inode in inodes:
            why = (
                UNDONE if self._is_undone(inode, known) else REOPENED if inode.owner and not inode.is_written else None
            )
            if why is not None and (why is UNDONE or inode.blocks):
                inode.is_judged = False
                yield LeftOut(why, inode.key)
            else:
                inode.has_restarted = True
                yield Entity(inode.key, (self._step(event, "namenode_restart", {}),))

    def _is_undone(self, inode: Inode, transaction: int) -> bool:
        """Whether a file's last call is not among the edits up to a transaction."""
        return self._transactions.get(inode.key, 0) > transaction

    def _renewed(self, event: Event) -> Iterator[Projected]:
        client = event.arguments["client"]
        ages = self._ages(event)
        if event.refused_with is None:
            self._renewed_us[client] = event.time_us or 0
        files = [f for f in self._inodes.values() if f.is_judged and not f.is_gone and f.owner == client]
        for inode in files:
            yield Entity(inode.key, (*ages, self._step(event, "renew_lease", {"client": client})))
        if not files:
            yield LeftOut("renewLease of a client that has no file open")
