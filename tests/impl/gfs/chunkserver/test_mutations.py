"""Mutations are done in the primary's order by all, or the client is told that they failed."""

import random
from typing import Any

import pytest
from tests.impl.gfs.chunkserver.hands import HANDLE, ByHand, id_of
from tests.impl.gfs.cluster import some_bytes

from genstamp_dfs.gfs.errors import OutOfOrder
from genstamp_dfs.gfs.messages.chunkserver_protocol import Append, Apply, Read, RevokeLease, Write
from genstamp_dfs.gfs.protocol import PIECE_BYTES, Mutation
from genstamp_dfs.simulation.network import NetworkFaults
from genstamp_dfs.world.request import Caller
from genstamp_dfs.world.times import SECOND_US


def granted(**settings: object) -> ByHand:
    cluster = ByHand(**settings)  # type: ignore[arg-type]
    cluster.make_chunk()
    cluster.grant(2)
    return cluster


def test_a_write_is_done_by_all_and_holes_are_zeros() -> None:
    cluster = granted()
    assert cluster.push(1, b"data") == ()
    cluster.ask("c1", Write(HANDLE, 2, 10, id_of(1)))
    cluster.ask("c1", Write(HANDLE, 2, 2, id_of(1)))
    for name in cluster.names:
        assert cluster.bytes_of(name) == bytes(2) + b"data" + bytes(4) + b"data"
    serials = [event.arguments["serial"] for event in cluster.events("order_mutation")]
    assert serials == ["1", "2"]


@pytest.mark.parametrize(
    ("request_", "refusal"),
    [
        (Write(HANDLE, 2, 0, id_of(9)), "DataNotFound"),
        (Write(HANDLE, 2, -1, id_of(1)), "OutOfRange"),
        (Write(HANDLE, 2, 3_999, id_of(1)), "OutOfRange"),
        (Append(HANDLE, 2, id_of(9)), "DataNotFound"),
        (Append(HANDLE, 2, id_of(2)), "RecordTooLarge"),
        (Write(HANDLE, 1, 0, id_of(1)), "NotPrimary"),
        (Read(HANDLE, 3, 0, 1), "StaleVersion"),
        (Read(HANDLE + 1, 1, 0, 1), "ChunkNotFound"),
        (Read(HANDLE, 2, -1, 1), "OutOfRange"),
        (Read(HANDLE, 2, 4_001, 1), "OutOfRange"),
        (Read(HANDLE, 2, 0, PIECE_BYTES + 1), "OutOfRange"),
        (Apply(HANDLE, 1, Mutation(1, 0, id_of(1), 4)), "StaleVersion"),
        (Apply(HANDLE, 3, Mutation(1, 0, id_of(1), 4)), "StaleVersion"),
        (Apply(HANDLE, 2, Mutation(1, 0, id_of(9), 4)), "DataNotFound"),
        (Apply(HANDLE, 2, Mutation(1, 3_998, id_of(1), 4)), "OutOfRange"),
        (Apply(HANDLE, 2, Mutation(1, -1, id_of(1), 4)), "OutOfRange"),
    ],
)
def test_what_is_refused_changes_nothing(request_: Append | Apply | Read | Write, refusal: str) -> None:
    cluster = granted()
    cluster.push(1, b"data")
    cluster.push(2, bytes(1001))
    assert cluster.refusal("c1", request_) == refusal
    assert all(cluster.bytes_of(name) == b"" for name in cluster.names)
    assert cluster.ask("c1", Append(HANDLE, 2, id_of(1))) == 0


def test_a_secondary_does_a_repeated_mutation_once_and_a_late_one_never() -> None:
    cluster = granted()
    for number in (1, 2, 3):
        cluster.push(number, f"data{number}".encode())
    first, second = Mutation(1, 0, id_of(1), 5), Mutation(2, 0, id_of(2), 5)
    for mutation in (first, first, second, second, first):
        cluster.ask("c2", Apply(HANDLE, 2, mutation))
    assert cluster.bytes_of("c2") == b"data2"
    assert len(cluster.events("apply_mutation")) == 2
    # It waits for the one before, but not for ever.
    cluster.ask("c3", Apply(HANDLE, 2, second))
    assert cluster.refusal("c3", Apply(HANDLE, 2, first)) == "OutOfOrder"
    assert cluster.bytes_of("c3") == b"data2"
    # Numbers begin anew with each lease.
    cluster.grant(3)
    cluster.ask("c2", Apply(HANDLE, 3, first))
    assert cluster.bytes_of("c2") == b"data1"


def test_a_mutation_that_a_secondary_misses_fails_and_the_next_one_does_not_wait_for_it() -> None:
    cluster = granted()
    cluster.push(1, b"one", ("c1", "c2"))
    cluster.push(2, b"three")
    assert cluster.refusal("c1", Append(HANDLE, 2, id_of(1))) == "MutationFailed"
    assert cluster.ask("c1", Append(HANDLE, 2, id_of(2))) == 3
    assert [cluster.bytes_of(name) for name in cluster.names] == [b"onethree", b"onethree", b"\0\0\0three"]


def test_an_append_that_does_not_fit_pads_all_replicas() -> None:
    cluster = granted()
    cluster.push(1, some_bytes(900))
    for number in range(4):
        assert cluster.ask("c1", Append(HANDLE, 2, id_of(1))) == 900 * number
    assert cluster.ask("c1", Append(HANDLE, 2, id_of(1))) is None
    assert cluster.ask("c1", Append(HANDLE, 2, id_of(1))) is None
    for name in cluster.names:
        assert cluster.bytes_of(name) == some_bytes(900) * 4 + bytes(400)


def test_a_new_primary_that_missed_a_failed_append_puts_the_next_one_at_one_offset_everywhere() -> None:
    cluster = granted()
    cluster.push(1, b"done")
    assert cluster.ask("c1", Append(HANDLE, 2, id_of(1))) == 0
    cluster.push(2, b"failed-long", ("c1", "c2"))
    assert cluster.refusal("c1", Append(HANDLE, 2, id_of(2))) == "MutationFailed"
    cluster.ask("c1", RevokeLease(HANDLE, 2))
    cluster.grant(3, primary="c3")
    cluster.push(3, b"next")
    offset = cluster.ask("c3", Append(HANDLE, 3, id_of(3)))
    for name in cluster.names:
        found = cluster.bytes_of(name)
        assert found[:4] == b"done" and found[offset : offset + 4] == b"next", name


def test_an_overtaken_mutation_is_waited_for() -> None:
    cluster = granted()
    cluster.push(1, b"one")
    cluster.push(2, b"two")
    second = cluster.later("c2", Apply(HANDLE, 2, Mutation(2, 0, id_of(2), 3)))
    cluster.pass_time(SECOND_US // 2)
    assert not second
    cluster.ask("c2", Apply(HANDLE, 2, Mutation(1, 0, id_of(1), 3)))
    cluster.wait_for(second)
    assert cluster.bytes_of("c2") == b"two"


def test_a_call_of_a_client_that_comes_twice_is_done_once_and_one_that_it_has_given_up_never() -> None:
    cluster = granted()
    cluster.push(1, b"one")
    cluster.push(2, b"two")

    def write(number: int, call_id: int) -> list[Any]:
        request = Write(HANDLE, 2, 0, id_of(number))
        life, caller = cluster.runtimes["k1"].life, Caller("k1", bytes(16), call_id)
        return cluster.begin(cluster.network.call(life, "c1", request, caller, None))

    cluster.wait_for(write(1, 5))
    cluster.wait_for(write(2, 6))
    cluster.wait_for(write(1, 5))
    assert cluster.bytes_of("c1") == b"two"
    with pytest.raises(OutOfOrder):
        cluster.wait_for(write(1, 4))
    assert cluster.bytes_of("c1") == cluster.bytes_of("c3") == b"two"


@pytest.mark.slow
def test_overlapping_writes_of_many_leave_the_same_bytes_everywhere_whatever_the_network_does() -> None:
    applied = 0
    for seed in range(15):
        draw = random.Random(seed)
        cluster = granted(seed=seed, call_attempts=3)
        for number in range(1, 21):
            assert cluster.push(number, some_bytes(draw.randrange(1, 400), number)) == ()
        cluster.network.faults = NetworkFaults(repeat=0.3, slow=0.3, slow_us=SECOND_US // 5)
        wanted = [cluster.later("c1", Write(HANDLE, 2, draw.randrange(600), id_of(n))) for n in range(1, 21)]
        cluster.wait_for(*wanted)
        cluster.network.faults = NetworkFaults()
        cluster.pass_time(SECOND_US)
        assert len({cluster.bytes_of(name) for name in cluster.names}) == 1
        orders = {
            name: [event.arguments["serial"] for event in cluster.events("apply_mutation") if event.node == name]
            for name in ("c2", "c3")
        }
        assert orders["c2"] == orders["c3"] == [str(serial) for serial in range(1, len(orders["c2"]) + 1)]
        applied += len(orders["c2"])
    assert applied >= 300
