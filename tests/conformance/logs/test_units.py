"""What a file is, its content says; what is none of the sources is told."""

import bz2
import gzip
import io
import lzma
import os
import tarfile
import tracemalloc
from pathlib import Path

import msgspec
import pytest

from genstamp.logs.opening import NoSuchPathError
from genstamp.logs.units import (
    EDIT_LOG,
    EDIT_XML,
    HEAD,
    IMAGE,
    IMAGE_XML,
    LOG,
    NATIVE,
    STORAGE,
    find_units,
)

LINE = b"2018-11-14 12:25:35,275 INFO org.apache.hadoop.hdfs.StateChange: BLOCK* fsync: /f for DFSClient_1\n"


def _archive() -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("name/current/VERSION"))
    return content.getvalue()


@pytest.mark.parametrize("compress", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_content_says_what_a_file_is(edits: Path, tmp_path: Path, compress: "type[bytes]") -> None:
    contents = {
        EDIT_LOG: (edits / "editsStored").read_bytes(),
        EDIT_XML: (edits / "editsStored.xml").read_bytes(),
        NATIVE: b'\n {"source": "genstamp-dfs"}\n',
        IMAGE: b"HDFSIMG1" + bytes(range(64)),
        IMAGE_XML: b'<?xml version="1.0"?>\n<!-- of a viewer -->\n<fsimage><NameSection>',
        STORAGE: _archive(),
        LOG: b"JUnit version 4.11\n." + LINE,
    }
    for number, content in enumerate(contents.values()):
        (tmp_path / f"{number}.txt").write_bytes(compress(content))
    found = find_units([str(tmp_path)])
    assert sorted(unit.reader for unit in found.units) == sorted(contents)
    assert found.rejects == []


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty"),
        (b"\x7fELF" + bytes(100), "binary, and not an edit log"),
        (b"name,value\n1,2\n", "no line of it is of a layout that is known"),
        (b"\x1f\x8b\x08garbage", "gzip data is damaged before byte 10"),
        (lzma.compress(LINE)[:20], "xz data ends early, after 20 bytes"),
        (bz2.compress(LINE)[:40], "bzip2 data ends early, after 40 bytes"),
        (b"PK\3\4" + LINE, "compressed by zip; what can be read is plain or compressed by gzip, bzip2, xz, zstd"),
        (b"\x04\x22\x4d\x18" + LINE, "compressed by lz4; "),
        ("2018-11-14 12:25:35,275 INFO a.b: x\n".encode("utf-16-le"), "binary, and not an edit log"),
    ],
    ids=["empty", "binary", "text", "damaged", "short xz", "short bzip2", "zip", "lz4", "utf-16 without a mark"],
)
def test_file_that_was_named_and_cannot_be_read_is_rejected(tmp_path: Path, content: bytes, reason: str) -> None:
    (tmp_path / "hadoop.log").write_bytes(content)
    found = find_units([str(tmp_path / "hadoop.log")])
    assert found.units == []
    assert [reject.place.file for reject in found.rejects] == [str(tmp_path / "hadoop.log")]
    assert reason in found.rejects[0].reason


GFS_EVENTS = {
    "master": {"node": "master", "kind": "log", "entity": "master", "event": "recover"},
    "chunkserver": {
        "node": "127.0.0.1:46657",
        "kind": "node",
        "entity": "127.0.0.1:46657",
        "event": "start_chunkserver",
    },
    "client": {"node": "client1", "kind": "chunk", "entity": "1", "event": "learn_lease"},
}


@pytest.mark.parametrize("node", GFS_EVENTS)
def test_events_of_gfs_are_refused_in_one_sentence(tmp_path: Path, node: str) -> None:
    event = {"source": "genstamp-dfs", "node_sequence": 1, "namespace": "baea17db89a816a0", **GFS_EVENTS[node]}
    (tmp_path / "events.jsonl").write_bytes(msgspec.json.encode(event) + b"\n")
    found = find_units([str(tmp_path / "events.jsonl")])
    assert found.units == []
    (reject,) = found.rejects
    assert reject.reason.startswith("events of GFS, but logs are checked against HDFS only; ")


def test_file_beside_logs_that_is_meant_for_something_else_is_noted(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(LINE)
    (tmp_path / "VERSION").write_text("layoutVersion=-64\n", encoding="utf-8")
    found = find_units([str(tmp_path)])
    assert [unit.files for unit in found.units] == [(str(tmp_path / "a.log"),)]
    assert found.rejects == []
    assert {Path(file).name for file, _ in found.notes} == {"VERSION"}


def test_binary_beside_logs_is_rejected(tmp_path: Path) -> None:
    """It may be an edit log whose first bytes are damaged."""
    (tmp_path / "edits_1").write_bytes(bytes(100))
    assert [reject.place.file for reject in find_units([str(tmp_path)]).rejects] == [str(tmp_path / "edits_1")]


def test_compressed_part_that_is_cut_off_before_its_first_line_is_rejected(tmp_path: Path) -> None:
    """As one that was not copied to its end: it may hold anything."""
    (tmp_path / "a.log").write_bytes(LINE)
    (tmp_path / "a.log.1.bz2").write_bytes(bz2.compress(LINE)[:40])
    assert [reject.place.file for reject in find_units([str(tmp_path)]).rejects] == [str(tmp_path / "a.log.1.bz2")]


def test_compressed_parts_of_a_log_follow_one_another(tmp_path: Path) -> None:
    later = LINE.replace(b"12:25", b"12:26")
    (tmp_path / "a.log").write_bytes(later.replace(b"12:26", b"12:27"))
    (tmp_path / "a.log.1.xz").write_bytes(lzma.compress(later))
    (tmp_path / "a.log.2.bz2").write_bytes(bz2.compress(LINE))
    [unit] = find_units([str(tmp_path)]).units
    assert [Path(file).name for file in unit.files] == ["a.log.2.bz2", "a.log.1.xz", "a.log"]


def test_link_that_leads_out_of_its_directory_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(LINE)
    inside = tmp_path / "logs"
    inside.mkdir()
    (inside / "a.log").write_bytes(LINE)
    (inside / "out").symlink_to(tmp_path / "secret")
    (inside / "same").symlink_to(inside / "a.log")
    found = find_units([str(inside)])
    assert [unit.files for unit in found.units] == [(str(inside / "a.log"),)]
    (reject,) = found.rejects
    assert reject.place.file == str(inside / "out") and "leads out of" in reject.reason


def test_file_below_a_linked_directory_outside_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "a.log").write_bytes(LINE)
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "out").symlink_to(tmp_path / "elsewhere")
    found = find_units([str(tmp_path / "logs")])
    assert found.units == [] and len(found.rejects) == 1


def test_what_is_no_file_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (reject,) = find_units([str(tmp_path / "pipe")]).rejects
    assert reject.reason == "not a regular file"


def test_name_that_is_no_text_is_told(tmp_path: Path) -> None:
    named = os.fsencode(tmp_path) + b"/\xff.log"
    with open(named, "wb") as file:  # noqa: PTH123 - the name is bytes
        file.write(LINE)
    (reject,) = find_units([str(tmp_path)]).rejects
    assert reject.place.file.endswith("\\udcff.log") and "not valid UTF-8" in reject.reason


def test_path_that_is_not_there_is_the_callers_mistake(tmp_path: Path) -> None:
    with pytest.raises(NoSuchPathError, match="no file or directory"):
        find_units([str(tmp_path / "nowhere")])


def test_file_that_is_named_twice_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(LINE)
    assert len(find_units([str(tmp_path), str(tmp_path / "a.log")]).units) == 1


def test_namespace_is_the_group_else_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(LINE)
    assert find_units([str(tmp_path)]).units[0].namespace == str(tmp_path / "a.log")
    assert find_units([str(tmp_path)], group="c1").units[0].namespace == "c1"


def test_edit_logs_come_first(edits: Path, tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(LINE)
    (tmp_path / "z").write_bytes((edits / "editsStored").read_bytes())
    assert [unit.reader for unit in find_units([str(tmp_path)]).units] == [EDIT_LOG, LOG]


@pytest.mark.slow
def test_beginnings_of_many_files_are_not_kept(tmp_path: Path) -> None:
    """A large cluster has tens of thousands of logs, each with a beginning of a MiB."""
    for number in range(24):
        (tmp_path / f"{number}.log").write_bytes(str(number).encode() + b"\n" + LINE * (HEAD // len(LINE) + 1))
    tracemalloc.start()
    try:
        assert len(find_units([str(tmp_path)]).units) == 24
        assert tracemalloc.get_traced_memory()[1] < 12 * HEAD
    finally:
        tracemalloc.stop()


def test_copy_of_a_log_is_left_out_and_noted(tmp_path: Path) -> None:
    """Its steps would be taken twice, as of another that has the same name."""
    (tmp_path / "namenode.log").write_bytes(LINE * 50)
    (tmp_path / "namenode.log.gz").write_bytes(gzip.compress(LINE * 50))
    (tmp_path / "other.log").write_bytes(LINE.replace(b"/f", b"/g") * 51)
    found = find_units([str(tmp_path)])
    kept, other = (str(tmp_path / name) for name in ("namenode.log", "other.log"))
    assert [unit.files for unit in found.units] == [(kept,), (other,)]
    assert found.notes == [(f"{kept}.gz", f"left out, because its content equals that of {kept}")]


def test_edit_log_of_each_journalnode_is_read_once(tmp_path: Path, edits: Path) -> None:
    for node in "abc":
        (tmp_path / node).mkdir()
        (tmp_path / node / "edits_1-200").write_bytes((edits / "editsStored").read_bytes())
    assert len(find_units([str(tmp_path)], group="cluster").units) == 1


def test_longest_of_logs_that_begin_alike_is_read(tmp_path: Path) -> None:
    """One was copied while it was written."""
    whole = LINE * (HEAD // len(LINE) + 2)
    (tmp_path / "copy.log").write_bytes(whole)
    (tmp_path / "namenode.log").write_bytes(whole + LINE)
    assert [unit.files for unit in find_units([str(tmp_path)]).units] == [(str(tmp_path / "namenode.log"),)]
