"""A chunkserver dies at every change to its disk, with its machine's power or without.

What it has then is what it had before or after, it matches its checksums, and what was answered is there.
"""

from collections.abc import Callable
from typing import Any

import pytest
from tests.impl.gfs.chunkserver.hands import HANDLE, ByHand, id_of
from tests.impl.gfs.cluster import some_bytes

from genstamp_dfs.gfs.chunkserver.replicas import Replica, path_of
from genstamp_dfs.gfs.errors import ChunkNotFound, CorruptReplica
from genstamp_dfs.gfs.messages.chunkserver_protocol import (
    Append,
    Apply,
    CloneChunk,
    CopyChunk,
    CreateChunk,
    Read,
    RecordVersion,
    Write,
)
from genstamp_dfs.gfs.protocol import Mutation
from genstamp_dfs.world.request import Request
from genstamp_dfs.world.times import SECOND_US

OTHER = HANDLE + 1
OLD = some_bytes(3_300)
NEW = some_bytes(600, "new")

State = tuple[int, bytes] | None
"""Version and bytes of a replica."""


def ready(sync_us: int) -> ByHand:
    """A chunk whose primary is c1, with some acknowledged bytes, and data that is pushed."""
    cluster = ByHand(seed=3, sync_us=sync_us)
    cluster.make_chunk()
    cluster.grant(2)
    cluster.push(1, OLD)
    cluster.push(2, NEW)
    cluster.ask("c1", Write(HANDLE, 2, 0, id_of(1)))
    for core in cluster.chunkservers.values():
        # Else the log, which has all bytes, would mend what is wrong with them.
        core.replicas.get(HANDLE).file.compact()
    return cluster


def state_of(replica: Replica | None) -> State:
    return None if replica is None else (replica.file.version, replica.file.read(0, replica.file.num_bytes))


Case = tuple[str, int, Callable[[ByHand], Request[Any]], State, State]

CASES: dict[str, Case] = {
    "append": ("c1", HANDLE, lambda _: Append(HANDLE, 2, id_of(2)), (2, OLD), (2, OLD + NEW)),
    "overwrite": ("c1", HANDLE, lambda _: Write(HANDLE, 2, 100, id_of(2)), (2, OLD), (2, OLD[:100] + NEW + OLD[700:])),
    "write over the end": ("c1", HANDLE, lambda _: Write(HANDLE, 2, 3_000, id_of(2)), (2, OLD), (2, OLD[:3000] + NEW)),
    "write after a hole": (
        "c1",
        HANDLE,
        lambda _: Write(HANDLE, 2, 3_400, id_of(2)),
        (2, OLD),
        (2, OLD + bytes(100) + NEW),
    ),
    "padding": (
        "c2",
        HANDLE,
        lambda _: Apply(HANDLE, 2, Mutation(2, len(OLD), b"", 700)),
        (2, OLD),
        (2, OLD.ljust(4_000, b"\0")),
    ),
    "apply": (
        "c2",
        HANDLE,
        lambda _: Apply(HANDLE, 2, Mutation(2, 3_200, id_of(2), 600)),
        (2, OLD),
        (2, OLD[:3200] + NEW),
    ),
    "record version": ("c2", HANDLE, lambda _: RecordVersion(HANDLE, 3), (2, OLD), (3, OLD)),
    "create": ("c3", OTHER, lambda _: CreateChunk(OTHER, 1), None, (1, b"")),
    "copy": ("c3", OTHER, lambda _: CopyChunk(HANDLE, 2, OTHER, 1), None, (1, OLD)),
}


def crashed_at(effect: int, case: Case, power_seed: int | None) -> tuple[bool, State, bool]:
    """Die at a change, and start again: whether it came so far, what is there then, and whether there was an answer."""
    victim, handle, request, _, _ = case
    cluster = ready(sync_us=3_000)
    cluster.crash_at_effect(victim, effect)
    came_of_it = cluster.later(victim, request(cluster))
    cluster.pass_time(5 * SECOND_US)
    is_answered = bool(came_of_it) and not isinstance(came_of_it[0], Exception)
    if cluster.is_up(victim):
        assert is_answered, came_of_it
        return False, state_of(cluster.chunkservers[victim].replicas.find(handle)), True
    if power_seed is not None:
        cluster.machines[victim].disk.lose_power(cluster.dice(f"power {power_seed}"))
    cluster.start(victim)
    cluster.pass_time(SECOND_US)
    replica = cluster.chunkservers[victim].replicas.find(handle)
    assert replica is None or not replica.is_corrupt
    return True, state_of(replica), is_answered


@pytest.mark.parametrize("power_seed", [None, 0, 1, 2])
@pytest.mark.parametrize("name", CASES)
def test_a_crash_leaves_what_was_before_or_after(name: str, power_seed: int | None) -> None:
    case = CASES[name]
    _, _, _, before, after = case
    seen: list[State] = []
    while True:
        has_crashed, found, is_answered = crashed_at(len(seen) + 1, case, power_seed)
        if not has_crashed:
            assert found == after
            break
        assert found in (before, after)
        assert not is_answered
        seen.append(found)
    assert before in seen and len(seen) >= 2


@pytest.mark.parametrize("name", CASES)
def test_what_was_answered_survives_the_loss_of_power(name: str) -> None:
    victim, handle, request, _, after = CASES[name]
    for seed in range(5):
        cluster = ready(sync_us=3_000)
        cluster.ask(victim, request(cluster))
        cluster.crash(victim)
        cluster.machines[victim].disk.lose_power(cluster.dice(f"power {seed}"))
        cluster.start(victim)
        cluster.pass_time(SECOND_US)
        assert state_of(cluster.chunkservers[victim].replicas.find(handle)) == after


def test_without_sync_an_append_survives_the_process_alone() -> None:
    lost = 0
    for seed in range(10):
        cluster = ByHand(seed=seed, sync=False)
        cluster.make_chunk()
        cluster.grant(2)
        cluster.push(1, b"data")
        cluster.ask("c1", Append(HANDLE, 2, id_of(1)))
        cluster.restart("c2")
        cluster.pass_time(SECOND_US)
        assert cluster.bytes_of("c2") == b"data"
        cluster.restart("c1", power_loss=True)
        cluster.pass_time(SECOND_US)
        found = cluster.bytes_of("c1")
        assert found in (b"", b"data")
        lost += not found
    assert lost


@pytest.mark.slow
@pytest.mark.parametrize("power_seed", [None, 0, 1])
def test_a_clone_is_whole_or_not_there_and_the_damaged_one_before_it_is_never_read(power_seed: int | None) -> None:
    crashes = 0
    while True:
        cluster = ready(sync_us=0)
        cluster.machines["c3"].disk.files[path_of(HANDLE)].data[7] ^= 1
        assert cluster.refusal("c3", Apply(HANDLE, 2, Mutation(2, 5, id_of(2), 600))) == "CorruptReplica"
        cluster.crash_at_effect("c3", crashes + 1)
        came_of_it = cluster.later("c3", CloneChunk(HANDLE, 2, ("c2", "c1")))
        cluster.pass_time(SECOND_US)
        if cluster.is_up("c3"):
            assert came_of_it == [None]
            assert cluster.bytes_of("c3", 2) == OLD
            break
        crashes += 1
        if power_seed is not None:
            cluster.machines["c3"].disk.lose_power(cluster.dice(f"power {power_seed}"))
        cluster.start("c3")
        cluster.pass_time(SECOND_US)
        found = cluster.later("c3", Read(HANDLE, 2, 0, 4_000))
        cluster.pass_time(SECOND_US)
        assert found == [OLD] or isinstance(found[0], CorruptReplica | ChunkNotFound)
    assert crashes >= 3
