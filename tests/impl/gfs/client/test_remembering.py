"""What a client remembers of where chunks are: how little it asks the master, and what a stale replica may do to it."""

import pytest
from tests.impl.gfs.client.test_retries import all_records
from tests.impl.gfs.cluster import GfsCluster, some_bytes

from genstamp_dfs.gfs.messages.master_protocol import FindChunk
from genstamp_dfs.gfs.protocol import MASTER, FoundChunk
from genstamp_dfs.gfs.records import Record, RecordId
from genstamp_dfs.world.times import SECOND_US

ASKED = ("find_chunk", "get_file_info", "find_lease")


def asked(cluster: GfsCluster, name: str) -> list[str]:
    """What a client has asked the master for of chunks, in order."""
    return [event.event for event in cluster.events(*ASKED) if event.arguments["client"] == name]


def two_clients(data: bytes, **settings: int) -> GfsCluster:
    """A file that the first client has written, and a second one."""
    cluster = GfsCluster(clients=2, client_settings=settings)
    cluster.do(cluster.client.create("/f"))
    if data:
        cluster.do(cluster.client.write("/f", 0, data))
    return cluster


def leave_behind(cluster: GfsCluster, data: bytes) -> str:
    """Write at the beginning of the file while one of its replicas is away; it comes back stale, as nobody is told yet.

    Gives the name of the chunkserver, which alone can be read by the second client.
    """
    [behind, *others] = cluster.lease().secondaries
    cluster.crash(behind)
    cluster.do(cluster.client.write("/f", 0, data))
    # What the master calls garbage is not heard of, so the stale replica stays.
    cluster.start(behind)
    cluster.network.part(MASTER, behind)
    for name in (cluster.lease().primary, *others):
        if name != behind:
            cluster.network.part("k2", name)
    cluster.pass_time(SECOND_US)
    return behind


def test_chunks_that_follow_come_with_the_first_and_the_master_is_asked_once() -> None:
    data = some_bytes(12_000)
    cluster = two_clients(data)
    two = cluster.clients["k2"]
    pieces = [cluster.do(two.read("/f", offset, 500), "k2") for offset in range(0, 12_000, 500)]
    assert b"".join(pieces) == data
    assert asked(cluster, "k2") == ["find_chunk"]


def test_the_master_is_asked_again_when_the_time_is_over_or_the_file_is_opened() -> None:
    cluster = two_clients(some_bytes(4_000), cache_us=10 * SECOND_US)
    two = cluster.clients["k2"]
    for rest_us, count in ((0, 1), (9 * SECOND_US, 1), (2 * SECOND_US, 2)):
        cluster.pass_time(rest_us)
        cluster.do(two.read("/f", 0, 4_000), "k2")
        assert asked(cluster, "k2").count("find_chunk") == count
    cluster.do(two.open("/f"), "k2")
    cluster.do(two.read("/f", 0, 4_000), "k2")
    assert asked(cluster, "k2").count("find_chunk") == 3


def test_only_so_many_chunks_are_remembered() -> None:
    cluster = two_clients(some_bytes(20_000), cache_chunks=2, prefetch_chunks=1)
    two = cluster.clients["k2"]
    for index in (0, 1, 2, 3, 2, 3):
        cluster.do(two.read("/f", 4_000 * index, 4_000), "k2")
    assert asked(cluster, "k2") == ["find_chunk"] * 2
    cluster.do(two.read("/f", 0, 4_000), "k2")
    assert asked(cluster, "k2") == ["find_chunk"] * 3
    assert len(two._locations) == 2


@pytest.mark.parametrize(("following", "told"), [(0, 0), (1, 1), (9, 2), (-1, 0)])
def test_the_master_tells_of_as_many_chunks_as_are_asked_for_and_there(following: int, told: int) -> None:
    cluster = two_clients(some_bytes(12_000))
    found: FoundChunk = cluster.ask(MASTER, FindChunk("/f", 0, following))
    assert (found.chunks, len(found.following)) == (3, told)
    for index, chunk in enumerate(found.following, start=1):
        alone = cluster.ask(MASTER, FindChunk("/f", index))
        assert chunk == type(chunk)(alone.handle, alone.version, alone.chunkservers)


def test_a_stale_replica_may_give_old_bytes_until_the_file_is_opened() -> None:
    cluster = two_clients(b"old!" + some_bytes(3_996))
    two = cluster.clients["k2"]
    assert cluster.do(two.read("/f", 0, 4), "k2") == b"old!"
    leave_behind(cluster, b"new!")
    assert cluster.do(two.read("/f", 0, 4), "k2") == b"old!"
    cluster.network.heal()
    cluster.do(two.open("/f"), "k2")
    assert cluster.do(two.read("/f", 0, 4), "k2") == b"new!"


def test_a_stale_replica_does_not_end_a_file_too_early() -> None:
    cluster = two_clients(b"old!")
    two = cluster.clients["k2"]
    assert cluster.do(two.read("/f", 0, 4_000), "k2") == b"old!"
    leave_behind(cluster, some_bytes(2_000))
    reading = cluster.begin(two.read("/f", 0, 4_000), "k2")
    cluster.pass_time(25 * SECOND_US)  # others are asked before, and cannot be reached
    assert not reading, "the stale replica's end was believed"
    cluster.network.heal()
    assert cluster.wait_for(reading) == some_bytes(2_000)


def test_zeros_do_not_stand_for_what_a_stale_replica_lacks() -> None:
    cluster = two_clients(b"old!")
    two = cluster.clients["k2"]
    cluster.do(cluster.client.write("/f", 4_000, b"second"))
    assert cluster.do(two.read("/f", 0, 4_002), "k2") == b"old!" + bytes(3_996) + b"se"
    leave_behind(cluster, some_bytes(2_000))
    reading = cluster.begin(two.read("/f", 0, 4_002), "k2")
    cluster.pass_time(25 * SECOND_US)  # others are asked before, and cannot be reached
    cluster.network.heal()
    assert cluster.wait_for(reading) == some_bytes(2_000) + bytes(2_000) + b"se"


def test_a_reader_of_records_opens_the_file_and_finds_all_that_was_acknowledged() -> None:
    cluster = two_clients(b"")
    one, two = cluster.client, cluster.clients["k2"]
    records = [Record(RecordId(1, number), some_bytes(300, number)) for number in range(2)]
    cluster.do(one.append_record("/f", records[0]))
    assert cluster.do(all_records(two, "/f"), "k2") == records[:1]
    [behind, *_] = cluster.lease().secondaries
    cluster.crash(behind)
    cluster.do(one.append_record("/f", records[1]))
    cluster.start(behind)
    cluster.network.part(MASTER, behind)
    cluster.pass_time(SECOND_US)
    for _ in range(8):
        assert cluster.do(all_records(two, "/f"), "k2") == records


def test_a_client_reads_what_it_has_written_itself() -> None:
    for seed in range(4):
        cluster = GfsCluster(seed=seed)
        client = cluster.client
        cluster.do(client.create("/f"))
        cluster.do(client.write("/f", 0, b"old!"))
        assert cluster.do(client.read("/f", 0, 4)) == b"old!"
        [behind, *_] = cluster.lease().secondaries
        cluster.crash(behind)
        cluster.do(client.write("/f", 0, b"new!"))
        cluster.start(behind)
        cluster.network.part(MASTER, behind)
        cluster.pass_time(SECOND_US)
        for _ in range(6):
            assert cluster.do(client.read("/f", 0, 4)) == b"new!"


def test_the_primary_is_asked_for_again_when_it_says_so_or_is_away() -> None:
    cluster = two_clients(b"data")
    cluster.do(cluster.client.write("/f", 0, b"more"))
    assert asked(cluster, "k1") == ["find_lease"]
    cluster.do(cluster.client.snapshot("/f", "/s"))
    cluster.do(cluster.client.write("/f", 0, b"anew"))
    assert asked(cluster, "k1") == ["find_lease"] * 2
    cluster.do(cluster.clients["k2"].snapshot("/f", "/t"), "k2")
    cluster.do(cluster.client.write("/f", 0, b"last"))
    assert asked(cluster, "k1") == ["find_lease"] * 3
    cluster.crash(cluster.lease().primary)
    cluster.do(cluster.client.write("/f", 0, b"end!"))
    assert asked(cluster, "k1").count("find_lease") > 4
