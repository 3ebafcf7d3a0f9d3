"""A lease ends with its only file, whoever has that file closed."""

from collections.abc import Callable

import pytest

from genstamp.logs.local import Checked

Check = Callable[..., Checked]

NAMESYSTEM = "2024-03-01 10:05:00,100 INFO org.apache.hadoop.hdfs.server.namenode.FSNamesystem: "
CHANGE = "2024-03-01 10:05:00,101 INFO org.apache.hadoop.hdfs.StateChange: "
WRITER, NAMENODE = "DFSClient_NONMAPREDUCE_1_1", "HDFS_NameNode-2026-11-25 22:47:52,747+0000"
ALLOCATED = f"{CHANGE}BLOCK* allocate blk_7_1001, replicas=10.0.0.1:9866 for /f\n"
CREATED = f"{CHANGE}DIR* NameSystem.startFile: added /f inode 16416 {WRITER}\n"
STARTED = (
    f"{CHANGE}DIR* NameSystem.internalReleaseLease: File /f has not been closed. Lease recovery is in progress."
    " RecoveryId = 1002 for block blk_7_1001\n"
)
COMMITTED = (
    f"{NAMESYSTEM}commitBlockSynchronization(oldBlock=BP-1-10.0.0.9-1700000000001:blk_7_1001, newgenerationstamp=1002,"
    " newlength=5, newtargets=[10.0.0.1:9866], closeFile=true, deleteBlock=false)\n"
    f"{NAMESYSTEM}commitBlockSynchronization(oldBlock=BP-1-10.0.0.9-1700000000001:blk_7_1001, file=/f,"
    " newgenerationstamp=1002, newlength=5, newtargets=[10.0.0.1:9866]) successful\n"
)
CLOSED_AT_ONCE = (
    f"{CHANGE}BLOCK* internalReleaseLease: All existing blocks are COMPLETE, lease removed, file /f closed.\n"
)


def lease(holder: str, files: int) -> str:
    return f"[Lease.  Holder: {holder}, pending creates: {files}]"


def recovering(holder: str, files: int = 1) -> str:
    return f"{NAMESYSTEM}Recovering {lease(holder, files)}, src=/f\n"


def recover_lease(files: int) -> str:
    asked = f"{NAMESYSTEM}recoverLease: {lease(WRITER, files)}, src=/f from client {WRITER}\n"
    return asked + recovering(WRITER, files)


def leases(checked: Checked) -> dict[str, tuple[str, str]]:
    assert checked.rejects.num_rows == 0
    rows = [row for row in checked.verdicts.to_pylist() if row["kind"] == "lease"]
    return {row["entity"]: (row["safety"], row["completion"]) for row in rows}


@pytest.mark.parametrize("complete", [False, True])
@pytest.mark.parametrize("begun", [ALLOCATED, CREATED + ALLOCATED])
@pytest.mark.parametrize(
    ("recovered", "holders"),
    [
        pytest.param(recover_lease(1) + STARTED + COMMITTED, [WRITER], id="by recoverLease"),
        pytest.param(recover_lease(1) + CLOSED_AT_ONCE, [WRITER], id="by recoverLease, at once"),
        pytest.param(recovering(WRITER) + STARTED + COMMITTED, [WRITER], id="by a create past the soft limit"),
        pytest.param(
            recovering(WRITER) + STARTED + recovering(NAMENODE) + STARTED.replace("1002", "1003")
            + COMMITTED.replace("1002", "1003"),
            [WRITER, NAMENODE],
            id="by the NameNode, in a second attempt",
        ),
    ],
)  # fmt: skip
def test_lease_of_one_file_ends_with_its_recovery(
    check_log: Check, begun: str, recovered: str, holders: list[str], complete: bool
) -> None:
    assert leases(check_log(begun + recovered, complete=complete)) == dict.fromkeys(holders, ("conformant", "complete"))


@pytest.mark.parametrize("closed", [STARTED + COMMITTED, CLOSED_AT_ONCE])
def test_lease_of_two_files_does_not_end_with_one(check_log: Check, closed: str) -> None:
    assert leases(check_log(CREATED + ALLOCATED + recover_lease(2) + closed))[WRITER] == ("conformant", "unfinished")


def test_lease_is_not_ended_while_the_recovery_goes_on(check_log: Check) -> None:
    assert leases(check_log(CREATED + ALLOCATED + recover_lease(1) + STARTED))[WRITER] == ("conformant", "unfinished")
