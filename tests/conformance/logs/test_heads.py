"""A story is read the same, whatever head its lines have: of every carrier around every layout, in every encoding."""

import gzip
import itertools
import json
import random
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from genstamp import exit_codes
from genstamp.cli.logs.verb import logs_app
from genstamp.logs import reading
from genstamp.logs.alone import check_alone
from genstamp.logs.local import check_locally
from genstamp.logs.readers.log_head import CARRIERS, COLOURS, LAYOUTS, Form, head_of
from genstamp.logs.readers.log_line import log_line
from genstamp.logs.report import Report
from genstamp.logs.streams import LINE_LENGTH_MAX

TOLD = (
    "BLOCK* allocate blk_1073741825_1001, replicas=10.0.0.1:9866, 10.0.0.2:9866 for /t/f",
    "updatePipeline(blk_1073741825_1001, newGS=1002, newLength=0, newNodes=[10.0.0.1:9866], client=DFSClient_1)",
    "updatePipeline(blk_1073741825_1001 => blk_1073741825_1002) success",
    "updatePipeline(blk_1073741825_1002 => blk_1073741825_1002) success",
)
"""One block is given a stamp that is not above the one it has."""

TIMES = (
    "2018-11-14 12:25:35,275",
    "2018-11-14T12:25:35.275Z",
    "2018-11-14 20:25:35,275+0800",
    "2018-11-14T09:25:35.275123-03:00",
    "2018-11-14 12:25:35",
    "18/11/14 12:25:35",
    "2018/11/14 12:25:35.275",
    "14 Nov 2018 12:25:35,275",
    "[2018-11-14 12:25:35,275]",
    "1542198335275",
    "1542198335.275",
)
"""The same time, but for what is below a second."""


@pytest.fixture
def logs(repository: Path) -> Path:
    return repository / "tests" / "data" / "logs"


def _is_story(report: Report) -> bool:
    why = [finding.failed for finding in report.findings]
    return (
        report.exit_code() == exit_codes.VIOLATED
        and report.events == 3
        and not report.rejects
        and any("generation stamp 1002 is not above 1002" in failed for failed in why)
    )


def _line(layout: Form, told: str) -> str:
    example = layout.example.replace("THREAD", "IPC Server handler [3] on 9820").replace("METHOD(7)", "log(7)")
    return re.sub(r"\bMESSAGE\b(?!\":)", lambda _: told, example)


def _carried(carrier: Form, line: str) -> str:
    written = line
    if carrier.example.startswith("{"):
        written = json.dumps(line)[1:-1]
    elif '"LINE"' in carrier.example:
        written = line.replace('"', '""')
    return carrier.example.replace("LINE", written)


CASES = sorted(path.name for path in (Path(__file__).parents[2] / "data" / "logs" / "layouts").iterdir())


@pytest.mark.parametrize("case", CASES)
def test_every_kind_of_head_is_read(logs: Path, case: str) -> None:
    assert _is_story(check_alone([logs / "layouts" / case]))


@pytest.mark.slow
@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda form: form.name)
def test_every_carrier_around_a_layout_tells_the_same(layout: Form, tmp_path: Path) -> None:
    for carrier in CARRIERS:
        text = "".join(_carried(carrier, _line(layout, told)) + "\n" for told in TOLD)
        (tmp_path / "nn.log").write_text(text)
        assert _is_story(check_alone([tmp_path / "nn.log"])), (carrier.name, text)


def test_carriers_stand_one_in_another() -> None:
    """But a mark of the first line in others, what is known by the text right behind it, and quotes in quotes."""
    outers = [form for form in CARRIERS if form.name not in ("grep -C", "stern", "other text")]
    for layout, outer, inner in itertools.product(LAYOUTS, outers, CARRIERS[1:]):
        if outer == inner and '"LINE"' in outer.example:
            continue
        line = _carried(outer, _carried(inner, _line(layout, TOLD[0])))
        found = log_line(line.encode())
        alone = log_line(_line(layout, TOLD[0]).encode())
        assert found is not None and alone is not None
        assert (found.message, found.time_us) == (TOLD[0].encode(), alone.time_us), line


@pytest.mark.parametrize("layout", LAYOUTS[:-1], ids=lambda form: form.name)
@pytest.mark.parametrize("written", TIMES)
def test_every_way_to_write_a_time_is_read(layout: Form, written: str) -> None:
    example = re.sub(r"20\d\d-\d\d-\d\d \d\d:\d\d:\d\d[.,]\d{3}", written, layout.example)
    found = log_line(example.encode())
    assert found is not None and (found.message, found.time_us // 1_000_000) == (b"MESSAGE", 1542198335)


THREAD = "IPC Server handler 1 on default port 8020"
MET = (
    f"2024-03-01 10:00:00,100 INFO org.apache.hadoop.hdfs.StateChange ({THREAD}): MESSAGE",
    "2024-03-01 10:00:00,100 INFO StateChange:802 - MESSAGE",
    "2024-03-01 10:00:00,100 INFO FSDirWriteFileOp.java:802 - MESSAGE",
    f"2024-03-01 10:00:00,100 INFO StateChange:802 [{THREAD}] MESSAGE",
    f"10:00:00.100 [{THREAD}] INFO  o.a.h.hdfs.StateChange -- MESSAGE",
    f"2024-03-01 10:00:00,100 INFO  [{THREAD}] org.apache.hadoop.hdfs.StateChange [] - MESSAGE",
    f"2024-03-01 10:00:00,100 INFO  [{THREAD}] {{user=hdfs}} org.apache.hadoop.hdfs.StateChange: MESSAGE",
    f"2024-03-01T10:00:00.100Z  INFO [nn,64a1,64a1] 1 --- [{THREAD}] o.a.h.h.StateChange : MESSAGE",
    "2024-03-01 10:00:00,100 - INFO  [PacketResponder: BP-1-10.0.0.9-1700:blk_7_1, next=0:[]:Server$Run@7] - MESSAGE",
    f"2024-03-01 10:00:00,100 [myid:1] - INFO  [{THREAD}:StateChange@802] - MESSAGE",
    f"[2024-03-01 10:00:00,100] [INFO] [org.apache.hadoop.hdfs.StateChange] [{THREAD}] MESSAGE",
    f"10:00:00,100 INFO  [org.apache.hadoop.hdfs.StateChange] ({THREAD}) MESSAGE",
    "2024-03-01 10:00:00,100 | INFO  | main | MESSAGE | StateChange.java:802",
    "2024-03-01 10:00:00,100 GMT+08:00 INFO hdfs.StateChange: MESSAGE",
    "2024-03-01 10:00:00,100 nn1.example.com INFO hdfs.StateChange: MESSAGE",
    "INFO\u00a0 2024-03-01 10:00:00,100 hdfs.StateChange: MESSAGE",
    "<14>Mar  1 10:00:00 nn1 INFO org.apache.hadoop.hdfs.StateChange: MESSAGE",
    "<14>Mar  1 10:00:00 nn1 LINE",
    "<6>LINE",
    '<134>1 2024-03-01T10:00:00.1Z nn1 hdfs 4711 ID47 [x@32473 source="App]lication"][y@1 a="b"] LINE',
    "Fri 2024-03-01 10:00:00 UTC nn1 hdfs[4711]: LINE",
    "1709287200.100000 nn1 hdfs[4711]: LINE",
    "[ 1234.500000] nn1 hdfs[4711]: LINE",
    "[ 1234.500000 <    0.300001 >] nn1 hdfs[4711]: LINE",
    "[nn-0 namenode] LINE",
    "hdfs nn-0 \u203a namenode LINE",
    "2024-03-01T10:00:00.100000+00:00 i-0abc/nn.log LINE",
    '2024-03-01T10:00:00Z {app="nn", pod="nn-0"} LINE',
    "2024-03-01T10:00:00.100Z\tLINE",
    "My Logs/nn 1.log:LINE",
    "  12\t:LINE",
    "+LINE",
    "\fLINE",
    "   12   │ LINE",
    '"LINE"',
    '"2024-03-01T10:00:00.100Z","nn1","LINE","/var/log/nn.log"',
    '        "message": "LINE",',
    "MESSAGE=2024-03-01 10:00:00,100 INFO hdfs.StateChange: TOLD",
    "\x1b]0;title\x07LINE",
    '{"textPayload": "LINE\\n", "severity": "INFO"}',
    '{"jsonPayload": {"message": "MESSAGE", "class": "StateChange"}, "timestamp": "2024-03-01T10:00:00.1Z"}',
    '{"@timestamp": "2024-03-01T10:00:00.1Z", "host": {"name": "nn1"}, "log": {"offset": 3}, "message": "LINE"}',
    '{"_index": "logs", "_source": {"@timestamp": "2024-03-01T10:00:00.1Z", "message": "LINE"}}',
    '{"result": {"_raw": "LINE", "host": "nn1"}}',
    '{"version": "1.1", "timestamp": 1709287200.1, "short_message": "MESSAGE", "_logger": "hdfs.StateChange"}',
    '{"ts": 1709287200.1, "level": "info", "msg": "MESSAGE"}',
    ', {"timeMillis": 1709287200100, "level": "INFO", "loggerName": "hdfs.StateChange", "message": "MESSAGE"}',
)
"""Heads of logs of operators' tools."""


@pytest.mark.parametrize("met", MET)
def test_heads_that_operators_have_are_read(met: str, tmp_path: Path) -> None:
    line = "2024-03-01 10:00:00,100 INFO org.apache.hadoop.hdfs.StateChange: MESSAGE"
    head = met.replace("TOLD", "MESSAGE") if "MESSAGE=" in met else met.replace("LINE", line)
    text = "".join(re.sub(r"MESSAGE\b(?!=)", lambda _: told, head) + "\n" for told in TOLD)  # noqa: B023 - used at once
    (tmp_path / "nn.log").write_text(text)
    assert _is_story(check_alone([tmp_path / "nn.log"])), text
    found = log_line(text.encode().partition(b"\n")[0])
    # Below the hour: one has a zone, others have no day.
    assert found is not None and found.time_us % 3_600_000_000 in (0, 100_000)


def test_object_with_two_lines_is_not_read_as_one(tmp_path: Path) -> None:
    lines = [f"2024-03-01 10:00:00,100 INFO hdfs.StateChange: {told}" for told in TOLD]
    (tmp_path / "nn.log").write_text(json.dumps({"hits": [{"message": line} for line in lines]}) + "\n")
    report = check_alone([tmp_path / "nn.log"])
    assert (report.safety, report.events, len(report.rejects)) == ("undetermined", 0, 1)


def test_column_behind_another_sign_is_not_taken_for_a_message(tmp_path: Path) -> None:
    """A message that is known to begin so, and goes on behind a bar."""
    text = "".join(f"2024-03-01 10:00:00,100|INFO|hdfs.StateChange|{THREAD}|{told}\n" for told in TOLD)
    known = "2024-03-01 10:00:00,100 INFO hdfs.StateChange: BLOCK* allocate blk_7_1001, replicas=10.0.0.1:9866 for /u\n"
    (tmp_path / "nn.log").write_text(known + text)
    report = check_alone([tmp_path / "nn.log"])
    assert (report.safety, len(report.rejects)) == ("undetermined", len(TOLD))


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("compiled", [False, True])
def test_every_encoding_is_read(
    encoding: str, newline: str, compiled: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "COMPILED_FROM", 0 if compiled else 1 << 30)
    text = "".join(_line(LAYOUTS[0], told) + newline for told in TOLD)
    mark = "\ufeff" if encoding.startswith("utf-16") else ""
    (tmp_path / "nn.log").write_bytes((mark + text).encode(encoding))
    assert _is_story(check_alone([tmp_path / "nn.log"]))


@pytest.mark.parametrize("carried", [lambda text: {"MESSAGE": [*text.encode()]}, lambda text: {"log": text}])
def test_colours_in_json_are_left_out(carried: Callable[[str], Any], tmp_path: Path) -> None:
    """Of a message with colours `journalctl -o json` gives numbers."""
    texts = [f"\x1b[32m{_line(LAYOUTS[0], told)}\x1b[0m" for told in TOLD]
    (tmp_path / "nn.log").write_text("".join(json.dumps(carried(text)) + "\n" for text in texts))
    assert _is_story(check_alone([tmp_path / "nn.log"]))


def test_colours_are_left_out() -> None:
    found = log_line(b"\x1b[36mnn-1  |\x1b[0m 18/11/14 12:25:35 \x1b[1;31mINFO\x1b[m hdfs.StateChange: BLOCK* a\x1b[0m")
    assert found is not None
    assert (found.message, found.carriers) == (b"BLOCK* a", (COLOURS, "docker compose"))


def test_thread_may_have_brackets_in_brackets() -> None:
    thread = b"DataXceiver for client [x [y]] at /10.0.0.8:4 [Receiving block BP-1-10.0.0.1-15:blk_7_1001]"
    for head in (b"INFO [%b] hdfs.StateChange: ", b"[%b] INFO hdfs.StateChange - "):
        found = log_line(b"2018-11-14 12:25:35,275 " + head % thread + b"told")
        assert found is not None and (found.thread, found.message) == (thread, b"told")


def test_stack_trace_in_a_carrier_is_below_its_line(tmp_path: Path) -> None:
    """As it is where nothing carries the lines."""
    trace = "2018-11-14 12:25:35,275 WARN ipc.Server: failed\n\tat org.apache.hadoop.ipc.Server.run(Server.java:7)\n\n"
    counts = []
    for before in ("", "namenode-1  | ", "nn-0 namenode ", "hdfs nn-0 namenode ", "nn.log-"):
        (tmp_path / "nn.log").write_text("".join(before + line + "\n" for line in trace.splitlines()))
        report = check_alone([tmp_path / "nn.log"])
        counts.append((report.lines, report.events, report.rejects))
    assert set(counts) == {(3, 0, ())}


@pytest.mark.parametrize(
    "before", ["nn-0 namenode ", "hdfs nn-0 namenode ", "nn.log-{}-", "[nn-0 namenode] ", "rack (7) "]
)
def test_refusal_below_a_line_is_read_in_a_carrier(tmp_path: Path, before: str) -> None:
    lines = (
        "2018-11-14 12:25:35,275 INFO ipc.Server: a call failed",
        "java.io.IOException: The recovery id 1003 does not match current recovery id 1005 for block blk_7_1001",
    )
    text = "".join(f"{before.format(number)}{line}\n" for number, line in enumerate(lines, 99))
    (tmp_path / "nn.log").write_text(text)
    report = check_alone([tmp_path / "nn.log"])
    assert (report.events, report.rejects) == (1, ())


STORY = (
    *TOLD[:2],
    "DIR* completeFile: /t/f is closed by DFSClient_1",
    "BLOCK* addStoredBlock: blockMap updated: 10.0.0.1:9866 is added to blk_1073741825_1001 size 3",
    "BLOCK* allocate in words of another release",
    "something else",
)


@pytest.mark.slow
@pytest.mark.parametrize("carrier", CARRIERS, ids=lambda form: form.name)
@pytest.mark.parametrize("size", [1, 150])
def test_compiled_code_tells_the_same(
    carrier: Form, size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it cannot decide is told as it stands in the file."""
    lines = [_line(LAYOUTS[0], told) for told in STORY * size] + [
        "\tat org.apache.hadoop.ipc.Server.run(Server.java:7)"
    ]
    (tmp_path / "nn.log").write_text("".join(_carried(carrier, line) + "\n" for line in lines * 2))
    told = []
    for compiled_from in (0, 1 << 30):
        monkeypatch.setattr(reading, "COMPILED_FROM", compiled_from)
        checked = check_locally([tmp_path / "nn.log"])
        told.append([sorted(map(str, table.to_pylist())) for table in
                     (checked.events, checked.rejects, checked.verdicts)])  # fmt: skip
    assert told[0] == told[1] and len(told[0][0]) == 3 * 2 * size


def test_report_tells_the_layout(tmp_path: Path) -> None:
    carrier = next(form for form in CARRIERS if form.name.startswith("kubectl or docker"))
    line = _carried(carrier, _line(LAYOUTS[-1], TOLD[0]))
    (tmp_path / "nn.log").write_text(line + "\n")
    told = [note for _, note in check_alone([tmp_path / "nn.log"]).notes]
    assert told == ["layout: log4j2 JSON in kubectl or docker --timestamps"]


def test_events_in_json_are_no_log(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"message": "INFO of nothing"}\n')
    assert "not an event" in check_alone([tmp_path / "a.jsonl"]).rejects[0]


def test_layouts_are_listed() -> None:
    result = CliRunner().invoke(logs_app, ["check", "--layouts"])
    assert result.exit_code == 0
    for form in (*LAYOUTS, *CARRIERS):
        assert form.name in result.stdout and form.example.removeprefix("\ufeff") in result.stdout


def test_page_lists_every_layout_and_carrier(repository: Path) -> None:
    page = " ".join((repository / "docs" / "operators.md").read_text().split())
    for form in (*LAYOUTS, *CARRIERS):
        assert form.name in page


def test_file_that_is_not_read_shows_its_first_line_and_the_nearest_layout(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("2018-11-14 12:25:35,275 [main] INFORMATION hdfs.StateChange - something\n")
    (reject,) = check_alone([tmp_path / "a.log"]).rejects
    assert "its first line is '2018-11-14 12:25:35,275 [main] INFORMATION" in reject
    assert LAYOUTS[1].example in reject


# -- lines that a terminal has wrapped, blanks for tabs --------------------------------------------------------------


@pytest.mark.parametrize("compiled", [False, True])
def test_wrapped_lines_are_joined_or_named(logs: Path, compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "COMPILED_FROM", 0 if compiled else 1 << 30)
    report = check_alone([logs / "verdicts" / "wrapped-lines.log"])
    assert (report.safety, report.events) == ("violated", 2)
    assert [reject.partition(".log:")[2][:2] for reject in report.rejects] == ["1:"]


def test_audit_lines_with_blanks_for_tabs_are_read(logs: Path) -> None:
    report = check_alone([logs / "verdicts" / "audit-blanks.log"])
    assert (report.events, report.rejects, report.safety) == (2, (), "conformant")


# -- hostile heads -------------------------------------------------------------------------------------------------

PARTS = ("[", "]", "{", '{"log": "', "> ", "| ", " ", "\t", "1:", "a:", "-", "<1>1 ", "2018-11-14T12:25:35Z ", "INFO ",
         "2018-11-14 12:25:35,275 ", "INFO [", "\x1b[0m", "a | ", "((", "a.", "\ufeff")  # fmt: skip


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("before", ["", "INFO ", "2018-11-14 12:25:35,275 INFO [", "2018-11-14 12:25:35,275 | INFO | "])
def test_hostile_head_takes_no_time_without_end(part: str, before: str) -> None:
    """Processor time, of a line as long as lines may be."""
    line = (before + part * (LINE_LENGTH_MAX // len(part)) + " INFO").encode()[:LINE_LENGTH_MAX]
    began = time.process_time()
    head_of(line)
    assert time.process_time() - began < 2


@pytest.mark.slow
def test_heads_that_are_cut_and_mixed_are_read_or_not() -> None:
    seed = 20181114
    print(f"seed {seed}")
    chosen = random.Random(seed)
    lines = [_carried(carrier, _line(layout, TOLD[0])).encode() for layout in LAYOUTS for carrier in CARRIERS]
    for line in lines:
        for _ in range(40):
            at, other = chosen.randrange(len(line)), chosen.choice(lines)
            for broken in (
                line[:at],
                line[at:],
                line[:at] + other,
                line[:at] + bytes([chosen.randrange(256)]) + line[at:],
            ):
                found = log_line(broken)
                assert found is None or found.message in broken or b"\\" in broken


def _docker(text: str) -> str:
    return json.dumps({"log": text, "stream": "stdout", "time": "2024-03-01T10:00:00.1Z"})


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("runtime", ["CRI", "docker"])
def test_line_that_a_runtime_has_cut_is_joined(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runtime: str, compiled: bool
) -> None:
    monkeypatch.setattr(reading, "COMPILED_FROM", 0 if compiled else 1 << 30)
    at = "2024-03-01 10:00:00,100 INFO hdfs.StateChange: "
    line = f"{at}BLOCK* allocate blk_1_1001, replicas=10.0.0.1:9866 for /{'f' * 20_000}"
    again = f"{at}DIR* completeFile: /{'f' * 20_000} is closed by DFSClient_1"
    cri = "2024-03-01T10:00:00.1Z stdout"
    stored = [
        part
        for each in (line, again)
        for part in (
            (f"{cri} P {each[:16_384]}", f"{cri} F {each[16_384:]}")
            if runtime == "CRI"
            else (_docker(each[:16_384]), _docker(f"{each[16_384:]}\n"))
        )
    ]
    (tmp_path / "nn.log").write_text("\n".join(stored))
    report = check_alone([tmp_path])
    assert (report.safety, report.rejects, report.events) == ("conformant", (), 2)
    assert {(count.kind, count.keys) for count in report.keys} == {("block", 1), ("file", 1), ("lease", 1)}


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_read_in_a_compressed_file(tmp_path: Path, encoding: str) -> None:
    text = "".join(
        f"2024-03-01 10:00:0{second},100 INFO hdfs.StateChange: {told}\n" for second, told in enumerate(TOLD)
    )
    (tmp_path / "nn.log.gz").write_bytes(gzip.compress(f"\ufeff{text}".encode(encoding)))
    report = check_alone([tmp_path])
    assert (report.safety, report.rejects, report.lines) == ("violated", (), len(TOLD))
