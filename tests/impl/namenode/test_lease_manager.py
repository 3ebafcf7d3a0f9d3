"""Leases: three indices that agree, renewal by holder, expiry by age."""

from genstamp_dfs.hdfs.namenode.lease_manager import LeaseManager
from genstamp_dfs.hdfs.protocol import Limits

HARD_US = 1_200_000_000


def manager() -> LeaseManager:
    return LeaseManager(Limits())


def test_one_lease_covers_all_files_of_a_holder() -> None:
    leases = manager()
    first = leases.add_lease("client1", 1, now_us=0)
    second = leases.add_lease("client1", 2, now_us=7)
    assert first is second
    assert (first.files, first.last_update_us) == ({1, 2}, 7)


def test_a_lease_goes_away_with_its_last_file() -> None:
    leases = manager()
    lease = leases.add_lease("client1", 1, now_us=0)
    leases.add_lease("client1", 2, now_us=0)
    leases.remove_lease(lease, 1)
    assert leases.get_lease("client1") is lease
    leases.remove_lease(lease, 2)
    assert (leases.leases, leases.leases_by_id) == ({}, {})


def test_hard_expiry_is_strict() -> None:
    leases = manager()
    lease = leases.add_lease("client1", 1, now_us=0)
    assert leases.expired_leases(HARD_US) == []
    assert leases.expired_leases(HARD_US + 1) == [lease]


def test_expired_leases_come_oldest_first() -> None:
    leases = manager()
    leases.add_lease("client1", 1, now_us=0)
    leases.add_lease("client2", 2, now_us=3)
    leases.renew_lease("client1", now_us=9)
    assert [lease.holder for lease in leases.expired_leases(HARD_US + 10)] == ["client2", "client1"]


def test_a_file_is_taken_out_of_whatever_lease_it_is_in() -> None:
    leases = manager()
    leases.add_lease("client1", 1, now_us=0)
    leases.remove_file(1)
    leases.remove_file(2)
    assert (leases.leases, leases.leases_by_id) == ({}, {})


def test_renewing_all_leases_makes_them_fresh() -> None:
    leases = manager()
    lease = leases.add_lease("client1", 1, now_us=0)
    leases.renew_all_leases(now_us=HARD_US)
    assert not leases.expired_hard_limit(lease, HARD_US + 1)


def test_reassigning_moves_the_file_and_renews_the_new_holder() -> None:
    leases = manager()
    old = leases.add_lease("client1", 1, now_us=0)
    new = leases.reassign_lease(old, 1, "client2", now_us=8)
    assert leases.get_lease("client1") is None
    assert leases.leases_by_id == {1: new}
    assert (new.holder, new.files, new.last_update_us) == ("client2", {1}, 8)


def test_reassigning_to_the_same_holder_keeps_one_lease() -> None:
    leases = manager()
    lease = leases.add_lease("client1", 1, now_us=0)
    leases.add_lease("client1", 2, now_us=0)
    leases.reassign_lease(lease, 1, "client1", now_us=8)
    assert {holder: lease.files for holder, lease in leases.leases.items()} == {"client1": {1, 2}}


def test_the_internal_holder_gets_a_new_name_past_the_hard_limit() -> None:
    leases = manager()
    name = leases.get_internal_lease_holder(0)
    assert leases.get_internal_lease_holder(HARD_US) == name
    assert leases.get_internal_lease_holder(HARD_US + 1) != name
