"""What applications do with files, over a whole cluster without faults."""

import pytest
from tests.impl.gfs.cluster import LIMITS, GfsCluster, some_bytes

from genstamp_dfs.gfs.errors import OutOfRange, PathNotFound, RecordTooLarge


def test_what_was_written_over_several_chunks_is_read_and_all_replicas_have_it() -> None:
    cluster = GfsCluster()
    client = cluster.client
    data = some_bytes(10_500)
    cluster.do(client.create("/f"))
    cluster.do(client.write("/f", 0, data))
    assert cluster.do(client.read("/f", 0, 20_000)) == data
    assert cluster.do(client.read("/f", 3_990, 20)) == data[3_990:4_010]
    assert cluster.do(client.file_info("/f")).chunks == 3
    for index in range(3):
        part = data[index * 4_000 : (index + 1) * 4_000]
        assert cluster.replicas(cluster.handle("/f", index)) == dict.fromkeys(cluster.names, part)


def test_appends_get_rising_offsets_and_a_full_chunk_is_padded() -> None:
    cluster = GfsCluster()
    client = cluster.client
    cluster.do(client.create("/f"))
    records = [some_bytes(900, number) for number in range(10)]
    offsets = [cluster.do(client.append("/f", record)) for record in records]
    assert offsets == [0, 900, 1800, 2700, 4000, 4900, 5800, 6700, 8000, 8900]
    for offset, record in zip(offsets, records, strict=True):
        assert cluster.do(client.read("/f", offset, 900)) == record
    first = cluster.replicas(cluster.handle("/f", 0))
    assert set(first) == set(cluster.names)
    assert all(len(replica) == LIMITS.chunk_bytes and not any(replica[3600:]) for replica in first.values())


def test_what_cannot_be_is_refused_before_anything_is_done() -> None:
    cluster = GfsCluster()
    cluster.do(cluster.client.create("/f"))
    with pytest.raises(RecordTooLarge, match="has 1001 bytes, at most 1000 are accepted"):
        cluster.do(cluster.client.append("/f", bytes(1001)))
    with pytest.raises(OutOfRange, match="-1"):
        cluster.do(cluster.client.write("/f", -1, b"x"))
    with pytest.raises(PathNotFound):
        cluster.do(cluster.client.append("/g", b"x"))
    assert cluster.do(cluster.client.file_info("/f")).chunks == 0
