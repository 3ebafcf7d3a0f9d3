"""Audit logs: in both layouts, with tabs or blanks, of Hadoop 0.20 and later."""

import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from genstamp.logs.local import Checked, check_locally
from genstamp.logs.sources import AUDIT_LOG, Logged
from genstamp.logs.sources.declared import logged

LAYOUTS = {
    "default": "2015-04-24 12:49:16,145 INFO FSNamesystem.audit: ",
    "of tests": "2022-05-10 16:25:37,178 - INFO  [IPC Server handler 5 on 39271:FSNamesystem$DefaultAuditLogger@8] - ",
}
FIELDS = "allowed=true|ugi=me (auth:SIMPLE)|ip=/10.0.2.15|cmd={}|src={}|dst={}|perm=me:us:rw-r--r--|proto=rpc"
OLD = "ugi=me,us,them|ip=/10.0.2.15|cmd={}|src={}|dst={}|perm=null"
STEPS = (
    ("create", "/a b", "null"),
    ("append", "/a b", "null"),
    ("truncate", "/a b", "null"),
    ("rename (options=[OVERWRITE])", "/a b", "/c"),
    ("delete", "/c", "null"),
)

Told = list[tuple[str, str, str]]


def told(checked: Checked) -> Told:
    """Events, entities and files."""
    rows: list[dict[str, Any]] = checked.events.to_pylist()
    return [(row["event"], row["entity"], dict(row["arguments"])["file"]) for row in rows]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("separator", ["\t", " "])
@pytest.mark.parametrize("fields", [FIELDS, OLD])
def test_audit_lines_tell_the_same_however_they_are_laid_out(
    check_log: Callable[..., Checked], layout: str, separator: str, fields: str
) -> None:
    checked = check_log(
        "".join(LAYOUTS[layout] + fields.format(*step).replace("|", separator) + "\n" for step in STEPS)
    )
    assert checked.rejects.num_rows == 0
    assert told(checked) == [
        ("create", "/a b#1", "/a b"),
        ("append", "/a b#1", "/a b"),
        ("truncate", "/a b#1", "/a b"),
        ("rename", "/a b#1", "/a b"),
        ("delete", "/a b#1", "/c"),
    ]
    (verdict,) = checked.verdicts.to_pylist()
    assert (verdict["safety"], verdict["completion"], verdict["states"]) == ("conformant", "complete", ["deleted"])


def test_whether_a_file_was_closed_is_unknown_as_no_line_could_tell(check_log: Callable[..., Checked]) -> None:
    (verdict,) = check_log(LAYOUTS["default"] + FIELDS.format(*STEPS[0]).replace("|", "\t")).verdicts.to_pylist()
    assert (verdict["safety"], verdict["completion"]) == ("conformant", "unknown")
    assert logged(AUDIT_LOG, "file", "close") is Logged.UNSEEN


def test_line_that_lacks_a_field_is_rejected(check_log: Callable[..., Checked]) -> None:
    checked = check_log(LAYOUTS["default"] + "allowed=true\tugi=me\tip=/1\tcmd=create\tsrc=/f")
    (reject,) = checked.rejects.to_pylist()
    assert reject["place"]["line"] == 1 and "continues differently" in reject["reason"]


@pytest.mark.parametrize("filler", [" ", " dst=", " ip=/1 cmd=", "\t", " src="])
def test_hostile_line_costs_no_more_than_its_length(check_log: Callable[..., Checked], filler: str) -> None:
    began = time.process_time()
    check_log(LAYOUTS["default"] + "allowed=true ugi=me ip=/1 cmd=create src=" + filler * (1_000_000 // len(filler)))
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    ("log", "events"),
    [
        ("eagle_hdfs-audit4.log.gz", {"create": 335, "delete": 181, "rename": 57, "append": 10}),
        ("eagle_user1_2015-10-11-01.log.gz", {"create": 33, "rename": 11}),
    ],
)
def test_logs_of_others_are_read_whole_and_are_conformant(shared_data: Path, log: str, events: dict[str, int]) -> None:
    """The counts are those of the README of the data; one create was not allowed."""
    if not (shared_data / "audit_logs" / log).is_file():
        pytest.skip("the shared folder has no audit logs")
    checked = check_locally([shared_data / "audit_logs" / log])
    assert checked.rejects.num_rows == 0
    assert Counter(row["event"] for row in checked.events.to_pylist()) == events
    kinds = {row["name"] for row in checked.coverage.to_pylist() if row["what"] == "line"}
    assert ("audit create, denied" in kinds) == ("delete" in events)
    assert {row["safety"] for row in checked.verdicts.to_pylist()} == {"conformant"}
