"""Archives of storage directories are read in place: what they hold is what directories hold, and nothing leads out."""

import io
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard
from tests.conformance.logs.storage_directories import blocks_of, data_directory, name_directory

from genstamp.logs.local import Checked, check_locally
from genstamp.logs.readers import storage_tree


@pytest.fixture
def cluster(tmp_path: Path, edits: Path) -> Path:
    name_directory(tmp_path / "cluster" / "name", edits)
    data_directory(tmp_path / "cluster" / "data", blocks_of(edits))
    return tmp_path / "cluster"


def _packed(cluster: Path, mode: Any = "w:gz") -> Path:
    archive = cluster.parent / "cluster.tar"
    with tarfile.open(archive, mode) as packed:
        packed.add(cluster, "./cluster")
    return archive


def _keys(checked: Checked) -> set[tuple[str, str, str, str, str]]:
    columns = "namespace", "kind", "entity", "safety", "completion"
    return {tuple(row[column] for column in columns) for row in checked.verdicts.to_pylist()}


@pytest.mark.slow
@pytest.mark.parametrize("compress", [bytes, zstandard.compress], ids=["gzip or plain", "zstd"])
@pytest.mark.parametrize("mode", ["w", "w:gz"])
def test_archive_tells_what_its_directories_tell(cluster: Path, mode: str, compress: Callable[[bytes], bytes]) -> None:
    archive = _packed(cluster, mode)
    archive.write_bytes(compress(archive.read_bytes()) if mode == "w" else archive.read_bytes())
    packed, unpacked = check_locally([archive], complete=True), check_locally([cluster], complete=True)
    assert packed.rejects.num_rows == unpacked.rejects.num_rows == 0
    assert _keys(packed) == _keys(unpacked) and packed.events.num_rows == unpacked.events.num_rows
    (edits,) = {e["place"]["file"] for e in packed.events.to_pylist() if e["source"] == "hdfs-edits"}
    assert edits.startswith(f"{archive}!/cluster/name/current/edits_")


def _member(name: str, kind: bytes = tarfile.REGTYPE, **attributes: Any) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type = kind
    for attribute, value in attributes.items():
        setattr(member, attribute, value)
    return member


@pytest.mark.parametrize(
    ("member", "reason"),
    [
        (_member("../data/current/VERSION"), "points outside the archive"),
        (_member("/etc/VERSION"), "points outside the archive"),
        (_member("cluster/x/../../../edits"), "points outside the archive"),
        (_member("cluster/link", tarfile.SYMTYPE, linkname="/etc/passwd"), "a link or special file"),
        (_member("cluster/hard", tarfile.LNKTYPE, linkname="../secret"), "points outside the archive"),
        (
            _member("cluster/hard", tarfile.LNKTYPE, linkname="elsewhere"),
            "a hard link to a file that does not",
        ),
        (_member("cluster/null", tarfile.CHRTYPE), "a link or special file"),
        (_member("cluster/disk", tarfile.BLKTYPE), "a link or special file"),
        (_member("cluster/pipe", tarfile.FIFOTYPE), "a link or special file"),
    ],
    ids=lambda value: value.name if isinstance(value, tarfile.TarInfo) else "",
)
def test_member_that_leads_out_or_is_special_is_refused(cluster: Path, member: tarfile.TarInfo, reason: str) -> None:
    archive = _packed(cluster, "w")
    before = _keys(check_locally([archive]))
    with tarfile.open(archive, "a") as packed:
        packed.addfile(member)
    checked = check_locally([archive])
    assert reason in checked.rejects.to_pylist()[0]["reason"]
    assert _keys(checked) == before


def test_hard_link_to_a_file_before_it_is_that_file(cluster: Path) -> None:
    """So the directory of an upgrade shares its blocks with the one before it."""
    directory = next((cluster / "data").rglob("subdir0"))
    (directory / "blk_1073741999").hardlink_to(directory / "blk_1073741826")
    (directory / "blk_1073741999_1003.meta").hardlink_to(directory / "blk_1073741826_1002.meta")
    checked = check_locally([_packed(cluster)])
    assert checked.rejects.num_rows == 0
    lengths = {
        e["entity"].partition("@")[0]: e["num_bytes"] for e in checked.events.to_pylist() if e["kind"] == "replica"
    }
    assert lengths["1073741999"] == lengths["1073741826"] == 512


def test_archive_without_a_storage_directory_is_told(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a.tar", "w") as packed:
        packed.addfile(_member("readme", size=3), io.BytesIO(b"abc"))
    (reject,) = check_locally([tmp_path]).rejects.to_pylist()
    assert reject["reason"] == "no storage directory of a NameNode or a datanode is in it"


def test_header_that_would_fill_memory_is_refused_before_it_is_read(cluster: Path) -> None:
    archive = _packed(cluster, "w")
    long_name = _member("././@LongLink", tarfile.GNUTYPE_LONGNAME, size=storage_tree.HEADER_MAX + 1)
    archive.write_bytes(long_name.tobuf(tarfile.GNU_FORMAT) + archive.read_bytes())
    (reject,) = check_locally([archive]).rejects.to_pylist()
    assert "a header of the archive has 1048577 bytes" in reject["reason"]


def test_member_that_is_said_to_be_endless_ends_the_archive(cluster: Path) -> None:
    archive = _packed(cluster, "w")
    endless = _member("cluster/data/current/blk_1", size=2**62)
    archive.write_bytes(endless.tobuf(tarfile.GNU_FORMAT) + archive.read_bytes())
    (reject,) = check_locally([archive]).rejects.to_pylist()
    assert reject["reason"] == f"the archive ends early, after {archive.stat().st_size} bytes"


def test_archive_with_more_edits_than_are_kept_is_refused(cluster: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage_tree, "KEPT_MAX", 1000)
    (reject,) = check_locally([_packed(cluster)]).rejects.to_pylist()
    assert "have more than 1000 bytes" in reject["reason"]


def test_archive_with_too_many_members_is_refused(cluster: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage_tree, "MEMBERS_MAX", 10)
    (reject,) = check_locally([_packed(cluster)]).rejects.to_pylist()
    assert "more than 10 files" in reject["reason"]


@pytest.mark.parametrize("mode", ["w", "w:gz"])
def test_archive_that_ends_early_is_told(cluster: Path, mode: str) -> None:
    archive = _packed(cluster, mode)
    stored = archive.read_bytes()
    for part in range(1, 12):
        archive.write_bytes(stored[: 600 + (len(stored) - 600) * part // 13])
        checked = check_locally([archive])
        assert checked.rejects.num_rows >= 1
        assert all(row["safety"] == "conformant" for row in checked.verdicts.to_pylist())


def test_link_in_a_directory_is_refused(cluster: Path) -> None:
    (cluster / "data" / "current" / "out").symlink_to("/etc")
    (reject,) = check_locally([cluster]).rejects.to_pylist()
    assert "a link or special file" in reject["reason"]
