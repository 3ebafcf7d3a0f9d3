"""A search by fingerprints finds what the exact one finds, in less memory, and says how sure it is."""

import ctypes
import errno
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.model import test_explore as small
from tests.model.systems.every_form import EVERY_FORM
from tests.model.systems.small_recovery import SMALL_RECOVERY
from tests.model.systems.two_phase import TWO_PHASE

from genstamp_model.errors import ConfigurationError
from genstamp_model.explore import Compiled, Fingerprints, Progress, Result, Search, Verdict, explore
from genstamp_model.explore import driver as exact
from genstamp_model.explore import fingerprint_driver as driver
from genstamp_model.explore import fingerprint_sizes as sizes
from genstamp_model.explore import fingerprint_table as table
from genstamp_model.explore.driver import PARTITION, PARTITIONS
from genstamp_model.explore.machine import Library, build
from genstamp_model.language import Instance

MEBIBYTE = 1 << 20


def told(result: Result) -> tuple[object, ...]:
    """What a search says about the system."""
    way = result.violation and [step.action.name for step in result.violation.path.steps]
    return (
        (result.verdict, result.undetermined, result.states, result.generated, result.levels),
        (result.cuts, result.taken, result.refusals, result.witnesses, result.not_judged),
        result.violation and (result.violation.kind, result.violation.name, result.violation.message, len(way or ())),
    )


@pytest.mark.parametrize(
    "instance",
    [
        small.two_phase(3),
        small.two_phase(6),
        EVERY_FORM.instance("tiny"),
        small.counter(small.Counter),
        small.counter(small.Finishes, may_stop=True),
        small.counter(small.TwiceLimited, rounds=0, sum=4),
        pytest.param(SMALL_RECOVERY.instance("three"), marks=pytest.mark.slow),
        pytest.param(SMALL_RECOVERY.instance("medium"), marks=pytest.mark.slow),
    ],
    ids=lambda instance: f"{instance.model.system}-{instance.configuration.name}",
)
def test_it_finds_what_the_exact_search_finds(instance: Instance) -> None:
    expected = told(explore(instance))
    for threads in (1, 2):
        result = explore(instance, fingerprints=True, threads=threads)
        assert told(result) == expected
        assert 0 < result.doubt < 1e-9


@pytest.mark.parametrize(("symmetry", "renumber"), [(True, False), (False, True)])
def test_it_keeps_one_state_of_many_as_the_exact_search_does(symmetry: bool, renumber: bool) -> None:
    instance = small.two_phase(5) if symmetry else EVERY_FORM.instance("tiny")
    reduced = explore(instance, fingerprints=True, symmetry=symmetry, renumber=renumber)
    assert told(reduced) == told(explore(instance, symmetry=symmetry, renumber=renumber))
    assert reduced.reductions
    assert reduced.states < explore(instance).states


@pytest.mark.parametrize(
    "instance",
    [
        small.counter(small.Small),
        small.counter(small.Rises),
        small.counter(small.Falls),
        small.counter(small.Careless),
        *(
            system.instance(bug.configuration, bugs=[bug.name])
            for system in (TWO_PHASE, SMALL_RECOVERY, EVERY_FORM)
            for bug in system.bugs
        ),
    ],
    ids=lambda instance: "-".join([instance.model.system, *instance.model.bugs]),
)
def test_what_is_broken_comes_with_a_shortest_path(instance: Instance) -> None:
    whole = explore(instance)
    results = [explore(instance, fingerprints=True, threads=threads) for threads in (1, 2)]
    expected, (one, two) = whole.violation, (result.violation for result in results)
    assert expected is not None
    if expected.kind == "invariant":
        assert {result.depth for result in (whole, *results)} == {len(expected.path)}
    assert one is not None
    assert two is not None
    assert one.path == two.path
    assert (one.kind, one.name, len(one.path)) == (expected.kind, expected.name, len(expected.path))


def test_a_witness_comes_with_a_path() -> None:
    search = Search(Compiled(small.counter(small.Counter)), fingerprints=Fingerprints())
    search.run()
    path = search.witness("half")
    assert path is not None
    assert len(path) == 3


@pytest.mark.slow
def test_a_search_that_ends_early_is_undetermined() -> None:
    instance = SMALL_RECOVERY.instance("three")
    few = explore(instance, fingerprints=True, max_states=20_000)
    assert (few.verdict, few.undetermined) == (Verdict.UNDETERMINED, "there are more than 20000 states")
    assert 20_000 < few.states < 20_500
    assert explore(small.two_phase(3), fingerprints=True, max_states=288).verdict is Verdict.HOLDS
    assert explore(small.two_phase(3), fingerprints=True, max_states=287).verdict is Verdict.UNDETERMINED

    def interrupt(progress: Progress) -> None:
        raise KeyboardInterrupt

    stopped = explore(instance, fingerprints=True, progress=interrupt)
    assert (stopped.verdict, stopped.undetermined) == (Verdict.UNDETERMINED, "interrupted")


# How sure it is.


@pytest.mark.parametrize("bits", [1, 4, 8, 12])
def test_a_hash_that_keeps_too_little_is_seen_as_fewer_states_and_never_passes(bits: int) -> None:
    result = Search(Compiled(small.two_phase(6)), fingerprints=Fingerprints(bits=bits)).run()
    assert result.states <= 2**bits < 50_816
    assert result.doubt > 0.5
    assert result.verdict is Verdict.UNDETERMINED
    assert "missed with a probability of up to" in result.undetermined


def test_another_seed_is_another_hash() -> None:
    found = {
        Search(Compiled(small.two_phase(5)), fingerprints=Fingerprints(seed, bits=14)).run().states for seed in range(4)
    }
    assert len(found) > 1, "the states that are lost depend on the seed"
    assert all(states < 8_832 for states in found)


def test_doubt_is_the_birthday_bound() -> None:
    assert sizes.doubt(1, 1) == 0.5, "a first and a second state, told apart by one bit"
    assert sizes.doubt(10**9, 76) == pytest.approx(10**18 / 2**77)
    assert sizes.doubt(10**9, 20) == 1.0


@pytest.mark.parametrize(
    ("one", "other"),
    [([0], [1]), ([6], [7]), ([0], [2**62]), ([2**33], [2**32]), ([3, 1, 4], [3, 1, 5]), ([1, 0, 0], [0, 1, 0])],
)
def test_two_states_share_a_fingerprint_as_often_as_its_bits_say(one: list[int], other: list[int]) -> None:
    library = build(table.fingerprint, constants={"WORDS": len(one), "REGION_BITS": 16})
    out, times = np.zeros(2, np.int64), 0
    for seed in range(4_000):
        keys = sizes.keys(len(one), seed, 5)
        first, second = (
            (library.run(table.fingerprint, np.array(state, np.int64), keys, out), *out.tolist())
            for state in (one, other)
        )
        times += first == second
    assert 75 < times < 175, "125 are to be expected"


def test_successors_that_differ_in_the_last_bit_alone_are_both_handed_over() -> None:
    """The bit says which partition a fingerprint belongs to; it counts for the doubt as all others do."""
    region_bits, room = 16, 2
    library = build(
        driver.expand_block, constants={"WORDS": 1, "RECORD": driver.BEFORE + 1, "REGION_BITS": region_bits}
    )

    def two_states(state: int, after: Any, counters: int) -> int:
        after[0], after[1] = 0, 1
        return 2

    word, address = ctypes.c_int64, ctypes.c_void_p
    expand = ctypes.CFUNCTYPE(word, address, ctypes.POINTER(word), address)(two_states)

    # Of the sum of words times keys, bit 63 alone becomes the bit of the partition.
    keys = np.array([0, 0, -(2**63), 0, 0, 0, -1, -1], np.int64)
    block, counters = np.zeros(1, np.int64), np.zeros(1, np.int64)
    scratch, handed = np.zeros(16, np.int64), np.zeros(256, np.int64)
    recent = np.full(2 << driver.RECENT_BITS, -1, np.int64)
    board, partitions = np.zeros(exact.BOARD, np.int64), np.zeros((PARTITIONS, PARTITION), np.int64)
    board[exact.EXPAND] = ctypes.cast(expand, address).value or 0
    board[exact.SUCCESSORS], board[exact.ROOM], board[driver.KEYS] = 1, room, keys.ctypes.data
    one = partitions[0]
    one[driver.BLOCK], one[driver.BLOCK_END], one[exact.COUNTERS] = block.ctypes.data, 1, counters.ctypes.data
    one[exact.HANDED], one[exact.SCRATCH] = handed.ctypes.data, scratch.ctypes.data
    one[driver.RECENT] = recent.ctypes.data
    library.run(driver.expand_block, board, partitions)
    assert one[exact.COUNTS : exact.COUNTS + PARTITIONS].tolist() == [1, 1]


def test_whole_fingerprints_differ_where_states_do() -> None:
    library = build(table.fingerprint, constants={"WORDS": 1, "REGION_BITS": 16})
    keys, out = sizes.keys(1, 0, 76), np.zeros(2, np.int64)
    found = {
        (library.run(table.fingerprint, np.array([state], np.int64), keys, out), *out.tolist())
        for state in range(20_000)
    }
    assert len(found) == 20_000


# The table.


@pytest.fixture(scope="module")
def library() -> Library:
    return build(table.put, table.lengthen, table.allow, constants={"REGION_BITS": 5})


def fingerprints(count: int) -> list[tuple[int, int]]:
    """Slots and regions."""
    random = np.random.default_rng(3)
    slots = random.integers(-(2**58), 2**58, count) << 5
    return list(zip(slots.tolist(), random.integers(0, 32, count).tolist(), strict=True))


def test_every_fingerprint_is_found_while_the_table_grows(library: Library) -> None:
    slots = np.zeros(((64 << 5) + table.MOST_AWAY) * 8, np.int64)
    waiting = np.empty(2 * table.WAITING + 8, np.int64)
    partition = np.zeros(PARTITION, np.int64)
    partition[table.SPAN], partition[table.MOST_SPAN] = 1, 64
    library.run(table.allow, partition)
    given = fingerprints(12_000)
    for count, (slot, region) in enumerate(given):
        if count >= partition[table.PROMISED]:
            assert library.run(table.lengthen, partition, slots, waiting)
        assert library.run(table.put, slots, slot, region, int(partition[table.SPAN])) == 1
    assert np.count_nonzero(slots) == len(given)
    span = int(partition[table.SPAN])
    assert len(given) > 0.8 * 8 * (span << 5), "it grows no sooner than it must"
    assert [library.run(table.put, slots, slot, region, span) for slot, region in given] == [0] * len(given)


def test_a_table_that_cannot_grow_takes_almost_as_many_as_it_has_slots(library: Library) -> None:
    span = 40
    slots = np.zeros(((span << 5) + table.MOST_AWAY) * 8, np.int64)
    entered = [library.run(table.put, slots, slot, region, span) for slot, region in fingerprints(11_000)]
    assert entered.index(2) > 0.95 * 8 * (span << 5)


# Memory and disk.


def test_a_state_takes_ten_bytes() -> None:
    result = explore(small.two_phase(7), fingerprints=True, memory_bytes=4 * MEBIBYTE)
    assert result.states == 296_448
    assert 8 < result.bytes_a_state < 11
    assert result.disk_bytes > 8 * result.states / 2, "the traces"


@pytest.mark.slow
def test_a_search_that_spills_finds_the_same(tmp_path: Path) -> None:
    instance = SMALL_RECOVERY.instance("three")
    result = explore(instance, fingerprints=True, memory_bytes=3 * MEBIBYTE, spill=tmp_path)
    assert told(result) == told(explore(instance))
    assert result.disk_bytes > MEBIBYTE
    assert not list(tmp_path.iterdir())


def test_a_path_is_found_again_in_files(tmp_path: Path) -> None:
    instance = SMALL_RECOVERY.instance("three", bugs=[SMALL_RECOVERY.bugs[0].name])
    expected = explore(instance, fingerprints=True).violation
    spilt = explore(instance, fingerprints=True, memory_bytes=MEBIBYTE, spill=tmp_path).violation
    assert expected is not None
    assert spilt is not None
    assert len(spilt.path) == len(expected.path)


def test_it_gives_up_when_memory_is_full() -> None:
    result = explore(SMALL_RECOVERY.instance("three"), fingerprints=True, memory_bytes=MEBIBYTE)
    assert (result.verdict, result.undetermined) == (
        Verdict.UNDETERMINED,
        "the memory for fingerprints is used up",
    )
    assert result.states > 0.9 * PARTITIONS * sizes.divided(MEBIBYTE, result.words).most_slots


def test_it_gives_up_when_the_disk_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    compiled, how = Compiled(small.two_phase(7)), Fingerprints()
    search = Search(compiled, fingerprints=how, memory_bytes=4 * MEBIBYTE, spill=tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", full)
        result = search.run()
    assert result.verdict is Verdict.UNDETERMINED
    assert result.undetermined.endswith("could not be written: no space left on device")
    again = search.run()
    assert (again.verdict, again.undetermined) == (result.verdict, result.undetermined), "there is no going on"


@pytest.mark.parametrize("exactly", [True, False])
def test_a_partition_without_room_hides_no_violation_that_another_has_found(exactly: bool) -> None:
    plan = exact.plan if exactly else driver.plan
    library = build(plan)
    board, partitions = np.zeros(exact.BOARD, np.int64), np.zeros((PARTITIONS, PARTITION), np.int64)
    partitions[:, exact.CAPACITY] = 10**6
    partitions[1, exact.ENTERING] = exact.INVARIANT
    if exactly:
        partitions[0, exact.CAPACITY] = 0
    else:
        partitions[0, exact.ENTERING] = driver.NO_ROOM
    assert library.run(plan, board, partitions) == exact.INVARIANT
    partitions[1, exact.ENTERING] = exact.DONE
    assert library.run(plan, board, partitions) == (exact.FULL if exactly else driver.NO_ROOM)


def test_too_little_memory_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="1,000 bytes of memory are too few"):
        explore(small.two_phase(3), fingerprints=True, memory_bytes=1_000)
