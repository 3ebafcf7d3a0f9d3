"""A log is left out only if all of its content is that of another one, or the beginning of it."""

import bz2
import gzip
import lzma
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from tests.conformance.logs.storage_directories import name_directory

from genstamp.logs.alone import check_alone
from genstamp.logs.local import check_locally
from genstamp.logs.run import Options
from genstamp.logs.units import HEAD, find_units

Compress = Callable[[bytes], bytes]


def _line(number: int, what: str) -> str:
    time = f"{number // 3_600_000 % 24:02d}:{number // 60_000 % 60:02d}:{number // 1000 % 60:02d},{number % 1000:03d}"
    return f"2015-10-18 {time} INFO org.apache.hadoop.hdfs.StateChange: {what}\n"


def _allocated(number: int, block: int) -> str:
    return _line(number, f"BLOCK* allocate blk_{block}_{number}, replicas=10.0.0.1:50010 for /a{block}")


CLOSED = "".join(_line(i, f"DIR* completeFile: /x{i} is closed by DFSClient_{i}") for i in range(14_000))
assert len(CLOSED) > HEAD
TWICE = _allocated(20_000, 1) + _allocated(20_001, 1)
OTHERS = "".join(_allocated(20_000 + i, 100 + i) for i in range(30))


def _read(directory: Path) -> tuple[list[str], list[str]]:
    """Names of the files that are read, and of those that are left out."""
    found = find_units([str(directory)])
    read = [Path(file).name for unit in found.units for file in unit.files]
    return sorted(read), sorted(Path(file).name for file in found.left_out)


@pytest.mark.slow
def test_logs_that_share_their_first_mebibyte_and_differ_are_both_read(tmp_path: Path) -> None:
    (tmp_path / "bad.log").write_text(CLOSED + TWICE)
    (tmp_path / "good.log").write_text(CLOSED + OTHERS)
    report = check_alone([tmp_path])
    assert report.safety == "violated"
    assert [(each.entity, each.place) for each in report.findings] == [("1", f"{tmp_path / 'bad.log'}:14002")]
    assert [note for file, note in report.notes if Path(file).name == "good.log"] == [
        f"begins as {tmp_path / 'bad.log'} does, and neither is the beginning of the other: each is checked by itself"
    ]


@pytest.mark.slow
@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress, zstandard.compress])
def test_whole_log_is_read_and_not_the_beginning_beside_it(tmp_path: Path, compress: Compress) -> None:
    """Compressed it is the smaller file by far."""
    (tmp_path / "namenode.log.gz").write_bytes(compress((CLOSED + TWICE).encode()))
    (tmp_path / "namenode-part.log").write_text(CLOSED)
    report = check_alone([tmp_path])
    assert report.safety == "violated"
    assert report.notes == (
        (
            str(tmp_path / "namenode-part.log"),
            f"left out, because its content is the beginning of {tmp_path}/namenode.log.gz",
        ),
    )


def test_beginning_that_ends_in_the_midst_of_a_line_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text((TWICE + OTHERS)[:-40])
    (tmp_path / "b.log").write_text(TWICE + OTHERS)
    assert _read(tmp_path) == (["b.log"], ["a.log"])


@pytest.mark.parametrize(
    "other",
    [OTHERS[300:], OTHERS[:-1] + "x\n", OTHERS.replace("blk_110_", "blk_111_")],
    ids=["fragment from the middle", "last byte", "byte in the middle"],
)
def test_what_differs_is_no_copy(tmp_path: Path, other: str) -> None:
    (tmp_path / "a.log").write_text(OTHERS)
    (tmp_path / "b.log").write_text(other)
    assert _read(tmp_path) == (["a.log", "b.log"], [])


def test_of_equal_logs_the_first_is_read(tmp_path: Path) -> None:
    for name in ("a.log", "b.log", "c.log"):
        (tmp_path / name).write_text(OTHERS)
    (tmp_path / "d.log").write_text(OTHERS[:-200])
    assert _read(tmp_path) == (["a.log"], ["b.log", "c.log", "d.log"])


@pytest.mark.slow
def test_compressed_log_that_is_damaged_is_no_copy(tmp_path: Path) -> None:
    """Nothing says what it held."""
    (tmp_path / "namenode.log").write_text(OTHERS)
    (tmp_path / "namenode.log.1.gz").write_bytes(gzip.compress(OTHERS.encode())[:-12])
    assert _read(tmp_path) == (["namenode.log", "namenode.log.1.gz"], [])
    report = check_alone([tmp_path], Options(group="c"))
    assert report.safety == "undetermined", "the damaged one is told, and its steps are not taken once more"


def test_rotated_parts_are_one_log_and_one_that_begins_as_another_is_none_of_them(tmp_path: Path) -> None:
    """A part that was rotated holds other times; what begins as the log itself would tell its steps once more."""
    (tmp_path / "nn.log.1").write_text(OTHERS)
    (tmp_path / "nn.log").write_text(_allocated(50_000, 7))
    assert len(find_units([str(tmp_path)]).units) == 1
    (tmp_path / "nn.log.2").write_text(OTHERS + _allocated(40_000, 8))
    assert [len(unit.files) for unit in find_units([str(tmp_path)]).units] == [2], "the longer one replaces it"
    (tmp_path / "nn.log.2").write_text(OTHERS[:-1] + "x\n")
    report = check_alone([tmp_path], Options(group="c"))
    assert (report.safety, len(find_units([str(tmp_path)]).units)) == ("conformant", 2)


@pytest.mark.parametrize("banner", ["JUnit version 4.11\n", ""])
def test_logs_that_share_a_banner_are_not_alike(tmp_path: Path, banner: str) -> None:
    (tmp_path / "nn.log.1").write_text(banner + OTHERS)
    (tmp_path / "nn.log").write_text(banner + _allocated(50_000, 7) + _allocated(50_001, 8))
    found = find_units([str(tmp_path)])
    assert (len(found.units), found.notes) == (1, [])


def test_edit_log_in_progress_is_the_beginning_of_the_finished_one(tmp_path: Path, edits: Path) -> None:
    whole = (edits / "editsStored").read_bytes()
    (tmp_path / "edits_1-200").write_bytes(whole)
    for name, content in {
        "edits_inprogress_1": whole[:500] + b"\xff" * 5_000,
        "edits_inprogress_2": whole.rstrip(b"\xff") + b"\xff" * (3 << 20),
    }.items():
        (tmp_path / name).write_bytes(content)
    assert _read(tmp_path) == (["edits_1-200"], ["edits_inprogress_1", "edits_inprogress_2"])
    (tmp_path / "edits_inprogress_1").write_bytes(whole[:499] + bytes([whole[499] ^ 1]) + b"\xff" * 5_000)
    assert _read(tmp_path) == (["edits_1-200", "edits_inprogress_1"], ["edits_inprogress_2"])


def test_padding_in_the_midst_of_an_edit_log_is_content(tmp_path: Path, edits: Path) -> None:
    whole = (edits / "editsStored").read_bytes().rstrip(b"\xff")
    (tmp_path / "edits_1").write_bytes(whole[:400] + b"\xff" * 9_000 + whole[400:])
    (tmp_path / "edits_2").write_bytes(whole[:400] + b"\xff" * 9_001 + whole[400:])
    assert _read(tmp_path) == (["edits_1", "edits_2"], [])


def test_edit_log_as_xml_is_the_beginning_of_a_longer_one(tmp_path: Path, edits: Path) -> None:
    whole = (edits / "editsStored.xml").read_text()
    records = whole.split("  <RECORD>\n")
    (tmp_path / "a.xml").write_text(whole)
    (tmp_path / "b.xml").write_text("  <RECORD>\n".join(records[:9]) + "</EDITS>\n")
    assert _read(tmp_path) == (["a.xml"], ["b.xml"])
    (tmp_path / "b.xml").write_text("  <RECORD>\n".join([*records[:8], *records[9:12]]) + "</EDITS>\n")
    assert _read(tmp_path) == (["a.xml", "b.xml"], [])


def test_edits_in_progress_of_a_storage_directory_are_held_against_the_finished_ones(
    tmp_path: Path, edits: Path
) -> None:
    first, second = name_directory(tmp_path / "name1", edits), name_directory(tmp_path / "name2", edits)
    (finished,) = second.glob("edits_*")
    in_progress = finished.with_name(f"edits_inprogress_{1:019d}")
    shutil.move(finished, in_progress)
    content = in_progress.read_bytes()
    in_progress.write_bytes(content[:700] + b"\xff" * 900)
    assert check_locally([tmp_path / "name1", tmp_path / "name2"]).rejects.num_rows == 0
    in_progress.write_bytes(content[:699] + bytes([content[699] ^ 1]) + b"\xff" * 900)
    (reject,) = check_locally([tmp_path / "name1", tmp_path / "name2"]).rejects.to_pylist()
    assert reject["place"]["file"] == str(in_progress) and "is not the beginning of" in reject["reason"], first
