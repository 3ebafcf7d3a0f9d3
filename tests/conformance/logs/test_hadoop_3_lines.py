"""Lines that real daemons of Hadoop 3.4.1 wrote, at INFO and at DEBUG, and that were read wrongly before."""

from collections.abc import Callable
from pathlib import Path

import pytest

from genstamp.logs.local import Checked, check_locally
from genstamp.logs.readers import log_fast
from genstamp.logs.readers.sighting import Counts
from genstamp.logs.streams import head
from genstamp.logs.units import HEAD, find_units

Check = Callable[..., Checked]

POOL = "BP-1163557457-127.0.0.1-1795716129499"
BLOCK, OTHER = "blk_1073741851_1041", "blk_1073741852_1042"
CHANGE = "2026-11-26 18:03:33,295 INFO org.apache.hadoop.hdfs.StateChange: "
REPLICAS = "2026-11-26 18:03:33,295 DEBUG BlockStateChange: "
NAMESYSTEM = "2026-11-26 18:03:33,295 INFO org.apache.hadoop.hdfs.server.namenode.FSNamesystem: "
AUDIT = f"{NAMESYSTEM.removesuffix(': ')}.audit: allowed=true\tugi=u\tip=/127.0.0.1\tcmd="
DATANODE = "2026-11-26 18:03:33,295 INFO org.apache.hadoop.hdfs.server.datanode.DataNode: "
DATASET = "2026-11-26 18:03:33,295 INFO org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsDatasetImpl: "
ALLOCATED = f"{CHANGE}BLOCK* allocate {BLOCK}, replicas=127.0.0.1:9866 for /f\n"
COMPLETED = f"{CHANGE}DIR* completeFile: /f is closed by DFSClient_1\n"
ABANDONED = f"{CHANGE}BLOCK* NameSystem.abandonBlock: {POOL}:{BLOCK} is removed from pendingCreates\n"
NOBODYS = f"{REPLICAS}BLOCK* addBlock: block {BLOCK} on node 127.0.0.1:9866 size 7 does not belong to any file\n"


def _verdicts(checked: Checked, kind: str) -> dict[str, str]:
    return {row["entity"]: row["safety"] for row in checked.verdicts.to_pylist() if row["kind"] == kind}


def _told(checked: Checked) -> list[str]:
    assert checked.rejects.num_rows == 0
    return [event["event"] for event in checked.events.to_pylist()]


def test_holder_of_the_namenode_has_a_comma(check_log: Check) -> None:
    holder = "HDFS_NameNode-2026-11-25 22:47:52,747+0000"
    lease = f"[Lease.  Holder: {holder}, pending creates: 1]"
    (event,) = check_log(f"{NAMESYSTEM}Recovering {lease}, src=/f\n").events.to_pylist()
    assert (event["event"], dict(event["arguments"])["client"]) == ("internal_release_lease", holder)


@pytest.mark.parametrize(
    "line",
    [
        f"{CHANGE}DIR* completeFile: request from DFSClient_1 to complete inode 16416(/f) which is already closed. But,"
        " it appears to be an RPC retry. Returning success",
        f"{CHANGE}BLOCK* allocateBlock: caught retry for allocation of a new block in /f. Returning previously"
        f" allocated block {BLOCK}",
        f"{CHANGE}BLOCK* NameSystem.allocateBlock: handling block allocation writing to a file with a complete previous"
        f" block: src=/f lastBlock={BLOCK}",
        f"{CHANGE}BLOCK* NameSystem.abandonBlock: {POOL}:{BLOCK} of file /f",
        f"{REPLICAS}BLOCK* block {BLOCK} is moved from neededReconstruction to pendingReconstruction",
        f"{DATANODE}127.0.0.1:9866:DataXceiver error processing WRITE_BLOCK operation  src: /127.0.0.1:60846 dst:"
        " /127.0.0.1:9866; org.apache.hadoop.hdfs.server.datanode.ReplicaAlreadyExistsException: Block"
        f" {POOL}:{BLOCK} already exists in state RWR and thus cannot be created.",
    ],
)
def test_line_tells_of_no_step(check_log: Check, line: str) -> None:
    assert _told(check_log(f"{line}\n")) == []


def test_block_is_abandoned_before_its_file_is_closed(check_log: Check) -> None:
    checked = check_log(ALLOCATED + ABANDONED + NOBODYS + COMPLETED)
    assert _told(checked) == ["add_block", "abandon_block", "block_received", "complete"]
    assert _verdicts(checked, "block") == {"1073741851": "conformant"}


def test_block_that_is_not_the_last_is_not_abandoned(check_log: Check) -> None:
    checked = check_log(ALLOCATED + ALLOCATED.replace(BLOCK, OTHER) + ABANDONED + COMPLETED)
    assert _verdicts(checked, "block") == dict.fromkeys(["1073741851", "1073741852"], "conformant")
    (abandoned,) = (event for event in checked.events.to_pylist() if event["event"] == "abandon_block")
    assert dict(abandoned["arguments"]) == {"outcome": "unknown"}


@pytest.mark.parametrize(
    "reopened",
    [
        f"{AUDIT}append\tsrc=/f\tdst=null\tperm=null\n",
        f"{NAMESYSTEM}updatePipeline({BLOCK} => {BLOCK.replace('1041', '1043')}) success\n",
        f"{CHANGE}DIR* NameSystem.internalReleaseLease: File /f has not been closed. Lease recovery is in progress."
        f" RecoveryId = 1043 for block {BLOCK}\n",
    ],
)
def test_file_that_was_opened_again_closes_its_last_block_again(check_log: Check, reopened: str) -> None:
    checked = check_log(ALLOCATED + COMPLETED + reopened + COMPLETED)
    lines = [row["place"]["line"] for row in checked.concerns.to_pylist() if row["kind"] == "block"]
    assert (2 in lines, 4 in lines) == (True, True)


def test_replicas_of_several_nodes_are_asked_for(check_log: Check) -> None:
    asked = f"{REPLICAS}BLOCK* ask [127.0.0.1:9866] to replicate {BLOCK} to datanode(s) 127.0.0.1:9867 127.0.0.1:9868\n"
    (event,) = check_log(asked).events.to_pylist()
    assert (event["event"], dict(event["arguments"])) == ("ask_to_replicate", {"datanodes": "127.0.0.1:9866"})


def test_registration_stands_before_what_a_datanode_does(check_log: Check) -> None:
    registration = (
        "DatanodeRegistration(127.0.0.1:9866, datanodeUuid=82e41e6f, infoPort=9864, infoSecurePort=0, ipcPort=9867,"
        " storageInfo=lv=-57;cid=CID-04d755cf;nsid=1747920864;c=1795716129499)"
    )
    transfer = f"{DATANODE}{registration} Starting thread to transfer {POOL}:{BLOCK} to 127.0.0.1:9876\n"
    other = f"{DATANODE}{registration} Exception for {BLOCK}, in passing\n"
    assert _told(check_log(other + transfer)) == ["transfer_starts"]


@pytest.mark.parametrize("stored", [1041, 1043])
def test_replica_of_an_open_block_may_have_a_stamp_of_before(check_log: Check, stored: int) -> None:
    updated = f"{NAMESYSTEM}updatePipeline({BLOCK} => {BLOCK.replace('1041', '1043')}) success\n"
    added = (
        f"{REPLICAS}BLOCK* addStoredBlock: 127.0.0.1:9866 is added to {BLOCK.replace('1041', str(stored))} (size=7)\n"
    )
    assert _verdicts(check_log(ALLOCATED + updated + added, complete=True), "block") == {"1073741851": "conformant"}


def test_two_recoveries_of_a_replica_at_once_are_told_apart_by_no_thread(check_log: Check) -> None:
    init = f"{DATASET}initReplicaRecovery: {BLOCK}, recoveryId={{}}, replica=FinalizedReplica, {BLOCK}, FINALIZED\n"
    changing = f"{DATASET}initReplicaRecovery: changing replica state for {BLOCK} from FINALIZED to RUR\n"
    update = f"{DATASET}initReplicaRecovery: update recovery id for {BLOCK} from 1043 to 1045\n"
    text = init.format(1043) + init.format(1045) + changing + update
    events = check_log(text).events.to_pylist()
    assert [event["recovery_id"] for event in events] == [1043, 1045, None, 1045]


def test_deletion_of_a_replica_fails_that_a_recovery_gives_another_stamp(check_log: Check) -> None:
    """FsDatasetImpl#removeReplicaFromMem: the deletion was scheduled before the recovery ended."""
    stage = "src: /127.0.0.1:34492 dest: /127.0.0.1:9866\n"
    rur = f"replica=ReplicaUnderRecovery, {BLOCK}, RUR\n"
    found = f"initReplicaRecovery: {BLOCK}, recoveryId=1043, replica=FinalizedReplica, {BLOCK}, FINALIZED\n"
    text = (
        f"{DATANODE}Receiving {POOL}:{BLOCK} {stage}"
        f"{DATANODE}src: /127.0.0.1:34492, dest: /127.0.0.1:9866, bytes: 7, op: HDFS_WRITE, cliID: DFSClient_1,"
        f" offset: 0, srvID: a, blockid: {POOL}:{BLOCK}, duration(ns): 1\n"
        f"{DATASET}{found}"
        f"{DATASET}initReplicaRecovery: changing replica state for {BLOCK} from FINALIZED to RUR\n"
        f"{DATASET}Scheduling {BLOCK} replica ReplicaUnderRecovery, {BLOCK}, RUR for deletion\n"
        f"{DATASET}updateReplica: {POOL}:{BLOCK}, recoveryId=1043, length=7, {rur}"
    )
    assert _verdicts(check_log(text, complete=True), "replica") == {"1073741851@127.0.0.1:9866": "conformant"}
    finalized = text.replace(f"{DATASET}{found}", "").replace("changing replica state for", "no line of this kind: ")
    assert _verdicts(check_log(finalized, complete=True), "replica") == {"1073741851@127.0.0.1:9866": "violated"}


def _recovered(recovery_id: int) -> str:
    called = (
        f"BlockRecoveryWorker: NameNode at /127.0.0.1:9000 calls recoverBlock({POOL}:{BLOCK}, targets=[DatanodeInfoWith"
        f"Storage[127.0.0.1:9866,null,null]], newGenerationStamp={recovery_id}, newBlock=null, isStriped=false)\n"
    )
    return f"{DATANODE}{called}"


def test_recovery_of_a_block_that_was_reopened_has_id_0(tmp_path: Path) -> None:
    (tmp_path / "namenode.log").write_text(ALLOCATED)
    (tmp_path / "datanode.log").write_text(_recovered(0))
    assert _verdicts(check_locally([tmp_path], group=POOL), "block") == {"1073741851": "conformant"}
    (tmp_path / "datanode.log").write_text(_recovered(1040))
    assert _verdicts(check_locally([tmp_path], group=POOL), "block") == {"1073741851": "violated"}


def test_stamp_is_granted_twice_after_a_restart(check_log: Check) -> None:
    recovery = (
        f"{CHANGE}DIR* NameSystem.internalReleaseLease: File /f has not been closed. Lease recovery is in progress."
        f" RecoveryId = {{}} for block {BLOCK}\n"
    )
    restart = "2026-11-26 18:03:34,295 INFO org.apache.hadoop.hdfs.server.namenode.NameNode: STARTUP_MSG: \n"
    again = recovery.format(1044) + restart + recovery.format(1043)
    assert _verdicts(check_log(ALLOCATED + again, complete=True), "block") == {"1073741851": "conformant"}
    without = recovery.format(1044) + recovery.format(1043)
    assert _verdicts(check_log(ALLOCATED + without, complete=True), "block") == {"1073741851": "violated"}


def test_pipeline_may_have_the_id_of_a_recovery_before_a_restart(check_log: Check) -> None:
    recovery = (
        f"{CHANGE}DIR* NameSystem.internalReleaseLease: File /f has not been closed. Lease recovery is in progress."
        f" RecoveryId = {{}} for block {BLOCK}\n"
    )
    restart = "2026-11-26 18:03:34,295 INFO org.apache.hadoop.hdfs.server.namenode.NameNode: STARTUP_MSG: \n"
    updated = f"{NAMESYSTEM}updatePipeline({BLOCK} => {BLOCK.replace('1041', '1044')}) success\n"
    whole = ALLOCATED + recovery.format(1044) + restart + updated
    assert _verdicts(check_log(whole), "block") == {"1073741851": "conformant"}
    assert _verdicts(check_log(whole.replace(restart, "")), "block") == {"1073741851": "violated"}


def test_file_keyed_by_its_inode_is_one_file_to_the_compiled_reader(tmp_path: Path) -> None:
    log = tmp_path / "hadoop.log"
    created = f"{CHANGE}DIR* NameSystem.startFile: added /f inode 16416 DFSClient_1\n"
    log.write_text(created + ALLOCATED + COMPLETED)
    (unit,) = find_units([str(log)]).units
    numbers = set()
    for table, rows in log_fast.log_batches(unit, Counts(), head(log, HEAD), keeps_events=False):
        if table == "concerns" and "number" in rows.column_names:
            numbers |= {row["number"] for row in rows.to_pylist() if row["name"] in (None, "16416")}
    assert 16416 in numbers
