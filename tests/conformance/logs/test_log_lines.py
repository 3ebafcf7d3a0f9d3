"""Lines of NameNodes and datanodes: what each tells, under which key, and what is rejected."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from genstamp.logs.local import Checked, check_locally
from genstamp.logs.readers.log_line import log_line

Check = Callable[..., Checked]

POOL = "BP-143200883-10.0.0.215-1656624504202"
BLOCK = "blk_1073741825_1001"
RBW = "replica=ReplicaBeingWritten, blk_1073741825_1001, RBW"


def namenode(message: str, *, port: int = 9000, handler: int = 1) -> str:
    """A line of a NameNode in the layout of tests."""
    return f"2022-06-30 17:28:26,782 - INFO  [IPC Server handler {handler} on {port}:FSNamesystem@3575] - {message}\n"


def datanode(message: str, *, thread: str = "DataXceiver") -> str:
    """A line of a datanode in the layout of tests."""
    return f"2022-06-30 17:28:26,782 - INFO  [{thread}:DataXceiver@737] - {message}\n"


def _told(checked: Checked) -> list[tuple[str, str, str]]:
    return [(event["event"], event["kind"], event["entity"]) for event in checked.events.to_pylist()]


TOLD: dict[str, tuple[str, dict[str, Any]]] = {
    f"BLOCK* allocate {BLOCK}, replicas=127.0.0.1:40019, 127.0.0.1:40201 for /a b for /c": (
        "add_block block 1073741825",
        {
            "generation_stamp": 1001,
            "observed": [("locations", "127.0.0.1:40019,127.0.0.1:40201")],
            "arguments": [("file", "/a b for /c")],
        },
    ),
    f"BLOCK* allocate {BLOCK}{{UCState=UNDER_CONSTRUCTION, truncateBlock=null, primaryNodeIndex=-1,"
    " replicas=[ReplicaUC[[DISK]DS-03eff2ec:NORMAL:127.0.0.1:40019|RBW]]} for /f": (
        "add_block block 1073741825",
        {"observed": [("locations", "127.0.0.1:40019")]},
    ),
    f"BLOCK* allocateBlock: /f. {POOL} {BLOCK}{{blockUCState=UNDER_CONSTRUCTION, primaryNodeIndex=-1, replicas=[]}}": (
        "add_block block 1073741825",
        {"namespace": POOL, "arguments": [("file", "/f")]},
    ),
    f"BLOCK* addStoredBlock: blockMap updated: 127.0.0.1:40201 is added to {BLOCK}"
    "{UCState=COMMITTED, truncateBlock=null, replicas=[]} size 7": (
        "add_stored_block block 1073741825",
        {"num_bytes": 7, "arguments": [("datanode", "127.0.0.1:40201"), ("block_state_before", "COMMITTED")]},
    ),
    f"BLOCK* addStoredBlock: blockMap updated: 127.0.0.1:40201 is added to {BLOCK} size 7": (
        "add_stored_block block 1073741825",
        {"arguments": [("datanode", "127.0.0.1:40201"), ("block_state_before", "COMPLETE")]},
    ),
    f"BLOCK* addStoredBlock: 10.0.0.1:9866 is added to {BLOCK} (size=4948)": (
        "add_stored_block block 1073741825",
        {"arguments": [("datanode", "10.0.0.1:9866")]},
    ),
    f"BLOCK* addBlock: block {BLOCK} on node 127.0.0.1:42203 size 134217728 does not belong to any file": (
        "block_received block 1073741825",
        {"observed": [("block_state", "none")]},
    ),
    f"BLOCK* {BLOCK} is COMMITTED but not COMPLETE(numNodes= 0 <  minimum = 1) in file /f": (
        "check_file_progress block 1073741825",
        {"observed": [("block_state", "COMMITTED")]},
    ),
    f"BLOCK* {BLOCK}{{UCState=COMMITTED, replicas=[]}} is not COMPLETE (ucState = COMMITTED, replication# = 0 <"
    "  minimum = 1) in file /f": ("check_file_progress block 1073741825", {"observed": [("block_state", "COMMITTED")]}),
    f"BLOCK* checkFileProgress: {BLOCK}{{blockUCState=COMMITTED, replicas=[]}} has not reached minimal replication 1": (
        "check_file_progress block 1073741825",
        {"observed": [("block_state", "COMMITTED")]},
    ),
    "DIR* completeFile: /f is closed by DFSClient_1": (
        "complete file /f#0",
        {"observed": [("closed", "true")], "arguments": [("client", "DFSClient_1"), ("file", "/f")]},
    ),
    "BLOCK* fsync: /f for DFSClient_1": ("fsync file /f#0", {}),
    "recoverLease: [Lease.  Holder: DFSClient_1, pending creates: 1], src=/f from client DFSClient_1": (
        "recover_lease file /f#0",
        {"arguments": [("file", "/f"), ("holder", "DFSClient_1")]},
    ),
    "DIR* NameSystem.internalReleaseLease: File /f has not been closed. Lease recovery is in progress."
    f" RecoveryId = 1002 for block {BLOCK}": (
        "start_recovery block 1073741825",
        {"recovery_id": 1002, "generation_stamp": 1001},
    ),
    "BLOCK* internalReleaseLease: All existing blocks are COMPLETE, lease removed, file /f closed.": (
        "close file /f#0",
        {},
    ),
    "BLOCK* internalReleaseLease: Removed empty last block and closed file /f.": ("close file /f#0", {}),
    f"updatePipeline({BLOCK} => blk_1073741825_1002) success": (
        "update_pipeline block 1073741825",
        {"generation_stamp": 1002},
    ),
    f"updatePipeline({POOL}:{BLOCK}) successfully to {POOL}:blk_1073741825_1002": (
        "update_pipeline block 1073741825",
        {"generation_stamp": 1002, "namespace": POOL},
    ),
    f"commitBlockSynchronization(oldBlock={POOL}:{BLOCK}, file=/f, newgenerationstamp=1002, newlength=131072,"
    " newtargets=[127.0.0.1:34551]) successful": (
        "commit_block_synchronization block 1073741825",
        {"recovery_id": 1002, "num_bytes": 131072, "observed": [("closed", "true"), ("deleted", "false")]},
    ),
    "[Lease.  Holder: DFSClient_1, pending creates: 2] has expired hard limit": (
        "hard_limit_passes lease DFSClient_1",
        {},
    ),
    "allowed=true\tugi=me (auth:SIMPLE)\tip=/127.0.0.1\tcmd=create\tsrc=/f\tdst=null\tperm=me:us:rw-r\tproto=rpc": (
        "create file /f#1",
        {},
    ),
    f"Receiving {POOL}:{BLOCK} src: /127.0.0.1:59976 dest: /127.0.0.1:36467": (
        "write_block replica 1073741825@127.0.0.1:36467",
        {"node": "127.0.0.1:36467", "generation_stamp": 1001},
    ),
    "src: /127.0.0.1:49050, dest: /127.0.0.1:42203, bytes: 7, op: HDFS_WRITE, cliID: DFSClient_1, offset: 0,"
    f" srvID: c87-14, blockid: {POOL}:{BLOCK}, duration: 24012895": (
        "finalize_replica replica 1073741825@127.0.0.1:42203",
        {"num_bytes": 7, "arguments": [("client", "DFSClient_1")]},
    ),
    f"Received {POOL}:{BLOCK} src: /10.0.0.1:50 dest: /10.0.0.2:50010 of size 9": (
        "finalize_replica replica 1073741825@10.0.0.2:50010",
        {"num_bytes": 9, "arguments": [("outcome", "unknown")]},
    ),
    f"BlockRecoveryWorker: NameNode at localhost/127.0.0.1:39271 calls recoverBlock({POOL}:{BLOCK},"
    " targets=[DatanodeInfoWithStorage[127.0.0.1:36467,null,null]], newGenerationStamp=1002, newBlock=null)": (
        "receive_recovery_command block 1073741825",
        {"recovery_id": 1002, "arguments": [("locations", "127.0.0.1:36467")]},
    ),
    f"BlockRecoveryWorker: block={POOL}:{BLOCK} (length=9), bestState=RBW,"
    f" newBlock={POOL}:blk_1073741825_1002 (length=9),"
    " participatingList=[block:blk_1073741825_1001[numBytes=9,originalReplicaState=RBW]"
    " node:DatanodeInfoWithStorage[127.0.0.1:34551,null,null]]": (
        "sync_block block 1073741825",
        {"recovery_id": 1002, "num_bytes": 9, "observed": [("participants", "127.0.0.1:34551"), ("delete", "false")]},
    ),
    f"Failed to recover block (block={POOL}:{BLOCK}, datanode=DatanodeInfoWithStorage[127.0.0.1:36467,null,null])": (
        "init_replica_recovery_failed replica 1073741825@127.0.0.1:36467",
        {},
    ),
    f"Failed to updateBlock (newblock={POOL}:{BLOCK}, datanode=DatanodeInfoWithStorage[127.0.0.1:36467,null,null])": (
        "update_replica_failed replica 1073741825@127.0.0.1:36467",
        {},
    ),
    f"recoverBlocks FAILED: RecoveringBlock{{{POOL}:{BLOCK}; getBlockSize()=131072; corrupt=false}}": (
        "abandon_recovery block 1073741825",
        {},
    ),
}


@pytest.mark.parametrize("message", TOLD)
def test_line_tells_an_event(check_log: Check, message: str) -> None:
    told, fields = TOLD[message]
    checked = check_log(namenode(message))
    assert [" ".join(each) for each in _told(checked)] == [told]
    (row,) = checked.events.to_pylist()
    assert {name: row[name] for name in fields} == fields
    assert row["place"]["line"] == 1 and row["time_us"] == 1_656_610_106_782_000
    assert checked.rejects.num_rows == 0


@pytest.mark.parametrize(
    "message",
    [
        "BLOCK* allocate nothing for /f",
        f"BLOCK* addStoredBlock: {BLOCK}",
        "DIR* completeFile: /f",
        "BLOCK* fsync: /f",
        "recoverLease: /f",
        "DIR* NameSystem.internalReleaseLease: File /f has not been closed, for once",
        f"updatePipeline({BLOCK})",
        f"commitBlockSynchronization(oldBlock={BLOCK})",
        "allowed=true ugi=me",
        f"initReplicaRecovery: {BLOCK}",
        f"updateReplica: {BLOCK}",
        f"BLOCK* allocate blk_1073741825_{2**63}, replicas= for /f",
        f"BLOCK* allocate blk_1073741825_{'9' * 5000}, replicas= for /f",
    ],
    ids=lambda message: message[:40],
)
def test_line_that_should_be_an_event_and_is_not_understood_is_kept(check_log: Check, message: str) -> None:
    checked = check_log(namenode("BLOCK* fsync: /f for DFSClient_1") + namenode(message))
    (reject,) = checked.rejects.to_pylist()
    assert reject["place"]["line"] == 2 and message[:100] in reject["text"]
    assert _told(checked) == [("fsync", "file", "/f#0")]


def test_rejected_line_is_shown_without_what_a_terminal_would_obey(check_log: Check) -> None:
    (reject,) = check_log(namenode("BLOCK* allocate \x1b[2Jnothing")).rejects.to_pylist()
    assert "BLOCK* allocate \\x1b[2Jnothing" in reject["text"]


@pytest.mark.parametrize(
    ("beginning", "part"),
    [
        (f"BLOCK* allocate {BLOCK}{{", "}, replicas="),
        (f"BLOCK* allocate {BLOCK}, replicas=", "1:1, "),
        ("BLOCK* allocateBlock: /f", f". {BLOCK}{{"),
        (f"BLOCK* {BLOCK}{{", f"}} is not COMPLETE (ucState = A,{BLOCK}"),
        (f"commitBlockSynchronization(oldBlock={BLOCK}, file=/", ", newgenerationstamp=1, newlength=1, newtargets=["),
        ("DIR* completeFile: /f", " is closed by"),
        ("BLOCK* registerDatanode: ", "DatanodeRegistration(1:1, "),
        ("", "Block pool BP-1-1-1 service to a:1 "),
    ],
    ids=lambda part: part[-16:],
)
def test_hostile_line_takes_no_longer_than_another(check_log: Check, beginning: str, part: str) -> None:
    """Would not end within anybody's patience if a form went back and forth."""
    assert check_log(namenode(beginning + part * (900_000 // len(part)))).events.num_rows <= 1


def test_lines_that_are_no_events_are_counted_by_kind(check_log: Check) -> None:
    checked = check_log(
        namenode("BLOCK* fsync: /f for DFSClient_1")
        + namenode("Roll Edit Log from 127.0.0.1")
        + "java.io.IOException: nothing\n\tat org.apache.hadoop.Nowhere\n\n"
        + namenode("allowed=true\tugi=me\tip=/127.0.0.1\tcmd=open\tsrc=/f\tdst=null\tperm=null")
        + namenode("allowed=false\tugi=me\tip=/127.0.0.1\tcmd=create\tsrc=/g\tdst=null\tperm=null")
    )
    assert {row["name"]: row["count"] for row in checked.coverage.to_pylist() if row["what"] == "line"} == {
        "of something else": 1,
        "of no layout that is known": 2,
        "blank": 1,
        "audit open": 1,
        "audit create, denied": 1,
    }


def test_overlong_line_is_rejected_and_the_next_is_read(check_log: Check) -> None:
    checked = check_log(namenode("first") + "x" * (1 << 21) + "\n" + namenode("BLOCK* fsync: /f for DFSClient_1"))
    (reject,) = checked.rejects.to_pylist()
    assert reject["place"]["line"] == 2 and "longer than 1048576 bytes" in reject["reason"]
    assert _told(checked) == [("fsync", "file", "/f#0")]


def test_bytes_that_are_no_text_do_no_harm(tmp_path: Path) -> None:
    line = namenode("BLOCK* fsync: /f\udcff\x01 for DFSClient_1").encode(errors="surrogateescape")
    (tmp_path / "log").write_bytes(line)
    (event,) = check_locally([tmp_path / "log"]).events.to_pylist()
    assert event["entity"] == "/f\\xff\x01#0"


@pytest.mark.parametrize(
    "line",
    [
        b"2018-11-14 12:25:35,275 INFO org.apache.hadoop.hdfs.StateChange: BLOCK* x",
        b"2016-12-24 21:49:01,939 INFO  hdfs.StateChange (FSNamesystem.java:completeFile(3545)) - BLOCK* x",
        b"2023-01-01T00:00:00,000 WARN [main] org.apache.hadoop.hdfs.StateChange: BLOCK* x",
        b"2022-05-10 16:25:37,178 - INFO  [IPC Server handler 5 on 39271:FSNamesystem@3553] - BLOCK* x",
        b"..2022-05-10T16:25:37,178 - WARN  [DataXceiver for client x [Receiving block b]:DataXceiver@1] - BLOCK* x",
        b"2015-04-24 12:49:16,145 INFO FSNamesystem.audit: BLOCK* x",
    ],
)
def test_layout_is_recognised(line: bytes) -> None:
    found = log_line(line)
    assert found is not None and found.message == b"BLOCK* x"


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\tat org.apache",
        b"081109 203518 143 INFO dfs.DataNode: x",
        b"2022-13-45 99:00:00,000 INFO a.b: x",
        b"SLF4J: x",
    ],
)
def test_line_of_another_layout_is_none(line: bytes) -> None:
    assert log_line(line) is None


def test_two_runs_with_one_block_id_are_not_mixed(tmp_path: Path) -> None:
    """Each by itself is in order; taken for one run, the block would be given out twice."""
    for number in (1, 2):
        pool = f"BP-{number}-10.0.0.215-1656624504202"
        registered = (
            f"Block pool {pool} (Datanode Uuid x) service to localhost/127.0.0.1:9000 successfully registered with NN"
        )
        log = datanode(registered) + namenode(f"BLOCK* allocate {BLOCK}, replicas= for /f")
        (tmp_path / f"{number}.log").write_text(log, encoding="utf-8")
    verdicts = check_locally([tmp_path]).verdicts.to_pylist()
    assert len([row for row in verdicts if row["kind"] == "block"]) == 2
    assert {row["safety"] for row in verdicts} == {"conformant"}


def test_two_runs_that_name_no_pool_are_not_mixed_and_one_group_is(tmp_path: Path) -> None:
    for number in (1, 2):
        log = namenode(f"BLOCK* allocate {BLOCK}, replicas= for /{number}")
        (tmp_path / f"{number}.log").write_text(log, encoding="utf-8")
    apart = check_locally([tmp_path]).verdicts.to_pylist()
    assert {row["safety"] for row in apart} == {"conformant"} and len(apart) == 4
    together = {row["kind"]: row for row in check_locally([tmp_path], group="cluster").verdicts.to_pylist()}
    assert together["block"]["safety"] == "violated" and together["block"]["namespace"] == "cluster"


def test_two_clusters_in_one_log_are_told_apart_by_the_port_of_the_namenode(check_log: Check) -> None:
    text = ""
    for number, port in ((1, 9000), (2, 9001)):
        pool = f"BP-{number}-10.0.0.215-1656624504202"
        text += datanode(
            f"Block pool {pool} (Datanode Uuid x) service to localhost/127.0.0.1:{port} beginning handshake"
        )
    text += namenode(f"BLOCK* allocate {BLOCK}, replicas= for /f", port=9000)
    text += namenode(f"BLOCK* allocate {BLOCK}, replicas= for /f", port=9001)
    verdicts = check_log(text).verdicts.to_pylist()
    assert {row["safety"] for row in verdicts} == {"conformant"}
    assert len({row["namespace"] for row in verdicts}) == 2


def test_log_of_a_namenode_finds_its_pool_in_the_log_of_its_datanode(tmp_path: Path) -> None:
    registered = (
        "BLOCK* registerDatanode: from DatanodeRegistration(127.0.0.1:17867, datanodeUuid=e5, infoPort=1, ipcPort=2,"
        " storageInfo=lv=-57;cid=CID-x;nsid=1697587262;c=1) storage e5"
    )
    (tmp_path / "namenode.log").write_text(
        namenode(registered) + namenode(f"BLOCK* allocate {BLOCK}, replicas= for /f"), encoding="utf-8"
    )
    (tmp_path / "datanode.log").write_text(
        datanode(f"Setting up storage: nsid=1697587262;bpid={POOL};lv=-57;nsInfo=lv=-64;cid=CID-x"), encoding="utf-8"
    )
    assert {row["namespace"] for row in check_locally([tmp_path]).verdicts.to_pylist()} == {POOL}


def test_file_keeps_its_key_when_it_is_renamed(check_log: Check) -> None:
    audit = "allowed=true\tugi=me\tip=/1\tcmd={}\tsrc={}\tdst={}\tperm=null"
    checked = check_log(
        namenode(audit.format("create", "/a", "null"))
        + namenode(audit.format("rename", "/a", "/b"))
        + namenode("DIR* completeFile: /b is closed by DFSClient_1")
        + namenode(audit.format("create", "/a", "null"))
    )
    assert _told(checked) == [
        ("create", "file", "/a#1"),
        ("rename", "file", "/a#1"),
        ("complete", "file", "/a#1"),
        ("create", "file", "/a#2"),
    ]


def test_audit_log_tells_no_close_even_if_it_is_whole(check_log: Check) -> None:
    audit = "allowed=true\tugi=me\tip=/1\tcmd={}\tsrc=/f\tdst=null\tperm=null"
    checked = check_log(namenode(audit.format("create")) + namenode(audit.format("append")), complete=True)
    assert {event["source"] for event in checked.events.to_pylist()} == {"hdfs-audit-log"}
    assert {row["safety"] for row in checked.verdicts.to_pylist()} == {"conformant"}


def test_file_below_a_renamed_directory_keeps_its_key(check_log: Check) -> None:
    audit = "allowed=true\tugi=me\tip=/1\tcmd={}\tsrc={}\tdst={}\tperm=null"
    checked = check_log(
        namenode(audit.format("create", "/tmp/a", "null"))
        + namenode(audit.format("mkdirs", "/user", "null"))
        + namenode(audit.format("rename", "/tmp", "/user"))
        + namenode("DIR* completeFile: /user/tmp/a is closed by DFSClient_1")
        + namenode(audit.format("delete", "/user", "null"))
    )
    assert [told[2] for told in _told(checked)] == ["/tmp/a#1", "/tmp", "/tmp/a#1", "/tmp/a#1"]
    assert dict(checked.events.to_pylist()[-1]["arguments"])["file"] == "/user/tmp/a"


def test_blocks_are_closed_with_their_file(check_log: Check, by_key: Callable[[Checked], dict[Any, Any]]) -> None:
    verdicts = by_key(
        check_log(
            namenode(f"BLOCK* allocate {BLOCK}, replicas= for /f")
            + namenode("BLOCK* allocate blk_1073741826_1002, replicas= for /f")
            + namenode("DIR* completeFile: /f is closed by DFSClient_1")
        )
    )
    assert verdicts["block", "1073741825"]["completion"] == verdicts["block", "1073741826"]["completion"] == "complete"


def test_block_is_closed_once(check_log: Check, by_key: Callable[[Checked], dict[Any, Any]]) -> None:
    closed = namenode("DIR* completeFile: /f is closed by DFSClient_1")
    verdicts = by_key(check_log(namenode(f"BLOCK* allocate {BLOCK}, replicas= for /f") + closed + closed))
    assert (verdicts["block", "1073741825"]["events"], verdicts["file", "/f#0"]["events"]) == (2, 3)


REGISTERED = "BLOCK* registerDatanode: from DatanodeRegistration(127.0.0.1:{0}, datanodeUuid=a, ipcPort=1{0}, x=)"

RECOVERY = (
    namenode(REGISTERED.format(1))
    + namenode(REGISTERED.format(2))
    + datanode(
        f"BlockRecoveryWorker: NameNode at n/127.0.0.1:9000 calls recoverBlock({POOL}:{BLOCK},"
        " targets=[DatanodeInfoWithStorage[127.0.0.1:1,null,null], DatanodeInfoWithStorage[127.0.0.1:2,null,null]],"
        " newGenerationStamp=1002, newBlock=null)",
        thread="worker",
    )
    + datanode(f"initReplicaRecovery: {BLOCK}, recoveryId=1002, {RBW}", thread="worker")
    + datanode(f"initReplicaRecovery: changing replica state for {BLOCK} from RBW to RUR", thread="worker")
)


def test_primary_is_the_location_that_nobody_else_turned_out_to_be(check_log: Check) -> None:
    answered = datanode(f"initReplicaRecovery: {BLOCK}, recoveryId=1002, {RBW}", thread="IPC Server handler 0 on 12")
    told = [entity for _, kind, entity in _told(check_log(RECOVERY + answered)) if kind == "replica"]
    assert sorted(told) == ["1073741825@127.0.0.1:1", "1073741825@127.0.0.1:1", "1073741825@127.0.0.1:2"]


def test_event_of_a_datanode_that_no_line_names_is_kept_and_not_checked(check_log: Check) -> None:
    checked = check_log(RECOVERY)
    assert [entity for _, kind, entity in _told(checked) if kind == "replica"] == ["1073741825@?"] * 2
    assert not [row for row in checked.verdicts.to_pylist() if row["kind"] == "replica"]
    counted = {row["name"]: row["count"] for row in checked.coverage.to_pylist() if row["what"] != "event"}
    assert counted["event of a datanode that no line names"] == 2


def test_log_of_one_datanode_names_it_for_all_its_lines(check_log: Check) -> None:
    received = f"Receiving {POOL}:{BLOCK} src: /10.0.0.1:1 dest: /10.0.0.2:50010"
    checked = check_log(datanode(f"Scheduling {BLOCK} file /data/blk_1 for deletion") + datanode(received))
    assert sorted(told[2] for told in _told(checked)) == ["1073741825@10.0.0.2:50010"] * 2


def test_length_of_a_pipeline_comes_from_the_request(check_log: Check) -> None:
    checked = check_log(
        namenode(
            f"updatePipeline({BLOCK}, newGS=1002, newLength=77, newNodes=[127.0.0.1:1], client=DFSClient_1)", handler=3
        )
        + namenode(f"updatePipeline({BLOCK} => blk_1073741825_1002) success", handler=4)
        + namenode(f"updatePipeline({BLOCK} => blk_1073741825_1002) success", handler=3)
    )
    assert [event["num_bytes"] for event in checked.events.to_pylist()] == [None, 77]
