"""A cluster of GFS of real processes: killed, started again, and nothing that was acknowledged is lost."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from tests.impl.gfs.server.processes import GfsProcesses
from tests.impl.server.processes import LIMIT_S, are_gone, feed, pids_of, until

from genstamp_dfs.errors import ConfigurationError, StorageError
from genstamp_dfs.events import decode_lines
from genstamp_dfs.gfs.server.__main__ import main
from genstamp_dfs.gfs.server.cluster import GFS
from genstamp_dfs.server.cluster import Cluster, run_cluster

MIB = 1 << 20


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[GfsProcesses]:
    cluster = GfsProcesses(tmp_path / "cluster")
    yield cluster
    if cluster.process is not None and cluster.process.poll() is None:
        cluster.stop()


class Appender:
    """`genstamp gfs append --records`, which is given a line after the other."""

    def __init__(self, processes: GfsProcesses, name: str) -> None:
        arguments = ["append", "-", "/log", "--records", "--acknowledged"]
        self.process = processes.command(*arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.name = name
        self.given: list[str] = []
        self.acknowledged = 0

    def give(self) -> None:
        """One more record."""
        number = len(self.given)
        self.given.append(f"{self.name} {number} {Random(f'{self.name}/{number}').randbytes(300).hex()}")
        feed(self.process, f"{self.given[-1]}\n".encode())

    def wait(self) -> None:
        """Until all that was given is acknowledged."""
        assert self.process.stdout is not None
        while self.acknowledged < len(self.given):
            assert self.process.stdout.readline(), f"{self.name} has ended"
            self.acknowledged += 1

    def end(self) -> int:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        code = self.process.wait(LIMIT_S)
        self.process.stdout.close()
        return code


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")
def test_what_three_appenders_were_promised_is_there_after_every_process_was_killed(processes: GfsProcesses) -> None:
    ready = processes.start()
    assert ready["host"] == "127.0.0.1"
    processes.run("put", os.devnull, "/log")
    appenders = [Appender(processes, name) for name in ("one", "two", "three")]
    for turn in range(30):
        for appender in appenders:
            appender.give()
        if turn == 8:
            os.kill(processes.book()["chunkserver2"]["pid"], signal.SIGKILL)
        if turn == 16:
            os.kill(processes.book()["master"]["pid"], signal.SIGKILL)
        for appender in appenders:
            appender.wait()
    assert [appender.end() for appender in appenders] == [0, 0, 0]
    given = [line for appender in appenders for line in appender.given]
    assert sorted(processes.run("cat", "/log", "--records").splitlines()) == sorted(given)

    # Then the whole cluster: its nodes end by themselves, and what they keep is enough for another.
    assert processes.process is not None
    pids = pids_of(processes.book())
    processes.process.kill()
    processes.process.wait(LIMIT_S)
    until(lambda: are_gone(pids))
    again = processes.start()
    assert again["master"]["port"] == ready["master"]["port"]
    assert sorted(processes.run("cat", "/log", "--records").splitlines()) == sorted(given)
    pids = pids_of(processes.book())
    assert processes.stop() == 0
    assert are_gone(pids)


@pytest.mark.slow
def test_the_command_line_works_with_files(processes: GfsProcesses, tmp_path: Path) -> None:
    processes.start()
    data = Random(6).randbytes(2 * MIB + MIB // 2 + 5)
    (tmp_path / "local").write_bytes(data)

    def bytes_of(path: str) -> bytes:
        return processes.ask("cat", path).stdout_bytes

    processes.run("mkdir", "/d")
    processes.run("put", str(tmp_path / "local"), "/d/file")
    assert bytes_of("/d/file") == data
    processes.run("snapshot", "/d/file", "/d/copy")
    (tmp_path / "more").write_bytes(b"more")
    (offset,) = processes.run("append", str(tmp_path / "more"), "/d/file", "--acknowledged").splitlines()
    assert bytes_of("/d/file")[int(offset) :] == b"more"
    assert bytes_of("/d/copy") == data
    assert processes.run("ls", "/d") == "f\t3\t-\t/d/copy\nf\t3\t-\t/d/file\n"
    processes.run("mv", "/d/copy", "/d/other")
    hidden = processes.run("rm", "/d/other").strip()
    assert processes.run("ls", "/d") == "f\t3\t-\t/d/file\n"
    assert hidden in processes.run("ls", "/d", "--hidden")
    processes.run("undelete", hidden)
    assert bytes_of("/d/other") == data
    assert processes.run("ls") == "d\t-\t-\t/d\n"
    assert {event.node for event in decode_lines((processes.directory / "events" / "master.jsonl").read_bytes())} == {
        "master"
    }


@pytest.mark.slow
def test_nodes_run_one_by_one_and_say_what_is_wrong(processes: GfsProcesses, tmp_path: Path) -> None:
    nodes = [processes.command("master", str(tmp_path / "m"), "--port=0", stdout=subprocess.PIPE)]
    try:
        ready = json.loads(nodes[0].stdout.readline())  # type: ignore[union-attr]
        address = f"127.0.0.1:{ready['port']}"
        processes.environment["GENSTAMP_MASTER"] = address
        nodes.append(processes.command("chunkserver", str(tmp_path / "c"), stdout=subprocess.PIPE))
        told = json.loads(nodes[1].stdout.readline())  # type: ignore[union-attr]
        assert (ready["node"], told["node"]) == ("master", f"127.0.0.1:{told['port']}")
        assert told["cluster_id"] == ready["cluster_id"]
        (tmp_path / "local").write_bytes(b"bytes")
        processes.run("put", str(tmp_path / "local"), "/file")
        assert processes.run("cat", "/file") == "bytes"
        nodes[1].terminate()
        assert nodes[1].wait(LIMIT_S) == 0
        # Another cluster's directory, and that of another kind of node.
        version = tmp_path / "c" / "VERSION"
        version.write_text(version.read_text().replace(ready["cluster_id"], "00"))
        for directory in ("c", "m"):
            wrong = processes.command("chunkserver", str(tmp_path / directory), stderr=subprocess.PIPE)
            _, err = wrong.communicate(timeout=LIMIT_S)
            assert (wrong.returncode, err.count("\n")) == (151, 1), err
    finally:
        for node in reversed(nodes):
            node.terminate()
        codes = [node.wait(LIMIT_S) for node in nodes]
        for node in nodes:
            assert node.stdout is not None
            node.stdout.close()
    assert codes == [0, 0]


def test_settings_that_make_no_cluster_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ConfigurationError, match="neither master nor chunkserver has the setting 'nonsense'"):
        Cluster(GFS, tmp_path, others=3, host="127.0.0.1", port=None, settings=["nonsense=1"])
    (tmp_path / "letter").write_text("dear")
    with pytest.raises(StorageError, match=r"has letter in it and no cluster.json"):
        Cluster(GFS, tmp_path, others=3, host="127.0.0.1", port=None, settings=[])
    assert run_cluster(GFS, tmp_path, others=0, host="127.0.0.1", port=None, settings=[]) == 151
    assert main(["master", str(tmp_path), "--set", "nonsense=1"]) == 151
    assert main(["master", str(tmp_path), "--port", "0"]) == 151
    assert main(["chunkserver", str(tmp_path), "--master", "nowhere"]) == 151
    assert main(["chunkserver", str(tmp_path), "--master", "127.0.0.1:1", "--set", "limits.lease_us=5000"]) == 151
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 5
    assert said[-1] == "chunkserver: limits.lease_us=5000 is a setting of the master, which tells the chunkservers"
