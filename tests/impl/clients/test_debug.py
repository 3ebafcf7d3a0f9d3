"""`hdfs debug` and `hdfs dfsadmin` of Hadoop 3.4.1, unmodified, against a cluster as `genstamp dfs up` starts it.

DebugAdmin is in hadoop-hdfs, which PySpark does not bring: its jars come through Maven.
"""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from subprocess import CompletedProcess

import pytest
from benchmarks.apache_daemons import libraries
from tests.impl.clients.cluster import SETTINGS, check_events, wait_for_safe_mode
from tests.impl.clients.jvm import Jvm, java_command, write_configuration
from tests.impl.clients.shell import SHELL
from tests.impl.server.processes import Processes, feed, until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not os.environ.get("CI") and shutil.which("mvn") is None, reason="needs Maven"),
]

RELEASE = "3.4.1"
DEBUG = "org.apache.hadoop.hdfs.tools.DebugAdmin"
ADMIN = "org.apache.hadoop.hdfs.tools.DFSAdmin"
DATA = Random(1).randbytes(300_000 + 77)


class Tools:
    """Commands of Hadoop in one virtual machine."""

    def __init__(self, processes: Processes, directory: Path) -> None:
        self.processes = processes
        self.directory = directory
        self.address = f"hdfs://{processes.environment['GENSTAMP_NAMENODE']}"
        configuration = write_configuration(directory / "configuration", self.address)
        self._classes = f"{configuration}{os.pathsep}{libraries(RELEASE)}/*"
        self.jvm = Jvm(self._classes)

    def run(self, tool: str, *arguments: str) -> "CompletedProcess[str]":
        done = self.jvm.run(tool, *arguments)
        return CompletedProcess(arguments, done.returncode, done.stdout.decode(), done.stderr.decode())

    def leave_open(self, path: str) -> None:
        """A writer that is killed once datanodes have some of its bytes."""
        command = java_command(self._classes, SHELL, "-put", "-d", "-", path)
        writer = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        feed(writer, DATA)
        until(lambda: any(replica.stat().st_size for replica in self.replicas("rbw")))
        writer.kill()
        writer.communicate()

    def replicas(self, state: str) -> list[Path]:
        """Block files of all datanodes that are in a directory of this name."""
        found = self.processes.directory.glob(f"datanode*/**/{state}/**/blk_*")
        return [path for path in found if path.suffix != ".meta"]

    @contextmanager
    def silent(self, datanode: str) -> Iterator[None]:
        """A datanode that is suspended meanwhile."""
        pid = self.processes.book()[datanode]["pid"]
        os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(pid, signal.SIGCONT)


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tools]:
    directory = tmp_path_factory.mktemp("debug")
    # A datanode is dead after 8 s of silence.
    processes = Processes(directory / "cluster", [*SETTINGS, "heartbeat_recheck_ms=3000"], datanodes=3)
    processes.start()
    try:
        wait_for_safe_mode(processes)
        tools = Tools(processes, directory)
        yield tools
        tools.jvm.close()
    finally:
        processes.stop()


def test_recover_lease_takes_a_file_from_a_dead_writer(tools: Tools) -> None:
    """As a user or HBase would: it is asked again until the block's recovery is over, and the file is closed then."""
    tools.leave_open("/open")
    done = tools.run(DEBUG, "recoverLease", "-path", f"{tools.address}/open", "-retries", "10")
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(f"recoverLease SUCCEEDED on {tools.address}/open\n")
    assert "recoverLease returned false." in done.stderr
    assert "exception" not in done.stderr
    found = tools.directory / "found"
    assert tools.run(SHELL, "-get", "/open", str(found)).returncode == 0
    assert found.read_bytes() and DATA.startswith(found.read_bytes())
    again = tools.run(DEBUG, "recoverLease", "-path", "/open")
    assert again.returncode == 0
    assert again.stdout.endswith("recoverLease SUCCEEDED on /open\n")


def test_recover_lease_gives_up_at_once_where_there_is_no_file(tools: Tools) -> None:
    done = tools.run(DEBUG, "recoverLease", "-path", "/nothing", "-retries", "5")
    assert done.returncode == 1
    assert "recoverLease got exception: File does not exist: /nothing" in done.stderr
    assert "after 1 try" in done.stderr


def test_checksums_of_a_replica_are_those_that_hadoop_computes(tools: Tools) -> None:
    local = tools.directory / "local"
    local.write_bytes(DATA)
    assert tools.run(SHELL, "-put", str(local), "/whole").returncode == 0
    block = next(path for path in tools.replicas("finalized") if path.read_bytes() == DATA)
    [meta] = block.parent.glob(f"{block.name}_*.meta")
    verified = tools.run(DEBUG, "verifyMeta", "-meta", str(meta), "-block", str(block))
    assert verified.returncode == 0, verified.stdout
    assert "Checksum type: DataChecksum(type=CRC32C, chunkSize=512)" in verified.stdout
    computed = tools.directory / "computed.meta"
    assert tools.run(DEBUG, "computeMeta", "-block", str(block), "-out", str(computed)).returncode == 0
    assert computed.read_bytes() == meta.read_bytes()
    damaged = tools.directory / "damaged"
    damaged.write_bytes(bytes([DATA[0] ^ 1]) + DATA[1:])
    assert tools.run(DEBUG, "verifyMeta", "-meta", str(meta), "-block", str(damaged)).returncode == 1


def test_an_administrator_is_answered(tools: Tools) -> None:
    safe_mode, topology = tools.run(ADMIN, "-safemode", "get"), tools.run(ADMIN, "-printTopology")
    assert safe_mode.stdout.endswith("Safe mode is OFF\n"), safe_mode.stderr
    assert topology.stdout.count("(localhost) In Service") == tools.processes.datanodes, topology.stderr


def test_open_files_are_listed_with_their_writer(tools: Tools) -> None:
    tools.leave_open("/left/open")
    listed = tools.run(ADMIN, "-listOpenFiles", "-path", "/left")
    assert listed.returncode == 0, listed.stderr
    [machine, client, path] = listed.stdout.splitlines()[-1].split()
    assert (machine, path) == ("127.0.0.1", "/left/open")
    assert client.startswith("DFSClient_NONMAPREDUCE_")
    blocking = tools.run(ADMIN, "-listOpenFiles", "-blockingDecommission")
    assert (blocking.returncode, blocking.stdout.count("/left/open")) == (0, 0), blocking.stderr


def test_a_report_tells_of_a_dead_datanode_and_of_what_is_missing(tools: Tools) -> None:
    local = tools.directory / "single"
    local.write_bytes(b"one replica")
    assert tools.run(SHELL, "-D", "dfs.replication=1", "-put", str(local), "/single").returncode == 0
    before = tools.run(ADMIN, "-report", "-live")
    assert before.returncode == 0, before.stderr
    assert "Live datanodes (3):" in before.stdout
    assert "Missing blocks (with replication factor 1): 0" in before.stdout
    [replica] = [path for path in tools.replicas("finalized") if path.read_bytes() == b"one replica"]

    def report_of_the_dead() -> str:
        report = tools.run(ADMIN, "-report").stdout
        return report if "Dead datanodes (1):" in report else ""

    with tools.silent(replica.relative_to(tools.processes.directory).parts[0]):
        report = until(report_of_the_dead)
    assert "Live datanodes (2):" in report
    assert "Missing blocks (with replication factor 1): 1" in report
    assert "Never" not in report.partition("Dead datanodes")[0]


def test_a_report_of_nodes_that_leave_or_are_slow_is_empty(tools: Tools) -> None:
    report = tools.run(ADMIN, "-report", "-decommissioning", "-enteringmaintenance", "-inmaintenance", "-slownodes")
    assert [line for line in report.stdout.splitlines() if "datanodes (" in line] == [
        "Decommissioning datanodes (0):",
        "Entering maintenance datanodes (0):",
        "In maintenance datanodes (0):",
        "Slow datanodes (0):",
    ], report.stderr


def test_events(tools: Tools) -> None:
    check_events(tools.processes.directory)
