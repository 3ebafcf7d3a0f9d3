"""Where all lines of a NameNode are there, what it logs before a check, by an old path or late is no violation."""

import random
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from tests.conformance.logs.late_audit import LateNameNode

from genstamp.logs import reading
from genstamp.logs.local import Checked, check_locally

Check = Callable[..., Checked]

BEGINS = "2026-11-26 18:03:34,295 INFO org.apache.hadoop.hdfs."
CHANGE = "StateChange: "
AUDIT = "server.namenode.FSNamesystem.audit: allowed=true\tugi=u\tip=/127.0.0.1\tcmd={}\tsrc={}\tdst={}\tperm=null"
BLOCK = "blk_1073741851_1041"
CREATED = CHANGE + "DIR* NameSystem.startFile: added {} inode {} {}"
CLOSED = CHANGE + "DIR* completeFile: {} is closed by {}"
AGAIN = CHANGE + "DIR* completeFile: request from {} to complete inode {}({}) which is already closed."
SYNCED = CHANGE + "BLOCK* fsync: {} for {}"
ALLOCATED = f"{CHANGE}BLOCK* allocate {BLOCK}, replicas=127.0.0.1:9866 for /f"
UPDATED = f"server.namenode.FSNamesystem: updatePipeline({BLOCK} => {BLOCK.replace('1041', '1043')}) success"
SYNCHRONIZED = (
    f"server.namenode.FSNamesystem: commitBlockSynchronization(oldBlock=BP-1:{BLOCK}, file=/f, newgenerationstamp=1044,"
    " newlength=5, newtargets=[127.0.0.1:9866]) successful"
)
STARTED = (
    f"{CHANGE}DIR* NameSystem.internalReleaseLease: File /f has not been closed. Lease recovery is in progress."
    f" RecoveryId = {{}} for block {BLOCK}"
)
STORED = f"{CHANGE}BLOCK* addStoredBlock: blockMap updated: 127.0.0.1:9866 is added to {BLOCK} size 5"
RENAMES = CHANGE + "*DIR* NameNode.rename: {} to {}."


def _audited(call: str, path: str = "/f", destination: str = "null") -> str:
    return AUDIT.format(call, path, destination)


def _moved(by: str, inode: int, path: str, destination: str) -> tuple[str, str]:
    return CREATED.format(path, inode, by), _audited("rename", path, destination)


@pytest.mark.parametrize(
    "lines",
    [
        (_audited("create"), CLOSED.format("/f", "c"), _audited("truncate"), _audited("append")),
        (RENAMES.format("/f", "/g"), RENAMES.format("/g", "/f"), _audited("delete")),
        (SYNCED.format("/f", "c"), _audited("delete")),
        (*_moved("c", 16400, "/f", "/g"), CLOSED.format("/f", "c"), _audited("append", "/g")),
        (_audited("create"), _audited("rename", "/f", "/g"), _audited("create"), CLOSED.format("/f", "c"),
         _audited("append", "/g")),
        (*_moved("c", 16400, "/f", "/g"), CLOSED.format("/f", "c"), CREATED.format("/f", 16401, "d"),
         AGAIN.format("c", 16400, "/g"), CLOSED.format("/f", "c"), SYNCED.format("/f", "d"), CLOSED.format("/f", "d")),
        (_audited("create"), CLOSED.format("/f", "c"), CREATED.format("/f", 16401, "d"), _audited("create"),
         _audited("append")),
        (CREATED.format("/f", 16400, "c"), ALLOCATED, _audited("delete"), UPDATED),
    ],
    ids=[
        "truncate to the end of a block", "rename of what is not there", "fsync of what is not there",
        "close by an old path", "close of one of two files", "close that comes again, by an old path",
        "append that another call overtakes", "new stamp that a deletion overtakes",
    ],
)  # fmt: skip
def test_what_hdfs_logs_of_files_is_no_violation(check_log: Check, lines: tuple[str, ...]) -> None:
    checked = check_log("".join(f"{BEGINS}{line}\n" for line in lines), complete=True)
    assert not checked.rejects.num_rows
    assert {row["safety"] for row in checked.verdicts.to_pylist()} == {"conformant"}


@pytest.mark.parametrize(
    "lines",
    [
        (CREATED.format("/f", 16400, "c"), _audited("delete"), CLOSED.format("/f", "c")),
        (*_moved("c", 16400, "/f", "/g"), _audited("delete", "/g"), CLOSED.format("/f", "c")),
    ],
    ids=["of what was deleted", "of what was moved and deleted"],
)
@pytest.mark.parametrize(("seconds", "expected"), [(20, "violated"), (2, "undetermined")])
def test_close_that_cannot_be_is_found_all_the_same(
    check_log: Check, lines: tuple[str, ...], seconds: int, expected: str
) -> None:
    """But where the deletion may be the later one."""
    timed = (f"{BEGINS}{line}\n".replace("18:03:34", f"18:04:{seconds * n:02}") for n, line in enumerate(lines))
    checked = check_log("".join(timed), complete=True)
    found = {row["safety"] for row in checked.verdicts.to_pylist() if row["kind"] == "file"}
    assert found == {"conformant", expected}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("compiled", [False, True])
def test_lines_that_come_late_are_no_violation(
    check_log: Check, monkeypatch: pytest.MonkeyPatch, compiled: bool, seed: int
) -> None:
    monkeypatch.setattr(reading, "COMPILED_FROM", 0 if compiled else 1 << 30)
    chosen, numbers = random.Random(seed), count(1001)
    lines: list[str] = []
    for story in range(100):
        namenode = LateNameNode(chosen, f"/t{story}", numbers.__next__)
        for _ in range(14):
            namenode.step()
        namenode.write()
        lines += namenode.lines
    begins = ((BEGINS.replace("34,295", f"{34 + n // 1000},{n % 1000:03}"), line) for n, line in enumerate(lines))
    rows = check_log("".join(map("{0[0]}{0[1]}\n".format, begins)), complete=True).verdicts.to_pylist()
    assert [row for row in rows if row["safety"] == "violated"] == []
    doubted = [row["failed"] for row in rows if row["safety"] == "undetermined"]
    assert 0 < len(doubted) < 0.05 * len(rows), f"seed {seed}"
    assert all("lines of the audit log come late" in failed for failed in doubted)


@pytest.mark.parametrize("before", [(), (STORED,), (STARTED.format(1043),), (STORED, STARTED.format(1043))])
def test_recovery_that_ends_has_been_started(tmp_path: Path, before: tuple[str, ...]) -> None:
    """The block may be complete unseen, but an open file is not truncated: only a recovery of the file explains it."""
    log = tmp_path / "namenode.log"
    for safety, found in (("violated", ()), ("conformant", (STARTED.format(1044),))):
        log.write_text("".join(f"{BEGINS}{line}\n" for line in (ALLOCATED, *before, *found, SYNCHRONIZED)))
        verdicts = check_locally([log], complete=True, group="BP-1").verdicts.to_pylist()
        assert [row["safety"] for row in verdicts if row["kind"] == "file"] == [safety]
        verdicts = check_locally([log], group="BP-1").verdicts.to_pylist()
        assert {row["safety"] for row in verdicts} == {"conformant"}


def test_recovery_that_a_truncate_starts_has_no_line(tmp_path: Path) -> None:
    """All that datanodes do has its id."""
    inits = (
        f"server.datanode.fsdataset.impl.FsDatasetImpl: initReplicaRecovery: {BLOCK}, recoveryId=1044,"
        f" replica=FinalizedReplica, {BLOCK}, FINALIZED"
    )
    namenode = (ALLOCATED, CLOSED.format("/f", "c"), _audited("truncate"), SYNCHRONIZED)
    for name, lines in (("namenode", namenode), ("datanode", (inits, inits))):
        (tmp_path / f"{name}.log").write_text("".join(f"{BEGINS}{line}\n" for line in lines))
    verdicts = check_locally([tmp_path], complete=True, group="BP-1").verdicts.to_pylist()
    assert [row["safety"] for row in verdicts if row["kind"] == "block"] == ["conformant"]
