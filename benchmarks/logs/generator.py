"""A log of a NameNode and some datanodes that write, read and delete files, with violations at known blocks.

The wording and the layout are those of Hadoop 2.7. Nothing is missing and no clock differs, save that some blocks do
what no NameNode does; these are listed. Everything follows from the seed.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

POOL = "BP-1810064288-10.0.0.1-1542189060553"
NAMESPACE_ID = 590272695
DATANODES = tuple(f"10.0.0.{host}:50010" for host in range(11, 15))
VIOLATED = "violated.json"
"""Name of the list of blocks that are violated, with the reason."""

_NAMENODE = "org.apache.hadoop.hdfs.StateChange"
_MANAGER = "BlockStateChange"
_DATANODE = "org.apache.hadoop.hdfs.server.datanode.DataNode"
_TRACE = f"{_DATANODE}.clienttrace"
_DISK = "org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsDatasetAsyncDiskService"
_FIRST_BLOCK, _FIRST_STAMP = 1_073_741_825, 1001
_WRITERS = 16
_LOG, _LOG_CLIENT = "/hbase/WALs/10.0.0.9,16020/10.0.0.9", "DFSClient_NONMAPREDUCE_1_1"
_STATE = "UCState=UNDER_CONSTRUCTION, truncateBlock=null, primaryNodeIndex=-1, replicas=[]"
_BEGAN = int(datetime(2026, 1, 5, tzinfo=UTC).timestamp())

VIOLATIONS = ("allocated twice", "stamp goes back in updatePipeline", "stored with a stamp that is past")


@dataclass(frozen=True)
class Generated:
    """What was written.

    Attributes:
        lines, num_bytes: of all logs.
        violated: reason by block id.
    """

    lines: int
    num_bytes: int
    violated: dict[str, str]


def write_logs(directory: Path, lines: int, seed: int, one_in: int = 5000, skew: float = 0.0) -> Generated:
    """Writes the logs of a cluster.

    Args:
        directory: where one file a process is put, and the list of the violated blocks.
        lines: about how many; the last files are still written to their ends.
        seed: of every choice.
        one_in: so many blocks have one that is violated.
        skew: about what share of the lines are syncs of one file, below 1: events of this file, of its one block, which
            is violated, and of its client's lease.
    """
    directory.mkdir(parents=True, exist_ok=True)
    cluster = _Cluster(random.Random(seed), one_in, skew)
    names = ["namenode.log", *(f"datanode-{address.split(':')[0]}.log" for address in DATANODES)]
    files = [(directory / name).open("w", encoding="ascii") for name in names]
    written = 0
    for batch in cluster.batches():
        written += sum(len(each) for each in batch)
        _put(files, batch)
        if written >= lines:
            break
    rest = cluster.finish()
    written += sum(len(each) for each in rest)
    _put(files, rest)
    for file in files:
        file.close()
    num_bytes = sum((directory / name).stat().st_size for name in names)
    (directory / VIOLATED).write_text(json.dumps(cluster.violated, indent=1) + "\n", encoding="ascii")
    return Generated(written, num_bytes, cluster.violated)


def _put(files: Sequence[TextIO], batch: list[list[str]]) -> None:
    for file, each in zip(files, batch, strict=True):
        file.write("".join(each))
        each.clear()


class _Cluster:
    """Writers that each write one file after another; the logs are lists of lines."""

    def __init__(self, choices: random.Random, one_in: int, skew: float) -> None:
        self._random = choices
        self._one_in = one_in
        self._skew = skew
        self._owed = 0.0
        self._milliseconds = 0
        self._second, self._date = -1, ""
        self._block = _FIRST_BLOCK
        self._file = 0
        self.violated: dict[str, str] = {}
        self._logs: list[list[str]] = [[] for _ in range(1 + len(DATANODES))]
        self._writers = [self._files(number) for number in range(_WRITERS)]
        self._stopping = False
        self._start()
        if skew:
            self._begin_log()

    def batches(self) -> Iterator[list[list[str]]]:
        """The lines that each log has got, again and again; the caller empties the lists."""
        while True:
            for _ in range(500):
                before = self._milliseconds
                next(self._writers[self._random.randrange(_WRITERS)])
                # Each line has its time.
                self._owed += (self._milliseconds - before) * self._skew / (1 - self._skew)
                for _ in range(int(self._owed)):
                    self._namenode(_NAMENODE, f"BLOCK* fsync: {_LOG} for {_LOG_CLIENT}")
                self._owed %= 1
            yield self._logs

    def finish(self) -> list[list[str]]:
        """The lines until each writer has come to the end of its file."""
        self._stopping = True
        for writer in self._writers:
            for _ in writer:
                pass
        return self._logs

    def _now(self) -> str:
        self._milliseconds += 1
        second, milliseconds = divmod(self._milliseconds >> 2, 1000)
        if second != self._second:
            self._second = second
            self._date = f"{datetime.fromtimestamp(_BEGAN + second, UTC):%Y-%m-%d %H:%M:%S},"
        return f"{self._date}{milliseconds:03d} INFO "

    def _start(self) -> None:
        for number, address in enumerate(DATANODES):
            host = address.split(":")[0]
            registration = (
                f"DatanodeRegistration({address}, datanodeUuid={number:08x}-2e3c-465f-810b-7c04b82df849,"
                f" infoPort=50075, ipcPort=50020, storageInfo=lv=-56;cid=CID-1;nsid={NAMESPACE_ID};c=0)"
            )
            log = self._logs[1 + number]
            log.append(f"{self._now()}{_DATANODE}: STARTUP_MSG: \n")
            log.append(f"{self._now()}{_DATANODE}: Configured hostname is {host}\n")
            log.append(
                f"{self._now()}{_DATANODE}: Setting up storage: nsid={NAMESPACE_ID};bpid={POOL};lv=-56;"
                f"nsInfo=lv=-60;cid=CID-1;nsid={NAMESPACE_ID};c=0;bpid={POOL};dnuuid=null\n"
            )
            self._logs[0].append(f"{self._now()}{_NAMENODE}: BLOCK* registerDatanode: from {registration}\n")

    def _begin_log(self) -> None:
        """A file that is synced until the end; its block is given out twice."""
        self.violated[str(self._block)] = VIOLATIONS[0]
        for _ in range(2):
            self._namenode(_NAMENODE, f"BLOCK* allocate blk_{self._block}_{_FIRST_STAMP}{{{_STATE}}} for {_LOG}")
        self._block += 1

    def _files(self, writer: int) -> Iterator[None]:
        client = f"DFSClient_NONMAPREDUCE_{writer + 17}_1"
        while not self._stopping:
            self._file += 1
            path = f"/user/job{self._file >> 8}/part-{self._file:07d}"
            blocks = []
            for _ in range(1 + (self._random.random() < 0.3)):
                block = self._block
                self._block += 1
                blocks.append(block)
                yield from self._written(block, path, client)
            self._namenode(_NAMENODE, f"DIR* completeFile: {path} is closed by {client}")
            for block in blocks:
                yield
                self._read(block)
            if self._random.random() < 0.25:
                for block in blocks:
                    self._deleted(block)
            yield

    def _written(self, block: int, path: str, client: str) -> Iterator[None]:
        stamp = block - _FIRST_BLOCK + _FIRST_STAMP
        name = f"blk_{block}_{stamp}"
        chain = self._chain(block)
        replicas = ", ".join(f"ReplicaUC[[DISK]DS-{node:08x}-1:NORMAL:{DATANODES[node]}|RBW]" for node in chain)
        state = _STATE.replace("[]", f"[{replicas}]")
        allocate = f"BLOCK* allocate {name}{{{state}}} for {path}"
        self._namenode(_NAMENODE, allocate)
        port = 40_000 + block % 20_000
        for node in chain:
            self._datanode(node, _DATANODE, f"Receiving {POOL}:{name} src: /10.0.0.9:{port} dest: /{DATANODES[node]}")
        yield
        self._violate(block, stamp, allocate, chain)
        for position, node in reversed(list(enumerate(chain))):
            last = position == len(chain) - 1
            kind = "LAST_IN_PIPELINE, downstreams=0:[]" if last else "HAS_DOWNSTREAM_IN_PIPELINE"
            self._datanode(
                node,
                _TRACE,
                f"src: /10.0.0.9:{port}, dest: /{DATANODES[node]}, bytes: 134217728, op: HDFS_WRITE, cliID: {client},"
                f" offset: 0, srvID: {node:08x}-2e3c-465f-810b-7c04b82df849, blockid: {POOL}:{name},"
                " duration: 42953468",
            )
            self._datanode(node, _DATANODE, f"PacketResponder: {POOL}:{name}, type={kind} terminating")
            shown = f"{name}{{{state}}}" if position else name
            self._namenode(
                _MANAGER,
                f"BLOCK* addStoredBlock: blockMap updated: {DATANODES[node]} is added to {shown} size 134217728",
            )
            yield

    def _violate(self, block: int, stamp: int, allocate: str, chain: list[int]) -> None:
        """Makes some blocks do what no NameNode does."""
        if self._random.randrange(self._one_in):
            return
        how = self._random.choice(VIOLATIONS)
        self.violated[str(block)] = how
        if how == VIOLATIONS[0]:
            self._namenode(_NAMENODE, allocate)
        elif how == VIOLATIONS[1]:
            self._namenode(
                "org.apache.hadoop.hdfs.server.namenode.FSNamesystem",
                f"updatePipeline(blk_{block}_{stamp}) successfully to blk_{block}_{stamp - 1}",
            )
        else:
            self._namenode(
                _MANAGER,
                f"BLOCK* addStoredBlock: blockMap updated: {DATANODES[chain[0]]} is added to blk_{block}_{stamp - 1}"
                " size 134217728",
            )

    def _read(self, block: int) -> None:
        name = f"blk_{block}_{block - _FIRST_BLOCK + _FIRST_STAMP}"
        for node in self._chain(block):
            for _ in range(self._random.randrange(3)):
                self._datanode(
                    node,
                    _TRACE,
                    f"src: /{DATANODES[node]}, dest: /10.0.0.9:{33_000 + block % 9000}, bytes: 134217728,"
                    f" op: HDFS_READ, cliID: DFSClient_NONMAPREDUCE_3_1, offset: 0,"
                    f" srvID: {node:08x}-2e3c-465f-810b-7c04b82df849, blockid: {POOL}:{name}, duration: 1042953468",
                )
        if block % 8 == 0:
            self._namenode(
                "org.apache.hadoop.hdfs.server.namenode.FSEditLog",
                f"Number of transactions: {block % 977} Total time for transactions(ms): 2 Number of syncs: 7",
            )

    def _deleted(self, block: int) -> None:
        name = f"blk_{block}_{block - _FIRST_BLOCK + _FIRST_STAMP}"
        for node in self._chain(block):
            file = f"/data/1/current/{POOL}/current/finalized/subdir{block % 32}/subdir0/blk_{block}"
            self._datanode(node, _DISK, f"Scheduling {name} file {file} for deletion")
            self._datanode(node, _DISK, f"Deleted {POOL} {name} file {file}")

    def _chain(self, block: int) -> list[int]:
        return [(block * 7 + step) % len(DATANODES) for step in range(3)]

    def _namenode(self, logger: str, message: str) -> None:
        self._logs[0].append(f"{self._now()}{logger}: {message}\n")

    def _datanode(self, node: int, logger: str, message: str) -> None:
        self._logs[1 + node].append(f"{self._now()}{logger}: {message}\n")
