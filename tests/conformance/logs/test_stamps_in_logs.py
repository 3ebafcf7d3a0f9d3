"""A NameNode's log in which a stamp is granted that is not new is violated; what only looks like it is not."""

from pathlib import Path

import pytest

from genstamp.logs import reading
from genstamp.logs.alone import check_alone
from genstamp.logs.readers.sighting import NO_START_IS_MISSING, OF_NO_POOL, OF_ONE_TIME
from genstamp.logs.run import Options

POOL = "BP-11-10.0.0.9-1700000000001"
A, B, C = 1073741825, 1073741826, -9223372036854775792


def allocated(block: int, stamp: int, file: str = "/t/f") -> str:
    return f"hdfs.StateChange: BLOCK* allocate blk_{block}_{stamp}, replicas=10.0.0.1:9866 for {file}"


def updated(block: int, old: int, new: int) -> str:
    return f"namenode.FSNamesystem: updatePipeline(blk_{block}_{old} => blk_{block}_{new}) success"


def recovers(block: int, stamp: int, recovery_id: int, file: str = "/t/f") -> str:
    return (
        f"hdfs.StateChange: DIR* NameSystem.internalReleaseLease: File {file} has not been closed. Lease recovery is in"
        f" progress. RecoveryId = {recovery_id} for block blk_{block}_{stamp}"
    )


def synchronized(block: int, stamp: int, recovery_id: int, pool: str = POOL) -> str:
    return (
        f"namenode.FSNamesystem: commitBlockSynchronization(oldBlock={pool}:blk_{block}_{stamp}, file=/t/f,"
        f" newgenerationstamp={recovery_id}, newlength=5, newtargets=[10.0.0.1:9866]) successful"
    )


def copied(block: int, recovery_id: int) -> str:
    return (
        f"namenode.FSNamesystem: commitBlockSynchronization(oldBlock={POOL}:blk_{A}_1001, file=/t/f,"
        f" newBlock=blk_{block}_{recovery_id}, newlength=5, newtargets=[10.0.0.1:9866]) successful"
    )


UNCLOSED = f"namenode.FSNamesystem: commitBlockSynchronization({POOL}:blk_{A}_1001) successful"
ACTIVE = "namenode.FSNamesystem: Starting services required for active state"
START = "org.apache.hadoop.hdfs.server.namenode.NameNode: STARTUP_MSG: Starting NameNode"
OLD = "hdfs.StateChange: BLOCK* NameSystem.allocateBlock: /t/{}. blk_{}_1005"
BROKEN = {
    "new block, lower": ([allocated(A, 1005), allocated(B, 1003, "/g")], "generation stamp 1003 is not above 1005"),
    "new block, the same": ([allocated(A, 1005), allocated(B, 1005, "/g")], "generation stamp 1005 is not above 1005"),
    "new striped block": ([allocated(A, 1005), allocated(C, 1004, "/g")], "generation stamp 1004 is not above 1005"),
    "new block after a pipeline": (
        [allocated(A, 1001), updated(A, 1001, 1004), allocated(B, 1003, "/g")],
        "generation stamp 1003 is not above 1004",
    ),
    "new block after a recovery": (
        [allocated(A, 1001), synchronized(A, 1001, 1004), allocated(B, 1003, "/g")],
        "generation stamp 1003 is not above 1004",
    ),
    "new block under the id of a recovery": (
        [allocated(A, 1001), recovers(A, 1001, 1004), allocated(B, 1004, "/g")],
        "generation stamp 1004 is not above 1004",
    ),
    "recovery of a block after another": (
        [allocated(A, 1001), allocated(B, 1005, "/g"), recovers(A, 1001, 1004)],
        "recovery id 1004 is not above 1005",
    ),
    "two pipelines": (
        [allocated(A, 1001), allocated(B, 1002, "/g"), updated(A, 1001, 1003), updated(B, 1002, 1003)],
        "generation stamp 1003 is not above 1003",
    ),
    "pipeline, in one line": ([updated(A, 1002, 1002)], "generation stamp 1002 is not above 1002"),
    "once more after a fall": (
        [allocated(A, 1005), START, allocated(B, 1003, "/g"), allocated(C, 1002, "/h")],
        "generation stamp 1002 is not above 1003",
    ),
}
HEALTHY = {
    "pipelines in another order": [allocated(A, 1001), allocated(B, 1002, "/g"), updated(A, 1001, 1004),
                                   updated(B, 1002, 1003)],
    "pipeline after a new block": [allocated(A, 1001), allocated(B, 1003, "/g"), updated(A, 1001, 1002)],
    "a start": [allocated(A, 1005), START, allocated(B, 1003, "/g")],
    "another NameNode meanwhile": [allocated(A, 1005), ACTIVE, allocated(B, 1003, "/g")],
    "legacy block": [allocated(A, (1 << 40) + 1001), recovers(-7, 1003, 1004, "/old")],
    "two NameNodes": [synchronized(C, 900, 901), synchronized(C, 900, 901, f"{POOL}2"), allocated(A, 1005),
                      allocated(B, 1003, "/g")],
    "blocks of one file in Hadoop 1": [OLD.format("f", A), OLD.format("f", B)],
    "copy that a truncation makes": [allocated(A, 1001), recovers(B, 1002, 1002), copied(B, 1002)],
}  # fmt: skip


def _log(place: Path, lines: list[str], seconds: int = 1) -> Path:
    log = place / "nn.log"
    log.write_text("".join(f"2024-03-01 10:00:{10 + seconds * n:02},100 INFO {line}\n" for n, line in enumerate(lines)))
    return log


@pytest.fixture(params=[False, True], ids=["plain", "compiled"])
def compiled(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "COMPILED_FROM", 0 if request.param else 1 << 30)


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("name", BROKEN)
def test_stamp_that_is_not_new_is_violated_at_its_line(tmp_path: Path, name: str) -> None:
    lines, failed = BROKEN[name]
    log = _log(tmp_path, lines)
    report = check_alone([log])
    (found,) = [each for each in report.findings if each.safety == "violated"]
    assert (found.kind, found.entity, found.failed) == ("node", "namenode", failed)
    assert (str(found.place), report.rejects) == (f"{log}:{len(lines)}", ())
    assert ((str(log), NO_START_IS_MISSING) in report.notes) == (len(lines) > 1)


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("name", HEALTHY)
def test_what_a_namenode_may_grant_is_conformant(tmp_path: Path, name: str) -> None:
    report = check_alone([_log(tmp_path, HEALTHY[name])])
    assert (report.safety, report.rejects) == ("conformant", ())


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize(("port", "safety"), [("8020", "violated"), ("9020", "conformant")])
def test_each_of_several_pools_has_its_own_counter(tmp_path: Path, port: str, safety: str) -> None:
    """The lines of a NameNode name no pool; the thread names its port."""
    threads = [f"[IPC Server handler 3 on {each}] " for each in ("8020", "8020", "8020", port)]
    lines = [synchronized(C, 900, 901), synchronized(C, 900, 901, f"{POOL}2"), allocated(A, 1005), allocated(B, 1003)]
    log = _log(tmp_path, [f"{thread}{line}" for thread, line in zip(threads, lines, strict=True)])
    report = check_alone([log])
    assert {each.safety for each in report.findings if each.kind == "node"} == ({safety} - {"conformant"})


@pytest.mark.usefixtures("compiled")
def test_lines_of_one_time_may_be_swapped(tmp_path: Path) -> None:
    log = _log(tmp_path, [allocated(A, 1005), allocated(B, 1003, "/g")], seconds=0)
    report = check_alone([log])
    assert (report.safety, report.notes) == ("conformant", ((str(log), OF_ONE_TIME),))


@pytest.mark.usefixtures("compiled")
def test_stamps_of_several_pools_are_told_not_to_be_checked_where_no_thread_has_a_port(tmp_path: Path) -> None:
    lines = [synchronized(C, 900, 901), synchronized(C, 900, 901, f"{POOL}2"), allocated(A, 1005), allocated(B, 1003)]
    log = _log(tmp_path, lines)
    assert (str(log), OF_NO_POOL) in check_alone([log]).notes
    assert check_alone([_log(tmp_path, lines[:1] + lines[2:])]).safety == "violated"


@pytest.mark.parametrize(
    "lines",
    [
        [synchronized(A, 1001, 1002)] * 2,
        [recovers(A, 1001, 1002), synchronized(A, 1001, 1002), synchronized(A, 1001, 1002)],
        [copied(B, 1002)] * 2,
        [recovers(A, 1001, 1002), UNCLOSED.replace("1001", "1002"), synchronized(A, 1002, 1002)],
    ],
    ids=["alone", "whole", "of a copy", "the first left it open"],
)
@pytest.mark.parametrize("complete", [False, True])
def test_recovery_ends_once_under_its_id(tmp_path: Path, lines: list[str], complete: bool) -> None:
    report = check_alone([_log(tmp_path, [allocated(A, 1001), *lines])], Options(complete=complete))
    assert "violated" in {each.safety for each in report.findings if each.kind == "block"}
    assert not report.rejects


def test_second_end_under_an_id_is_explained(tmp_path: Path) -> None:
    report = check_alone([_log(tmp_path, [synchronized(A, 1001, 1002)] * 2)])
    assert [each.failed for each in report.findings] == ["recovery id 1002 is not above 1002"]
