"""Lines of two block pools in one log that name no pool: to which of them they go."""

from pathlib import Path

import pytest

from genstamp.logs.alone import check_alone
from genstamp.logs.kept import read_kept
from genstamp.logs.run import Options
from genstamp.logs.units import HEAD

FIRST, SECOND = "BP-11-10.0.0.9-1700000000001", "BP-22-10.0.0.9-1700000000002"
AT = "2024-03-01 10:00:00,100 INFO org.apache.hadoop.hdfs.server.datanode.DataNode: "
DATASET = "2024-03-01 10:00:00,200 INFO org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsDatasetImpl: "


def receiving(pool: str, block: str) -> str:
    return f"{AT}Receiving {pool}:{block} src: /10.0.0.8:40000 dest: /10.0.0.1:9866\n"


def deleted(block: str) -> str:
    return f"{DATASET}Scheduling {block} replica FinalizedReplica for deletion\n"


def recovered(block: str, recovery_id: int) -> str:
    return (
        f"{DATASET}initReplicaRecovery: {block}, recoveryId={recovery_id}, replica=FinalizedReplica, {block},"
        " FINALIZED\n"
        f"{DATASET}initReplicaRecovery: changing replica state for {block} from FINALIZED to RUR\n"
    )


def updated(pool: str, block: str, recovery_id: int) -> str:
    return (
        f"{DATASET}updateReplica: {pool}:{block}, recoveryId={recovery_id}, length=5, replica=ReplicaUnderRecovery,"
        f" {block}, RUR\n"
    )


def replicas(log: Path, out: Path) -> dict[tuple[str, str], int]:
    """Lines of each replica by pool and block."""
    check_alone([str(log)], Options(out=out))
    counts: dict[tuple[str, str], int] = {}
    for row in read_kept(out).tables["concerns"].to_table().to_pylist():
        if row["kind"] == "replica":
            key = row["namespace"], row["entity"].partition("@")[0]
            counts[key] = counts.get(key, 0) + 1
    return counts


def test_recovery_of_a_block_of_the_second_pool_makes_no_block_of_the_first(repository: Path, tmp_path: Path) -> None:
    log = repository / "tests" / "data" / "logs" / "verdicts" / "two-pools-one-file.log"
    assert replicas(log, tmp_path / "out") == {(FIRST, "1073741825"): 1, (SECOND, "1073741861"): 4}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            receiving(FIRST, "blk_7_1001") + receiving(SECOND, "blk_7_2001") + recovered("blk_7_2001", 2002),
            {(FIRST, "7"): 1, (SECOND, "7"): 3},
            id="by the stamp, where both have a block of that id",
        ),
        pytest.param(
            receiving(FIRST, "blk_7_1001") + receiving(SECOND, "blk_7_2001") + deleted("blk_7_1001"),
            {(FIRST, "7"): 2, (SECOND, "7"): 1},
            id="of the first, which was read before there were two",
        ),
        pytest.param(
            receiving(FIRST, "blk_7_1001")
            + receiving(SECOND, "blk_7_2001")
            + updated(SECOND, "blk_7_2001", 2002)
            + deleted("blk_7_2002"),
            {(FIRST, "7"): 1, (SECOND, "7"): 3},
            id="under the stamp that a recovery has given",
        ),
        pytest.param(
            receiving(FIRST, "blk_7_1001") + receiving(SECOND, "blk_8_2001") + deleted("blk_8_2009"),
            {(FIRST, "7"): 1, (SECOND, "8"): 2},
            id="of the only pool that has it, under a stamp that nobody told",
        ),
        pytest.param(
            receiving(SECOND, "blk_9_2001")
            + receiving(FIRST, "blk_7_1001")
            + receiving(SECOND, "blk_7_2001")
            + deleted("blk_7_2003"),
            {(SECOND, "9"): 1, (FIRST, "7"): 1, (SECOND, "7"): 2},
            id="of the pool with the last lower stamp, where nobody told the stamp",
        ),
    ],
)
def test_line_without_a_pool_goes_to_the_pool_that_knows_it(
    tmp_path: Path, text: str, expected: dict[tuple[str, str], int]
) -> None:
    log = tmp_path / "datanode.log"
    log.write_text(text, encoding="utf-8")
    assert replicas(log, tmp_path / "out") == expected


def test_blocks_of_before_a_second_pool_is_named_are_known(tmp_path: Path) -> None:
    log = tmp_path / "datanode.log"
    text = receiving(FIRST, "blk_7_1001") + f"{AT}nothing of interest\n" * (HEAD // 80)
    log.write_text(text + receiving(SECOND, "blk_7_2001") + deleted("blk_7_1002") + deleted("blk_7_2001"))
    assert len(text) > HEAD
    assert replicas(log, tmp_path / "out") == {(FIRST, "7"): 2, (SECOND, "7"): 2}


def test_lines_of_two_namenodes_go_by_port_where_the_log_begins_too_late_to_tell_their_pools(tmp_path: Path) -> None:
    """Both have a block of one id under one stamp, which one NameNode gives out only once."""
    allocated = (
        "2024-03-01 10:00:00,300 - INFO  [IPC Server handler 7 on {port}:FSNamesystem@3575] - BLOCK* allocate"
        " blk_7_1001{{UCState=UNDER_CONSTRUCTION, truncateBlock=null, primaryNodeIndex=-1,"
        " replicas=[ReplicaUC[[DISK]DS-1:NORMAL:10.0.0.1:9866|RBW]]}} for /{port}\n"
    )
    completed = (
        "2024-03-01 10:00:00,400 - INFO  [IPC Server handler 7 on 8020:FSNamesystem@3575] - DIR* completeFile: /8020"
        " is closed by DFSClient_1\n"
    )
    at = "2024-03-01 10:00:00,100 - INFO  [DataXceiver for client c at /10.0.0.8:4 [{0}:blk_9_9]:DataXceiver@655] - "
    pools = "".join(
        at.format(pool) + f"Receiving {pool}:blk_9_9 src: /10.0.0.8:4 dest: /10.0.0.1:9866\n"
        for pool in (FIRST, SECOND)
    )
    log = tmp_path / "merged.log"
    log.write_text(pools + allocated.format(port=8020) + completed + allocated.format(port=8021))
    report = check_alone([str(log)], Options())
    assert (report.safety, report.rejects) == ("conformant", ())
    log.write_text(pools + allocated.format(port=8020) + completed + allocated.format(port=8020))
    assert check_alone([str(log)], Options()).safety == "violated"
