"""A line that states a step, and that no layout reads, is told; what only mentions a block is not taken for one."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pyarrow.dataset
import pytest
from pyspark.sql.streaming.datasource import ReadAllAvailable
from typer.testing import CliRunner

from genstamp import exit_codes
from genstamp.cli.logs.verb import logs_app
from genstamp.logs import reading
from genstamp.logs.alone import check_alone
from genstamp.logs.check import Terms
from genstamp.logs.flat import FLAT
from genstamp.logs.follow.places import Places
from genstamp.logs.follow.source import FollowedLogs
from genstamp.logs.local import check_locally
from genstamp.logs.readers import merged_log
from genstamp.logs.readers.log_head import KNOWN
from genstamp.logs.readers.log_line import log_line
from genstamp.logs.readers.log_patterns import states_step
from genstamp.logs.readers.sighting import UNREAD
from genstamp.logs.run import Options
from genstamp.logs.streams import LINE_LENGTH_MAX, Stream, lines
from genstamp.logs.units import HEAD

ALLOCATED = "BLOCK* allocate blk_1073741825_1001, replicas=10.0.0.1:9866, 10.0.0.2:9866 for /t/f"
READ = f"2024-03-01 10:00:09,000 INFO hdfs.StateChange: {ALLOCATED}\n"

STATED = (
    ALLOCATED,
    f"24/03/01 10:00:00 INFO hdfs.StateChange: {ALLOCATED}",
    f"Mar  1 10:00:00 nn1 hadoop[712]: 2024-03-01 10:00:00,100 INFO org.apache.hadoop.hdfs.StateChange: {ALLOCATED}",
    f"2024-03-01T10:00:00.100Z [IPC Server handler 1] INFO hdfs.StateChange - {ALLOCATED}",
    f"nn1 | INFO|{ALLOCATED}",
    f"<log4j:message><![CDATA[{ALLOCATED}]]></log4j:message>",
    f"<{ALLOCATED}>",
    f"({ALLOCATED})",
    f"\ufeff{ALLOCATED}",
    f"\\{ALLOCATED}",
    "10:00:00.100 INFO  updatePipeline(blk_7_1001 => blk_7_1002) success",
    "10:00 DIR* completeFile: /t/f is closed by DFSClient_1",
    "10:00 Receiving BP-1-10.0.0.1-15:blk_7_1001 src: /10.0.0.8:4 dest: /10.0.0.1:9866",
    "10:00 initReplicaRecovery: blk_7_1001, recoveryId=1002, replica=null",
    "10:00 commitBlockSynchronization(blk_7_1001, in words of another release)",
    "10:00 BLOCK* allocate in words of another release",
    "24/03/01 10:00:00 INFO FSNamesystem.audit: allowed=true   ugi=u  ip=/1   cmd=create  src=/f   dst=null",
    "10:00 INFO FSNamesystem.audit: allowed=true\tugi=u\tip=/1\tcmd=create\tsrc=/f\tdst=null\tperm=null",
    ALLOCATED.upper(),
    ALLOCATED.lower(),
    "10:00 Block* Allocate in words of another release",
    "10:00 dir* completefile: /t/f is closed by DFSClient_1",
    "10:00 RECEIVING BP-1-10.0.0.1-15:BLK_7_1001 SRC: /10.0.0.8:4 DEST: /10.0.0.1:9866",
    "10:00 initreplicarecovery: blk_7_1001, recoveryid=1002, replica=null",
    "10:00 INFO FSNAMESYSTEM.AUDIT: ALLOWED=TRUE\tUGI=U\tIP=/1\tCMD=CREATE\tSRC=/F\tDST=NULL\tPERM=NULL",
)

NOT_STATED = (
    "",
    "\tat org.apache.hadoop.hdfs.server.datanode.BlockReceiver.receiveBlock(BlockReceiver.java:971)",
    "java.io.IOException: Receiving blk_7_1001 failed",
    "Caused by: java.io.IOException: updateReplica: blk_7_1001, recoveryId=1002",
    "org.apache.hadoop.hdfs.server.datanode.ReplicaAlreadyExistsException: Block BP-1:blk_7_1001 already exists in"
    " state FINALIZED and thus cannot be created.",
    "STARTUP_MSG: Starting NameNode",
    "DEBUG of blk_7_1001: 3 packets are queued",
    "10:00 src: /10.0.0.8:4, dest: /10.0.0.1:9866, bytes: 3, op: HDFS_READ, blockid: blk_7_1001",
    "10:00 BLOCK* addStoredBlock: Redundant addStoredBlock request received for blk_7_1001 on 10.0.0.1:9866 size 3",
    "10:00 INFO FSNamesystem.audit: allowed=true\tugi=u\tip=/1\tcmd=open\tsrc=/f\tdst=null\tperm=null",
    "IPC Server handler 3 on 8020, call Call#7 Retry#0 getFileInfo from 10.0.0.8:4: error: blk_7_1001",
    "the pipeline is Receiving nothing",
    "10:00 DEBUG is receiving blk_7_1001 for the second time",
    "10:00 INFO FSNAMESYSTEM.AUDIT: ALLOWED=TRUE\tUGI=U\tIP=/1\tCMD=OPEN\tSRC=/F\tDST=NULL\tPERM=NULL",
    "/logs/updatePipeline(blk_7_1001 => blk_7_1002) success",
    "Receiving blocks, and src: nothing, on Lease [Lease. or another",
    "24/03/01 10:00:00 INFO HiveMetaStore.audit: ugi=hive ip=10.0.0.8 cmd=create_table db=d",
)


@pytest.mark.parametrize("line", STATED)
def test_step_is_seen_in_a_line_of_whatever_layout(line: str) -> None:
    assert states_step(line.encode())


@pytest.mark.parametrize("line", NOT_STATED)
def test_what_mentions_a_block_states_no_step(line: str) -> None:
    assert not states_step(line.encode())


@pytest.mark.parametrize("part", ["src: ", "BLOCK* allocate ", "blk_1_1 ", "Receiving blk_"])
def test_hostile_line_takes_no_time_without_end(part: str) -> None:
    """With each beginning looked at to the end of the line, this would not end."""
    states_step(part.encode() * (LINE_LENGTH_MAX // len(part)))


def test_line_of_a_merged_log_is_seen_in_another_log() -> None:
    line = b"081109 203518 143 INFO dfs.DataNode$DataXceiver: Receiving block blk_-16 src: /1.1.1.1:5 dest: /1.1.1.1:6"
    assert merged_log.states_step(line)
    assert not merged_log.states_step(line.replace(b"Receiving block", b"Verification succeeded for"))


@pytest.mark.parametrize("layout", KNOWN)
def test_every_layout_that_is_told_is_read(layout: str) -> None:
    assert log_line(layout.encode()) is not None or merged_log.is_line(layout.encode())


CASES = ("mixed-layouts.log", "console-and-one-default-line.log")


@pytest.fixture
def logs(repository: Path, tmp_path: Path) -> Path:
    """Logs whose first three lines have a head that nobody writes."""
    for case in CASES:
        *others, last = (repository / "tests" / "data" / "logs" / "verdicts" / case).read_text().splitlines()
        messages = [re.sub(r".*? (?=BLOCK\*|updatePipeline\()", "10h00 nn1 tells: ", line) for line in others]
        (tmp_path / case).write_text("\n".join([*messages, last, ""]))
    return tmp_path


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("compiled", [False, True])
def test_log_of_several_layouts_is_read(
    repository: Path, case: str, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "COMPILED_FROM", 0 if compiled else 1 << 30)
    report = check_alone([repository / "tests" / "data" / "logs" / "verdicts" / case])
    assert (report.safety, report.rejects) == ("violated", ())
    assert report.findings[0].place.endswith(f"{case}:3")


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("compiled", [False, True])
def test_log_with_steps_that_are_not_read_is_undetermined(
    logs: Path, case: str, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "COMPILED_FROM", 0 if compiled else 1 << 30)
    report = check_alone([logs / case])
    text = (logs / case).read_text().splitlines()
    assert (report.safety, report.exit_code(), report.unread) == ("undetermined", exit_codes.UNDETERMINED, 3)
    assert list(report.rejects) == [
        f"{logs / case}:{number}: {UNREAD}: {text[number - 1][:240]}" for number in (1, 2, 3)
    ]


@pytest.mark.parametrize("changed", [str.upper, str.lower, str.title])
@pytest.mark.parametrize("compiled", [False, True])
def test_step_in_other_letters_is_not_read_and_told(
    tmp_path: Path, changed: Callable[[str], str], compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside lines that are read, too."""
    monkeypatch.setattr(reading, "COMPILED_FROM", 0 if compiled else 1 << 30)
    head, _, step = READ.replace("blk_1073741825", "blk_1073741826").partition("BLOCK*")
    other = f"{head}Something else, of blk_7_1001\n"
    (tmp_path / "a.log").write_text(READ + other + head + changed(f"BLOCK*{step}"))
    report = check_alone([tmp_path / "a.log"])
    assert (report.unread, report.events, report.safety) == (1, 1, "undetermined")
    assert report.rejects[0].startswith(f"{tmp_path / 'a.log'}:3: {UNREAD}")


@pytest.mark.parametrize("before", ["nn1: ", "[ctx=7] ", "(user) - "])
@pytest.mark.parametrize("compiled", [False, True])
def test_step_behind_something_else_is_not_read_and_told(
    tmp_path: Path, before: str, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The layout is known, and what the message begins with is not."""
    monkeypatch.setattr(reading, "COMPILED_FROM", 0 if compiled else 1 << 30)
    other = READ.replace(ALLOCATED, "nn1: something else, of blk_7_1001")
    (tmp_path / "a.log").write_text(READ.replace("BLOCK*", f"{before}BLOCK*") + other)
    report = check_alone([tmp_path / "a.log"])
    assert (report.unread, report.events, report.safety) == (1, 0, "undetermined")


def test_merged_log_with_steps_that_are_not_read_is_undetermined(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(
        "081109 203518 143 INFO dfs.DataNode$DataXceiver: Receiving block blk_-16 src: /1.1.1.1:5 dest: /1.1.1.1:6\n"
        + f"INFO {ALLOCATED}\n"
    )
    assert check_alone([tmp_path / "a.log"]).unread == 1


@pytest.mark.parametrize("form", ["text", "json", "junit", "github"])
def test_every_form_tells_the_lines_and_the_layouts(logs: Path, form: str) -> None:
    result = CliRunner().invoke(logs_app, ["check", str(logs / "mixed-layouts.log"), "--format", form])
    assert result.exit_code == exit_codes.UNDETERMINED
    assert "mixed-layouts.log:3: looks like a step" in result.stdout
    assert KNOWN[2] in result.stdout
    if form == "json":
        assert (json.loads(result.stdout)["unread"], json.loads(result.stdout)["known_layouts"]) == (3, [*KNOWN])


@pytest.mark.slow
def test_page_tells_the_lines_and_the_layouts(logs: Path, tmp_path: Path) -> None:
    check_alone([logs / "mixed-layouts.log"], Options(html=tmp_path / "page.html"))
    page = (tmp_path / "page.html").read_text()
    assert "mixed-layouts.log:3: looks like a step" in page and KNOWN[2] in page


def test_unread_lines_come_before_others_that_could_not_be_read(tmp_path: Path) -> None:
    broken = "2024-03-01 10:00:09,000 INFO hdfs.StateChange: BLOCK* allocate nothing\n" * 30
    (tmp_path / "a.log").write_text(READ + broken + f"INFO {ALLOCATED}\n")
    assert [UNREAD in reject for reject in check_alone([tmp_path / "a.log"]).rejects].count(True) == 1


def test_text_of_an_unread_line_is_cut(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(f"{READ}INFO {ALLOCATED}{'x' * 5_000}\n")
    (reject,) = check_alone([tmp_path / "a.log"]).rejects
    assert reject.endswith("xxx") and len(reject) < 400 + len(str(tmp_path))


def test_log_that_is_followed_names_the_lines(logs: Path, tmp_path: Path) -> None:
    Places(tmp_path / "out").make(Terms())
    options = {"paths": f'["{logs / "mixed-layouts.log"}"]', "out": str(tmp_path / "out"), "parts": "1"}
    reader = FollowedLogs(options).streamReader(FLAT)
    nothing = reader.initialOffset()
    for partition in reader.partitions(nothing, reader.latestOffset(nothing, ReadAllAvailable())):
        list(reader.read(partition))
    found = [pyarrow.dataset.dataset(tmp_path / "out" / name).count_rows() for name in ("events", "rejects")]
    assert found == [1, 3]


FILLER = "a line of no log at all\n" * (2 * HEAD // 24)


@pytest.mark.slow
@pytest.mark.parametrize("line", [READ, f"24/03/01 10:00 INFO {ALLOCATED}\n"], ids=["known layout", "unknown layout"])
def test_log_is_known_by_a_line_behind_the_first_mebibyte(tmp_path: Path, line: str) -> None:
    (tmp_path / "a.log").write_text(READ)
    (tmp_path / "late.log").write_text(FILLER + line)
    (tmp_path / "notes.txt").write_text(FILLER)
    checked = check_locally([tmp_path], group="c")
    last = FILLER.count("\n") + 1
    places = {(Path(row["place"]["file"]).name, row["place"]["line"])
              for row in (*checked.events.to_pylist(), *checked.rejects.to_pylist())}  # fmt: skip
    assert places == {("a.log", 1), ("late.log", last)}


def test_file_of_unknown_layout_beside_logs_makes_the_verdict_undetermined(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(READ)
    assert check_alone([tmp_path]).safety == "conformant"
    (tmp_path / "b.log").write_text(f"24/03/01 10:00 INFO {ALLOCATED}\n")
    assert check_alone([tmp_path]).safety == "undetermined"


@pytest.mark.slow
def test_no_line_of_real_logs_is_taken_for_a_step_that_is_not_read(shared_data: Path) -> None:
    """Of servers, clients and tests, 76,000 lines that are of something else."""
    told = []
    for place in ("failure_logs", "dfsclient_logs", "hadoop_2_6_5_logs", "audit_logs"):
        for file in sorted((shared_data / place).rglob("*.gz")):
            with Stream(file) as stream:
                told += [line for line in lines(stream) if line and log_line(line) is None and states_step(line)]
    assert told == []


# -- lines whose ends are lost ---------------------------------------------------------------------------------------

OTHER = READ.replace("blk_1073741825_1001", "blk_7_1001").replace("/t/f", "/t/g")
GLUED = (
    *((READ.strip(), between) for between in ("", " ", "\r", "\v", "\f", "\x85", "\u2028", "\\n")),
    ("2024-03-01 10:00:09,000 INFO org.apache.hadoop.util.JvmPauseMonitor: java.io.IOException: paused", ""),
    ("2024-03-01 10:00:09,000 WARN ipc.Server: failed\n\tat org.apache.hadoop.ipc.Server.run(Server.java:7)", ""),
    ("2024-03-01 10:00:09,000 INFO org.apache.hadoop.hdfs.StateChange: STATE* Safe mode is OFF" + 5000 * ".", ""),
)
BEHIND = (
    "2024-03-01 10:00:10,000 INFO namenode.FSNamesystem: updatePipeline(blk_1073741825_1001 => blk_1073741825_1002)",
    "10:00:10.000 [IPC Server handler 1] INFO hdfs.StateChange - DIR* completeFile: /t/f is closed by DFSClient_1",
)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("behind", BEHIND)
@pytest.mark.parametrize(("line", "between"), GLUED)
def test_step_behind_a_line_whose_end_is_lost_is_told(
    line: str, between: str, behind: str, compiled: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "COMPILED_FROM", 0 if compiled else 1 << 30)
    (tmp_path / "nn.log").write_text(OTHER + line + between + behind + "\n")
    report = check_alone([tmp_path / "nn.log"])
    assert (report.safety, report.events, len(report.rejects)) == ("undetermined", 1, 1)
    assert "step" in report.rejects[0]


CUT = (
    ("updatePipeline(blk_7_1001 => blk_7_1002) success", 12),
    ("updatePipeline(BP-1-10.0.0.9-15:blk_7_1001) successfully to BP-1-10.0.0.9-15:blk_7_1002", 4),
    ("BLOCK* ask 10.0.0.1:9866 to replicate blk_7_1001 to datanode(s) 10.0.0.3:9866", 34),
    ("DIR* NameSystem.internalReleaseLease: File /t/g has not been closed. Lease recovery is in progress."
     " RecoveryId = 1002 for block blk_7_1001", 26),
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("line", "most"), CUT)
def test_last_line_that_is_cut_is_no_violation(tmp_path: Path, line: str, most: int) -> None:
    """As of a log that was copied while it was written."""
    head = "2024-03-01 10:00:12,000 INFO hdfs.StateChange: "
    before = OTHER + head + "DIR* completeFile: /t/g is closed by DFSClient_1\n"
    for cut in range(most):
        (tmp_path / "nn.log").write_text(before + head + line[: len(line) - cut])
        report = check_alone([tmp_path / "nn.log"], Options(group="BP-1-10.0.0.9-15"))
        assert report.safety == ("undetermined" if report.rejects else "conformant"), line[: len(line) - cut]
        assert cut or not report.rejects


EVENTS = Path("examples", "late_writer.jsonl")


@pytest.mark.parametrize("compiled", [False, True])
def test_event_in_a_log_is_told(
    repository: Path, tmp_path: Path, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As of two files that somebody has put together."""
    monkeypatch.setattr(reading, "COMPILED_FROM", 0 if compiled else 1 << 30)
    events = (repository / EVENTS).read_text()
    (tmp_path / "nn.log").write_text(READ + events)
    report = check_alone([tmp_path / "nn.log"])
    assert (report.safety, report.events, report.unread) == ("undetermined", 1, events.count("\n"))


def test_events_behind_a_byte_order_mark_are_read(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "events.jsonl").write_bytes(b"\xef\xbb\xbf" + (repository / EVENTS).read_bytes())
    report = check_alone([tmp_path / "events.jsonl"])
    assert (report.safety, report.events, report.rejects) == ("violated", 7, ())
