"""A full disk: what needs room is refused, the replica stays as it was, reads go on, and the master goes elsewhere."""

from tests.impl.gfs.chunkserver.hands import HANDLE, ByHand, id_of

from genstamp_dfs.gfs.messages.chunkserver_protocol import CreateChunk, RecordVersion, Write
from genstamp_dfs.world.times import SECOND_US


def test_a_primary_without_room_refuses_and_is_read_all_the_same() -> None:
    cluster = ByHand()
    cluster.make_chunk()
    cluster.grant(2)
    cluster.push(1, b"a" * 100)
    cluster.ask("c1", Write(HANDLE, 2, 0, id_of(1)))
    cluster.fill_disk("c1", 10)
    cluster.push(2, b"b" * 100)
    assert cluster.refusal("c1", Write(HANDLE, 2, 50, id_of(2))) == "NoRoom"
    assert cluster.bytes_of("c1", 2) == cluster.bytes_of("c2", 2) == b"a" * 100
    assert cluster.refusal("c1", Write(HANDLE, 2, 0, id_of(2))) == "NotPrimary", "it orders nothing any more"
    assert cluster.refusal("c1", CreateChunk(HANDLE + 1, 1)) == "NoRoom"


def test_whoever_was_full_takes_part_again_after_a_while() -> None:
    cluster = ByHand(full_wait_us=20 * SECOND_US)
    cluster.make_chunk()
    cluster.fill_disk("c2", 0)
    assert cluster.refusal("c2", RecordVersion(HANDLE, 2)) == "NoRoom"
    cluster.fill_disk("c2", None)
    assert cluster.refusal("c2", RecordVersion(HANDLE, 2)) == "NoRoom"
    cluster.pass_time(25 * SECOND_US)
    assert cluster.ask("c2", RecordVersion(HANDLE, 2)) == 0


def test_a_secondary_without_room_fails_the_mutation_and_the_client_goes_on_without_it() -> None:
    cluster = ByHand()
    cluster.do(cluster.client.create("/f"))
    cluster.do(cluster.client.write("/f", 0, b"a" * 300))
    full = cluster.lease().secondaries[0]
    cluster.fill_disk(full, 0)
    cluster.do(cluster.client.write("/f", 300, b"b" * 300))
    assert full not in cluster.lease().chunkservers
    assert set(cluster.replicas(cluster.handle()).values()) == {b"a" * 300 + b"b" * 300}
    assert [event.refused_with for event in cluster.events("fail_to_apply")] == ["NoRoom"] * len(
        cluster.events("fail_to_apply")
    )
    assert cluster.events("fail_to_apply")
