"""Storage directories: what lies on a datanode's disk is held against what the NameNode has on its own."""

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.conformance.logs.storage_directories import (
    LAST_TXID,
    POOL,
    ImageFile,
    blocks_of,
    data_directory,
    image,
    name_directory,
    put_replica,
    write_version,
)

from genstamp.logs.local import Checked, check_locally
from genstamp.logs.readers import edit_binary
from genstamp.logs.readers.edit_ops import LoggedBlock
from genstamp.logs.readers.edit_replay import Replay
from genstamp.logs.readers.sighting import Counts, Unit
from genstamp.logs.streams import Stream
from genstamp.logs.units import STORAGE, find_units

Verdicts = dict[tuple[str, str], dict[str, Any]]


@pytest.fixture
def blocks(edits: Path) -> list[LoggedBlock]:
    return blocks_of(edits)


@pytest.fixture
def cluster(tmp_path: Path, edits: Path, blocks: list[LoggedBlock]) -> Path:
    """A cluster with one directory of its NameNode and one of its only datanode, in agreement."""
    name_directory(tmp_path / "cluster" / "name", edits)
    data_directory(tmp_path / "cluster" / "data", blocks)
    return tmp_path / "cluster"


def _pool(cluster: Path) -> Path:
    return cluster / "data" / "current" / POOL / "current"


def _violated(checked: Checked) -> list[dict[str, Any]]:
    assert checked.rejects.num_rows == 0, checked.rejects.to_pylist()
    return [row for row in checked.verdicts.to_pylist() if row["safety"] != "conformant"]


@pytest.mark.parametrize("complete", [False, True])
def test_directories_in_agreement_conform(cluster: Path, blocks: list[LoggedBlock], complete: bool) -> None:
    checked = check_locally([cluster], complete=complete)
    assert _violated(checked) == []
    assert {row["namespace"] for row in checked.verdicts.to_pylist()} == {POOL}
    rows = checked.verdicts.to_pylist()
    assert {row["completion"] for row in rows if row["kind"] in ("file", "block")} == {"complete"}
    replicas = [row for row in rows if row["kind"] == "replica"]
    assert [row["states"] for row in replicas] == [["FINALIZED"]] * len(blocks) == [["FINALIZED"]] * 13


def test_every_directory_is_found_by_what_its_version_tells(cluster: Path) -> None:
    units = find_units([str(cluster)]).units
    assert [(unit.reader, unit.files) for unit in units] == [
        (STORAGE, (str(cluster / "name"),)),
        (STORAGE, (str(cluster / "data"),)),
    ]


def _replace(cluster: Path, block: LoggedBlock, by: LoggedBlock, state: str = "finalized") -> None:
    directory = _pool(cluster) / "finalized" / "subdir0"
    (directory / f"blk_{block.block_id}").unlink()
    (directory / f"blk_{block.block_id}_{block.generation_stamp}.meta").unlink()
    put_replica(_pool(cluster) / state, by)


@pytest.mark.parametrize(
    ("change", "failed", "accepted"),
    [
        (
            lambda block: block._replace(num_bytes=block.num_bytes + 1),
            "num bytes 513 is not 512",
            "found_on_disk (replica_state=FINALIZED) with num bytes 512",
        ),
        (lambda block: block._replace(num_bytes=0), "num bytes 0 is not 512", ""),
        (lambda block: block._replace(generation_stamp=1016), "generation stamp 1016 is not 1004", ""),
        (
            lambda block: block._replace(block_id=1073741999),
            "found_on_disk (replica_state=FINALIZED) is no step of a block that is absent",
            "found_on_disk (replica_state=FINALIZED) after add_block",
        ),
    ],
    ids=["longer", "empty", "stamp raised", "block that nobody gave out"],
)
def test_replica_that_no_block_has_is_found(
    cluster: Path,
    blocks: list[LoggedBlock],
    change: Callable[[LoggedBlock], LoggedBlock],
    failed: str,
    accepted: str,
) -> None:
    block = next(block for block in blocks if block.generation_stamp == 1004)
    changed = change(block)
    _replace(cluster, block, changed)
    (verdict,) = _violated(check_locally([cluster], complete=True))
    assert (verdict["kind"], verdict["entity"]) == ("block", str(changed.block_id))
    assert verdict["failed"] == failed and (verdict["accepted"] or "").startswith(accepted)
    assert verdict["place"]["file"] == str(cluster / "data")
    # A line that is missing may tell of an append, a pipeline or a whole file.
    assert _violated(check_locally([cluster])) == []


def test_stamp_that_was_never_given_out_is_found_in_every_order(cluster: Path, blocks: list[LoggedBlock]) -> None:
    _replace(cluster, blocks[-2], blocks[-2]._replace(generation_stamp=5000))
    found = {row["kind"]: row for row in _violated(check_locally([cluster], complete=True))}
    assert set(found) == {"block", "node"}
    assert found["node"]["failed"] == "generation stamp 5000 is above 1016"


@pytest.mark.parametrize(
    ("change", "state"),
    [
        (lambda block: block._replace(generation_stamp=1001), "finalized"),
        (lambda block: block._replace(generation_stamp=1001, num_bytes=3), "rbw"),
        (lambda block: block._replace(num_bytes=100), "rbw"),
    ],
    ids=["stale and final", "stale and being written", "close that has not come"],
)
def test_replica_of_an_earlier_generation_is_legal(
    cluster: Path, blocks: list[LoggedBlock], change: Callable[[LoggedBlock], LoggedBlock], state: str
) -> None:
    """It waits for its deletion, or to be closed."""
    _replace(cluster, blocks[2], change(blocks[2]), state)
    assert _violated(check_locally([cluster], complete=True)) == []


def test_replica_that_is_written_under_a_stamp_of_the_future_is_found(cluster: Path, blocks: list[LoggedBlock]) -> None:
    _replace(cluster, blocks[2], blocks[2]._replace(generation_stamp=1012), "rbw")
    (verdict,) = _violated(check_locally([cluster], complete=True))
    assert verdict["failed"] == f"generation stamp 1012 is above {blocks[2].generation_stamp}"


def test_replica_of_a_deleted_block_waits_for_its_deletion(cluster: Path) -> None:
    """A20: the NameNode tells datanodes to delete it at their heartbeats."""
    put_replica(_pool(cluster) / "finalized", LoggedBlock(1073741836, 1024, 1012))
    assert _violated(check_locally([cluster], complete=True)) == []


def test_of_two_replicas_of_a_block_the_better_one_counts(cluster: Path, blocks: list[LoggedBlock]) -> None:
    """B.8: the datanode deletes the other one when it starts."""
    put_replica(_pool(cluster) / "finalized" / "subdir1", blocks[2]._replace(num_bytes=5))
    checked = check_locally([cluster], complete=True)
    assert _violated(checked) == []
    remarks = [row["name"] for row in checked.coverage.to_pylist() if row["what"] == "remark"]
    assert remarks == ["replica that the datanode deletes for a better one"]


def test_files_that_lie_apart_are_told(cluster: Path, blocks: list[LoggedBlock]) -> None:
    directory = _pool(cluster) / "finalized" / "subdir0"
    (directory / f"blk_{blocks[0].block_id}").unlink()
    (directory / f"blk_{blocks[1].block_id}_{blocks[1].generation_stamp}.meta").unlink()
    checked = check_locally([cluster])
    assert [row["reason"] for row in checked.rejects.to_pylist()] == ["a meta file without its block file"]
    remarks = [row["name"] for row in checked.coverage.to_pylist() if row["what"] == "remark"]
    assert remarks == ["block file without a stamp beside it"]


def test_directories_before_block_pools_are_joined_by_their_namespace_id(
    tmp_path: Path, edits: Path, blocks: list[LoggedBlock]
) -> None:
    current = name_directory(tmp_path / "name", edits)
    write_version(current.parent, "NAME_NODE")
    write_version(tmp_path / "data", "DATA_NODE", storageID="DS-1")
    put_replica(tmp_path / "data" / "current" / "subdir3", blocks[0])
    put_replica(tmp_path / "data" / "blocksBeingWritten", blocks[1])
    put_replica(tmp_path / "data" / "tmp", blocks[2])
    checked = check_locally([tmp_path], complete=True)
    assert _violated(checked) == []
    rows = checked.verdicts.to_pylist()
    assert {row["namespace"] for row in rows} == {"namespace 7"}
    states = {row["entity"]: row["states"] for row in rows if row["kind"] == "replica"}
    assert states == {
        f"{blocks[0].block_id}@DS-1": ["FINALIZED"],
        f"{blocks[1].block_id}@DS-1": ["RBW", "RWR"],
        f"{blocks[2].block_id}@DS-1": ["TEMPORARY"],
    }


# -- several directories of one NameNode ----------------------------------------------------------------------------


def test_copies_of_edits_are_read_once(cluster: Path, edits: Path) -> None:
    name_directory(cluster / "name2", edits)
    one = check_locally([cluster / "name"]).events.num_rows
    checked = check_locally([cluster / "name", cluster / "name2"], complete=True)
    assert _violated(checked) == [] and checked.events.num_rows == one


def test_copy_that_differs_is_told(cluster: Path, edits: Path) -> None:
    copy = next(name_directory(cluster / "name2", edits).glob("edits_*"))
    copy.write_bytes(copy.read_bytes()[:-100])
    (reject,) = check_locally([cluster]).rejects.to_pylist()
    assert reject["place"]["file"] == str(copy) and "differs from" in reject["reason"]


# -- images ---------------------------------------------------------------------------------------------------------


def _replayed(edits: Path, last: int) -> list[ImageFile]:
    """The files after some transaction."""
    replay = Replay(Unit(0, STORAGE, (), POOL), Counts())
    with Stream(edits / "editsStored") as stream:
        for operation in edit_binary.operations(stream):
            if operation.txid is not None and operation.txid <= last:
                list(replay.events("edits", operation))
    return [
        ImageFile(
            int(file.key),
            file.path,
            [LoggedBlock(block.block_id, block.num_bytes or 0, block.generation_stamp or 0) for block in file.blocks],
            file.holder if file.is_open else None,
        )
        for file in replay.tree.files()
    ]


def _store(cluster: Path, files: list[ImageFile], txid: int = LAST_TXID, generation_stamp: int = 1016) -> None:
    stored = image(files, txid=txid, generation_stamp=generation_stamp)
    (cluster / "name" / "current" / f"fsimage_{txid:019d}").write_bytes(stored)


def test_image_of_what_the_edits_made_conforms(cluster: Path, edits: Path) -> None:
    _store(cluster, [], 0, 1000)
    _store(cluster, _replayed(edits, LAST_TXID))
    checked = check_locally([cluster], complete=True)
    assert _violated(checked) == []
    assert "stored_in_image" in {event["event"] for event in checked.events.to_pylist()}


def _lose_file(files: list[ImageFile]) -> None:
    del files[-1]


def _lose_block(files: list[ImageFile]) -> None:
    next(file for file in files if len(file.blocks) > 1).blocks.pop()


def _change_length(files: list[ImageFile]) -> None:
    file = next(file for file in files if file.blocks)
    file.blocks[0] = file.blocks[0]._replace(num_bytes=7)


def _lower_stamp(files: list[ImageFile]) -> None:
    file = next(file for file in files if file.blocks)
    file.blocks[0] = file.blocks[0]._replace(generation_stamp=1001)


def _open(files: list[ImageFile]) -> None:
    files[0].client_name = "client_9"


@pytest.mark.parametrize(
    ("change", "kind", "failed"),
    [
        (_lose_file, "file", "missing_from_image is no step of a file that is closed"),
        (_lose_block, "block", "missing_from_image is no step of a block that is COMPLETE"),
        (_change_length, "block", "num bytes 7 is not 512"),
        (_lower_stamp, "block", "generation stamp 1001 is not "),
        (_open, "file", "stored_in_image (file_state=under construction) is no step of a file that is closed"),
    ],
    ids=["file lost", "block lost", "length", "stamp", "closed file open"],
)
def test_image_that_contradicts_its_edits_is_found(
    cluster: Path, edits: Path, change: Callable[[list[ImageFile]], None], kind: str, failed: str
) -> None:
    files = _replayed(edits, LAST_TXID)
    change(files)
    _store(cluster, files)
    reasons = {row["kind"]: row["failed"] for row in _violated(check_locally([cluster], complete=True))}
    assert reasons[kind].startswith(failed), reasons


def test_counter_that_is_below_a_stamp_of_its_image_is_found(cluster: Path, edits: Path) -> None:
    _store(cluster, _replayed(edits, LAST_TXID), LAST_TXID + 9, generation_stamp=1003)
    assert "node" in {row["kind"] for row in _violated(check_locally([cluster], complete=True))}


def _without_first_records(edits: Path, last: int) -> bytes:
    """The edit log without the transactions up to one."""
    stored = (edits / "editsStored").read_bytes()
    position = 8
    while True:
        length, txid = struct.unpack(">iq", stored[position + 1 : position + 13])
        if txid > last:
            return stored[:8] + stored[position:]
        position += 1 + length + 4


@pytest.mark.parametrize("last", [20, 60, 90, 110])
def test_history_that_begins_with_an_image_goes_on_with_the_edits_after_it(
    cluster: Path, edits: Path, last: int
) -> None:
    """Files keep their keys and blocks; whose creation is older than the log is not missed, even in a whole one."""
    whole = {(row["kind"], row["entity"]) for row in check_locally([cluster]).verdicts.to_pylist()}
    current = cluster / "name" / "current"
    next(current.glob("edits_*")).unlink()
    (current / f"edits_{last + 1:019d}-{LAST_TXID:019d}").write_bytes(_without_first_records(edits, last))
    files = _replayed(edits, last)
    with Stream(edits / "editsStored") as stream:
        before = [op for op in edit_binary.operations(stream) if op.txid is not None and op.txid <= last]
    _store(cluster, files, last, max(op.number for op in before if op.name == "OP_SET_GENSTAMP_V2"))
    checked = check_locally([cluster], complete=True)
    assert _violated(checked) == []
    told = {(row["kind"], row["entity"]) for row in checked.verdicts.to_pylist() if row["kind"] == "file"}
    assert {key for kind, key in told if key.isdecimal()} >= {str(file.inode_id) for file in files}
    assert all(("file", key) in whole for _, key in told)


def test_image_by_itself_shows_what_is_open(tmp_path: Path) -> None:
    block = LoggedBlock(1073741825, 5, 1001)
    files = [ImageFile(16390, "open", [block], "client_1"), ImageFile(16391, "closed", [block._replace(block_id=9)])]
    (tmp_path / "fsimage_7").write_bytes(image(files, txid=7, generation_stamp=1001))
    checked = check_locally([tmp_path], complete=True)
    assert _violated(checked) == []
    states = {(row["kind"], row["entity"]): row["states"] for row in checked.verdicts.to_pylist()}
    assert states["file", "16390"] == ["under construction"] and states["file", "16391"] == ["closed"]
    assert states["lease", "client_1"] == ["held"]
    assert states["block", "1073741825"] == ["UNDER_CONSTRUCTION"] and states["block", "9"] == ["COMPLETE"]
