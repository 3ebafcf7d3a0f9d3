"""The story of one key: which key is meant, its events, what was rejected, and its pictures."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest
from typer.testing import CliRunner

from genstamp.cli.logs.verb import logs_app
from genstamp.logs.kept import Kept, NoTablesError, check_and_keep, read_kept
from genstamp.logs.keys import AmbiguousKeyError, NoSuchKeyError, find_key
from genstamp.logs.lanes import chart
from genstamp.logs.report import Finding, KeyCount, Report, cases, plain
from genstamp.logs.story import Story, lines, tell, with_stories
from genstamp.logs.tables import Key
from genstamp_model.traces import mermaid, swim_lanes

Checks = Callable[..., Kept]


def _event(kind: str, entity: str, event: str, node: str = "namenode", **columns: Any) -> dict[str, Any]:
    return {
        "source": "genstamp-dfs",
        "node": node,
        "kind": kind,
        "namespace": "BP-1",
        "entity": entity,
        "event": event,
        **columns,
    }


ADDED = _event("block", "7", "add_block", generation_stamp=1001, arguments={"file": "/a"})
STARTED = _event("block", "7", "start_recovery", recovery_id=1002)
STALE = _event("block", "7", "start_recovery", recovery_id=1002)
EARLY = _event("block", "7", "sync_block", "datanode1", recovery_id=1003)
LATER = _event("block", "7", "start_recovery", recovery_id=1003)
CREATED = _event("file", "/a", "create", arguments={"client": "client1", "file": "/a"})
DELETED = _event("file", "/a", "delete")


@pytest.fixture
def checks(tmp_path: Path) -> Checks:
    """Checks a history that is whole."""

    def check(history: Sequence[dict[str, Any]]) -> Kept:
        numbers: dict[str, int] = {}
        written = []
        for happened in history:
            numbers[happened["node"]] = numbers.get(happened["node"], 0) + 1
            written.append(msgspec.json.encode({**happened, "node_sequence": numbers[happened["node"]]}))
        (tmp_path / "events.jsonl").write_bytes(b"\n".join(written))
        return check_and_keep([str(tmp_path / "events.jsonl")], complete=True)

    return check


def _story(kept: Kept, asked: str = "blk_7") -> Story:
    return tell(kept, find_key(kept, asked))


@pytest.mark.parametrize("asked", ["blk_7", "blk_7_1001", "blk_7_1001.meta", "7"])
def test_block_is_known_by_the_names_that_hdfs_gives_it(checks: Checks, asked: str) -> None:
    assert find_key(checks([ADDED]), asked) == Key("BP-1", "block", "7")


def test_replica_is_a_block_at_a_datanode(checks: Checks) -> None:
    kept = checks([_event("replica", "7@dn1:9866", "create_rbw", "dn1:9866", generation_stamp=1001)])
    assert find_key(kept, "blk_7@dn1:9866").kind == "replica"


def test_path_means_every_file_that_was_there(checks: Checks) -> None:
    kept = checks([CREATED, DELETED, CREATED])
    with pytest.raises(AmbiguousKeyError, match="2 entities are '/a'; choose with --kind") as raised:
        find_key(kept, "/a")
    assert [key.entity for key in raised.value.keys] == ["/a#1", "/a#2"]
    assert find_key(kept, "/a#2").entity == "/a#2"


def test_file_that_is_known_by_its_inode_is_found_by_its_path(checks: Checks) -> None:
    created = {**CREATED, "arguments": {**CREATED["arguments"], "inode": "16386"}}
    assert find_key(checks([created]), "/a") == Key("BP-1", "file", "16386")


def test_holder_is_a_lease(checks: Checks) -> None:
    assert find_key(checks([CREATED]), "client1").kind == "lease"


def test_kind_and_namespace_choose(checks: Checks) -> None:
    kept = checks([ADDED, {**ADDED, "namespace": "BP-2", "node": "namenode2"}])
    with pytest.raises(AmbiguousKeyError, match="block 7 of BP-1, block 7 of BP-2"):
        find_key(kept, "blk_7")
    assert find_key(kept, "blk_7", namespace="BP-2").namespace == "BP-2"
    known = "block 7 of BP-1, block 7 of BP-2"
    with pytest.raises(NoSuchKeyError, match=f"no entity 'blk_7'; without --kind and --namespace there is {known}"):
        find_key(kept, "blk_7", kind="file")
    with pytest.raises(NoSuchKeyError, match="no entity 'blk_9'; a block is blk_ID"):
        find_key(kept, "blk_9", kind="file")


def test_each_event_is_told_with_the_states_after_it(checks: Checks) -> None:
    story = _story(checks([ADDED, STARTED]))
    assert [(step.event, step.states, step.line) for step in story.steps] == [
        ("add_block", ("UNDER_CONSTRUCTION",), 1),
        ("start_recovery", ("UNDER_RECOVERY",), 2),
    ]
    assert story.steps[0].told == {"file": "/a"} and story.steps[1].values == {"recovery_id": 1002}


def test_rejected_event_is_told_with_what_would_have_been_accepted(checks: Checks) -> None:
    story = _story(checks([ADDED, STARTED, STALE, LATER]))
    assert [step.part for step in story.steps] == ["step", "step", "rejected", "after"]
    told = "\n".join(lines(story))
    assert "X    3. start_recovery: recovery id 1002\n" in told
    assert "REJECTED, before it: UNDER_RECOVERY\n" in told
    assert "because  recovery id 1002 is not above 1002\n" in told
    assert "accepted start_recovery with recovery id above 1002\n" in told


def test_events_stand_in_the_order_that_was_accepted(checks: Checks) -> None:
    story = _story(checks([ADDED, EARLY, LATER]))
    assert (story.safety, story.path) == ("conformant", "slow")
    assert [(step.event, step.line) for step in story.steps] == [
        ("add_block", 1),
        ("start_recovery", 3),
        ("sync_block", 2),
    ]
    assert story.steps[2].follows == (2,)


def test_lanes_are_the_nodes_and_arrows_what_is_known_of_their_order(checks: Checks) -> None:
    drawn = chart(_story(checks([ADDED, LATER, EARLY, LATER])))
    assert drawn.lanes == ("namenode", "datanode1")
    assert [(message.sent, message.received, message.label) for message in drawn.messages] == [
        (2, 3, "recovery id 1003")
    ]
    assert [row.refuses for row in drawn.rows] == [None, None, None, "recovery id 1003 is not above 1003"]
    ElementTree.fromstring(swim_lanes(drawn))
    assert "participant L1 as datanode1" in mermaid(drawn)


def test_names_that_are_commands_to_a_terminal_or_a_browser_are_shown_as_text(checks: Checks) -> None:
    hostile = "/a\x1b[2J<script>alert(1)</script>\x00"
    created = {**CREATED, "entity": hostile, "arguments": {"client": "\x07c", "file": hostile}}
    kept = checks([created])
    story = tell(kept, find_key(kept, f"{hostile}#1"))
    told = "\n".join(lines(story))
    assert "\x1b" not in told and "\\x1b[2J" in told and "\\x07c" in told
    picture = swim_lanes(chart(story))
    assert "<script" not in picture and ElementTree.fromstring(picture) is not None


def test_case_of_a_violated_key_is_its_whole_story(checks: Checks) -> None:
    kept = checks([ADDED, STARTED, STALE])
    finding = Finding("BP-1", "block", "7", "violated", "start_recovery", failed="recovery id 1002 is not above 1002")
    report = with_stories(Report((), (), (finding,)), kept)
    (case,) = (case for case in cases(report_of_blocks(report)) if case.outcome == "failure")
    assert [stage.text for stage in case.steps] == [
        "namenode, add_block: generation stamp 1001: UNDER_CONSTRUCTION",
        "namenode, start_recovery: recovery id 1002: UNDER_RECOVERY",
        "namenode, start_recovery: recovery id 1002, REJECTED",
    ]
    assert [stage.place and (stage.place.file, stage.place.line) for stage in case.steps][2] == ("events.jsonl", 3)
    assert "REJECTED, before it: UNDER_RECOVERY" in case.text
    told = json.loads(json.dumps(plain(report)))
    assert told["findings"][0]["steps"][2]["line"] == 3


def report_of_blocks(report: Report) -> Report:
    return replace(report, keys=(KeyCount("block", "violated", "unknown", True, 1),))


def test_directory_that_holds_no_tables_is_told(tmp_path: Path) -> None:
    with pytest.raises(NoTablesError, match="holds no tables; genstamp logs check PATH"):
        read_kept(tmp_path)


def test_command_tells_the_story_and_exits_with_the_verdict(checks: Checks, tmp_path: Path) -> None:
    checks([ADDED, STARTED, STALE])
    command = ["explain", "blk_7", str(tmp_path / "events.jsonl")]
    result = CliRunner().invoke(logs_app, command)
    assert result.exit_code == 12
    assert result.stdout.startswith("block 7 of BP-1: violated, unknown (fast path)\n")
    result = CliRunner().invoke(logs_app, [*command, "--format", "json"])
    assert json.loads(result.stdout)["failed"] == "recovery id 1002 is not above 1002"
    assert CliRunner().invoke(logs_app, command[:2]).exit_code == 2
