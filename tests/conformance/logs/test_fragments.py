"""A log that another one tells once more, or in part, is no violation; and nothing that it adds is lost."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from genstamp.logs.alone import check_alone
from genstamp.logs.run import Options

POOL = "BP-11-10.0.0.9-1700000000001"


def _line(second: int, what: str) -> str:
    return f"2024-03-01 10:{second // 60:02}:{second % 60:02},100 INFO {what}\n"


def _block(number: int) -> list[str]:
    stamp, file = 1001 + 2 * number, f"/t/f{number}"
    name = f"blk_{1073741825 + number}"
    return [
        _line(3 * number, f"hdfs.StateChange: BLOCK* allocate {name}_{stamp}, replicas=10.0.0.1:9866 for {file}"),
        _line(3 * number + 1, f"namenode.FSNamesystem: updatePipeline({name}_{stamp} => {name}_{stamp + 1}) success"),
        _line(3 * number + 2, f"hdfs.StateChange: DIR* completeFile: {file} is closed by DFSClient_{number}"),
    ]


NAMED = _line(0, f"server.Something: of {POOL}")
WHOLE = [line for number in range(20) for line in _block(number)]
AGAIN = "namenode.FSNamesystem: updatePipeline(blk_1073741826_1004 => blk_1073741826_1004) success"
Carry = Callable[[list[str]], bytes]
CARRIED: dict[str, Carry] = {
    "as it is": lambda lines: "".join(lines).encode(),
    "CR LF": lambda lines: "".join(lines).replace("\n", "\r\n").encode(),
    "docker compose": lambda lines: "".join(f"nn-1  | {line}" for line in lines).encode(),
    "gzip": lambda lines: gzip.compress("".join(lines).encode()),
}
PARTS = {
    "all": WHOLE,
    "end": WHOLE[30:],
    "middle": WHOLE[20:41],
    "found by grep": [line for line in WHOLE if "updatePipeline" in line],
    "one line": WHOLE[31:32],
}


def _check(place: Path, **files: bytes) -> tuple[str, list[str]]:
    """The verdict, and the notes on the second file."""
    for name, content in files.items():
        (place / name).write_bytes(content)
    report = check_alone([place])
    assert not report.rejects
    notes = [note.replace(f"{place}/", "") for file, note in report.notes if file.endswith("other")]
    return report.safety, [note for note in notes if not note.startswith("layout")]


@pytest.mark.parametrize("carried", CARRIED)
@pytest.mark.parametrize("part", PARTS)
def test_part_of_a_log_is_checked_by_itself(tmp_path: Path, part: str, carried: str) -> None:
    """Even where the logs are to be whole, what the part lacks is no violation."""
    whole = "".join([NAMED, *WHOLE]).encode()
    notes = ["has lines of nn: each is checked by itself"]
    assert _check(tmp_path, nn=whole, other=CARRIED[carried](PARTS[part])) == ("conformant", notes)
    lacks = part in ("found by grep", "one line")
    assert check_alone([tmp_path], Options(complete=True)).safety == ("undetermined" if lacks else "conformant")


@pytest.mark.parametrize("carried", CARRIED)
@pytest.mark.parametrize("until", [10, 61])
def test_log_with_whose_lines_another_one_begins_is_left_out(tmp_path: Path, until: int, carried: str) -> None:
    whole = "".join([NAMED, *WHOLE]).encode()
    safety, (note,) = _check(tmp_path, nn=whole, other=CARRIED[carried]([NAMED, *WHOLE][:until]))
    assert (safety, note.startswith("left out, ")) == ("conformant", True)


def test_part_of_a_collected_log_shows_what_that_does_not(tmp_path: Path) -> None:
    """No line of the recovery names the datanode, which only the log of one of them tells."""
    begins = "server.datanode.DataNode: Receiving {}:{} src: /10.0.0.8:4 dest: /10.0.0.{}:9866"
    block = "blk_7_1001"
    inits = f"fsdataset.impl.FsDatasetImpl: initReplicaRecovery: {block}, recoveryId={{}}, replica=FinalizedReplica,"
    begun = f"fsdataset.impl.FsDatasetImpl: initReplicaRecovery: changing replica state for {block} from FINALIZED to"
    one = [
        _line(1, begins.format(POOL, "blk_8_1001", 1)),
        _line(2, begins.format(POOL, block, 1)),
        *(_line(5 + n, text) for n, text in enumerate([f"{inits.format(1001)} {block}, FINALIZED", f"{begun} RUR"])),
    ]
    other = _line(0, begins.format(POOL, block, 2))
    (tmp_path / "collected").write_text("".join([other, *one]))
    assert {found.kind for found in check_alone([tmp_path]).findings} == {"block"}
    (tmp_path / "dn1").write_text("".join(one))
    assert {found.kind for found in check_alone([tmp_path]).findings} == {"block", "replica"}


def test_parts_that_overlap_are_checked_each_by_itself(tmp_path: Path) -> None:
    parts = [NAMED, *WHOLE[:40]], [*WHOLE[30:], NAMED]
    safety, notes = _check(tmp_path, nn="".join(parts[0]).encode(), other="".join(parts[1]).encode())
    assert (safety, notes) == ("conformant", ["has lines of nn: each is checked by itself"])


@pytest.mark.parametrize("line", [_line(90, AGAIN), f"24/03/01 10:30:00 INFO {AGAIN}\n"])
def test_what_a_part_adds_is_checked(tmp_path: Path, line: str) -> None:
    whole, part = "".join([NAMED, *WHOLE]), "".join([*WHOLE[:9], line])
    assert _check(tmp_path, nn=whole.encode(), other=part.encode())[0] == "violated"


def test_logs_of_datanodes_with_one_common_line_are_no_parts(tmp_path: Path) -> None:
    started = _line(0, f"datanode.DataNode: something of {POOL}")
    logs = [
        started + _line(1, f"datanode.DataNode: Receiving {POOL}:blk_1_1001 src: /10.0.0.8:4 dest: /10.0.0.{node}:9866")
        for node in (1, 2)
    ]
    assert _check(tmp_path, nn=logs[0].encode(), other=logs[1].encode()) == ("conformant", [])


ZEROS = b"\0" * 600


@pytest.mark.parametrize("zeros", [ZEROS, ZEROS + b"\n"])
def test_zeros_that_a_crash_has_left_hide_nothing(tmp_path: Path, zeros: bytes) -> None:
    lines = "".join(WHOLE[:5]).encode()
    assert _check(tmp_path, nn=lines + zeros + "".join(WHOLE[5:]).encode())[0] == "conformant"
    assert _check(tmp_path, nn=lines + zeros + _line(90, AGAIN).encode())[0] == "violated"


@pytest.mark.parametrize("cut", range(1, 4))
@pytest.mark.parametrize("follows", ["", "\n", _line(70, "server.Something: else"), f"\n{WHOLE[12]}"])
def test_line_that_breaks_off_in_zeros_is_not_taken_for_a_whole_one(tmp_path: Path, cut: int, follows: str) -> None:
    """Its end may have said something else: of the holder `DFSClient_17` only `DFSClient_1` may be left."""
    torn = "".join(WHOLE[:12])[:-cut].encode() + ZEROS + follows.encode()
    (tmp_path / "nn.log").write_bytes(NAMED.encode() + torn)
    report = check_alone([tmp_path])
    assert (report.safety, len(report.rejects)) == ("undetermined", 1)
    assert "breaks off in zeros" in str(report.rejects)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_steps_in_utf_16_behind_lines_in_utf_8_are_told(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "nn.log").write_bytes("".join([*WHOLE, 9000 * " ", "\n"]).encode() + _line(90, AGAIN).encode(encoding))
    report = check_alone([tmp_path])
    assert (report.safety, report.unread) == ("undetermined", 1)
