"""How the NameNode's events in a run are read as steps of hdfs.lease: one file by itself, by its inode.

The NameNode's calls are taken in its own order. What it does not see is not in the events of this projection either:
that a client has written more is put in where the NameNode is told of more, and as much as it will be told; replicas,
their reports, and datanodes that are up or down are *unseen*, so that whatever they can have done is allowed.

Lengths are renamed by their order among all that are told of a block, and stamps by the order in which they are given
out, for a pipeline recovery gives a block a stamp that this system does not know of. The age of a client's lease is
that of its last renewal, by the NameNode's own clock; the ages of the NameNode's own leases are left open.

Two datanodes stand for all of them: a recovery that was overtaken and the one that overtook it have a primary each.

Leaves out: more files than one in a lease, beyond that all of them renew it; and whatever `lease_words` names.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from genstamp.events import Event
from genstamp.lockstep.lease_file import Inode
from genstamp.lockstep.lease_words import (
    AGAIN,
    DROPPED,
    EMPTY,
    FILE,
    FORGOTTEN,
    GONE,
    IMPOSSIBLE,
    LOST_BYTES,
    NO_FILE,
    NO_TARGET,
    NOTHING_DONE,
    OTHER,
    OTHER_NODES,
    OTHER_STREAM,
    PIPELINE,
    REOPENED,
    SOME,
    STARTING,
    TOLD_APART,
    TREE_WITH_FILES,
    TRUNCATED,
    UNDONE,
    UNSEEN,
)
from genstamp.lockstep.lengths import Told, told_lengths
from genstamp.lockstep.projection import OVER, Entity, Happened, LeftOut, Projected

MICROSECONDS: Final = 1_000

_CLIENT_STATE: Final = frozenset({"add_block", "complete", "fsync", "abandon_block"})
"""Calls after which the model's client has gone on, so that it cannot make them again."""


_OPENING: Final = frozenset({"create", "append", "recover_lease", "truncate"})
"""Calls after which the client may have the file open."""


class LeaseProjection:
    """The projection of one run on hdfs.lease.

    Args:
        clients: names of the clients.
        soft_limit_ms, hard_limit_ms: of the run.
        takes_over_softly: whether a file that is taken over past the soft limit leaves its holder, as in `repaired`.
    """

    unseen = UNSEEN
    impossible = IMPOSSIBLE
    told_apart = TOLD_APART
    forgotten = FORGOTTEN

    def __init__(
        self, clients: Sequence[str], soft_limit_ms: int, hard_limit_ms: int, *, takes_over_softly: bool = True
    ) -> None:
        self.members = {"Client": clients, "File": (FILE,), "Datanode": (SOME, OTHER)}
        self._soft_limit_us = soft_limit_ms * MICROSECONDS
        self._limits = {"soft_limit_passes": soft_limit_ms, "hard_limit_passes": hard_limit_ms}
        self._takes_over_softly = takes_over_softly
        self._inodes: dict[str, Inode] = {}
        self._of_block: dict[str, Inode] = {}
        self._renewed_us: dict[str, int] = {}
        self._carried_out: set[str] = set()
        self._told: Told = Told({}, {})
        self._transactions: dict[str, int] = {}

    def project(self, events: Sequence[Event]) -> Iterator[tuple[Event, list[Projected]]]:
        """Each event of a run, with what it is to the system."""
        self._told = told_lengths(events, self._is_repetition)
        self._carried_out.clear()
        for event in events:
            yield event, list(self._projected(event))

    # -- which file ---------------------------------------------------------------------------------------------

    def _projected(self, event: Event) -> Iterator[Projected]:
        if event.node != "namenode":
            yield LeftOut(OTHER_NODES)
        elif event.event in DROPPED:
            yield LeftOut(DROPPED[event.event])
        elif event.event == "namenode_restart":
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
        if event.refused_with is None:
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

    def _ages(self, event: Event) -> list[Happened]:
        """The limits that leases have passed by now, by the NameNode's clock."""
        now_us = event.time_us or 0
        return [
            Happened(action, {"holder": client})
            for client, renewed_us in self._renewed_us.items()
            for action, limit_ms in self._limits.items()
            if now_us - renewed_us > limit_ms * MICROSECONDS
        ]

    # -- what the event is to its file --------------------------------------------------------------------------

    def _of_file(self, event: Event, inode: Inode) -> Projected:
        ages = self._ages(event)
        method = getattr(self, f"_{event.event}", None)
        if method is None:
            raise AssertionError(f"no word is said about the NameNode's event '{event.event}'")
        if event.recovery_id is not None and inode.is_reported_empty():
            return LeftOut(EMPTY, inode.key)
        before: list[Event | Happened] = [*ages, *_before(event), *self._closed_at_once(event, inode)]
        projected: LeftOut | Event | None = method(event, inode)
        if isinstance(projected, LeftOut):
            return projected
        itself = () if projected is None else (projected,)
        return Entity(inode.key, (*before, *itself, *self._writes(inode)))

    def _closed_at_once(self, event: Event, inode: Inode) -> list[Event]:
        """An append past the soft limit that closes the file and goes on with its last block, as two calls.

        The system's own step counts the last block as full. What it checks beside is the holder's age, which is why
        only a holder past that limit is taken over here.
        """
        goes_on = event.event == "append" and event.refused_with is None and event.generation_stamp is not None
        if not goes_on or inode.owner is None or self._age_us(event, inode.owner) <= self._soft_limit_us:
            return []
        taken_over = _event("recover_lease", {"client": event.arguments["client"], "file": FILE})
        taken_over.observed["closed"] = "true"
        return [taken_over]

    def _age_us(self, event: Event, holder: str) -> int:
        """How long ago a lease was renewed, by the NameNode's clock."""
        return (event.time_us or 0) - self._renewed_us.get(holder, 0)

    def _writes(self, inode: Inode) -> list[Event]:
        """The bytes that the last block's writer has written before the NameNode is told of them next."""
        if not inode.is_written or inode.owner is None:
            return []
        block = inode.blocks[-1]
        wanted, written = self._told.next_rank(block), inode.written.get(block, 0)
        if wanted <= written:
            return []
        inode.written[block] = wanted
        arguments = {"client": inode.owner, "file": FILE}
        return [_event("write", arguments, num_bytes=rank) for rank in range(written + 1, wanted + 1)]

    def _step(self, event: Event, name: str, arguments: dict[str, str], **shown: int | None) -> Event:
        if event.recovery_id is not None and STARTING.format(name) in TOLD_APART.values():
            name = STARTING.format(name)
        return _event(name, arguments, refused_with=_exception(event), **shown)

    def _client_call(self, event: Event, **shown: int | None) -> Event:
        return self._step(event, event.event, {"client": event.arguments["client"], "file": FILE}, **shown)

    def _opened(self, event: Event, inode: Inode) -> None:
        """The caller has the file open now."""
        client = event.arguments["client"]
        inode.owner = client
        inode.callers.add(client)
        self._renewed_us[client] = event.time_us or 0

    def _softly(self, event: Event, inode: Inode) -> None:
        """A call that is refused may have started a recovery."""
        self._start_of_recovery(event, inode)
        if event.refused_with != "RecoveryInProgressException" or inode.owner is None:
            return
        if inode.owner != "namenode" and self._age_us(event, inode.owner) <= self._soft_limit_us:
            return
        if self._takes_over_softly:
            inode.owner = "namenode"
        else:
            self._renewed_us[inode.owner] = event.time_us or 0

    def _start_of_recovery(self, event: Event, inode: Inode) -> int | None:
        if event.recovery_id is None:
            return None
        return self._stamp(inode, event.recovery_id)

    def _stamp(self, inode: Inode, stamp: int) -> int:
        """A stamp as the model counts; a new one is the next that it gives out."""
        if stamp not in inode.stamps:
            inode.given_out += 1
            inode.stamps[stamp] = inode.given_out
        return inode.stamps[stamp]

    def _create(self, event: Event, inode: Inode) -> Event:
        if event.refused_with is None:
            self._opened(event, inode)
        else:
            self._softly(event, inode)
        return self._client_call(event)

    def _append(self, event: Event, inode: Inode) -> Event:
        if event.refused_with is not None:
            self._softly(event, inode)
            return self._client_call(event)
        self._opened(event, inode)
        stamp = event.generation_stamp
        inode.is_written = stamp is not None
        return self._client_call(event, generation_stamp=None if stamp is None else self._stamp(inode, stamp))

    def _add_block(self, event: Event, inode: Inode) -> Event | LeftOut:
        if event.refused_with is not None:
            if event.refused_with == "IOException" and "block" not in event.arguments and _found_no_target(event):
                return LeftOut(NO_TARGET)
            return self._client_call(event)
        block, stamp = event.arguments["block"], event.generation_stamp
        assert stamp is not None, f"addBlock without a stamp: {event}"
        self._told.is_told(event)
        if block not in inode.blocks:
            inode.blocks.append(block)
            self._of_block[block] = inode
        inode.stamp_of[block] = stamp
        inode.is_written, inode.has_restarted = True, False
        return self._client_call(event, generation_stamp=self._stamp(inode, stamp))

    def _abandon_block(self, event: Event, inode: Inode) -> Event | LeftOut:
        if event.refused_with is None:
            block = event.arguments.get("block")
            if block is None or not inode.blocks or inode.blocks[-1] != block:
                return LeftOut(NOTHING_DONE)
            inode.blocks.pop()
            inode.is_written = False
        return self._client_call(event)

    def _fsync(self, event: Event, _inode: Inode) -> Event | LeftOut:
        if "passed_bytes" not in event.arguments:
            return LeftOut("fsync that tells no length")
        return self._client_call(event, num_bytes=self._told.is_told(event))

    def _complete(self, event: Event, inode: Inode) -> Event:
        self._told.is_told(event)
        step = self._client_call(event)
        if event.observed.get("closed") == "true":
            inode.closed()
        return _showing(step, event, "closed", "block_state")

    def _get_additional_datanode(self, event: Event, _inode: Inode) -> Event:
        return self._client_call(event)

    def _recover_lease(self, event: Event, inode: Inode) -> Event:
        recovery_id = self._start_of_recovery(event, inode)
        step = self._client_call(event, recovery_id=recovery_id)
        if event.observed.get("closed") == "true":
            inode.closed()
        elif event.refused_with is None:
            self._opened(event, inode)
        return _showing(step, event, "closed")

    def _release_expired_lease(self, event: Event, inode: Inode) -> Event:
        recovery_id = self._start_of_recovery(event, inode)
        arguments = {"holder": event.arguments["holder"], "file": FILE}
        step = self._step(event, "release_expired_lease", arguments, recovery_id=recovery_id)
        if event.observed.get("closed") == "true":
            inode.closed()
        elif event.refused_with is None:
            inode.owner = "namenode"
        return _showing(step, event, "closed")

    def _commit_block_synchronization(self, event: Event, inode: Inode) -> Event | LeftOut:
        if inode.is_gone:
            return LeftOut(GONE)
        recovery_id = event.recovery_id
        assert recovery_id is not None, f"a recovery without an id: {event}"
        if recovery_id in inode.ended:
            return LeftOut(AGAIN)
        inode.ended.add(recovery_id)
        if event.refused_with is not None:
            return self._step(event, event.event, {"file": FILE})
        block = event.entity
        rank = self._told.is_told(event)
        found = 0 if event.observed.get("deleted") == "true" else rank
        if found is not None and found < inode.written.get(block, 0):
            return LeftOut(LOST_BYTES, inode.key)
        stamp = inode.stamps.get(recovery_id, recovery_id)
        step = self._step(event, event.event, {"file": FILE}, recovery_id=stamp, num_bytes=rank)
        if event.observed.get("deleted") == "true" and block in inode.blocks:
            inode.blocks.remove(block)
        if event.observed.get("closed") == "true":
            inode.closed()
        inode.stamp_of[block] = recovery_id
        return _showing(step, event, "closed", "deleted")

    def _delete(self, event: Event, inode: Inode) -> Event:
        if event.refused_with is None:
            inode.is_gone = True
            inode.closed()
        return self._client_call(event)

    # -- what the system has in another form --------------------------------------------------------------------

    def _update_pipeline(self, event: Event, inode: Inode) -> LeftOut | None:
        """The block keeps its generation here, but no replica that was reported before counts any more."""
        before = inode.stamp_of.get(event.entity)
        if event.refused_with is not None or event.generation_stamp is None or before is None:
            return LeftOut(PIPELINE)
        inode.stamps[event.generation_stamp] = inode.stamps[before]
        inode.stamp_of[event.entity] = event.generation_stamp
        return None

    def _truncate(self, event: Event, inode: Inode) -> LeftOut:
        if event.refused_with is None:
            self._renewed_us[event.arguments["client"]] = event.time_us or 0
        is_harmless = event.refused_with is not None and event.recovery_id is None and inode.owner is None
        return LeftOut(TRUNCATED, None if is_harmless else inode.key)

    def _rename(self, event: Event, inode: Inode) -> LeftOut:
        if event.refused_with is None and event.observed.get("answer") != "false":
            inode.path = event.arguments["target"]
        return LeftOut("rename: a file is its inode here, wherever it is")

    def _rename2(self, _event: Event, inode: Inode) -> LeftOut:
        return LeftOut(TREE_WITH_FILES, inode.key)

    def _concat(self, _event: Event, inode: Inode) -> LeftOut:
        return LeftOut(TREE_WITH_FILES, inode.key)


def _before(event: Event) -> list[Happened]:
    """What must have happened before the call: it is seen by that the call comes, or is refused."""
    match event.event, event.refused_with:
        case "complete" | "add_block", _:
            return [Happened("last_packet", {"client": event.arguments["client"], "file": FILE})]
        case ("append", "IOException") | ("update_pipeline", None):
            # No datanode that has the last block is alive, or what they have is of an older generation.
            actions = ("datanode_stops", "datanode_returns")
            return [Happened(action, {"datanode": one}) for action in actions for one in (SOME, OTHER)]
        case _:
            return []


def _found_no_target(event: Event) -> bool:
    return event.observed.get("targets") == "none"


_EXCEPTIONS: Final = {"fsync": {"RecoveryInProgressException": "IOException"}}
"""Exceptions that the specification calls by the name of the class above."""


def _exception(event: Event) -> str | None:
    refused = event.refused_with
    return None if refused is None else _EXCEPTIONS.get(event.event, {}).get(refused, refused)


def _event(
    name: str,
    arguments: dict[str, str],
    *,
    refused_with: str | None = None,
    generation_stamp: int | None = None,
    recovery_id: int | None = None,
    num_bytes: int | None = None,
) -> Event:
    return Event(
        source="genstamp-dfs",
        node="namenode",
        node_sequence=0,
        kind="file",
        namespace="",
        entity=FILE,
        event=name,
        arguments=arguments,
        refused_with=refused_with,
        generation_stamp=generation_stamp,
        recovery_id=recovery_id,
        num_bytes=num_bytes,
    )


def _showing(step: Event, event: Event, *names: str) -> Event:
    """The step with what the run's event shows under these names."""
    step.observed.update({name: event.observed[name] for name in names if name in event.observed})
    return step
