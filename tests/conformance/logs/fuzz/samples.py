"""One source of each kind, whole and conformant: what is damaged, and of what lines are dropped.

Not here: what each line tells; the tests of the readers say that.
"""

import io
import json
import tarfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.conformance.logs.storage_directories import (
    ImageFile,
    blocks_of,
    data_directory,
    image,
    name_directory,
    put_replica,
    write_version,
)
from tests.conformance.logs.test_images import XML
from tests.conformance.logs.test_itf import walked
from tests.conformance.logs.test_log_lines import TOLD, namenode
from tests.conformance.logs.test_log_wordings import HELD_OF_ONE_BLOCK, OF_A_REPLICA
from tests.conformance.logs.test_old_logs import LIFE
from tests.conformance.logs.test_tracebench import written

from genstamp.logs.readers.edit_ops import LoggedBlock
from genstamp_dfs.events import encode_lines
from genstamp_dfs.simulation.whole import run_whole

Files = Mapping[str, bytes]
"""Contents by path below one directory."""

EDITS = Path(__file__).parents[3] / "data" / "edits"

POOL = "BP-143200883-10.0.0.1-1656624504202"
_BLOCK = f"{POOL}:blk_1073741825"
_LEASE = "[Lease.  Holder: DFSClient_1, pending creates: 1]"
_TARGETS = "10.0.0.2:9866, 10.0.0.3:9866"

# A file whose pipeline loses a datanode and whose client goes away: written, recovered, closed, deleted.
NAMENODE_STORY = (
    "DIR* NameSystem.startFile: added /a inode 16390 DFSClient_1",
    f"BLOCK* allocate blk_1073741825_1001, replicas={_TARGETS} for /a",
    "BLOCK* fsync: /a for DFSClient_1",
    f"updatePipeline(block={_BLOCK}_1001, newGS=1002, newLength=5, newNodes=[10.0.0.2:9866], client=DFSClient_1)",
    f"updatePipeline({_BLOCK}_1001 => {_BLOCK}_1002) success",
    f"recoverLease: {_LEASE}, src=/a from client DFSClient_2",
    "DIR* NameSystem.internalReleaseLease: File /a has not been closed. Lease recovery is in progress."
    " RecoveryId = 1003 for block blk_1073741825_1002",
    f"commitBlockSynchronization(oldBlock={_BLOCK}_1002, newgenerationstamp=1003, newlength=5,"
    " newtargets=[10.0.0.2:9866], closeFile=true, deleteBlock=false)",
    f"commitBlockSynchronization(oldBlock={_BLOCK}_1002, file=/a, newgenerationstamp=1003, newlength=5,"
    " newtargets=[10.0.0.2:9866]) successful",
    "BLOCK* addStoredBlock: 10.0.0.2:9866 is added to blk_1073741825_1003 (size=5)",
    "allowed=true\tugi=me (auth:SIMPLE)\tip=/10.0.0.9\tcmd=rename\tsrc=/a\tdst=/b\tperm=me:us:rw-r--r--\tproto=rpc",
    "allowed=true\tugi=me (auth:SIMPLE)\tip=/10.0.0.9\tcmd=delete\tsrc=/b\tdst=null\tperm=null\tproto=rpc",
    "BLOCK* addToInvalidates: blk_1073741825_1003 10.0.0.2:9866 ",
    "BLOCK* BlockManager: ask 10.0.0.2:9866 to delete [blk_1073741825_1003]",
)

DATANODE_STORY = (
    f"Receiving {_BLOCK}_1001 src: /10.0.0.9:40000 dest: /10.0.0.2:9866",
    f"initReplicaRecovery: {_BLOCK}_1002, recoveryId=1003, replica=ReplicaBeingWritten, blk_1073741825_1002, RBW",
    f"initReplicaRecovery: changing replica state for {_BLOCK}_1002 from RBW to RUR",
    f"updateReplica: {_BLOCK}_1002, recoveryId=1003, length=5, replica=ReplicaUnderRecovery, blk_1073741825_1002, RUR",
    "Scheduling blk_1073741825_1003 replica FinalizedReplica, blk_1073741825_1003, FINALIZED on volume /data"
    " for deletion",
)

_STATE_CHANGE = "2022-06-30 17:28:26,782 INFO org.apache.hadoop.hdfs.StateChange: "
_DATANODE = "2022-06-30 17:28:26,782 INFO org.apache.hadoop.hdfs.server.datanode.DataNode: "
_CLIENT = "2015-10-17 15:42:57,064 INFO [Thread-54] org.apache.hadoop.hdfs.DFSClient: "
_AUDIT = "2015-04-24 12:49:16,145 INFO FSNamesystem.audit: allowed=true\tugi=me (auth:SIMPLE)\tip=/10.0.2.15\tcmd="


def _text(lines: "list[str] | tuple[str, ...]", before: str = "") -> bytes:
    return "".join(f"{before}{line}\n" for line in lines).encode()


def _hadoop_logs() -> Files:
    return {
        "hadoop-namenode.log": _text(NAMENODE_STORY, _STATE_CHANGE),
        "hadoop-datanode.log": _text(DATANODE_STORY, _DATANODE),
    }


def _xml_block(stamp: int, num_bytes: int) -> str:
    return (
        f"<BLOCK><BLOCK_ID>1073741825</BLOCK_ID><NUM_BYTES>{num_bytes}</NUM_BYTES><GENSTAMP>{stamp}</GENSTAMP></BLOCK>"
    )


def _stamp(stamp: int) -> tuple[str, str]:
    return "OP_SET_GENSTAMP_V2", f"<GENSTAMPV2>{stamp}</GENSTAMPV2>"


# The same story as the NameNode's edit log has it.
EDITS_STORY = (
    ("OP_ADD", "<INODEID>16390</INODEID><PATH>/a</PATH><CLIENT_NAME>DFSClient_1</CLIENT_NAME>"),
    ("OP_ALLOCATE_BLOCK_ID", "<BLOCK_ID>1073741825</BLOCK_ID>"),
    _stamp(1001),
    ("OP_ADD_BLOCK", f"<PATH>/a</PATH>{_xml_block(1001, 0)}"),
    ("OP_UPDATE_BLOCKS", f"<PATH>/a</PATH>{_xml_block(1001, 5)}"),
    _stamp(1002),
    ("OP_UPDATE_BLOCKS", f"<PATH>/a</PATH>{_xml_block(1002, 5)}"),
    _stamp(1003),
    ("OP_REASSIGN_LEASE", "<LEASEHOLDER>DFSClient_1</LEASEHOLDER><PATH>/a</PATH><NEWHOLDER>HDFS_NameNode</NEWHOLDER>"),
    ("OP_CLOSE", f"<INODEID>0</INODEID><PATH>/a</PATH>{_xml_block(1003, 5)}"),
    ("OP_RENAME_OLD", "<SRC>/a</SRC><DST>/b</DST>"),
    ("OP_DELETE", "<PATH>/b</PATH>"),
)


def _cluster() -> Files:
    """The logs, the edit log and the disk of a datanode of one cluster, the last replica not deleted yet."""
    record = "<RECORD><OPCODE>{}</OPCODE><DATA><TXID>{}</TXID>{}</DATA></RECORD>"
    records = [record.format(name, txid, data) for txid, (name, data) in enumerate(EDITS_STORY, 1)]
    with TemporaryDirectory() as place:
        write_version(Path(place) / "data", "DATA_NODE", datanodeUuid="datanode-a")
        disk = Path(place) / "data" / "current" / POOL / "current" / "finalized"
        put_replica(disk, LoggedBlock(1073741825, 5, 1003))
        edits = _text(["<EDITS><EDITS_VERSION>-64</EDITS_VERSION>", *records, "</EDITS>"])
        return {**_hadoop_logs(), "edits.xml": edits, **_read(Path(place))}


def _wordings() -> Files:
    """Every form of message that the tests of lines know, each by itself."""
    others = [f"{_STATE_CHANGE}{each}\n" for each in HELD_OF_ONE_BLOCK] + [
        f"{_DATANODE}{each}\n" for each in OF_A_REPLICA
    ]
    return {"wordings.log": "".join([*map(namenode, TOLD), *others]).encode()}


def _audit() -> Files:
    asked = ("create\tsrc=/a", "append\tsrc=/a", "rename (options=[OVERWRITE])\tsrc=/a", "delete\tsrc=/c")
    return {"hdfs-audit.log": _text([f"{each}\tdst=/c\tperm=null\tproto=rpc" for each in asked], _AUDIT)}


def _client() -> Files:
    told = (
        "Exception in createBlockOutputStream",
        f"Abandoning {_BLOCK}_1001",
        "Excluding datanode 10.0.0.3:9866",
        f"Error Recovery for block {_BLOCK}_1001 in pipeline 10.0.0.2:9866, 10.0.0.3:9866: bad datanode 10.0.0.3:9866",
    )
    return {"syslog": _text(told, _CLIENT)}


def _merged() -> Files:
    return {"merged.log": _text([f"081109 2035{10 + second} {line}" for second, line in enumerate(LIFE)])}


def _sequences() -> Files:
    rows = (
        "blk_-7,Normal,22 5 9 11 26 23 30 21",
        "blk_8,Anomaly,22 5 5 7",
        "blk_9,Normal,5 22 26 9 11 2 3 25 18 5 6 16 26",
    )
    return {"sequences.csv": _text(["block_id,label,events", *rows])}


def _collection() -> Files:
    with TemporaryDirectory() as place:
        return _read(written().write(Path(place)))


def _storage() -> Files:
    with TemporaryDirectory() as place:
        current = name_directory(Path(place) / "name", EDITS)
        (current / f"fsimage_{0:019d}").write_bytes(image([], txid=0, generation_stamp=1000))
        data_directory(Path(place) / "data", blocks_of(EDITS))
        return _read(Path(place))


def _archive() -> Files:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        for path, stored in _storage().items():
            member = tarfile.TarInfo(f"./{path}")
            member.size = len(stored)
            archive.addfile(member, io.BytesIO(stored))
    return {"cluster.tar": content.getvalue()}


def _image() -> bytes:
    blocks = blocks_of(EDITS)[:2]
    files = [ImageFile(16390, "/a/open", blocks[:1], "client_1"), ImageFile(16391, "/a/b/closed", blocks[1:])]
    return image(files, txid=7, generation_stamp=5000)


def _read(place: Path) -> Files:
    return {str(file.relative_to(place)): file.read_bytes() for file in sorted(place.rglob("*")) if file.is_file()}


_MADE: Mapping[str, Callable[[], Files]] = {
    "edit log": lambda: {"editsStored": (EDITS / "editsStored").read_bytes()},
    "edit log as XML": lambda: {"editsStored.xml": (EDITS / "editsStored.xml").read_bytes()},
    "logs of servers": _hadoop_logs,
    "cluster": _cluster,
    "wordings": _wordings,
    "audit log": _audit,
    "client log": _client,
    "merged log": _merged,
    "sequences": _sequences,
    "events": lambda: {"events.jsonl": encode_lines(run_whole(1).events[:150])},
    "trace of calls": _collection,
    "trace of a model": lambda: {"trace.itf.json": json.dumps(walked("hdfs.lease", 3, 5), indent=1).encode()},
    "fsimage": lambda: {"fsimage_7": _image()},
    "fsimage as XML": lambda: {"fsimage.xml": XML.encode()},
    "storage directories": _storage,
    "archive": _archive,
}

SAMPLES = tuple(_MADE)
"""Their names."""


@cache
def sample(name: str) -> Files:
    """The files of one of `SAMPLES`."""
    return _MADE[name]()


def write(files: Files, place: Path) -> Path:
    """The files below a directory, which is made."""
    for path, content in files.items():
        file = place / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return place
