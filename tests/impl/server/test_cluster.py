"""A cluster of real processes on this machine: killed, started again, and what was flushed is there."""

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest
from tests.impl.server.processes import LIMIT_S, Processes, are_gone, feed, pids_of, until

from genstamp_dfs.errors import ConfigurationError, StorageError
from genstamp_dfs.events import decode_lines
from genstamp_dfs.hdfs.namenode.configuration import NameNodeConfiguration
from genstamp_dfs.hdfs.protocol import Semantics
from genstamp_dfs.server import datanode_server, namenode_server
from genstamp_dfs.server.cluster import HDFS, Cluster, run_cluster
from genstamp_dfs.server.process import configured, host_and_port

MIB = 1 << 20


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[Processes]:
    cluster = Processes(tmp_path / "cluster")
    yield cluster
    if cluster.process is not None and cluster.process.poll() is None:
        cluster.stop()


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")
def test_what_was_flushed_is_there_after_every_process_was_killed(processes: Processes, tmp_path: Path) -> None:
    data = Random(5).randbytes(24 * MIB)
    ready = processes.start()
    assert ready["host"] == "127.0.0.1"

    # A client is fed so slowly that all servers can be killed under it, then it is killed itself.
    options = ["--flush-every", str(MIB), "--acknowledged", "--block-size", str(4 * MIB)]
    writer = processes.command("put", "-", "/file", *options, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert writer.stdout is not None
    acknowledged = 0
    for number in range(18):
        feed(writer, data[number * MIB : (number + 1) * MIB])
        acknowledged = int(writer.stdout.readline())
        assert acknowledged == (number + 1) * MIB
        if number in (2, 6, 10, 14):
            processes.kill({2: "datanode1", 6: "namenode", 10: "datanode2", 14: "datanode3"}[number])
    feed(writer, data[18 * MIB : 18 * MIB + MIB // 2])
    writer.kill()
    writer.communicate()

    # Then the cluster itself: its nodes end by themselves, and what they keep is enough for another.
    assert processes.process is not None
    pids = pids_of(processes.book())
    processes.process.kill()
    processes.process.wait(LIMIT_S)
    until(lambda: are_gone(pids))
    again = processes.start()
    assert again["namenode"]["port"] == ready["namenode"]["port"]
    processes.run("recover-lease", "/file")
    processes.run("get", "/file", str(tmp_path / "back"))
    back = (tmp_path / "back").read_bytes()
    assert back == data[: len(back)]
    assert len(back) >= acknowledged
    pids = pids_of(processes.book())
    assert processes.stop() == 0
    assert are_gone(pids)


@pytest.mark.slow
def test_the_command_line_works_with_files(processes: Processes, tmp_path: Path) -> None:
    processes.start()
    data = Random(6).randbytes(3 * MIB + 5)
    (tmp_path / "local").write_bytes(data)
    processes.run("put", str(tmp_path / "local"), "/d/file", "--block-size", str(MIB), "--sync")
    processes.run("append", str(tmp_path / "local"), "/d/file")
    assert json.loads(processes.run("stat", "/d/file"))["length"] == 2 * len(data)
    assert processes.ask("truncate", "/d/file", "100").exit_code in (0, 3)
    processes.run("recover-lease", "/d/file")
    processes.run("mv", "/d/file", "/d/other")
    assert processes.run("ls", "/d").split("\t")[2:] == ["100", processes.run("ls", "/d").split("\t")[3], "other\n"]
    processes.run("get", "/d/other", str(tmp_path / "back"))
    assert (tmp_path / "back").read_bytes() == data[:100]
    assert processes.run("fsck", "/").startswith("OK /d/other: 100 bytes, 1 blocks")
    for arguments, code in (
        (["get", "/absent", str(tmp_path / "x")], 1),
        (["get", "/d/other", str(tmp_path / "back")], 2),
        (["rm", "/d"], 1),
        (["rm", "/absent"], 1),
        (["ls", "/", "--namenode", "nowhere"], 2),
        (["ls", "/", "--namenode", "127.0.0.1:1", "--patience", "0"], 75),
    ):
        done = processes.ask(*arguments)
        err = done.stderr
        assert (done.exit_code, err.startswith("genstamp: "), err.count("\n")) == (code, True, 1), err
    processes.run("rm", "-r", "/d")
    assert processes.run("ls", "/") == ""


@pytest.mark.slow
def test_nodes_run_one_by_one(processes: Processes, tmp_path: Path) -> None:
    nodes = [processes.command("namenode", str(tmp_path / "names"), "--port=0", stdout=subprocess.PIPE)]
    try:
        ready = [json.loads(nodes[0].stdout.readline())]  # type: ignore[union-attr]
        processes.environment["GENSTAMP_NAMENODE"] = f"127.0.0.1:{ready[0]['port']}"
        events = tmp_path / "events.jsonl"
        nodes.append(processes.command("datanode", str(tmp_path / "one"), f"--events={events}", stdout=subprocess.PIPE))
        ready.append(json.loads(nodes[1].stdout.readline()))  # type: ignore[union-attr]
        assert (ready[0]["node"], ready[1]["node"]) == ("namenode", "one")
        (tmp_path / "local").write_bytes(b"bytes")
        processes.run("put", str(tmp_path / "local"), "/file", "--replication=1")
        assert processes.run("get", "/file", "-") == "bytes"
        assert {event.node for event in decode_lines(events.read_bytes())} == {"one"}
    finally:
        for node in reversed(nodes):
            node.terminate()
        codes = [node.wait(LIMIT_S) for node in nodes]
        for node in nodes:
            node.stdout.close()  # type: ignore[union-attr]
    assert codes == [0, 0]


def test_a_directory_of_something_else_is_refused_and_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    code = run_cluster(HDFS, tmp_path, others=3, host="127.0.0.1", port=None, settings=[])
    assert code == 151
    assert "has thesis.txt in it and no cluster.json" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
    (tmp_path / "cluster.json").write_text("{")
    with pytest.raises(StorageError, match=r"cluster\.json is damaged"):
        Cluster(HDFS, tmp_path, others=3, host="127.0.0.1", port=None, settings=[])


@pytest.mark.parametrize("serve", [namenode_server.main, datanode_server.main])
def test_a_storage_directory_that_is_a_file_is_refused_and_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], serve: Callable[[list[str]], int]
) -> None:
    (tmp_path / "thesis").write_text("years of work")
    options = ["--namenode=127.0.0.1:1"] if serve is datanode_server.main else ["--port=0"]
    assert serve([str(tmp_path / "thesis"), *options]) == 151
    assert f"{tmp_path / 'thesis'} is no directory" in capsys.readouterr().err
    assert (tmp_path / "thesis").read_text() == "years of work"


@pytest.mark.slow
def test_a_node_that_is_refused_ends_the_cluster(processes: Processes) -> None:
    """Its storage directory is somebody else's, so that starting it again would not help."""
    foreign = processes.directory / "namenode" / "thesis.txt"
    foreign.parent.mkdir(parents=True)
    foreign.write_text("years of work")
    process = processes.command("up", str(processes.directory), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = process.communicate(timeout=LIMIT_S)
    assert (process.returncode, out) == (151, "")
    assert "namenode: the directory has something else in it: thesis.txt" in err
    assert foreign.read_text() == "years of work"


@pytest.mark.slow
def test_a_datanode_that_is_refused_ends_the_cluster_in_a_sentence(processes: Processes) -> None:
    foreign = processes.directory / "datanode2" / "thesis.txt"
    foreign.parent.mkdir(parents=True)
    foreign.write_text("years of work")
    (processes.directory / "cluster.json").write_text('{"format": 1}')
    process = processes.command("up", str(processes.directory), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = process.communicate(timeout=LIMIT_S)
    assert (process.returncode, out) == (151, "")
    assert err == "datanode2: the directory has thesis.txt and no current/VERSION, accepted: an empty one\n"
    assert foreign.read_text() == "years of work"


def test_a_setting_that_nobody_has_is_answered_with_those_that_there_are(tmp_path: Path) -> None:
    message = (
        r"neither namenode nor datanode has the setting 'nonsense', accepted: .*\bheartbeat_interval_ms, .*"
        r"\blimits\.soft_limit_ms, .*\bsemantics\b"
    )
    with pytest.raises(ConfigurationError, match=message):
        Cluster(HDFS, tmp_path, others=3, host="127.0.0.1", port=None, settings=["nonsense=1"])


def test_settings_are_named_and_typed() -> None:
    changed = configured(
        NameNodeConfiguration(),
        ["limits.soft_limit_ms=5", "semantics=hadoop-3.4", "safe_mode_threshold=0.5", "copy_on_truncate=true"],
    )
    assert changed.limits.soft_limit_ms == 5
    assert changed.semantics is Semantics.HADOOP_3_4
    assert (changed.safe_mode_threshold, changed.copy_on_truncate) == (0.5, True)
    for setting, message in (
        ("nonsense", "expected name=value"),
        ("nonsense=1", "has no setting 'nonsense'"),
        ("limits.nonsense=1", "has no setting 'nonsense'"),
        ("block_size=large", "block_size is 'large', accepted: a value like"),
        ("block_size=0", "accepted: 1 or more"),
        ("copy_on_truncate=maybe", "accepted: a value like False"),
        ("semantics=hadoop-9", "semantics is 'hadoop-9', accepted: hadoop-3.4, repaired"),
        ("repairs=x", "repairs cannot be set here"),
    ):
        with pytest.raises(ConfigurationError, match=message):
            configured(NameNodeConfiguration(), [setting])
    for address in ("here", ":1", "here:", "here:0", "here:70000", "here:x"):
        with pytest.raises(ConfigurationError, match="HOST:PORT"):
            host_and_port(address)
