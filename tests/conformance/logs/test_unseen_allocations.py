"""A block whose allocation is not in a NameNode's log is not said to be left open: lines that close or delete its file
do not name it.
"""

from collections.abc import Callable

import pytest

from genstamp.logs.local import Checked

AT = "2024-03-01 10:00:0{},000 INFO "
UPDATED = AT + "namenode.FSNamesystem: updatePipeline(blk_7_1001 => blk_7_1002) success\n"
CLOSED = AT + "hdfs.StateChange: DIR* completeFile: /f is closed by DFSClient_1\n"
DELETED = AT + "FSNamesystem.audit: allowed=true\tugi=u\tip=/10.0.0.8\tcmd=delete\tsrc=/f\tdst=null\tperm=null\n"
ALLOCATED = AT + "hdfs.StateChange: BLOCK* allocate blk_7_1001, replicas=10.0.0.1:9866 for /f\n"
RECOVERED = AT + (
    "hdfs.StateChange: DIR* NameSystem.internalReleaseLease: File /f has not been closed. Lease recovery is in"
    " progress. RecoveryId = 1003 for block blk_7_1002\n"
)
WAITS = (
    AT
    + "namenode.FSNamesystem: BLOCK* blk_7_1002 is COMMITTED but not COMPLETE(numNodes= 0 <  minimum = 1) in file /f\n"
)


@pytest.mark.parametrize(
    ("lines", "completion"),
    [
        ([UPDATED], "unknown"),
        ([UPDATED, CLOSED, DELETED], "unknown"),
        ([UPDATED, RECOVERED], "unfinished"),
        ([UPDATED, RECOVERED, DELETED], "unknown"),  # A snapshot may keep the block.
        ([UPDATED, WAITS], "unfinished"),
        ([UPDATED, WAITS, CLOSED], "complete"),
        ([ALLOCATED, UPDATED], "unfinished"),
        ([ALLOCATED, UPDATED, CLOSED], "complete"),
    ],
)
def test_end_of_a_block(check_log: Callable[..., Checked], lines: list[str], completion: str) -> None:
    checked = check_log("".join(line.format(number) for number, line in enumerate(lines)))
    (block,) = (row for row in checked.verdicts.to_pylist() if row["kind"] == "block")
    assert (block["safety"], block["completion"]) == ("conformant", completion)
