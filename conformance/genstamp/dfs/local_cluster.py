"""A cluster of HDFS on this machine for as long as a block of code runs, for tests and examples.

Not here: the servers (`genstamp_dfs.server.cluster`), clusters that stay (`genstamp dfs up`).
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from genstamp.errors import GenstampError
from genstamp_dfs.errors import HdfsIOException
from genstamp_dfs.hdfs.messages.client_protocol import Mkdirs
from genstamp_dfs.server.client import dfs_client

_ENDS_WITHIN_S = 30.0


class ClusterError(GenstampError):
    """A cluster does not start, or has no such node."""


@dataclass(frozen=True)
class HdfsCluster:
    """A running cluster.

    Attributes:
        directory: its directory: storage directories, `events/NODE.jsonl` for `genstamp logs check`, and `conf`.
        host, port: the NameNode's address.
        nodes: the names of the nodes: `namenode`, `datanode1` and so on.
    """

    directory: Path
    host: str
    port: int
    nodes: tuple[str, ...]

    @property
    def uri(self) -> str:
        """The address as clients write it, without a slash at its end: `hdfs://127.0.0.1:40001`."""
        return f"hdfs://{self.host}:{self.port}"

    @property
    def settings(self) -> Mapping[str, str]:
        """Hadoop's settings for a client, by name.

        With the retries that Hadoop's client needs to wait for a NameNode that is killed and started again.
        """
        return {"fs.defaultFS": f"{self.uri}/", "dfs.client.retry.policy.enabled": "true"}

    @property
    def spark_settings(self) -> Mapping[str, str]:
        """The same settings for a Spark session."""
        return {f"spark.hadoop.{name}": value for name, value in self.settings.items()}

    @cached_property
    def conf(self) -> Path:
        """A directory with `core-site.xml`, for HADOOP_CONF_DIR."""
        directory = self.directory / "conf"
        directory.mkdir(exist_ok=True)
        properties = "".join(
            f"  <property><name>{escape(name)}</name><value>{escape(value)}</value></property>\n"
            for name, value in self.settings.items()
        )
        (directory / "core-site.xml").write_text(f"<configuration>\n{properties}</configuration>\n", encoding="utf-8")
        return directory

    def kill(self, node: str) -> None:
        """Kill a node's process with SIGKILL; a new process takes its place, on its ports, after about a second.

        Raises:
            ClusterError: there is no such node, or it is not running.
        """
        if node not in self.nodes:
            raise ClusterError(f"there is no node '{node}', only {', '.join(self.nodes)}")
        book = json.loads((self.directory / "cluster.json").read_bytes())
        try:
            os.kill(book[node]["pid"], signal.SIGKILL)
        except (ProcessLookupError, TypeError) as problem:
            raise ClusterError(f"{node} is not running") from problem


@contextmanager
def hdfs_cluster(directory: Path, *, datanodes: int = 3, settings: Mapping[str, str] = {}) -> Iterator[HdfsCluster]:
    """A cluster in a directory, out of safe mode and with all nodes registered; its processes end with the block.

    Args:
        directory: an empty or new one, or one that had a cluster before, whose files are there again.
        datanodes: how many, 1 to 100.
        settings: of the nodes, by name, as for `genstamp dfs up --set`, for example `semantics`.

    Raises:
        ClusterError: it does not start; with what it said.
    """
    with _processes(directory, datanodes, settings) as book:
        nodes = tuple(name for name, entry in book.items() if isinstance(entry, dict))
        cluster = HdfsCluster(directory, book["host"], book["namenode"]["port"], nodes)
        try:
            asyncio.run(_is_writable(cluster))
        except HdfsIOException as problem:
            raise ClusterError(f"the cluster in {directory} does not accept writes: {problem}") from problem
        yield cluster


async def _is_writable(cluster: HdfsCluster) -> None:
    """Wait for the end of safe mode: until then the NameNode refuses this call, which changes nothing."""
    async with dfs_client(cluster.host, cluster.port) as client:
        await client.ask(Mkdirs("/"))


@contextmanager
def _processes(directory: Path, datanodes: int, settings: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """The processes of `genstamp dfs up`; gives what it prints when all nodes are registered."""
    command = [sys.executable, "-m", "genstamp", "dfs", "up", str(directory), "--datanodes", str(datanodes)]
    command += [f"--set={name}={value}" for name, value in settings.items()]
    directory.mkdir(parents=True, exist_ok=True)
    said = directory.parent / f"{directory.name}.log"
    with said.open("wb") as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log)
    assert process.stdout is not None, "standard output is a pipe"
    try:
        line = process.stdout.readline()
        if not line:
            reason = said.read_text(encoding="utf-8", errors="replace").strip() or f"exit code {process.wait()}"
            raise ClusterError(f"the cluster in {directory} does not start: {reason}")
        yield json.loads(line)
    finally:
        process.terminate()
        try:
            process.wait(_ENDS_WITHIN_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
