"""Events made one by one, and broken namenodes, held against hdfs.lease."""

from collections.abc import Sequence
from typing import Any, Final

import pytest

from genstamp.events import Event
from genstamp.lockstep import Entity, Held, Holder, LeftOut, hold_seeds
from genstamp.lockstep.hdfs import PROJECTIONS, simulated
from genstamp.lockstep.hdfs.lease import LeaseProjection
from genstamp.lockstep.hdfs.lease_words import FILE
from genstamp.lockstep.projection import Happened
from genstamp_dfs.errors import FileNotFoundException
from genstamp_dfs.hdfs.namenode.fs_namesystem import FSNamesystem
from genstamp_dfs.hdfs.namenode.lease_manager import Lease, LeaseManager
from genstamp_dfs.hdfs.namenode.namespace import INodeFile
from genstamp_dfs.simulation.plan import PlanOptions
from genstamp_dfs.simulation.run import default_options
from genstamp_spec.hdfs.systems.lease import LEASE


def held_seed(seed: int) -> Held:
    return hold_seeds(LEASE, [seed])


def test_runs_without_an_event_to_check_are_no_pass() -> None:
    assert hold_seeds(LEASE, []).verdict == "undetermined"


# -- twins ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_namenode_that_does_not_look_at_the_owner_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    def check_lease(self: FSNamesystem, path: str, holder: str, file_id: int = 0) -> INodeFile:
        inode = self.inode_of(path, file_id)
        if not isinstance(inode, INodeFile) or not inode.is_under_construction:
            raise FileNotFoundException(f"File does not exist: {path}")
        return inode

    monkeypatch.setattr(FSNamesystem, "check_lease", check_lease)
    held = held_seed(10)
    assert held.verdict == "rejected"
    assert "the caller owns the file" in {label for one in held.rejections for label in one.rejected.labels}
    story = held.rejections[0].lines()
    assert story[0].startswith("seed 10, ")
    assert any("client_name[file] = client" in line for line in story)


@pytest.mark.slow
def test_a_namenode_that_takes_files_before_the_soft_limit_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    def expired_soft_limit(self: LeaseManager, lease: Lease, now_us: int) -> bool:
        return lease.is_older_than(self.limits.soft_limit_ms // 2, now_us)

    monkeypatch.setattr(LeaseManager, "expired_soft_limit", expired_soft_limit)
    held = held_seed(10)
    rejected = {one.rejected.event for one in held.rejections}
    assert rejected == {"append starting a recovery", "create starting a recovery"}
    labels = {label for one in held.rejections for label in one.rejected.labels}
    assert "the holder's lease is past its soft limit" in labels


@pytest.mark.slow
def test_a_namenode_that_forgets_renewals_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LeaseManager, "renew_lease", lambda self, holder, now_us: None)
    held = held_seed(1)
    labels = {label for one in held.rejections for label in one.rejected.labels}
    assert "the lease is past its hard limit" in labels


# -- made events ----------------------------------------------------------------------------------------------------


class Made:
    """Events of a namenode, made one by one."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def __call__(self, event: str, at_s: int = 0, kind: str = "file", entity: str = "/f", **columns: Any) -> "Made":
        """One more event; what is no column is an argument."""
        known = {name: columns.pop(name) for name in list(columns) if name in Event.__struct_fields__}
        self.events.append(
            Event(
                source="test",
                node="namenode",
                node_sequence=len(self.events) + 1,
                time_us=at_s * 1_000_000,
                kind=kind,  # type: ignore[arg-type]
                namespace="",
                entity=entity,
                event=event,
                arguments={name: str(value) for name, value in columns.items()},
                **known,
            )
        )
        return self

    def written(self) -> "Made":
        """A file with a block of which 10 bytes are told."""
        self("create", client="client1", file="/f", inode=1)
        self("add_block", client="client1", file="/f", inode=1, block=7, generation_stamp=1001)
        return self("fsync", client="client1", file="/f", inode=1, block=7, passed_bytes=10)


def hold(events: Sequence[Event]) -> Held:
    held = Held()
    options = default_options()
    clients = ("client1", "client2", "client3")
    Holder(LEASE.model("repaired"), lambda: PROJECTIONS[LEASE.name](options, clients)).hold(0, events, held)
    return held


def project(events: Sequence[Event]) -> list[Any]:
    projection = LeaseProjection(("client1", "client2"), 60_000, 300_000)
    return [projected for _, projected in projection.project(events)]


def recovered(made: Made, recovery_id: int, **columns: Any) -> Made:
    """A recovery that ends."""
    known: dict[str, Any] = {
        "kind": "block",
        "entity": "7",
        "primary": "datanode1",
        "inode": 1,
        "block": 7,
        "recovery_id": recovery_id,
    }
    return made("commit_block_synchronization", **{**known, **columns})


CLOSED: Final = {"closed": "true", "deleted": "false"}


def taken_over_twice() -> Made:
    """A file that was taken over again, the gate between two recoveries being open."""
    made = Made().written()
    for at_s, recovery_id in ((1, 1002), (200, 1003)):
        made(
            "recover_lease",
            at_s,
            client="client2",
            file="/f",
            inode=1,
            recovery_id=recovery_id,
            observed={"closed": "false"},
        )
    return made


def test_a_recovery_that_was_overtaken_is_to_be_refused() -> None:
    refused = recovered(taken_over_twice(), 1002, refused_with="IOException")
    assert hold(recovered(refused, 1003, num_bytes=10, observed=CLOSED).events).verdict == "conforms"


def test_a_namenode_that_takes_the_result_of_an_overtaken_recovery_is_rejected() -> None:
    held = hold(recovered(taken_over_twice(), 1002, num_bytes=10, observed=CLOSED).events)
    assert held.verdict == "rejected"
    assert "recovery_id is 3, shown 2" in "\n".join(held.rejections[0].lines())


def test_a_namenode_that_completes_a_block_under_recovery_is_rejected() -> None:
    """HDFS-10240: here the file is still its writer's, who has had it taken over for itself."""
    made = Made().written()
    takes: dict[str, Any] = {"client": "client1", "file": "/f", "inode": 1}
    made("recover_lease", 1, **takes, recovery_id=1002, observed={"closed": "false"})
    completes: dict[str, Any] = {**takes, "block": 7, "passed_bytes": 10}
    refused = Made()
    refused.events = list(made.events)
    assert hold(refused("complete", 2, **completes, refused_with="IOException").events).verdict == "conforms"
    made("complete", 2, **completes, observed={"closed": "false", "block_state": "COMMITTED"})
    held = hold(made.events)
    assert "the block is not under recovery" in held.rejections[0].rejected.labels


def test_what_is_not_spoken_of_is_left_out_with_a_reason() -> None:
    made = Made()("mkdirs", client="client1", file="/d")("send_heartbeat", kind="node", datanode="datanode1")
    held = hold(made("complete", client="client1", file="/f", inode=99).events)
    assert (held.judged, held.verdict, sum(held.left_out.values())) == (0, "undetermined", 3)


def test_an_unknown_event_is_not_passed_in_silence() -> None:
    made = Made()("create", client="client1", file="/f", inode=1)
    with pytest.raises(AssertionError, match="the projection does not handle the NameNode's event 'defragment'"):
        hold(made("defragment", client="client1", file="/f", inode=1).events)


def test_a_truncated_file_is_judged_no_more() -> None:
    made = Made().written()("truncate", client="client1", file="/f", inode=1, recovery_id=1002)
    held = hold(made("create", client="client1", file="/f", inode=1, refused_with="NoSuchException").events)
    assert (held.verdict, sum(held.ended.values())) == ("conforms", 1)


def test_stamps_are_counted_by_file_and_lengths_by_rank() -> None:
    made = Made().written()("complete", client="client1", file="/f", inode=1, block=7, passed_bytes=500)
    created, added, flushed, completed = project(made.events)
    (block,) = [step for step in added[0].steps if isinstance(step, Event) and step.event == "add_block"]
    assert block.generation_stamp == 1
    assert [step.event for step in added[0].steps if isinstance(step, Event)] == ["add_block", "write"]
    assert [step.num_bytes for step in flushed[0].steps] == [1, 2]
    assert completed[0].steps[0] == Happened("last_packet", {"client": "client1", "file": FILE})
    assert isinstance(created[0], Entity)


def test_a_pipeline_recovery_leaves_the_block_its_generation() -> None:
    made = Made().written()
    made("update_pipeline", kind="block", entity="7", client="client1", inode=1, generation_stamp=1004)
    made("append", client="client1", file="/f", inode=1, block=7, generation_stamp=1004)
    *_, updated, appended = project(made.events)
    assert {step.action for step in updated[0].steps} == {"datanode_stops", "datanode_returns"}
    assert appended[0].steps[0].generation_stamp == 1


def appended_past_the_soft_limit(at_s: int) -> Held:
    """Seed 235: a file that a client has opened for a new block is taken over by an append to its last block."""
    made = Made().written()
    takes: dict[str, Any] = {"client": "client1", "file": "/f", "inode": 1}
    made("complete", **takes, block=7, passed_bytes=10, observed={"closed": "true"})
    made("append", **takes)
    made("append", at_s, client="client2", file="/f", inode=1, block=7, generation_stamp=1001)
    return hold(made("fsync", at_s, client="client2", file="/f", inode=1, block=7, passed_bytes=20).events)


def test_an_append_past_the_soft_limit_goes_on_with_the_last_block() -> None:
    assert appended_past_the_soft_limit(70).verdict == "conforms"


def test_an_append_that_takes_a_file_over_before_the_soft_limit_is_rejected() -> None:
    assert appended_past_the_soft_limit(50).verdict == "rejected"


def test_replicas_of_an_older_generation_do_not_complete_a_block() -> None:
    """An append with a new generation: the block is committed and not complete, so that no other one is added."""
    made = Made().written()
    takes: dict[str, Any] = {"client": "client1", "file": "/f", "inode": 1}
    made("complete", **takes, block=7, passed_bytes=10, observed={"closed": "true"})
    made("append", **takes, block=7, generation_stamp=1001)
    made("update_pipeline", kind="block", entity="7", client="client1", inode=1, generation_stamp=1002)
    made("add_block", **takes, block=8, passed_bytes=20, generation_stamp=1003)
    made("fsync", **takes, block=8, passed_bytes=5)
    held = hold(made("add_block", **takes, passed_bytes=9, refused_with="NotReplicatedYetException").events)
    assert held.verdict == "conforms"


def test_a_call_that_comes_again_is_left_out() -> None:
    made = Made().written()
    for _ in range(2):
        made("complete", client="client1", file="/f", inode=1, block=7, passed_bytes=10, call="client1 5")
    *_, first, second = project(made.events)
    assert isinstance(first[0], Entity)
    assert isinstance(second[0], LeftOut)


def test_a_complete_that_was_answered_with_false_may_come_again_as_the_same_call() -> None:
    """Seed 154: the answer was lost, and the call that was repeated has closed the file."""
    made = Made().written()
    completes: dict[str, Any] = {"client": "client1", "file": "/f", "inode": 1, "block": 7, "call": "client1 5"}
    for state, closed in (("COMMITTED", "false"), ("COMPLETE", "true")):
        made("complete", **completes, passed_bytes=10, observed={"closed": closed, "block_state": state})
    made("create", client="client2", file="/f", inode=1, refused_with="FileAlreadyExistsException")
    assert hold(made.events).verdict == "conforms"


def test_a_lease_passes_its_limit_by_the_namenodes_clock() -> None:
    made = Made().written()("renew_lease", 30, kind="lease", entity="client1", client="client1")
    for at_s in (90, 91):
        made("create", at_s, client="client2", file="/f", inode=1, refused_with="AlreadyBeingCreatedException")
    *_, young, old = project(made.events)
    assert not [step for step in young[0].steps if isinstance(step, Happened)]
    assert old[0].steps[0] == Happened("soft_limit_passes", {"holder": "client1"})


def test_a_file_of_an_edit_that_was_lost_is_judged_no_more() -> None:
    made = Made()("create", client="client1", file="/f", inode=1, transaction=5)
    *_, restarted = project(made("namenode_restart", kind="node", entity="namenode", transaction=4).events)
    assert restarted[0].key == "1"
    assert isinstance(restarted[0], LeftOut)


def test_a_deletion_that_was_lost_leaves_its_file_unjudged() -> None:
    made = Made()("create", client="client1", file="/f", inode=1, transaction=5)
    made("delete", client="client2", file="/f", inode=1, transaction=6, observed={"answer": "true"})
    made("namenode_restart", kind="node", entity="namenode", transaction=5)
    held = hold(made("delete", client="client2", file="/f", inode=1, refused_with="SafeModeException").events)
    assert (held.verdict, sum(held.ended.values())) == ("conforms", 1)


def test_a_recovery_that_finds_fewer_bytes_than_were_told_ends_the_judgement() -> None:
    for shown in ({"observed": {"closed": "true", "deleted": "true"}}, {"num_bytes": 9, "observed": CLOSED}):
        made = Made().written()
        known: dict[str, Any] = {"client": "client2", "file": "/f", "inode": 1, "observed": {"closed": "false"}}
        made("recover_lease", 1, **known, recovery_id=1002)
        held = hold(recovered(made, 1002, **shown).events)
        assert (held.verdict, sum(held.ended.values())) == ("conforms", 1)


def test_the_same_seed_gives_the_same_events() -> None:
    options, plan = default_options(), PlanOptions(safety_s=60)
    assert simulated(3, options, plan) == simulated(3, options, plan)
