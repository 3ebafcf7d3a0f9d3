"""Recovery ids of one block as several sources tell them: what the NameNode cannot have given out is found."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.conformance.logs.storage_directories import POOL, blocks_of, name_directory

from genstamp.logs.alone import check_alone
from genstamp.logs.local import check_locally
from genstamp.logs.run import Options

_TIME = "2018-11-14 12:25:{:02},275 INFO "
_ALLOCATED = "org.apache.hadoop.hdfs.StateChange: BLOCK* allocate blk_{}_{}, replicas=10.0.0.1:9866 for /f\n"
_UPDATED = "org.apache.hadoop.hdfs.server.namenode.FSNamesystem: updatePipeline(blk_{0}_{1} => blk_{0}_{2}) success\n"
_INIT = (
    "org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsDatasetImpl: initReplicaRecovery: "
    + POOL
    + ":blk_{0}_{1},"
    " recoveryId={2}, replica=ReplicaBeingWritten, blk_{0}_{1}, RBW\n"
)

_SEGMENT = """<EDITS><EDITS_VERSION>{version}</EDITS_VERSION><RECORD><OPCODE>{name}</OPCODE><DATA><TXID>501</TXID>
<PATH>/f</PATH><BLOCK><BLOCK_ID>7</BLOCK_ID><NUM_BYTES>9</NUM_BYTES><GENSTAMP>1003</GENSTAMP></BLOCK></DATA></RECORD>
</EDITS>"""

Write = Callable[..., None]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a log of some lines, a second each."""

    def log(name: str, *lines: str) -> None:
        (tmp_path / name).write_text("".join(_TIME.format(second) + line for second, line in enumerate(lines)))

    return log


def _violated(root: Path, complete: bool) -> list[dict[str, Any]]:
    rows = check_locally([root], complete=complete, group=POOL).verdicts.to_pylist()
    return [row for row in rows if row["safety"] == "violated" and row["kind"] == "block"]


@pytest.mark.parametrize("recovery_id", [1004, 1005])
@pytest.mark.parametrize("complete", [False, True])
def test_datanode_recovers_under_no_id_that_the_block_was_given_out_with(
    tmp_path: Path, write: Write, complete: bool, recovery_id: int
) -> None:
    write("namenode.log", "org.apache.hadoop.ipc.Server: starting\n", _ALLOCATED.format(7, 1005))
    write("datanode.log", _INIT.format(7, 1003, recovery_id))
    (row,) = _violated(tmp_path, complete)
    if not complete:  # Under it the line of the start is asked for first.
        namenode_log, datanode_log = (str(tmp_path / name) for name in ("namenode.log", "datanode.log"))
        assert row["failed"] == (
            f"recovery id {recovery_id} is not above 1005, the stamp that the block is given out with at"
            f" {namenode_log}:2"
        )
        assert row["place"] == {"file": datanode_log, "line": 1}
        assert row["accepted"] == "it with a recovery id above 1005"
    assert check_alone([tmp_path], Options(complete=complete, group=POOL)).safety == "violated"


def test_no_recovery_has_the_stamp_of_a_pipeline(tmp_path: Path, write: Write) -> None:
    write("namenode.log", _ALLOCATED.format(7, 1001), _UPDATED.format(7, 1001, 1003))
    write("datanode.log", _INIT.format(7, 1001, 1003))
    (row,) = _violated(tmp_path, complete=False)
    assert row["failed"] == (
        f"recovery id 1003 is the stamp that a pipeline of the block is updated to at {tmp_path / 'namenode.log'}:2"
    )


_STARTS = (
    "hdfs.StateChange: DIR* NameSystem.internalReleaseLease: File /f has not been closed. Lease recovery is in"
    " progress. RecoveryId = {} for block blk_7_1005\n"
)
_COMMITS = (
    "namenode.FSNamesystem: commitBlockSynchronization(oldBlock="
    + POOL
    + ":blk_7_1005, file=/f, newgenerationstamp={},"
    " newlength=5, newtargets=[]) successful\n"
)
_CHANGES = (
    "FsDatasetImpl: initReplicaRecovery: blk_7_1005, recoveryId={}, replica=ReplicaBeingWritten, blk_7_1005, RBW\n",
    "impl.FsDatasetImpl: initReplicaRecovery: changing replica state for blk_7_1005 from RBW to RUR\n",
)
_CHANGES_ID = "impl.FsDatasetImpl: initReplicaRecovery: update recovery id for blk_7_1002 from 1005 to {}\n"


@pytest.mark.parametrize(
    ("lines", "equal_is_violated"),
    [((_STARTS,), False), ((_COMMITS,), False), (_CHANGES, True), ((_CHANGES_ID,), True)],
)
def test_line_contradicts_itself(tmp_path: Path, write: Write, lines: tuple[str, ...], equal_is_violated: bool) -> None:
    """Whatever lines are missing; a copy that a truncation makes has the id of its recovery as its stamp."""
    for recovery_id, is_violated in ((1006, False), (1005, equal_is_violated), (1004, True)):
        write("hadoop.log", *(line.format(recovery_id) for line in lines))
        assert bool(_violated(tmp_path, complete=False)) == is_violated, recovery_id


@pytest.mark.parametrize("recovery_id", [1002, 1004])
def test_recovery_of_which_the_namenode_has_no_line_is_allowed(tmp_path: Path, write: Write, recovery_id: int) -> None:
    """Before the pipeline was updated, or after."""
    write("namenode.log", _ALLOCATED.format(7, 1001), _UPDATED.format(7, 1001, 1003))
    write("datanode.log", _INIT.format(7, 1001, recovery_id))
    assert not _violated(tmp_path, complete=False)


def test_other_block_and_other_cluster_contradict_nothing(tmp_path: Path, write: Write) -> None:
    write("namenode.log", _ALLOCATED.format(7, 1005))
    write("datanode.log", _INIT.format(8, 1003, 1004))
    assert not _violated(tmp_path, complete=False)
    (tmp_path / "namenode.log").unlink()
    write("other.log", _ALLOCATED.format(8, 1005))
    rows = check_locally([tmp_path]).verdicts.to_pylist()
    assert {row["safety"] for row in rows} == {"conformant"}


def test_log_and_datanodes_are_compared_beside_edits_that_are_checked_by_themselves(
    tmp_path: Path, edits: Path, write: Write
) -> None:
    name_directory(tmp_path / "name", edits)
    block = blocks_of(edits)[0]
    write("namenode.log", _ALLOCATED.format(block.block_id, block.generation_stamp))
    write("datanode.log", _INIT.format(block.block_id, block.generation_stamp, block.generation_stamp + 1))
    assert not _violated(tmp_path, complete=False)
    write("datanode.log", _INIT.format(block.block_id, block.generation_stamp - 1, block.generation_stamp))
    assert [row["rejected_event"] for row in _violated(tmp_path, complete=False)] == ["init_replica_recovery_called"]


@pytest.mark.parametrize(("name", "version"), [("OP_UPDATE_BLOCKS", -64), ("OP_ADD", -60)])
@pytest.mark.parametrize("log", [False, True])
def test_edits_that_begin_after_a_recovery_name_its_id_as_the_stamp(
    tmp_path: Path, write: Write, name: str, version: int, log: bool
) -> None:
    """A segment lists the blocks of a file from before it as they are by then; that gives none of them out."""
    (tmp_path / "edits.xml").write_text(_SEGMENT.format(name=name, version=version))
    write("datanode.log", _INIT.format(7, 1001, 1003))
    if log:
        write("namenode.log", _ALLOCATED.format(9, 1009))
    assert not _violated(tmp_path, complete=False)
