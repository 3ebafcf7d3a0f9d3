"""Reads: whichever replica answers, and whatever stands between the records."""

import pytest
from tests.impl.gfs.client.test_retries import all_records
from tests.impl.gfs.cluster import GfsCluster, some_bytes

from genstamp_dfs.errors import Refusal, SocketTimeoutException
from genstamp_dfs.gfs.client.client import Client
from genstamp_dfs.gfs.errors import IsADirectory, NoReplica, OutOfRange, PathNotFound
from genstamp_dfs.gfs.protocol import MASTER
from genstamp_dfs.gfs.records import Record, RecordId, encode_record
from genstamp_dfs.world.times import SECOND_US


def written(data: bytes, **settings: object) -> GfsCluster:
    cluster = GfsCluster(**settings)  # type: ignore[arg-type]
    cluster.do(cluster.client.create("/f"))
    cluster.do(cluster.client.write("/f", 0, data))
    return cluster


def test_what_is_no_file_or_no_range_is_refused() -> None:
    cluster = written(b"data")
    cluster.do(cluster.client.make_directory("/d"))
    for path, offset, num_bytes, refusal in (
        ("/g", 0, 1, PathNotFound),
        ("/d", 0, 1, IsADirectory),
        ("/f", -1, 1, OutOfRange),
        ("/f", 0, -1, OutOfRange),
    ):
        with pytest.raises(refusal):
            cluster.do(cluster.client.read(path, offset, num_bytes))
    assert cluster.do(cluster.client.read("/f", 4, 10)) == b""
    assert cluster.do(cluster.client.read("/f", 9_000, 10)) == b""


def test_a_chunk_that_ends_early_is_followed_by_zeros_up_to_the_next_one() -> None:
    cluster = written(b"one")
    cluster.do(cluster.client.write("/f", 4_000, b"two"))
    assert cluster.do(cluster.client.read("/f", 0, 9_000)) == b"one" + bytes(3_997) + b"two"
    assert cluster.do(cluster.client.read("/f", 3_998, 4)) == b"\0\0tw"


def test_a_read_falls_back_on_replicas_that_are_reached_and_whole() -> None:
    for seed in range(6):
        cluster = written(some_bytes(3_000), seed=seed)
        one, two, _ = cluster.names
        cluster.crash(one)
        name = f"chunks/{cluster.handle():016x}"
        cluster.machines[two].disk.files[name].data[5] ^= 1
        assert cluster.do(cluster.client.read("/f", 0, 3_000)) == some_bytes(3_000)


def test_a_read_without_any_replica_ends_with_a_refusal_after_its_time() -> None:
    cluster = written(b"data", client_settings={"give_up_us": 20 * SECOND_US})
    for name in cluster.names:
        cluster.crash(name)
    began_us = cluster.loop.now_us
    with pytest.raises(Refusal):
        cluster.do(cluster.client.read("/f", 0, 4))
    assert 15 * SECOND_US < cluster.loop.now_us - began_us < 60 * SECOND_US
    cluster.pass_time(40 * SECOND_US)
    with pytest.raises(NoReplica, match=r"no chunkserver with chunk 0 of /f is known"):
        cluster.do(cluster.client.read("/f", 0, 4))


def test_where_a_chunk_is_found_is_remembered_for_a_while_and_a_stale_replica_is_not_read() -> None:
    cluster = written(b"old!", clients=2, client_settings={"cache_us": 5 * SECOND_US})
    two = cluster.clients["k2"]
    assert cluster.do(two.read("/f", 0, 4), "k2") == b"old!"
    lost = cluster.lease().secondaries[0]
    cluster.crash(lost)
    cluster.do(cluster.client.write("/f", 0, b"new!"))
    cluster.start(lost)
    cluster.pass_time(6 * SECOND_US)
    for _ in range(10):
        assert cluster.do(two.read("/f", 0, 4), "k2") == b"new!"
        cluster.pass_time(SECOND_US)


def test_a_reader_of_records_skips_padding_fragments_and_duplicates() -> None:
    cluster = GfsCluster()
    client = cluster.client
    cluster.do(client.create("/f"))
    records = [Record(RecordId(1, number), some_bytes(400, number)) for number in range(12)]
    for number, record in enumerate(records):
        cluster.do(client.append_record("/f", record))
        if number % 3 == 0:
            cluster.do(client.append("/f", encode_record(record)[:300]))
            cluster.do(client.append_record("/f", record))
    assert cluster.do(client.file_info("/f")).chunks == 3
    assert cluster.do(all_records(client, "/f")) == records


def test_the_master_away_for_too_long_is_said() -> None:
    cluster = written(b"data", client_settings={"master_timeout_us": SECOND_US})
    cluster.network.part(MASTER, "k1")
    with pytest.raises(SocketTimeoutException):
        cluster.do(cluster.client.read("/f", 0, 4))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_three_writers_append_while_every_node_dies_in_turn_and_nothing_acknowledged_is_lost(seed: int) -> None:
    cluster = GfsCluster(5, 3, seed=seed, call_attempts=8, sync_us=5_000)
    cluster.do(cluster.client.create("/f"))
    acknowledged: dict[RecordId, bytes] = {}
    offsets: dict[RecordId, int] = {}
    running = []
    for name, client in cluster.clients.items():

        async def write_all(client: Client = client, writer: int = int(name[1:])) -> None:
            for number in range(40):
                record = Record(RecordId(writer, number), some_bytes(100, (seed, writer, number)))
                offsets[record.id] = await client.append_record("/f", record)
                acknowledged[record.id] = record.data
                await cluster.runtimes[f"k{writer}"].sleep_us(SECOND_US // 5)

        running.append(cluster.begin(write_all(), name))
    chance = cluster.dice("who dies")
    for node in chance.choices([*cluster.names, MASTER], k=12):
        cluster.pass_time(chance.randrange(SECOND_US))
        cluster.crash(node, power_loss=chance.random() < 0.5)
        cluster.pass_time(chance.randrange(chance.choice((4 * SECOND_US, SECOND_US // 10))))
        cluster.start(node)
    cluster.wait_for(*running)
    assert len(acknowledged) == 120
    cluster.pass_time(60 * SECOND_US)
    for _ in range(3):
        found = {record.id: record.data for record in cluster.do(all_records(cluster.client, "/f"))}
        assert found == acknowledged
    chunks = [
        cluster.replicas(cluster.handle("/f", index))
        for index in range(cluster.do(cluster.client.file_info("/f")).chunks)
    ]
    assert all(len(replicas) >= 2 for replicas in chunks)
    for id_, offset in offsets.items():
        index, inside = divmod(offset, cluster.limits.chunk_bytes)
        encoded = encode_record(Record(id_, acknowledged[id_]))
        for name, data in chunks[index].items():
            assert data[inside : inside + len(encoded)] == encoded, (id_, name)
