"""A client whose chunkservers, leases and answers get lost does what it was asked, and says nothing false."""

from collections.abc import AsyncIterator
from functools import partial

import pytest
from tests.impl.gfs.cluster import GfsCluster, some_bytes

from genstamp_dfs.gfs.chunkserver.data_buffer import DataBuffer
from genstamp_dfs.gfs.client.client import Client
from genstamp_dfs.gfs.messages.chunkserver_protocol import Append
from genstamp_dfs.gfs.protocol import MASTER
from genstamp_dfs.gfs.records import Record, RecordId
from genstamp_dfs.simulation.network import NetworkFaults
from genstamp_dfs.world.times import SECOND_US


async def all_records(client: Client, path: str) -> list[Record]:
    records: AsyncIterator[Record] = client.records(path)
    return [record async for record in records]


def has_pushed(buffer: DataBuffer, count: int) -> bool:
    return len(buffer._kept) == count


def stand_everywhere(cluster: GfsCluster, offset: int, data: bytes, path: str = "/f") -> bool:
    index, inside = divmod(offset, cluster.limits.chunk_bytes)
    replicas = cluster.replicas(cluster.handle(path, index))
    return len(replicas) > 1 and all(one[inside : inside + len(data)] == data for one in replicas.values())


def test_data_that_a_secondary_has_forgotten_is_pushed_again() -> None:
    cluster = GfsCluster()
    client = cluster.client
    cluster.do(client.create("/f"))
    cluster.do(client.append("/f", b"first"))
    lease = cluster.lease()
    appended = cluster.begin(client.append("/f", b"second"))
    secondary = lease.secondaries[0]
    buffer = cluster.chunkservers[secondary].buffer
    cluster.until(partial(has_pushed, buffer, 2))
    buffer.forget(next(reversed(buffer)))
    began_us = cluster.loop.now_us
    offset = cluster.wait_for(appended)
    assert cluster.loop.now_us - began_us < 5 * SECOND_US
    assert stand_everywhere(cluster, offset, b"second")


def test_a_secondary_that_starts_again_takes_part_under_a_new_version() -> None:
    for when in ("before", "during"):
        cluster = GfsCluster()
        client = cluster.client
        cluster.do(client.create("/f"))
        cluster.do(client.append("/f", b"first"))
        lease = cluster.lease()
        appended: list[object] = []
        if when == "during":
            appended = cluster.begin(client.append("/f", b"second"))
            buffer = cluster.chunkservers[lease.secondaries[1]].buffer
            cluster.until(partial(has_pushed, buffer, 2))
        cluster.restart(lease.secondaries[1])
        if when == "before":
            cluster.pass_time(2 * SECOND_US)
            appended = cluster.begin(client.append("/f", b"second"))
        offset = cluster.wait_for(appended)
        assert stand_everywhere(cluster, offset, b"second"), when
        assert cluster.lease().version > lease.version
        assert len(cluster.replicas(lease.handle)) == 3


def test_a_new_primary_takes_over_when_the_old_one_dies() -> None:
    cluster = GfsCluster(4)
    client = cluster.client
    cluster.do(client.create("/f"))
    cluster.do(client.append("/f", b"first"))
    lease = cluster.lease()
    cluster.crash(lease.primary)
    offset = cluster.do(client.append("/f", b"second"))
    assert stand_everywhere(cluster, offset, b"second")
    assert stand_everywhere(cluster, 0, b"first")
    assert cluster.lease().primary != lease.primary


@pytest.mark.slow
def test_lost_answers_make_duplicates_that_a_reader_drops() -> None:
    duplicates = 0
    for seed in range(12):
        cluster = GfsCluster(seed=seed, call_attempts=4, client_settings={"master_timeout_us": 20 * SECOND_US})
        client = cluster.client
        cluster.do(client.create("/f"))
        cluster.network.faults = NetworkFaults(lose=0.05, repeat=0.1, slow=0.05, slow_us=SECOND_US)
        records = [Record(RecordId(7, number), some_bytes(100 + number, number)) for number in range(12)]
        offsets = [cluster.do(client.append_record("/f", record)) for record in records]
        cluster.network.faults = NetworkFaults()
        cluster.pass_time(20 * SECOND_US)
        assert len(set(offsets)) == len(offsets)
        found = cluster.do(all_records(client, "/f"))
        assert sorted(found, key=lambda record: record.id.sequence) == records, seed
        duplicates += sum(event.event == "order_append" for event in cluster.log.events) - len(records)
    assert duplicates > 5


def test_records_of_two_clients_are_all_there() -> None:
    cluster = GfsCluster(clients=2, sync_us=3_000)
    cluster.do(cluster.client.create("/f"))
    running = []
    for name, client in cluster.clients.items():

        async def append_all(client: Client = client, writer: int = int(name[1:])) -> None:
            for number in range(20):
                await client.append_record("/f", Record(RecordId(writer, number), some_bytes(300, (writer, number))))

        running.append(cluster.begin(append_all(), name))
    cluster.wait_for(*running)
    found = cluster.do(all_records(cluster.client, "/f"))
    assert {record.id for record in found} == {RecordId(writer, number) for writer in (1, 2) for number in range(20)}
    assert len(found) == 40
    for index in range(cluster.do(cluster.client.file_info("/f")).chunks):
        assert len(set(cluster.replicas(cluster.handle("/f", index)).values())) == 1


def test_a_file_that_another_client_has_replaced_is_found_anew() -> None:
    cluster = GfsCluster(clients=2, client_settings={"lease_cache_us": 5 * SECOND_US})
    one, two = cluster.clients.values()
    cluster.do(one.create("/f"))
    for number in range(9):
        cluster.do(one.append("/f", some_bytes(900, number)))
    cluster.do(two.delete("/f"), "k2")
    cluster.do(two.create("/f"), "k2")
    cluster.pass_time(6 * SECOND_US)
    assert cluster.do(one.append("/f", b"anew")) == 0
    assert cluster.do(two.read("/f", 0, 100), "k2") == b"anew"


def test_below_a_directory_that_was_renamed_nothing_is_remembered() -> None:
    cluster = GfsCluster()
    client = cluster.client
    cluster.do(client.make_directory("/d"))
    cluster.do(client.create("/d/f"))
    cluster.do(client.append("/d/f", b"old"))
    cluster.do(client.rename("/d", "/e"))
    cluster.do(client.make_directory("/d"))
    cluster.do(client.create("/d/f"))
    cluster.do(client.write("/d/f", 0, b"new"))
    assert cluster.do(client.read("/d/f", 0, 10)) == b"new"
    assert cluster.do(client.read("/e/f", 0, 10)) == b"old"


def test_a_snapshot_keeps_its_bytes_while_the_file_goes_on() -> None:
    cluster = GfsCluster()
    client = cluster.client
    cluster.do(client.create("/f"))
    cluster.do(client.append("/f", b"before"))
    cluster.do(client.snapshot("/f", "/copy"))
    cluster.do(client.write("/f", 0, b"AFTER"))
    assert cluster.do(client.read("/copy", 0, 100)) == b"before"
    assert cluster.do(client.read("/f", 0, 100)) == b"AFTERe"
    assert cluster.handle("/copy") != cluster.handle("/f")


def test_the_master_may_be_away_while_the_lease_lasts() -> None:
    cluster = GfsCluster()
    client = cluster.client
    cluster.do(client.create("/f"))
    cluster.do(client.append("/f", b"one"))
    cluster.crash(MASTER)
    appended = cluster.begin(client.append("/f", b"two"))
    cluster.pass_time(SECOND_US)
    assert appended == [3]
    cluster.start(MASTER)
    cluster.pass_time(20 * SECOND_US)
    offset = cluster.do(client.append("/f", b"three"))
    assert offset == 6
    assert stand_everywhere(cluster, 0, b"onetwothree")


def test_an_append_that_the_primary_does_not_know_of_is_refused_by_it() -> None:
    cluster = GfsCluster()
    client = cluster.client
    cluster.do(client.create("/f"))
    cluster.do(client.append("/f", b"one"))
    lease = cluster.lease()
    for node, version, name in (
        (lease.secondaries[0], lease.version, "NotPrimary"),
        (lease.primary, lease.version - 1, "NotPrimary"),
        (lease.primary, lease.version, "DataNotFound"),
    ):
        came_of_it = cluster.begin(cluster.runtimes["k1"].call(node, Append(lease.handle, version, bytes(16))))
        cluster.until(partial(bool, came_of_it))
        assert type(came_of_it[0]).__name__ == name


def test_a_client_tells_of_what_it_has_pushed_and_heard() -> None:
    cluster = GfsCluster()
    client = cluster.client
    cluster.do(client.create("/f"))
    cluster.do(client.append("/f", b"first"))
    lease = cluster.lease()
    cluster.restart(lease.primary)
    cluster.pass_time(SECOND_US)
    cluster.do(client.append("/f", b"second"))
    told = [event for event in cluster.log.events if event.node == "k1"]
    assert [(event.event, event.refused_with) for event in told] == [
        ("push_data", None),
        ("acknowledge", None),
        ("push_data", None),
        ("hear_failure", "NotPrimary"),
        ("retry", None),
        ("acknowledge", None),
    ]
    assert len({event.arguments["data"] for event in told}) == 2
    assert told[0].generation_stamp == lease.version < (told[-1].generation_stamp or 0)
