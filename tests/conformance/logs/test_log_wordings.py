"""Wordings of Hadoop 0.20 to 3.4 for what happens beside a step: orders, reports, copies, clients, refusals."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from genstamp.logs.local import Checked, check_locally

Check = Callable[..., Checked]

POOL = "BP-143200883-10.0.0.215-1656624504202"
BLOCK = "blk_1073741825_1001"
NAMENODE = "2013-11-21 18:25:07,534 INFO org.apache.hadoop.hdfs.StateChange: "
DATANODE = "2013-11-21 18:25:07,534 INFO org.apache.hadoop.hdfs.server.datanode.DataNode: "
REGISTERED = f"{DATANODE}Receiving {POOL}:{BLOCK} src: /10.0.0.9:40000 dest: /10.0.0.1:50010\n"
CLIENT = "2015-10-17 15:42:57,064 INFO [Thread-54] org.apache.hadoop.hdfs.DFSClient: "
LEASE = "[Lease.  Holder: DFSClient_1, pendingcreates: 1]"
STORED = {n: f"DatanodeInfoWithStorage[10.0.0.{n}:50010,DS-{n},DISK]" for n in (1, 2)}

HELD_OF_ONE_BLOCK = {
    f"BLOCK* block RECEIVED_BLOCK: {BLOCK} is received from 10.0.0.1:9866": "block_received 10.0.0.1:9866",
    f"BLOCK* block RECEIVING_BLOCK: {BLOCK} is received from 10.0.0.1:9866": "block_receiving 10.0.0.1:9866",
    f"BLOCK* block DELETED_BLOCK: {BLOCK} is received from 10.0.0.1:9866": "block_deleted 10.0.0.1:9866",
    f"BLOCK* addToInvalidates: {BLOCK} 10.0.0.1:9866 10.0.0.2:9866 ": "add_to_invalidates 10.0.0.1:9866,10.0.0.2:9866",
    f"BLOCK* InvalidateBlocks: add {BLOCK} to 10.0.0.1:9866": "add_to_invalidates 10.0.0.1:9866",
    f"BLOCK* NameSystem.delete: {BLOCK} is added to invalidSet of 10.0.0.1:50010": "add_to_invalidates 10.0.0.1:50010",
    f"BLOCK* BlockManager: ask 10.0.0.1:9866 to delete [{BLOCK}]": "ask_to_delete 10.0.0.1:9866",
    f"BLOCK* ask 10.0.0.1:50010 to delete  {BLOCK}": "ask_to_delete 10.0.0.1:50010",
    f"BLOCK* ask 10.0.0.1:50010 to replicate {BLOCK} to datanode(s) 10.0.0.2:50010": "ask_to_replicate 10.0.0.1:50010",
    f"BLOCK NameSystem.addToCorruptReplicasMap: {BLOCK} added as corrupt on 10.0.0.1:9866 by /10.0.0.2 because x": (
        "mark_block_as_corrupt 10.0.0.1:9866"
    ),
}


@pytest.mark.parametrize("message", HELD_OF_ONE_BLOCK)
def test_namenode_tells_of_a_block_and_its_replicas(check_log: Check, message: str) -> None:
    event, datanodes = HELD_OF_ONE_BLOCK[message].split()
    checked = check_log(f"{NAMENODE}{message}\n")
    (told,) = checked.events.to_pylist()
    assert (told["event"], told["entity"], told["generation_stamp"]) == (event, "1073741825", 1001)
    assert dict(told["arguments"]) == {"datanodes": datanodes}
    keys = {(row["kind"], row["entity"], row["safety"]) for row in checked.verdicts.to_pylist()}
    replicas = {("replica", f"1073741825@{each}", "conformant") for each in datanodes.split(",")}
    assert keys == {("block", "1073741825", "conformant"), *replicas}


OF_A_REPLICA = {
    f"PacketResponder: {POOL}:{BLOCK}, type=LAST_IN_PIPELINE, downstreams=0:[] terminating": (
        "packet_responder_ends None"
    ),
    f"PacketResponder 2 for block {BLOCK} terminating": "packet_responder_ends None",
    f"opWriteBlock {POOL}:{BLOCK} received exception java.io.EOFException: Premature EOF": "write_block EOFException",
    f"writeBlock {BLOCK} received exception java.net.SocketTimeoutException": "write_block SocketTimeoutException",
    f"Moved {POOL}:{BLOCK} from /10.0.0.2:40000, delHint=48e2a3be": "replace_block None",
    f"Starting thread to transfer {POOL}:{BLOCK} to 10.0.0.2:50010": "transfer_starts None",
    f"DataTransfer: Transmitted {POOL}:{BLOCK} (numBytes=5) to /10.0.0.2:50010": "transfer_ends None",
    f"Deleting block {BLOCK} file /data/current/{BLOCK}": "invalidate_replica None",
    f"Scheduling block {BLOCK} file /data/current/{BLOCK} for deletion": "invalidate_replica None",
    f"Failed to delete replica {POOL}:{BLOCK}: ReplicaInfo not found.": "invalidate_absent_replica None",
    f"Unexpected error trying to delete block {BLOCK}. BlockInfo not found in volumeMap.": (
        "invalidate_absent_replica None"
    ),
}


@pytest.mark.parametrize("message", OF_A_REPLICA)
def test_datanode_tells_of_its_replica(check_log: Check, message: str) -> None:
    checked = check_log(f"{REGISTERED}{DATANODE}{message}\n")
    told = checked.events.to_pylist()[-1]
    assert f"{told['event']} {told['refused_with']}" == OF_A_REPLICA[message]
    assert (told["entity"], told["namespace"]) == ("1073741825@10.0.0.1:50010", POOL)
    assert {row["safety"] for row in checked.verdicts.to_pylist()} == {"conformant"}


@pytest.mark.parametrize(
    ("message", "event", "completion"),
    [
        (f"Recovering lease={LEASE}, src=/f", "internal_release_lease", "unknown"),
        (f"Started block recovery for file /f lease {LEASE}", "release_expired_lease", "unfinished"),
        ("DIR* NameSystem.startFile: added /f inode 18367 DFSClient_1", "create", "unfinished"),
        ("*DIR* NameNode.rename: /f to /g", "rename_called", "unknown"),
    ],
)
def test_namenode_tells_of_a_file(check_log: Check, message: str, event: str, completion: str) -> None:
    checked = check_log(f"{NAMENODE}{message}\n")
    assert [told["event"] for told in checked.events.to_pylist()] == [event]
    (file,) = (row for row in checked.verdicts.to_pylist() if row["kind"] == "file")
    assert (file["safety"], file["completion"]) == ("conformant", completion)


CALLED = "IPC Server handler 6 on 8020, call "
PROTOCOL = "org.apache.hadoop.hdfs.protocol.ClientProtocol"
EXPIRED = "org.apache.hadoop.hdfs.server.namenode.LeaseExpiredException"


@pytest.mark.parametrize(
    ("message", "event", "refused_with"),
    [
        (
            "DIR* NameSystem.startFile: /a b Failed to CREATE_FILE /a b for DFSClient_2 on 10.0.0.2 because this file"
            " lease is currently owned by DFSClient_1 on 10.0.0.1",
            "create",
            "AlreadyBeingCreatedException",
        ),
        (
            "DIR* NameSystem.append: Failed to APPEND_FILE /a b for DFSClient_2 on 10.0.0.2 because lease recovery is"
            " in progress. Try again later.",
            "append",
            "RecoveryInProgressException",
        ),
        (
            f"{CALLED}{PROTOCOL}.getAdditionalDatanode from 10.0.0.1:4 Call#4 Retry#0"
            f": {EXPIRED}: No lease on /a b (inode 16451): File does not exist. Holder DFSClient_1 does not have any",
            "get_additional_datanode",
            "LeaseExpiredException",
        ),
        (
            f"{CALLED}Call#4 Retry#0 {PROTOCOL}.complete from 10.0.0.1:4:"
            f" {EXPIRED}: File is not open for writing: /a b (inode 16451) Holder DFSClient_1 does not have any",
            "complete",
            "LeaseExpiredException",
        ),
        (
            f"{CALLED}Call#4 Retry#0 {PROTOCOL}.addBlock from 10.0.0.1:4:"
            f" {EXPIRED}: Client (=DFSClient_1) is not the lease owner (=DFSClient_2: /a b (inode 16451) Holder",
            "add_block",
            "LeaseExpiredException",
        ),
        (
            f"{CALLED}Call#4 Retry#0 {PROTOCOL}.addBlock from 10.0.0.1:4: {EXPIRED}: Client (=DFSClient_1) is not the"
            " lease owner (=HDFS_NameNode-2026-11-25 22:47:52,747+0000: /a b (inode 16451) Holder DFSClient_1 does not",
            "add_block",
            "LeaseExpiredException",
        ),
    ],
)
def test_namenode_tells_of_a_call_that_it_refused(
    check_log: Check, message: str, event: str, refused_with: str
) -> None:
    checked = check_log(f"{NAMENODE}{message}\n")
    (told,) = checked.events.to_pylist()
    assert (told["event"], told["refused_with"], told["entity"]) == (event, refused_with, "/a b#0")
    assert [row["safety"] for row in checked.verdicts.to_pylist()] == ["conformant"]


@pytest.mark.parametrize(
    "message",
    [
        f"{CALLED}Call#4 Retry#0 {PROTOCOL}.mkdirs from 10.0.0.1:4",
        "DIR* NameSystem.startFile: /f for client 10.0.0.1 already exists",
    ],
)
def test_call_that_tells_of_no_file_of_anybody_is_counted(check_log: Check, message: str) -> None:
    checked = check_log(f"{NAMENODE}{message}\n")
    assert (checked.events.num_rows, checked.rejects.num_rows) == (0, 0)


def test_file_whose_creation_is_told_twice_is_one_file(check_log: Check) -> None:
    audit = "allowed=true\tugi=u\tip=/10.0.0.1\tcmd=create\tsrc=/f\tdst=null\tperm=u:g:rw-r--r--"
    created = "DIR* NameSystem.startFile: added /f inode 18367 DFSClient_1"
    text = "".join(f"{NAMENODE}{each}\n" for each in (created, audit, created.replace("18367", "18368"), audit))
    events = [(event["event"], event["entity"]) for event in check_log(text).events.to_pylist()]
    assert events == [("create", "18367"), ("delete", "18367"), ("create", "18368")]


def test_call_that_is_refused_as_its_file_is_gone_is_of_that_file(check_log: Check) -> None:
    deleted = "allowed=true\tugi=u\tip=/10.0.0.1\tcmd=delete\tsrc=/f\tdst=null\tperm=null"
    refused = (
        f"{CALLED}Call#4 Retry#0 {PROTOCOL}.addBlock from 10.0.0.1:4: {EXPIRED}: No lease on /f (inode 16451): File"
        " does not exist. Holder DFSClient_1 does not have any"
    )
    written = f"BLOCK* allocate {BLOCK}, replicas=10.0.0.1:9866 for /f"
    text = "".join(f"{NAMENODE}{each}\n" for each in (written, deleted, refused, written, refused))
    events = check_log(text).events.to_pylist()
    assert [event["entity"] for event in events if event["kind"] == "file"] == ["/f#0", "/f#0", "/f#1"]


def test_attempt_is_rejected_only_while_another_goes_on(check_log: Check) -> None:
    allocated = f"{NAMENODE}BLOCK* allocate {BLOCK}, replicas=10.0.0.1:9866 for /f\n"
    started = (
        f"{NAMENODE}DIR* NameSystem.internalReleaseLease: File /f has not been closed. Lease recovery is in progress."
        f" RecoveryId = 1002 for block {BLOCK}\n"
    )
    rejected = (
        f"{NAMENODE}Block recovery attempt for {BLOCK} rejected, as the previous attempt times out in 88 seconds.\n"
    )

    removed = f"{NAMENODE}BLOCK* internalReleaseLease: Removed empty last block and closed file /f.\n"

    def block(*lines: str) -> dict[str, Any]:
        return next(row for row in check_log("".join(lines)).verdicts.to_pylist() if row["kind"] == "block")

    assert block(allocated, started, rejected)["states"] == ["UNDER_RECOVERY"]
    failed = "recovery_attempt_rejected is no step of a block that is removed"
    assert block(allocated, started, removed, rejected)["failed"] == failed


def test_committed_block_is_complete_with_the_replica_that_it_waits_for(check_log: Check) -> None:
    waits = f"{NAMENODE}BLOCK* {BLOCK} is COMMITTED but not COMPLETE(numNodes= 0 <  minimum = 2) in file /f\n"
    stored = "".join(
        f"{NAMENODE}BLOCK* addStoredBlock: 10.0.0.{n}:9866 is added to {BLOCK} (size=5)\n" for n in range(1, 3)
    )
    (block,) = (row for row in check_log(waits + stored).verdicts.to_pylist() if row["kind"] == "block")
    assert (block["completion"], block["states"]) == ("complete", ["COMPLETE"])
    one = stored.splitlines(keepends=True)[0]
    (block,) = (row for row in check_log(waits + one).verdicts.to_pylist() if row["kind"] == "block")
    assert block["completion"] == "unknown"


def test_old_namenode_shows_no_state_of_a_block(check_log: Check) -> None:
    allocated = f"{NAMENODE}BLOCK* NameSystem.allocateBlock: /f. {BLOCK}\n"
    stored = (
        f"{NAMENODE}BLOCK* NameSystem.addStoredBlock: blockMap updated: 10.0.0.1:50010 is added to {BLOCK} size 5\n"
    )
    closed = f"{NAMENODE}DIR* NameSystem.completeFile: file /f is closed by DFSClient_1\n"
    checked = check_log(allocated + stored + closed)
    assert "block_state_before" not in dict(checked.events.to_pylist()[1]["arguments"])
    (block,) = (row for row in checked.verdicts.to_pylist() if row["kind"] == "block")
    assert (block["safety"], block["completion"]) == ("conformant", "complete")


def test_client_names_the_block_whose_pipeline_could_not_be_set_up(check_log: Check) -> None:
    checked = check_log(
        f"{CLIENT}Exception in createBlockOutputStream\njava.io.IOException: Bad connect ack\n"
        f"{CLIENT}Abandoning {POOL}:{BLOCK}\n{CLIENT}Excluding datanode 10.0.0.3:50010\n"
        f"{CLIENT}Abandoning {POOL}:blk_2_2\n"
        f"2015-10-17 15:42:57,064 INFO [main] org.apache.hadoop.mapred.Task: Task is done\n"
    )
    told = [(event["event"], event["entity"], event["refused_with"]) for event in checked.events.to_pylist()]
    assert told == [
        ("set_up_create", "1073741825", "IOException"),
        ("abandon_block", "1073741825", None),
        ("exclude_datanode", "10.0.0.3:50010", None),
        ("abandon_block", "2", None),
    ]
    assert {event["source"] for event in checked.events.to_pylist()} == {"hdfs-client-log"}


@pytest.mark.parametrize(
    "tail",
    [
        "in pipeline 10.0.0.1:50010, 10.0.0.2:50010: bad datanode 10.0.0.2:50010",
        f"in pipeline {STORED[1]}, {STORED[2]}: bad datanode {STORED[2]}",
        f"in pipeline [{STORED[1]}, {STORED[2]}]: datanode 1({STORED[2]}) is bad.",
    ],
)
def test_client_names_the_datanode_that_a_pipeline_goes_on_without(check_log: Check, tail: str) -> None:
    (event,) = check_log(f"{CLIENT}Error Recovery for block {POOL}:{BLOCK} {tail}\n").events.to_pylist()
    assert (event["event"], event["entity"]) == ("pipeline_recovery", "1073741825")
    assert dict(event["arguments"])["bad_datanode"] == "10.0.0.2:50010"


def test_what_a_client_asks_for_may_not_have_been_done(check_log: Check) -> None:
    allocated = f"{NAMENODE}BLOCK* allocate {BLOCK}, replicas=10.0.0.1:9866 for /f\n"
    stored = f"{NAMENODE}BLOCK* addStoredBlock: 10.0.0.1:9866 is added to {BLOCK} (size=4948)\n"
    checked = check_log(f"{allocated}{stored}{CLIENT}Abandoning block {BLOCK}\n")
    (block,) = (row for row in checked.verdicts.to_pylist() if row["kind"] == "block")
    assert (block["safety"], block["completion"]) == ("conformant", "unknown")


def test_block_that_gets_a_replica_was_not_abandoned_before(check_log: Check) -> None:
    allocated = f"{NAMENODE}BLOCK* allocate {BLOCK}, replicas=10.0.0.1:9866 for /f\n"
    stored = f"{NAMENODE}BLOCK* addStoredBlock: 10.0.0.1:9866 is added to {BLOCK} (size=4948)\n"
    checked = check_log(f"{allocated}{CLIENT}Abandoning block {BLOCK}\n{stored}")
    (block,) = (row for row in checked.verdicts.to_pylist() if row["kind"] == "block")
    assert (block["safety"], block["states"]) == ("conformant", ["UNDER_CONSTRUCTION"])


def test_commit_under_another_recovery_id_is_refused(check_log: Check) -> None:
    refused = (
        f"java.io.IOException: The recovery id 1002 does not match current recovery id 1003 for block {POOL}:{BLOCK}"
    )
    (event,) = check_log(f"{NAMENODE}IPC Server handler 1\n{refused}\n\tat x\n").events.to_pylist()
    assert (event["event"], event["refused_with"], event["recovery_id"]) == (
        "commit_block_synchronization",
        "IOException",
        1002,
    )
    assert (dict(event["observed"]), event["place"]["line"]) == ({"current_recovery_id": "1003"}, 2)


def test_line_that_lost_its_time_is_read_with_that_of_the_line_before(check_log: Check) -> None:
    cut = (
        f"namenode.FSNamesystem (FSNamesystem.java:updatePipeline(6535)) - updatePipeline({BLOCK}, newGS=1002,"
        " newLength=7, newNodes=[10.0.0.2:50010, 10.0.0.1:50010], client=DFSClient_1)\n"
    )
    done = f"{NAMENODE}updatePipeline({BLOCK} => blk_1073741825_1002) success\n"
    (event,) = check_log(f"{NAMENODE}x\n{cut}{done}").events.to_pylist()
    assert (event["generation_stamp"], event["num_bytes"]) == (1002, 7)
    assert dict(event["observed"]) == {"locations": "10.0.0.1:50010,10.0.0.2:50010"}


@pytest.mark.parametrize(
    "message",
    [
        "BLOCK* addToInvalidates: blk_1_2",
        "Error Recovery for something",
        "Abandoning hope",
        "Scheduling block 7",
        f"BLOCK* ask 10.0.0.1:50010 to delete  blk_{'9' * 20}_1",
        "BLOCK* BlockManager: ask 10.0.0.1:9866 to delete [blk_x1_1]",
    ],
)
def test_line_that_begins_like_one_of_these_is_kept_where_it_cannot_be_read(check_log: Check, message: str) -> None:
    checked = check_log(f"{NAMENODE}{message}\n")
    assert (checked.events.num_rows, checked.rejects.num_rows) == (0, 1)


@pytest.mark.slow
def test_pipelines_of_clients_are_found_in_what_their_containers_log(shared_data: Path) -> None:
    checked = check_locally([shared_data / "dfsclient_logs"])
    assert checked.rejects.num_rows == 0
    assert Counter(event["event"] for event in checked.events.to_pylist()) == {
        "set_up_create": 14,
        "abandon_block": 14,
        "exclude_datanode": 14,
        "pipeline_recovery": 6,
        "receive_ack": 6,
    }
    assert {row["safety"] for row in checked.verdicts.to_pylist()} == {"conformant"}
