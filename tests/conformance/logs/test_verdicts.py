"""Each verdict, and a broken history of each kind with the reason that it has to be given."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from genstamp.events import Event, Kind
from genstamp.logs.local import Checked, check_locally
from genstamp.logs.summary import Summary

Judge = Callable[..., dict[str, Any]]

_NODES = {"file": "namenode", "block": "namenode", "lease": "namenode", "replica": "datanode1", "node": "namenode"}


def _happened(kind: Kind, entity: str, event: str, **told: Any) -> dict[str, Any]:
    """An event, with what it tells beside its name: columns as they are, anything else as an observation."""
    columns = {name: told.pop(name) for name in list(told) if name in Event.__struct_fields__}
    return {
        "source": "genstamp-dfs",
        "node": _NODES[kind],
        "kind": kind,
        "namespace": "BP-1",
        "entity": entity,
        "event": event,
        "observed": told,
        **columns,
    }


def block(event: str, **told: Any) -> dict[str, Any]:
    return _happened("block", "7", event, **told)


def replica(event: str, **told: Any) -> dict[str, Any]:
    return _happened("replica", "7@datanode1", event, **told)


def file(event: str, **told: Any) -> dict[str, Any]:
    return _happened("file", "/a", event, **told)


def lease(event: str, **told: Any) -> dict[str, Any]:
    return _happened("lease", "client1", event, **told)


@pytest.fixture
def judge(tmp_path: Path) -> Judge:
    """The verdict on the key of the first event of a history."""

    def verdict(history: Sequence[dict[str, Any]], *, complete: bool = True) -> dict[str, Any]:
        numbers: dict[str, int] = {}
        lines = []
        for happened in history:
            node = happened["node"]
            numbers[node] = numbers.get(node, 0) + 1
            lines.append(msgspec.json.encode({**happened, "node_sequence": numbers[node]}))
        (tmp_path / "events.jsonl").write_bytes(b"\n".join(lines))
        checked = check_locally([tmp_path / "events.jsonl"], complete=complete)
        assert checked.rejects.num_rows == 0, checked.rejects.to_pylist()
        kind, entity = history[0]["kind"], history[0]["entity"]
        rows = [row for row in checked.verdicts.to_pylist() if row["kind"] == kind and row["entity"].startswith(entity)]
        return next(iter(rows))

    return verdict


ADDED = block("add_block", generation_stamp=1001)
STARTED = block("start_recovery", recovery_id=1002)
COMMITTED = block("commit_block_synchronization", recovery_id=1002, num_bytes=5, closed="true", deleted="false")
CREATED = file("create", arguments={"client": "client1", "file": "/a"})
RBW = replica("create_rbw", generation_stamp=1001)
PACKET = replica("receive_packet", generation_stamp=1001, num_bytes=1)
FINALIZED = replica("finalize_replica", generation_stamp=1001, num_bytes=1)
FROZEN = replica("init_replica_recovery", generation_stamp=1001, recovery_id=1002, num_bytes=1, replica_state="RBW")


@pytest.mark.parametrize(
    ("history", "completion", "states"),
    [
        ([ADDED], "unfinished", ["UNDER_CONSTRUCTION"]),
        ([ADDED, STARTED], "unfinished", ["UNDER_RECOVERY"]),
        ([ADDED, STARTED, COMMITTED], "complete", ["COMPLETE"]),
        ([ADDED, STARTED, COMMITTED, COMMITTED], "complete", ["COMPLETE"]),
        ([block("hflush", num_bytes=1)], "unknown", ["absent"]),
        ([CREATED], "unfinished", ["under construction"]),
        ([CREATED, file("complete", closed="false"), file("complete", closed="true")], "complete", ["closed"]),
        ([CREATED, file("complete", refused_with="LeaseExpiredException")], "unfinished", ["under construction"]),
        ([RBW, PACKET, FINALIZED], "complete", ["FINALIZED"]),
        ([RBW, PACKET, FROZEN], "unfinished", ["RUR"]),
        ([RBW, replica("invalidate_replica", generation_stamp=1001)], "complete", ["absent"]),
        ([lease("renew_lease")], "unknown", ["released"]),
    ],
    ids=lambda value: "" if isinstance(value, list) else str(value),
)
def test_history_in_order_conforms(
    judge: Judge, history: list[dict[str, Any]], completion: str, states: list[str]
) -> None:
    verdict = judge(history)
    assert (verdict["safety"], verdict["completion"], verdict["states"]) == ("conformant", completion, states)


BROKEN: dict[str, tuple[list[dict[str, Any]], str, list[str], str, str]] = {
    "block is given out twice": (
        [ADDED, block("add_block", generation_stamp=1002)],
        "add_block",
        ["UNDER_CONSTRUCTION"],
        "add_block is no step of a block that is UNDER_CONSTRUCTION",
        "",
    ),
    "recovery id is not new": (
        [ADDED, STARTED, block("start_recovery", recovery_id=1002)],
        "start_recovery",
        ["UNDER_RECOVERY"],
        "recovery id 1002 is not above 1002",
        "start_recovery with recovery id above 1002",
    ),
    "recovery id is below the stamp of the block": (
        [ADDED, block("start_recovery", recovery_id=1000)],
        "start_recovery",
        ["UNDER_CONSTRUCTION"],
        "recovery id 1000 is not above 1001",
        "start_recovery with recovery id above 1001",
    ),
    "commit of a recovery that was overtaken": (
        [ADDED, STARTED, block("start_recovery", recovery_id=1003), COMMITTED],
        "commit_block_synchronization (closed=true)",
        ["UNDER_RECOVERY"],
        "recovery id 1002 is not 1003",
        "commit_block_synchronization (closed=true) with recovery id 1003",
    ),
    "commit without a recovery": (
        [ADDED, COMMITTED],
        "commit_block_synchronization (closed=true)",
        ["UNDER_CONSTRUCTION"],
        "commit_block_synchronization (closed=true) is no step of a block that is UNDER_CONSTRUCTION",
        "commit_block_synchronization (closed=true) after start_recovery",
    ),
    "client commits a block under recovery": (  # HDFS-10240
        [ADDED, STARTED, block("complete", closed="true")],
        "complete (closed=true)",
        ["UNDER_RECOVERY"],
        "complete (closed=true) is no step of a block that is UNDER_RECOVERY",
        "complete (closed=true) after",
    ),
    "block of no file gets a new pipeline": (
        [ADDED, block("abandon_block"), block("update_pipeline", generation_stamp=1003)],
        "update_pipeline",
        ["removed"],
        "update_pipeline is no step of a block that is removed",
        "nothing: the life of this block is over",
    ),
    "pipeline under an old stamp": (
        [ADDED, block("update_pipeline", generation_stamp=1003), block("update_pipeline", generation_stamp=1002)],
        "update_pipeline",
        ["UNDER_CONSTRUCTION"],
        "generation stamp 1002 is not above 1003",
        "update_pipeline with generation stamp above 1003",
    ),
    "replica is written over another": (
        [RBW, PACKET, FINALIZED, RBW],
        "create_rbw",
        ["FINALIZED"],
        "create_rbw is no step of a replica that is FINALIZED",
        "create_rbw after invalidate",
    ),
    "replica is frozen for a recovery that is not newer": (
        [RBW, PACKET, FROZEN, FROZEN],
        "init_replica_recovery (replica_state=RBW)",
        ["RUR"],
        "recovery id 1002 is not above 1002",
        "init_replica_recovery (replica_state=RBW) with recovery id above 1002",
    ),
    "replica is updated under another id": (
        [RBW, PACKET, FROZEN, replica("update_replica_under_recovery", recovery_id=1003, num_bytes=1)],
        "update_replica_under_recovery",
        ["RUR"],
        "recovery id 1003 is not 1002",
        "update_replica_under_recovery with recovery id 1002",
    ),
    "replica becomes longer in a recovery": (
        [RBW, PACKET, FROZEN, replica("update_replica_under_recovery", recovery_id=1002, num_bytes=2)],
        "update_replica_under_recovery",
        ["RUR"],
        "num bytes 2 is above 1",
        "update_replica_under_recovery with num bytes 1 or less",
    ),
    "fenced writer goes on": (
        [RBW, PACKET, FROZEN, replica("receive_packet", generation_stamp=1001, num_bytes=2)],
        "receive_packet",
        ["RUR"],
        "receive_packet is no step of a replica that is RUR",
        "receive_packet after",
    ),
    "replica of another stamp is deleted": (
        [RBW, replica("invalidate_replica", generation_stamp=1002)],
        "invalidate_replica",
        ["RBW"],
        "generation stamp 1002 is not 1001",
        "invalidate_replica with generation stamp 1001",
    ),
    "recovery is refused for no reason": (
        [RBW, PACKET, replica("init_replica_recovery", recovery_id=1002, refused_with="RecoveryInProgressException")],
        "init_replica_recovery (refused with RecoveryInProgressException)",
        ["RBW"],
        "init_replica_recovery (refused with RecoveryInProgressException) is no step of a replica that is RBW",
        "after init_recovery",
    ),
    "closed file is closed once more by a recovery": (
        [CREATED, file("complete", closed="true"), file("release_expired_lease", closed="true")],
        "release_expired_lease (closed=true)",
        ["closed"],
        "release_expired_lease (closed=true) is no step of a file that is closed",
        "after create_overwrite",
    ),
    "file gets a block and was never created": (
        [file("add_block")],
        "add_block",
        ["absent"],
        "add_block is no step of a file that is absent",
        "add_block after create",
    ),
    "holder works without a lease": (
        [lease("renew_lease"), lease("add_block", arguments={"client": "client1"})],
        "add_block",
        ["released"],
        "add_block is no step of a lease that is released",
        "add_block after grant",
    ),
    "stamp is given out twice": (
        [_happened("node", "namenode", "set_generation_stamp", generation_stamp=1005)] * 2,
        "set_generation_stamp",
        ["running"],
        "generation stamp 1005 is not above 1005",
        "set_generation_stamp with generation stamp above 1005",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_history_is_violated_with_its_reason(judge: Judge, name: str) -> None:
    history, rejected, before, failed, accepted = BROKEN[name]
    verdict = judge(history)
    assert verdict["safety"] == "violated"
    assert (verdict["rejected_event"], verdict["states_before"], verdict["failed"]) == (rejected, before, failed)
    assert accepted in verdict["accepted"]
    assert verdict["place"]["line"] == len(history) and verdict["place"]["file"].endswith("events.jsonl")


@pytest.mark.parametrize(
    "name",
    ["block is given out twice", "recovery id is not new", "pipeline under an old stamp", "stamp is given out twice"],
)
def test_violation_that_no_missing_line_explains_is_one_by_default(judge: Judge, name: str) -> None:
    assert judge(BROKEN[name][0], complete=False)["safety"] == "violated"


@pytest.mark.parametrize(
    "name",
    ["commit without a recovery", "replica is written over another", "file gets a block and was never created",
     "replica is updated under another id", "holder works without a lease"],
)  # fmt: skip
def test_violation_that_a_missing_line_explains_is_none_by_default(judge: Judge, name: str) -> None:
    assert judge(BROKEN[name][0], complete=False)["safety"] == "conformant"


def test_late_commit_of_a_closed_file_changes_nothing(judge: Judge) -> None:
    """G.6 row 6: it is accepted in silence, so stamp and length stay those of the younger recovery."""
    again = [
        block("append", generation_stamp=1002),
        block("start_recovery", recovery_id=1003),
        block("commit_block_synchronization", recovery_id=1003, num_bytes=4, closed="true"),
    ]
    late = [ADDED, STARTED, COMMITTED, *again, COMMITTED, block("append", generation_stamp=1003)]
    assert judge(late)["safety"] == "conformant"
    assert judge([*late[:-1], block("append", generation_stamp=1002)])["failed"] == "generation stamp 1002 is not 1003"


def test_file_that_is_created_again_is_another_one_only_if_it_was_deleted(judge: Judge) -> None:
    closed = file("complete", closed="true")
    assert judge([CREATED, closed, CREATED])["failed"] == "create is no step of a file that is closed"
    assert judge([CREATED, closed, file("delete"), CREATED])["safety"] == "conformant"
    assert judge([CREATED, closed, CREATED], complete=False)["safety"] == "conformant"


def test_stamp_below_the_known_one_is_violated_whatever_is_missing(judge: Judge) -> None:
    history = [ADDED, block("update_pipeline", generation_stamp=1005), block("fsync", generation_stamp=1004)]
    verdict = judge(history, complete=False)
    assert verdict["failed"] == "generation stamp 1004 is not 1005"


def test_events_of_several_nodes_are_tried_in_other_orders(judge: Judge) -> None:
    """A datanode's line stands before that of the NameNode, which gave the id out: no clock says that it was before."""
    command = block("receive_recovery_command", recovery_id=1002, node="datanode1")
    assert judge([ADDED, block("start_recovery", recovery_id=1001 + 1), command])["safety"] == "conformant"
    early = [ADDED, block("start_recovery", recovery_id=1002), block("sync_block", recovery_id=1003, node="datanode1"),
             block("start_recovery", recovery_id=1003)]  # fmt: skip
    verdict = judge(early)
    assert (verdict["safety"], verdict["states"]) == ("conformant", ["UNDER_RECOVERY"])
    assert (verdict["path"], judge(early[:2])["path"]) == ("slow", "fast")


def test_recovery_id_that_nobody_gave_out_is_violated_in_every_order(judge: Judge) -> None:
    verdict = judge([ADDED, STARTED, block("sync_block", recovery_id=1009, node="datanode1")])
    assert verdict["failed"] == "recovery id 1009 is above 1002"


@pytest.mark.parametrize(
    ("history", "accepted"),
    [
        ([ADDED, STARTED, COMMITTED, ADDED], "append or truncate or abandon_block or delete, ... instead"),
        (
            [ADDED, STARTED, COMMITTED, block("block_received", block_state="COMMITTED")],
            "block_received (block_state=COMPLETE) instead",
        ),
    ],
    ids=["steps of the same block", "the same with what is the case"],
)
def test_accepted_is_what_would_be_at_once(judge: Judge, history: list[dict[str, Any]], accepted: str) -> None:
    assert judge(history)["accepted"] == accepted


@pytest.mark.parametrize("refused", [None, "ReplicaNotFoundException"])
@pytest.mark.parametrize("event", ["init_replica_recovery", "update_replica_under_recovery"])
def test_datanode_uses_no_recovery_id_of_a_block_that_was_not_given_out(
    judge: Judge, event: str, refused: str | None
) -> None:
    """Also where the call is refused: the id was in it."""
    told = {"num_bytes": 1, "refused_with": refused} if refused else {"num_bytes": 1}
    assert judge([ADDED, STARTED, replica(event, recovery_id=1002, **told)])["safety"] == "conformant"
    verdict = judge([ADDED, STARTED, replica(event, recovery_id=1009, **told)])
    assert (verdict["kind"], verdict["failed"]) == ("block", "recovery id 1009 is above 1002")


def test_search_that_is_cut_short_leaves_the_key_undetermined(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    talk = [block("hflush", node=f"client{number}") for number in range(9)]
    history = [*talk, ADDED, block("update_pipeline", generation_stamp=1000)]
    monkeypatch.setattr(Summary.terms, "__defaults__", (100,))
    verdict = judge(history)
    assert verdict["safety"] == "undetermined" and verdict["failed"] == "no order was found among 100 situations"


def test_event_of_which_no_rule_says_what_it_means_leaves_the_key_undetermined(tmp_path: Path) -> None:
    (tmp_path / "events").write_bytes(msgspec.json.encode({**file("frobnicate"), "node_sequence": 1}))
    checked: Checked = check_locally([tmp_path / "events"])
    (verdict,) = checked.verdicts.to_pylist()
    assert verdict["safety"] == "undetermined"
    (reject,) = checked.rejects.to_pylist()
    assert reject["reason"] == "no rule says what 'frobnicate' means for a file"


# -- one lease an open file -----------------------------------------------------------------------------------------


def _by(client: str, event: str, **told: Any) -> dict[str, Any]:
    return file(event, arguments={"client": client, "file": "/a"}, **told)


_REASSIGNED = file("reassign_lease", arguments={"holder": "client1", "new_holder": "client2", "file": "/a"})


@pytest.mark.parametrize("event", ["add_block", "fsync", "abandon_block", "update_pipeline", "complete"])
def test_client_that_does_not_hold_the_lease_of_a_file_does_not_work_on_it(judge: Judge, event: str) -> None:
    told = {"closed": "true"} if event == "complete" else {}
    assert judge([CREATED, _by("client1", event, **told)])["safety"] == "conformant"
    verdict = judge([CREATED, _by("client2", event, **told)])
    assert (verdict["safety"], verdict["failed"]) == ("violated", "who acts is not the holder of the file's lease")
    assert verdict["accepted"].endswith("by the holder of its lease")
    # The line that gave the lease to the other client may be missing.
    assert judge([CREATED, _by("client2", event, **told)], complete=False)["safety"] == "conformant"


def test_lease_that_was_reassigned_is_the_new_holders(judge: Judge) -> None:
    assert judge([CREATED, _REASSIGNED, _by("client2", "add_block")])["safety"] == "conformant"
    fenced = judge([CREATED, _REASSIGNED, _by("client1", "add_block")])
    assert fenced["failed"] == "who acts is not the holder of the file's lease"


def test_lease_goes_from_the_holder_of_the_file_only(judge: Judge) -> None:
    verdict = judge([_by("client3", "create"), _REASSIGNED])
    assert verdict["failed"] == "the lease is not that of the file's holder"


def test_file_that_is_open_is_opened_by_nobody_else(judge: Judge) -> None:
    verdict = judge([CREATED, _by("client2", "append")])
    assert verdict["failed"] == "append is no step of a file that is under construction"
    closed = _by("client1", "complete", closed="true")
    later = [CREATED, closed, _by("client2", "append"), _by("client2", "add_block")]
    assert judge(later)["safety"] == "conformant"
    assert judge([*later[:-1], _by("client1", "add_block")])["safety"] == "violated"


def test_holder_after_a_recovery_that_names_none_is_anybody(judge: Judge) -> None:
    recovered = file("recover_lease", closed="false")
    assert judge([CREATED, recovered, _by("client9", "add_block")])["safety"] == "conformant"


# -- no replica of a block that is gone -----------------------------------------------------------------------------


@pytest.mark.parametrize("complete", [False, True])
def test_no_replica_is_added_to_a_block_that_is_gone(judge: Judge, complete: bool) -> None:
    """Ids are never given out again, so no line that is missing explains it."""
    stored = block("add_stored_block", generation_stamp=1001)
    verdict = judge([ADDED, block("abandon_block"), stored], complete=complete)
    assert verdict["failed"] == "add_stored_block is no step of a block that is removed"
    # A report alone may be late: the NameNode then has the replica deleted.
    late = block("block_received", generation_stamp=1001, block_state="none")
    assert judge([ADDED, stored, block("abandon_block"), late], complete=complete)["safety"] == "conformant"


def test_replica_of_a_deleted_file_may_be_that_of_a_snapshot(judge: Judge) -> None:
    closed = block("complete", closed="true", generation_stamp=1001, num_bytes=5)
    history = [ADDED, closed, block("delete"), block("add_stored_block", generation_stamp=1001)]
    assert judge(history, complete=True)["safety"] == "conformant"
