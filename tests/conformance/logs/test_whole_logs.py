"""A whole log leaves nothing out that its source always logs, and what does not exist in it explains nothing."""

import re
from pathlib import Path

import pytest

from genstamp.logs.local import Checked, check_locally
from genstamp.logs.sources import NAMENODE_LOG, NAMENODE_LOGS

REOPENED = "edits/close-without-reopen-39.xml"
TWICE = "edits/inode-given-out-twice-63.xml"
RECOVERING = "verdicts/complete-during-recovery.log"

STARTS = "2024-03-01 10:05:00,500 INFO org.apache.hadoop.hdfs.server.namenode.NameNode: STARTUP_MSG: \n"
ACTIVE = (
    "2024-03-01 10:05:00,500 INFO org.apache.hadoop.hdfs.server.namenode.FSNamesystem:"
    " Starting services required for active state\n"
)


@pytest.fixture
def logs(repository: Path) -> Path:
    return repository / "tests" / "data" / "logs"


def _violations(checked: Checked) -> list[tuple[str, int]]:
    """Kind of each violated key, and the line or record of what was rejected."""
    rows = [row for row in checked.verdicts.to_pylist() if row["safety"] == "violated"]
    return sorted((row["kind"], row["place"]["line"]) for row in rows)


@pytest.mark.parametrize("complete", [False, True])
@pytest.mark.parametrize(("case", "found"), [(REOPENED, [("file", 5)]), (TWICE, [("file", 4)])])
def test_edit_log_without_a_gap_is_judged_as_whole(
    logs: Path, case: str, found: list[tuple[str, int]], complete: bool
) -> None:
    assert _violations(check_locally([logs / case], complete=complete)) == found


def test_edit_log_with_a_gap_is_not(logs: Path, tmp_path: Path) -> None:
    """The file may have been opened again by the operation that is missing."""
    gap = (logs / REOPENED).read_text().replace("<TXID>5<", "<TXID>7<").replace("<TXID>6<", "<TXID>8<")
    (tmp_path / "edits.xml").write_text(gap)
    assert _violations(check_locally([tmp_path])) == []


@pytest.mark.parametrize(("layout", "found"), [(-63, []), (-48, [("file", 5)])])
def test_edit_log_with_an_operation_that_is_not_known_is_not(
    logs: Path, tmp_path: Path, layout: int, found: list[tuple[str, int]]
) -> None:
    """It may be a step; before layout -49 such operations are of caches."""
    text = (logs / REOPENED).read_text().replace("-39", str(layout)).replace("OP_SET_GENSTAMP", "OP_OF_A_VENDOR")
    (tmp_path / "edits.xml").write_text(text)
    assert _violations(check_locally([tmp_path])) == found


def test_edit_log_in_two_segments_is_judged_as_whole(logs: Path, tmp_path: Path) -> None:
    head, *records = re.split(r"(?=  <RECORD>)", (logs / REOPENED).read_text().replace("</EDITS>\n", ""))
    for first, those in ((1, records[:3]), (4, records[3:])):
        (tmp_path / f"edits_{first}").write_text("".join([head, *those, "</EDITS>\n"]))
    assert _violations(check_locally([tmp_path])) == [("file", 2)]


def test_two_edit_logs_of_one_name_are_not(logs: Path, tmp_path: Path) -> None:
    """Nothing says how they go together."""
    for name in "ab":
        (tmp_path / name).mkdir()
    head, *records = re.split(r"(?=  <RECORD>)", (logs / REOPENED).read_text().replace("</EDITS>\n", ""))
    for name, those in (("a", records[:4]), ("b", records[4:])):
        (tmp_path / name / "edits.xml").write_text("".join([head, *those, "</EDITS>\n"]))
    checked = check_locally([tmp_path], group="c")
    assert checked.terms.gapless == {} and _violations(checked) == []


@pytest.mark.parametrize("first", [2, 3])
def test_edit_log_that_begins_later_leaves_open_what_was_before(logs: Path, tmp_path: Path, first: int) -> None:
    """Without its first records the file is one from before the log; that it is closed twice is wrong all the same."""
    head, *records = re.split(r"(?=  <RECORD>)", (logs / REOPENED).read_text())
    (tmp_path / "edits.xml").write_text("".join([head, *records[first - 1 :]]))
    assert _violations(check_locally([tmp_path])) == [("file", 6 - first)]
    (tmp_path / "edits.xml").write_text("".join([head, *records[3:]]))
    assert _violations(check_locally([tmp_path])) == [], "one close of a file from before is none too many"


@pytest.mark.parametrize(("stamp", "found"), [(1001, [("block", 2), ("file", 2)]), (7001, [])])
def test_first_transaction_is_that_of_a_new_namespace_if_its_numbers_are(
    tmp_path: Path, stamp: int, found: list[tuple[str, int]]
) -> None:
    """A namespace that was upgraded to transaction ids begins with transaction 1, and has files from before."""
    record = "<RECORD><OPCODE>{}</OPCODE><DATA><TXID>{}</TXID>{}</DATA></RECORD>"
    block = f"<BLOCK><BLOCK_ID>-7</BLOCK_ID><NUM_BYTES>5</NUM_BYTES><GENSTAMP>{stamp}</GENSTAMP></BLOCK>"
    stamped = record.format("OP_SET_GENSTAMP", 1, f"<GENSTAMP>{stamp}</GENSTAMP>")
    closed = record.format("OP_CLOSE", 2, f"<PATH>/f</PATH>{block}")
    (tmp_path / "edits.xml").write_text(f"<EDITS><EDITS_VERSION>-40</EDITS_VERSION>{stamped}{closed}</EDITS>")
    assert _violations(check_locally([tmp_path])) == found


def test_close_during_a_recovery_is_found_in_a_whole_log_of_the_namenode(logs: Path) -> None:
    """HDFS-10240. By default the line of a start may be missing, after which the block is one that is written."""
    assert _violations(check_locally([logs / RECOVERING], complete=True)) == [("block", 5)]
    assert _violations(check_locally([logs / RECOVERING])) == []


@pytest.mark.parametrize("line", [STARTS, ACTIVE], ids=["starts", "becomes active"])
def test_start_of_the_namenode_explains_what_comes_after_it(logs: Path, tmp_path: Path, line: str) -> None:
    lines = (logs / RECOVERING).read_text().splitlines(keepends=True)
    for place, found in ((4, []), (1, [("block", 6)]), (0, [("block", 6)])):
        (tmp_path / "namenode.log").write_text("".join([*lines[:place], line, *lines[place:]]))
        assert _violations(check_locally([tmp_path], complete=True)) == found, f"before line {place + 1}"


def test_start_concerns_no_file_that_is_closed(logs: Path, tmp_path: Path) -> None:
    (tmp_path / "namenode.log").write_text((logs / RECOVERING).read_text() + STARTS)
    events = check_locally([tmp_path]).events.to_pylist()
    assert [event["event"] for event in events if event["event"] == "namenode_restart"] == []


def test_start_of_another_process_concerns_no_block(logs: Path, tmp_path: Path) -> None:
    lines = (logs / RECOVERING).read_text().splitlines(keepends=True)
    lines.insert(4, STARTS.replace("NameNode", "SecondaryNameNode"))
    (tmp_path / "namenode.log").write_text("".join(lines))
    assert _violations(check_locally([tmp_path], complete=True)) == [("block", 6)]


def test_start_of_a_second_namenode_may_be_in_the_log_of_the_other(logs: Path, tmp_path: Path) -> None:
    """What one has begun, the other goes on with, and only its own log says that it became active."""
    *before, last = (logs / RECOVERING).read_text().splitlines(keepends=True)
    (tmp_path / "nn1.log").write_text("".join(before))
    (tmp_path / "nn2.log").write_text(last)
    checked = check_locally([tmp_path], complete=True, group="c")
    assert checked.terms.sources["c"] & {NAMENODE_LOG, NAMENODE_LOGS} == {NAMENODE_LOGS}
    assert _violations(checked) == []


@pytest.mark.parametrize("first", [1, 2, 20, 45, 70, 100])
def test_log_of_all_operations_conforms_from_wherever_it_begins(edits: Path, tmp_path: Path, first: int) -> None:
    head, *records = re.split(r"(?=<RECORD>)", (edits / "editsStored.xml").read_text())
    (tmp_path / "edits.xml").write_text("".join([head, *records[first - 1 :]]))
    checked = check_locally([tmp_path])
    assert (_violations(checked), list(checked.terms.gapless.values())) == ([], [first == 1])


@pytest.mark.parametrize("layout", [-51, -60, -66])
@pytest.mark.parametrize(
    ("missing", "found"), [((), [("file", 6)]), ((4,), []), ((5,), [])], ids=["whole", "a gap", "not added"]
)
def test_block_is_of_the_file_that_it_was_added_to(
    tmp_path: Path, missing: tuple[int, ...], found: list[tuple[str, int]], layout: int
) -> None:
    block = "<BLOCK><BLOCK_ID>7</BLOCK_ID><NUM_BYTES>5</NUM_BYTES><GENSTAMP>1001</GENSTAMP></BLOCK>"
    file = "<PATH>/{}</PATH><INODEID>{}</INODEID><CLIENT_NAME>DFSClient_1</CLIENT_NAME>"
    f, g = file.format("f", 16386), file.format("g", 16387)
    operations = (
        ("OP_ADD", g),
        ("OP_ADD", f),
        ("OP_SET_GENSTAMP_V2", "<GENSTAMPV2>1001</GENSTAMPV2>"),
        ("OP_ALLOCATE_BLOCK_ID", "<BLOCK_ID>7</BLOCK_ID>"),
        ("OP_ADD_BLOCK", f + block),
        ("OP_CLOSE", g + block),
    )
    records = [
        f"<RECORD><OPCODE>{name}</OPCODE><DATA><TXID>{txid}</TXID>{data}</DATA></RECORD>"
        for txid, (name, data) in enumerate(operations, 1)
        if txid not in missing
    ]
    (tmp_path / "edits.xml").write_text(f"<EDITS><EDITS_VERSION>{layout}</EDITS_VERSION>{''.join(records)}</EDITS>")
    assert _violations(check_locally([tmp_path])) == found
