"""Sources that tell the same steps of one NameNode: each telling is checked by itself, and nothing is taken twice."""

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.dataset
import pytest
from tests.conformance.logs.storage_directories import POOL, blocks_of, data_directory, name_directory

from genstamp.logs.alone import check_alone
from genstamp.logs.follow.options import FollowOptions, Limits
from genstamp.logs.follow.streaming import follow
from genstamp.logs.kept import check_and_keep
from genstamp.logs.local import check_locally
from genstamp.logs.run import Options
from genstamp.logs.story import tell
from genstamp.logs.tables import Key

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_TIME = "2018-11-14 12:25:3{},275 INFO "
_STATE = "org.apache.hadoop.hdfs.StateChange: "
_AUDIT = "FSNamesystem.audit: allowed=true\tugi=me (auth:SIMPLE)\tip=/1\tcmd={}\tsrc=/f\tdst=null\tperm=null\tproto=rpc"


@pytest.fixture
def cluster(tmp_path: Path, edits: Path) -> Path:
    """Directories of a NameNode and a datanode, and the NameNode's log of one of their blocks."""
    blocks = blocks_of(edits)
    name_directory(tmp_path / "name", edits)
    data_directory(tmp_path / "data", blocks)
    block = f"blk_{blocks[0].block_id}_{blocks[0].generation_stamp}"
    (tmp_path / "namenode.log").write_text(
        f"{_TIME.format(5)}{_STATE}BLOCK* allocate {block}, replicas=10.0.0.1:9866 for /f\n"
        f"{_TIME.format(6)}{_STATE}DIR* completeFile: /f is closed by DFSClient_1\n"
    )
    return tmp_path


@pytest.mark.parametrize("complete", [False, True])
def test_edits_and_log_of_a_namenode_tell_each_step_once_each(cluster: Path, complete: bool) -> None:
    rows = check_locally([cluster], complete=complete, group=POOL).verdicts.to_pylist()
    assert [row["failed"] for row in rows if row["safety"] != "conformant"] == []
    blocks = [row["namespace"] for row in rows if row["kind"] == "block"]
    assert (blocks.count(POOL), blocks.count(f"{POOL} on disk")) == (1, 15)


@pytest.mark.parametrize("complete", [False, True])
def test_no_edit_has_a_lower_stamp_than_the_log_gives_the_block_out_with(
    cluster: Path, edits: Path, complete: bool
) -> None:
    log, block = cluster / "namenode.log", blocks_of(edits)[0]
    stamp = block.generation_stamp
    log.write_text(log.read_text().replace(f"{block.block_id}_{stamp}", f"{block.block_id}_{stamp + 1}"))
    rows = check_locally([cluster], complete=complete, group=POOL).verdicts.to_pylist()
    (row,) = (row for row in rows if row["safety"] == "violated")
    assert (row["kind"], row["entity"], row["namespace"]) == ("block", str(block.block_id), f"{POOL} on disk")
    assert row["failed"] == f"generation stamp {stamp} is below {stamp + 1}, with which {POOL} gives it out"
    assert check_alone([cluster], Options(complete=complete, group=POOL)).safety == "violated"


def test_later_stamp_in_edits_is_no_contradiction(cluster: Path, edits: Path) -> None:
    """Of a pipeline that was updated the log may have lost the line."""
    log, block = cluster / "namenode.log", blocks_of(edits)[0]
    log.write_text(log.read_text().replace(f"_{block.generation_stamp},", f"_{block.generation_stamp - 1},"))
    rows = check_locally([cluster], group=POOL).verdicts.to_pylist()
    assert {row["safety"] for row in rows} == {"conformant"}


def test_replicas_on_disk_stay_with_the_edits_of_their_blocks(cluster: Path) -> None:
    rows = check_locally([cluster], group=POOL).verdicts.to_pylist()
    assert {row["namespace"] for row in rows if row["kind"] == "replica"} == {f"{POOL} on disk"}


def test_what_is_told_twice_is_noted_and_has_its_story(cluster: Path) -> None:
    report = check_alone([cluster], Options(group=POOL))
    assert [note for _, note in report.notes if "by itself" in note] == [
        f"another source tells of the steps of the NameNode of {POOL}, too; checked by itself, as {POOL} on disk"
    ] * 2
    kept = check_and_keep([str(cluster)], group=POOL)
    entity = next(
        row["entity"]
        for row in kept.tables["verdicts"].to_table().to_pylist()
        if row["namespace"] == POOL and row["kind"] == "block"
    )
    in_log, on_disk = (tell(kept, Key(namespace, "block", entity)) for namespace in (POOL, f"{POOL} on disk"))
    assert {Path(step.file).name for step in in_log.steps} == {"namenode.log"}
    assert "namenode.log" not in {Path(step.file).name for step in on_disk.steps}


@pytest.mark.parametrize("complete", [False, True])
def test_audit_log_of_its_own_does_not_say_that_files_stay_open(tmp_path: Path, complete: bool) -> None:
    """Which create of the one log is which file of the other, nothing says."""
    (tmp_path / "audit.log").write_text(
        "".join(_TIME.format(second) + _AUDIT.format(call) + "\n" for second, call in ((1, "create"), (7, "append")))
    )
    (tmp_path / "namenode.log").write_text(
        "".join(
            f"{_TIME.format(second)}{_STATE}{told}\n"
            for second, told in (
                (2, "BLOCK* allocate blk_1073741825_1001, replicas=10.0.0.1:9866 for /f"),
                (3, "DIR* completeFile: /f is closed by DFSClient_1"),
                (8, "DIR* completeFile: /f is closed by DFSClient_1"),
            )
        )
    )
    files = [row for row in check_locally([tmp_path], complete=complete, group="c").verdicts.to_pylist()
             if row["kind"] == "file"]  # fmt: skip
    assert {row["safety"] for row in files} == {"conformant"}
    assert {row["namespace"]: row["completion"] for row in files} == {
        "c": "complete", "c in its audit log": "unknown"
    }  # fmt: skip


@pytest.mark.slow
def test_it_is_the_same_while_logs_are_followed(spark: "SparkSession", cluster: Path) -> None:
    """Whichever comes first: the directories here, the log in a second start."""
    log = (cluster / "namenode.log").rename(cluster / "later")
    out = cluster.parent / "out"
    options = FollowOptions(out, once=True, group=POOL, limits=Limits(parts=1))
    follow(spark, [str(cluster / name) for name in ("name", "data", "namenode.log")], options, lambda _: None)
    log.rename(cluster / "namenode.log")
    follow(spark, [str(cluster / name) for name in ("name", "data", "namenode.log")], options, lambda _: None)
    found, at_rest = pyarrow.dataset.dataset(out / "verdicts").to_table(), check_locally([cluster], group=POOL).verdicts
    keys = ["namespace", "kind", "entity", "safety", "completion"]
    assert sorted(map(str, found.select(keys).to_pylist())) == sorted(map(str, at_rest.select(keys).to_pylist()))
