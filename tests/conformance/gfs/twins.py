"""Twins of GFS: implementations with one rule of the protocol broken, and what notices them in simulated runs.

Nothing is patched while a coroutine of a run waits: it may never be gone on with, and the next twin would have two
broken rules.

The judges are those of any run (`genstamp_dfs.gfs.simulation`): invariants of the nodes, what users were promised, and
what has to come to its end. None of them knows of a twin.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from copy import copy
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Final

from tests.conformance.patching import Patch, patched

from genstamp_dfs.errors import DiskFullError
from genstamp_dfs.gfs.chunkserver.applying import Applying
from genstamp_dfs.gfs.chunkserver.chunk_file import ChunkFile
from genstamp_dfs.gfs.chunkserver.chunkserver import Chunkserver
from genstamp_dfs.gfs.chunkserver.leases import Lease
from genstamp_dfs.gfs.chunkserver.leases import Leases as Beliefs
from genstamp_dfs.gfs.chunkserver.primary import Primary
from genstamp_dfs.gfs.chunkserver.replicas import Replica
from genstamp_dfs.gfs.chunkserver.reporting import Reporting
from genstamp_dfs.gfs.client.locations import Locations
from genstamp_dfs.gfs.master import reports
from genstamp_dfs.gfs.master.base import Base
from genstamp_dfs.gfs.master.checkpoint import Checkpointer
from genstamp_dfs.gfs.master.chunk_calls import ChunkCalls
from genstamp_dfs.gfs.master.chunks import ChunkTable
from genstamp_dfs.gfs.master.chunkservers import Chunkserver as MetChunkserver
from genstamp_dfs.gfs.master.leases import Leases
from genstamp_dfs.gfs.master.rebalancing import Rebalancing
from genstamp_dfs.gfs.master.reports import Reports
from genstamp_dfs.gfs.master.snapshot import Snapshots
from genstamp_dfs.gfs.master.state import MasterState
from genstamp_dfs.gfs.messages.chunkserver_protocol import Apply, RecordVersion
from genstamp_dfs.gfs.protocol import CHECKSUM_BLOCK_BYTES, Limits, ReplicaReport
from genstamp_dfs.gfs.side_by_side import Outcome
from genstamp_dfs.gfs.simulation.plan import PlanOptions
from genstamp_dfs.gfs.simulation.run import run_seed

SEEDS: Final = range(80)
"""Seeds of the runs in which a twin has to be noticed; the implementation itself passes all of them."""


EVERYDAY: Final = PlanOptions()

SLOW_DISKS: Final = PlanOptions(sync_ms=5000)
"""Runs in which others go on while something is forced to the disk."""

MANY_FAULTS: Final = PlanOptions(mean_fault_s=12)
"""Runs in which more goes wrong, and so more often two things at once."""

BUSY_FILES: Final = PlanOptions(logs=1, tables=1, jobs_per_client=20, pieces=30, mean_rest_ms=1000, mean_fault_s=8)
"""Runs with one file of each kind, on which all clients work, while more goes wrong."""


@dataclass(frozen=True, eq=False)
class Twin:
    """A broken implementation.

    Attributes:
        name: of the twin.
        wrong: which rule it breaks, with the section of the paper.
        patches: what it is here.
        options: the runs in which it is to be noticed.
    """

    name: str
    wrong: str
    patches: tuple[Patch, ...]
    options: PlanOptions = EVERYDAY

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """The implementation is the twin for a while."""
        with patched(self.patches):
            yield


@dataclass(frozen=True)
class Noticed:
    """How a twin was noticed: in the run of which seed, by which sentence, after how many events of all runs."""

    seed: int
    sentence: str
    events: int
    seconds: float


def notice(twin: Twin, seeds: Iterable[int] = SEEDS) -> Noticed | None:
    """Run seeds while the implementation is the twin, until it is noticed; None if it never is."""
    began, events = time.process_time(), 0
    with twin.in_place():
        for seed in seeds:
            result = run_seed(seed, twin.options, keep_events=False)
            events += result.totals["events"]
            if result.problems:
                return Noticed(seed, result.problems[0], events, time.process_time() - began)
    return None


# -- the master -----------------------------------------------------------------------------------------------------


async def revocation_taken_for_answered(self: Leases, handle: int, lease: Any) -> None:
    """The primary does not answer, and another lease is granted before this one is over."""
    self._forget(handle, "give_up_lease")


def nothing_left_after_a_restart(self: Leases, handle: int) -> int:
    """A master that starts again grants leases at once."""
    lease = self._leases.get(handle)
    if lease is None:
        return 0
    return max(0, lease.counted_us + self._limits.master_waits_us - self._base.runtime.now_us())


async def version_not_raised(self: Leases, handle: int) -> tuple[int, list[str]]:
    """A lease is granted under the version that the replicas have, whichever of them answer."""
    version, replicas = self._base.state.chunks.version(handle), self._current(handle)
    answered = await self._base.ask_all(replicas, RecordVersion(handle, version))
    return version, answered or replicas


async def records_the_version_again(self: Chunkserver, request: RecordVersion) -> int:
    """A version that is not raised counts as recorded."""
    replica = self.replicas.get(request.handle)
    self.leases.count(request.handle, request.version)
    return replica.file.num_bytes


async def not_flushed(self: Base) -> None:
    """The answer leaves before the record is on the disk."""


async def no_revocation(self: Snapshots, request: Any, caller: Any) -> None:
    """A snapshot is made while leases are held."""
    nothing_held: Any = SimpleNamespace(may_be_held=lambda handle: False)
    await _snapshot(Snapshots(self._base, nothing_held), request, caller)


_snapshot = Snapshots.snapshot


def never_shared(self: ChunkCalls, handle: int) -> bool:
    """A chunk that several files list is written in place."""
    return False


def counts_are_not_raised(self: ChunkTable, handles: Iterable[int], change: int) -> None:
    """A snapshot does not count as a reference: a chunk is taken for one file's alone."""
    for handle in handles:
        row = self._row(handle)
        self._references[row] = max(1, self._references[row] + min(change, 0)) if change > 0 else 0


def stale_replicas_are_current(self: Reports, chunkserver: Any, replica: ReplicaReport) -> bool:
    """The version that a chunkserver reports is not looked at."""
    if replica.handle not in self._chunks:
        return replica.handle < self._base.state.next_handle
    return not self._chunks.add_location(replica.handle, chunkserver.number)


async def counted_before_it_is_copied(
    self: Rebalancing, handle: int, source: MetChunkserver, target: MetChunkserver
) -> None:
    """A replica is moved by giving up the old one first, and copying then."""
    self._count(handle, self._base.state.chunks.version(handle), source, target)
    await _move_locked(self, handle, source, target)


_move_locked = Rebalancing._move_locked


async def checkpoint_of_later_records(self: Checkpointer) -> None:
    """The position of a checkpoint is that of its end: what was logged while it was written is missing."""
    late = copy(self)
    late._state = _picture(self._state)
    await self._runtime.sleep_us(200_000)
    await _make(late)
    self._last = late._last


def _picture(state: MasterState) -> Any:
    """What a checkpoint has of a state, as it is now."""
    blocks, columns = state.namespace.blocks(), state.chunks.columns()
    return SimpleNamespace(
        records=state.records,
        next_handle=state.next_handle,
        chosen=dict(state.chosen),
        namespace=SimpleNamespace(blocks=lambda: blocks),
        chunks=SimpleNamespace(columns=lambda: columns),
        answers=dict(state.answers),
    )


_make = Checkpointer.make


# -- chunkservers ---------------------------------------------------------------------------------------------------


def never_over(self: Beliefs, lease: Lease) -> bool:
    """A primary does not look at its clock."""
    return True


async def errors_are_not_told(self: Primary, request: Any, secondaries: tuple[str, ...], mutation: Any) -> list[str]:
    """The primary answers with success although a secondary has failed."""
    await _forward(self, request, secondaries, mutation)
    return []


_forward = Primary._forward


def at_its_own_end(self: Applying, replica: Replica, order: Any, request: Apply) -> None:
    """A secondary appends at its own end, wherever the primary has appended."""
    _do_next(self, replica, order, _moved(request, replica.file.num_bytes))


def _moved(request: Apply, offset: int) -> Apply:
    from msgspec.structs import replace

    return replace(request, mutation=replace(request.mutation, offset=offset))


_do_next = Applying._do_next


def written_in_place_first(self: ChunkFile, offset: int, data: bytes) -> None:
    """The bytes are changed, and then the log says so."""
    self._put(min(offset, self._stored), data)
    _write(self, offset, data)


_write = ChunkFile.write


def checksums_not_looked_at(self: ChunkFile, block: int) -> bytes:
    """Bytes are given as they stand on the disk."""
    start = block * CHECKSUM_BLOCK_BYTES
    return self._disk.read(self._path, start, min(self._stored - start, CHECKSUM_BLOCK_BYTES))


async def full_disk_not_told(self: Applying, request: Apply) -> None:
    """A secondary says nothing of a disk that had no room for a mutation."""
    with suppress(DiskFullError):
        await _apply(self, request)


def never_old(chunkserver: Any, caller: Any) -> bool:
    """The master believes a heartbeat that comes after a later one."""
    return False


async def in_order_of_arrival(self: Applying, request: Apply) -> None:
    """A secondary does not wait for the mutation before the one that it has, and does what comes late."""
    replica = self._replicas.get_of(request.handle, request.version)
    order = self._order(request.handle, request.version)
    if request.mutation.serial not in order.done:
        self._do_next(replica, order, request)
    await replica.on_disk(self._runtime, self._disk)


async def applies_again(self: Applying, request: Apply) -> None:
    """A secondary does a mutation that it is told of twice two times."""
    order = self._order(request.handle, request.version)
    if request.mutation.serial in order.done:
        self._do_next(self._replicas.get_of(request.handle, request.version), order, request)
    await _apply(self, request)


_apply = Applying.apply


async def each_call_carried_out(self: Primary, request: Any, caller: Any, work: Callable[[Any], Any]) -> Any:
    """The primary does not know what came of a call that the network repeats."""
    lease = self._leases.held(request.handle, request.version)
    return await Outcome(self._runtime, lambda: work(lease), "again").result()


def deleted_in_any_version(self: Reporting, garbage: tuple[tuple[int, int], ...]) -> None:
    """What the master called garbage is deleted, whatever version it has by now."""
    for handle, version in garbage:
        if self._replicas.find(handle) is not None and not self._leases.is_held(handle):
            self._replicas.delete(handle)
            self._telling.tell("delete_replica", handle, version)


async def not_forced_to_the_disk(self: Replica, runtime: Any, disk: Any) -> None:
    """What is acknowledged is in the page cache only."""


# -- clients --------------------------------------------------------------------------------------------------------


def opened_as_it_was(self: Locations, path: str) -> None:
    """What is remembered of a file's chunks outlives its opening."""


TWINS: Final = (
    Twin(
        "grant-before-the-old-one-is-over",
        "a revocation that is not answered counts as one that is (3.1)",
        (Patch(Leases, "_revoke", revocation_taken_for_answered),),
    ),
    Twin(
        "restarted-master-grants-at-once",
        "a master that starts again does not wait for leases of the former one (2.6.3)",
        (Patch(Leases, "_left_us", nothing_left_after_a_restart),),
        BUSY_FILES,
    ),
    Twin(
        "lease-without-end",
        "a primary goes on when its time is over (3.1)",
        (Patch(Beliefs, "is_on", never_over),),
    ),
    Twin(
        "master-waits-too-short",
        "the master counts a lease as over when half of it is (3.1)",
        (Patch(Limits, "master_waits_us", property(lambda self: self.lease_us // 2)),),
    ),
    Twin(
        "version-not-raised",
        "a lease is granted without a new version (4.5)",
        (
            Patch(Leases, "_raise_version", version_not_raised),
            Patch(Chunkserver, "_record_version", records_the_version_again),
        ),
    ),
    Twin(
        "answer-before-the-log",
        "a client is answered before the record is on the disk (2.6.3)",
        (Patch(Base, "flushed", not_flushed),),
        SLOW_DISKS,
    ),
    Twin(
        "snapshot-without-revocation",
        "a snapshot is made while primaries hold leases (3.4)",
        (Patch(Snapshots, "snapshot", no_revocation),),
    ),
    Twin(
        "no-copy-on-write",
        "a chunk that several files list is written in place (3.4)",
        (Patch(ChunkCalls, "_is_shared", never_shared),),
    ),
    Twin(
        "reference-not-counted",
        "a snapshot does not raise reference counts (3.4)",
        (Patch(ChunkTable, "refer", counts_are_not_raised),),
    ),
    Twin(
        "stale-replica-named",
        "the master does not look at the versions that chunkservers report (4.5)",
        (Patch(Reports, "_is_garbage", stale_replicas_are_current),),
    ),
    Twin(
        "old-replica-given-up-first",
        "a replica that is moved is given up before the copy is there (4.3)",
        (Patch(Rebalancing, "_move_locked", counted_before_it_is_copied),),
    ),
    Twin(
        "checkpoint-misses-records",
        "a checkpoint claims the records that were logged while it was written (2.6.3)",
        (Patch(Checkpointer, "make", checkpoint_of_later_records),),
        BUSY_FILES,
    ),
    Twin(
        "error-of-a-secondary-not-told",
        "success is answered although a replica has failed (3.1)",
        (Patch(Primary, "_forward", errors_are_not_told),),
    ),
    Twin(
        "each-replica-appends-at-its-own-end",
        "a secondary does not write at the primary's offset (3.3)",
        (Patch(Applying, "_do_next", at_its_own_end),),
    ),
    Twin(
        "bytes-before-the-log",
        "bytes of a replica are changed before anything says so (5.2)",
        (Patch(ChunkFile, "write", written_in_place_first),),
    ),
    Twin(
        "acknowledged-from-memory",
        "a mutation is acknowledged that no disk has",
        (Patch(Replica, "on_disk", not_forced_to_the_disk),),
    ),
    Twin(
        "checksums-not-looked-at",
        "a chunkserver does not verify what it reads (5.2)",
        (Patch(ChunkFile, "_block", checksums_not_looked_at),),
    ),
    Twin(
        "full-disk-not-told",
        "a secondary answers with success although its disk had no room (3.1)",
        (Patch(Applying, "apply", full_disk_not_told),),
    ),
    Twin(
        "late-heartbeat-believed",
        "a heartbeat that comes after a later one is taken for the newest (2.6.2)",
        (Patch(reports, "_is_old", never_old),),
        MANY_FAULTS,
    ),
    Twin(
        "order-of-arrival",
        "a secondary applies mutations as they come, not in the primary's order (3.1)",
        (Patch(Applying, "apply", in_order_of_arrival),),
    ),
    Twin(
        "repeated-call-carried-out-twice",
        "a primary does a call again that the network has repeated",
        (Patch(Primary, "_once", each_call_carried_out),),
    ),
    Twin(
        "repeated-mutation-applied-twice",
        "a secondary does a mutation again that it is told of a second time",
        (Patch(Applying, "apply", applies_again),),
    ),
    Twin(
        "garbage-of-any-version",
        "a replica is deleted that is current by now, as an older one was garbage (4.5)",
        (Patch(Reporting, "_delete", deleted_in_any_version),),
        BUSY_FILES,
    ),
    Twin(
        "file-opened-with-old-locations",
        "a client that opens a file remembers where its chunks were (2.7.1)",
        (Patch(Locations, "forget_file", opened_as_it_was),),
        BUSY_FILES,
    ),
)


def twin_named(name: str) -> Twin:
    """The twin of a name."""
    [twin] = (twin for twin in TWINS if twin.name == name)
    return twin
