"""Data that is pushed along a chain is with all who could be reached, and the answer names the others."""

import google_crc32c
import pytest
from tests.impl.gfs.chunkserver.hands import ByHand, id_of
from tests.impl.gfs.cluster import some_bytes

from genstamp_dfs.errors import EOFException
from genstamp_dfs.gfs.messages.data_flow import DataPiece, PushData, Pushed
from genstamp_dfs.world.times import SECOND_US

DATA = some_bytes(1_000)


def who_has(cluster: ByHand, number: int, data: bytes = DATA) -> set[str]:
    kept = {name: core.buffer._kept.get(id_of(number)) for name, core in cluster.chunkservers.items()}
    return {name for name, one in kept.items() if one is not None and one.data == data}


def test_a_chain_passes_data_on_while_it_comes_in() -> None:
    cluster = ByHand()
    operation = PushData(id_of(1), len(DATA), google_crc32c.value(DATA), ("c2", "c3"))

    async def push_half() -> None:
        connection = await cluster.runtimes["k1"].connect("c1", operation)
        await connection.send(DataPiece(DATA[:500]))
        await cluster.runtimes["k1"].sleep_us(SECOND_US)
        assert cluster.network._connections[cluster.runtimes["c3"].life], "the last one is not asked before the end"
        await connection.send(DataPiece(DATA[500:]))
        answer = await connection.receive()
        assert answer == Pushed(())

    cluster.do(push_half())
    assert who_has(cluster, 1) == {"c1", "c2", "c3"}


@pytest.mark.parametrize(("dead", "failed"), [("c1", None), ("c2", ("c2", "c3")), ("c3", ("c3",))])
def test_what_is_behind_a_dead_chunkserver_is_named(dead: str, failed: tuple[str, ...] | None) -> None:
    cluster = ByHand()
    cluster.crash(dead)
    if failed is None:
        with pytest.raises(Exception, match="c1 is not there"):
            cluster.push(1, DATA)
        return
    assert cluster.push(1, DATA) == failed
    assert who_has(cluster, 1) == set(cluster.names) - set(failed)


def test_a_chunkserver_that_dies_on_the_way_is_named_with_those_behind_it() -> None:
    cluster = ByHand()
    operation = PushData(id_of(1), len(DATA), google_crc32c.value(DATA), ("c2", "c3"))

    async def push() -> Pushed:
        connection = await cluster.runtimes["k1"].connect("c1", operation)
        await connection.send(DataPiece(DATA[:500]))
        await cluster.runtimes["k1"].sleep_us(SECOND_US)
        cluster.crash("c2")
        await connection.send(DataPiece(DATA[500:]))
        answer = await connection.receive()
        assert isinstance(answer, Pushed)
        return answer

    assert cluster.do(push()) == Pushed(("c2", "c3"))
    assert who_has(cluster, 1) == {"c1"}


def test_data_that_does_not_match_its_checksum_is_kept_by_nobody() -> None:
    cluster = ByHand()

    async def push() -> Pushed:
        operation = PushData(id_of(1), len(DATA), google_crc32c.value(DATA) ^ 1, ("c2", "c3"))
        connection = await cluster.runtimes["k1"].connect("c1", operation)
        await connection.send(DataPiece(DATA))
        answer = await connection.receive()
        assert isinstance(answer, Pushed)
        return answer

    assert cluster.do(push()).failed == ("c1", "c2", "c3")
    assert who_has(cluster, 1) == set()


@pytest.mark.parametrize("pieces", [[DATA, b"x"], [b""], [DATA[:400], DATA]])
def test_whoever_pushes_something_else_than_was_said_is_cut_off_and_the_chain_with_him(pieces: list[bytes]) -> None:
    cluster = ByHand()
    operation = PushData(id_of(1), len(DATA) - 1, google_crc32c.value(DATA), ("c2", "c3"))

    async def push() -> None:
        connection = await cluster.runtimes["k1"].connect("c1", operation)
        for piece in pieces:
            await connection.send(DataPiece(piece))
        await connection.receive()

    with pytest.raises(EOFException):
        cluster.do(push())
    cluster.pass_time(SECOND_US)
    assert not any(cluster.network._connections.get(runtime.life) for runtime in cluster.runtimes.values())
    assert who_has(cluster, 1) == set()


def test_more_than_a_chunk_is_not_taken() -> None:
    cluster = ByHand()
    with pytest.raises(EOFException):
        cluster.push(1, bytes(cluster.limits.chunk_bytes + 1))


def test_what_was_not_used_for_the_longest_time_makes_room() -> None:
    cluster = ByHand(buffer_bytes=2_500)
    for number in (1, 2):
        assert cluster.push(number, DATA) == ()
    cluster.chunkservers["c1"].buffer.get(id_of(1), cluster.runtimes["c1"].now_us())
    assert cluster.push(3, DATA) == ()
    assert who_has(cluster, 1) == {"c1"}
    assert who_has(cluster, 2) == {"c2", "c3"}
    assert who_has(cluster, 3) == {"c1", "c2", "c3"}


def test_what_is_too_old_goes() -> None:
    cluster = ByHand(buffer_age_us=20 * SECOND_US)
    cluster.push(1, DATA)
    cluster.pass_time(30 * SECOND_US)
    cluster.push(2, DATA)
    assert who_has(cluster, 1) == set()
    assert who_has(cluster, 2) == {"c1", "c2", "c3"}


def test_what_is_too_old_goes_although_nothing_more_is_pushed_but_not_what_was_used() -> None:
    cluster = ByHand(buffer_age_us=20 * SECOND_US)
    cluster.push(1, some_bytes(1_000))
    cluster.push(2, some_bytes(500))
    buffer = cluster.chunkservers["c1"].buffer
    cluster.pass_time(15 * SECOND_US)
    buffer.get(id_of(1), cluster.runtimes["c1"].now_us())
    cluster.pass_time(10 * SECOND_US)
    assert (list(reversed(buffer)), buffer.num_bytes) == ([id_of(1)], 1_000)
    cluster.pass_time(20 * SECOND_US)
    assert (list(reversed(buffer)), buffer.num_bytes) == ([], 0)
