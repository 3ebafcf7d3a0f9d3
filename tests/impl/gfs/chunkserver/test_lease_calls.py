"""What a chunkserver believes of leases: never longer, and never more, than the master may count on."""

from tests.impl.gfs.chunkserver.hands import HANDLE, ByHand, id_of

from genstamp_dfs.gfs.messages.chunkserver_protocol import (
    Append,
    Apply,
    CreateChunk,
    GrantLease,
    RecordVersion,
    RevokeLease,
)
from genstamp_dfs.gfs.protocol import MASTER, Mutation
from genstamp_dfs.world.times import SECOND_US


def prepared(**settings: object) -> ByHand:
    cluster = ByHand(**settings)  # type: ignore[arg-type]
    cluster.make_chunk()
    cluster.push(1, b"data")
    return cluster


def test_only_a_primary_that_was_granted_its_lease_orders_mutations() -> None:
    cluster = prepared()
    append = Append(HANDLE, 2, id_of(1))
    assert cluster.refusal("c1", append) == "NotPrimary"
    cluster.grant(2)
    assert cluster.refusal("c2", append) == "NotPrimary"
    assert cluster.refusal("c1", Append(HANDLE, 1, id_of(1))) == "NotPrimary"
    assert cluster.refusal("c1", Append(HANDLE, 3, id_of(1))) == "NotPrimary"
    assert cluster.ask("c1", append) == 0


def test_a_lease_is_counted_from_when_its_version_was_recorded() -> None:
    cluster = prepared()
    for name in cluster.names:
        cluster.ask(name, RecordVersion(HANDLE, 2))
    cluster.pass_time(9 * SECOND_US)
    # Recording it once more, after a lost answer, does not make it younger.
    assert cluster.ask("c1", RecordVersion(HANDLE, 2)) == 0
    cluster.ask("c1", GrantLease(HANDLE, 2, ("c2", "c3")))
    assert cluster.ask("c1", Append(HANDLE, 2, id_of(1))) == 0
    cluster.pass_time(int(1.2 * SECOND_US))
    assert cluster.refusal("c1", Append(HANDLE, 2, id_of(1))) == "NotPrimary"
    assert cluster.refusal("c1", GrantLease(HANDLE, 2, ("c2", "c3"))) == "StaleVersion"


def test_an_extension_counts_from_when_it_was_asked_for_and_none_comes_to_a_lease_that_is_over() -> None:
    cluster = prepared()
    cluster.grant(2)
    leases = cluster.chunkservers["c1"].leases
    sent_us = cluster.runtimes["c1"].now_us()
    cluster.pass_time(2 * SECOND_US)
    for version, counted_us in ((2, sent_us), (2, sent_us - SECOND_US), (1, sent_us + SECOND_US)):
        leases.extend(HANDLE, version, counted_us)
        assert leases.held(HANDLE, 2).counted_us == sent_us
    cluster.pass_time(12 * SECOND_US)
    leases.extend(HANDLE, 2, cluster.runtimes["c1"].now_us())
    assert cluster.refusal("c1", Append(HANDLE, 2, id_of(1))) == "NotPrimary"


def test_a_real_lease_lasts_while_its_chunk_is_appended_to_and_no_longer() -> None:
    cluster = ByHand()
    cluster.do(cluster.client.create("/f"))
    for _ in range(20):
        cluster.do(cluster.client.append("/f", b"x"))
        cluster.pass_time(2 * SECOND_US)
    assert cluster.lease().version == 2
    cluster.pass_time(30 * SECOND_US)
    assert not any(core.leases.believed() for core in cluster.chunkservers.values())
    assert cluster.lease().version == 3


def test_a_higher_version_ends_a_lease_and_a_lower_one_is_refused() -> None:
    cluster = prepared()
    cluster.grant(2)
    cluster.ask("c1", RecordVersion(HANDLE, 5))
    assert cluster.refusal("c1", Append(HANDLE, 2, id_of(1))) == "NotPrimary"
    assert cluster.refusal("c1", RecordVersion(HANDLE, 4)) == "StaleVersion"
    assert cluster.refusal("c1", GrantLease(HANDLE, 2, ())) == "StaleVersion"
    assert cluster.refusal("c1", GrantLease(HANDLE, 6, ())) == "StaleVersion"
    assert cluster.refusal("c1", RecordVersion(HANDLE + 1, 2)) == "ChunkNotFound"
    assert cluster.refusal("c1", GrantLease(HANDLE + 1, 2, ())) == "ChunkNotFound"
    # A message from the chunk's beginning that comes late does not take the version back.
    cluster.ask("c1", CreateChunk(HANDLE, 1))
    assert cluster.chunkservers["c1"].replicas.get(HANDLE).file.version == 5


def test_revoking_fences_a_grant_that_is_still_under_way() -> None:
    cluster = prepared()
    for name in cluster.names:
        cluster.ask(name, RecordVersion(HANDLE, 2))
    cluster.ask("c1", RevokeLease(HANDLE, 2))
    assert cluster.refusal("c1", GrantLease(HANDLE, 2, ("c2", "c3"))) == "StaleVersion"
    assert cluster.refusal("c1", Append(HANDLE, 2, id_of(1))) == "NotPrimary"
    cluster.grant(3)
    cluster.ask("c1", RevokeLease(HANDLE, 2))
    assert cluster.ask("c1", Append(HANDLE, 3, id_of(1))) == 0


def test_revoking_waits_for_what_is_half_done() -> None:
    cluster = prepared()
    cluster.grant(2)
    cluster.network.part("c1", "c3")
    appended = cluster.later("c1", Append(HANDLE, 2, id_of(1)))
    cluster.pass_time(SECOND_US)
    revoked = cluster.later("c1", RevokeLease(HANDLE, 2))
    cluster.pass_time(SECOND_US)
    assert not revoked and not appended
    assert cluster.refusal("c1", Append(HANDLE, 2, id_of(1))) == "NotPrimary"
    cluster.pass_time(3 * SECOND_US)
    assert revoked == [None] and type(appended[0]).__name__ == "MutationFailed"


def test_a_chunkserver_that_has_started_again_takes_part_only_under_a_version_that_it_records_then() -> None:
    cluster = prepared()
    cluster.grant(2)
    cluster.restart("c1")
    cluster.restart("c2")
    cluster.pass_time(2 * SECOND_US)
    cluster.push(1, b"data")
    assert cluster.ask("c1", RecordVersion(HANDLE, 2)) == 0
    assert cluster.refusal("c1", GrantLease(HANDLE, 2, ("c2", "c3"))) == "StaleVersion"
    assert cluster.refusal("c2", Apply(HANDLE, 2, Mutation(1, 0, id_of(1), 4))) == "StaleVersion"
    cluster.grant(3)
    assert cluster.ask("c1", Append(HANDLE, 3, id_of(1))) == 0


def test_whom_the_master_does_not_know_holds_no_lease_not_even_one_whose_grant_comes_twice() -> None:
    cluster = prepared()
    cluster.grant(2)
    cluster.restart(MASTER)
    cluster.pass_time(3 * SECOND_US)
    assert cluster.refusal("c1", Append(HANDLE, 2, id_of(1))) == "NotPrimary"
    assert cluster.refusal("c1", GrantLease(HANDLE, 2, ("c2", "c3"))) == "StaleVersion"


def test_a_heartbeat_that_was_lost_asks_for_the_extension_once_more() -> None:
    cluster = ByHand(master_timeout_us=SECOND_US)
    cluster.do(cluster.client.create("/f"))
    cluster.do(cluster.client.append("/f", b"x"))
    lease = cluster.lease()
    cluster.network.part(MASTER, lease.primary)
    cluster.pass_time(5 * SECOND_US)
    cluster.network.heal()
    cluster.pass_time(6 * SECOND_US)
    # Ten seconds after it was granted; it was used once, before the master was out of reach.
    assert cluster.chunkservers[lease.primary].leases.believed() == [lease.handle]
