"""Maps the NameNode's events to steps of hdfs.lease on their file: one method for each event.

Not here: which file an event is of; see `lease`.
"""

from collections.abc import Sequence
from typing import Final

from genstamp.events import Event
from genstamp.lockstep.hdfs.lease_file import Inode
from genstamp.lockstep.hdfs.lease_words import (
    AGAIN,
    EMPTY,
    FILE,
    GONE,
    LOST_BYTES,
    NO_TARGET,
    NOTHING_DONE,
    OTHER,
    PIPELINE,
    REPORTS_AWAITED,
    SOME,
    STARTING,
    TOLD_APART,
    TREE_WITH_FILES,
    TRUNCATED,
)
from genstamp.lockstep.hdfs.lengths import Told
from genstamp.lockstep.projection import Entity, Happened, LeftOut, Projected, model_step, showing
from genstamp_dfs.hdfs.protocol import NAMENODE

MICROSECONDS: Final = 1_000


class LeaseCalls:
    """The state that is kept for a run, and the effect of each event on a file.

    Args:
        clients: names of the clients.
        soft_limit_ms, hard_limit_ms: of the run.
        takes_over_softly: whether a file that is taken over past the soft limit leaves its holder, as in `repaired`.
    """

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
            raise AssertionError(f"the projection does not handle the NameNode's event '{event.event}'")
        if event.recovery_id is not None and inode.is_reported_empty():
            return LeftOut(EMPTY, inode.key)
        before: list[Event | Happened] = [*ages, *_before(event), *self._closed_at_once(event, inode)]
        projected: LeftOut | Event | None = method(event, inode)
        if isinstance(projected, LeftOut):
            return projected
        itself = () if projected is None else (projected,)
        return Entity(inode.key, (*before, *itself, *self._writes(inode)))

    def _closed_at_once(self, event: Event, inode: Inode) -> list[Event]:
        """An append past the soft limit that closes the file and continues with its last block, as two calls.

        The system's own step counts the last block as full. It also checks the holder's age; therefore only a holder
        past that limit is taken over here.
        """
        goes_on = event.event == "append" and event.refused_with is None and event.generation_stamp is not None
        if not goes_on or inode.owner is None or self._age_us(event, inode.owner) <= self._soft_limit_us:
            return []
        taken_over = model_step("recover_lease", {"client": event.arguments["client"], "file": FILE}, node=NAMENODE)
        taken_over.observed["closed"] = "true"
        return [taken_over]

    def _age_us(self, event: Event, holder: str) -> int:
        """How long ago a lease was renewed, by the NameNode's clock."""
        return (event.time_us or 0) - self._renewed_us.get(holder, 0)

    def _writes(self, inode: Inode) -> list[Event]:
        """The bytes that the last block's writer has written before the next report to the NameNode."""
        if not inode.is_written or inode.owner is None:
            return []
        block = inode.blocks[-1]
        wanted, written = self._told.next_rank(block), inode.written.get(block, 0)
        if wanted <= written:
            return []
        inode.written[block] = wanted
        arguments = {"client": inode.owner, "file": FILE}
        return [
            model_step("write", arguments, node=NAMENODE, num_bytes=rank) for rank in range(written + 1, wanted + 1)
        ]

    def _step(self, event: Event, name: str, arguments: dict[str, str], **shown: int | None) -> Event:
        if event.recovery_id is not None and STARTING.format(name) in TOLD_APART.values():
            name = STARTING.format(name)
        return model_step(name, arguments, node=NAMENODE, refused_with=event.refused_with, observed=None, **shown)

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
        if event.refused_with == "RetriableException":
            return LeftOut(REPORTS_AWAITED)
        return self._client_call(event, num_bytes=self._told.is_told(event))

    def _complete(self, event: Event, inode: Inode) -> Event:
        self._told.is_told(event)
        step = self._client_call(event)
        if event.observed.get("closed") == "true":
            inode.closed()
        return showing(step, event, "closed", "block_state")

    def _get_additional_datanode(self, event: Event, _inode: Inode) -> Event:
        return self._client_call(event)

    def _recover_lease(self, event: Event, inode: Inode) -> Event:
        recovery_id = self._start_of_recovery(event, inode)
        step = self._client_call(event, recovery_id=recovery_id)
        if event.observed.get("closed") == "true":
            inode.closed()
        elif event.refused_with is None:
            self._opened(event, inode)
        return showing(step, event, "closed")

    def _release_expired_lease(self, event: Event, inode: Inode) -> Event:
        recovery_id = self._start_of_recovery(event, inode)
        arguments = {"holder": event.arguments["holder"], "file": FILE}
        step = self._step(event, "release_expired_lease", arguments, recovery_id=recovery_id)
        if event.observed.get("closed") == "true":
            inode.closed()
        elif event.refused_with is None:
            inode.owner = "namenode"
        return showing(step, event, "closed")

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
        return showing(step, event, "closed", "deleted")

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
    """The steps that must have happened before the call: the arrival or refusal of the call shows them."""
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
