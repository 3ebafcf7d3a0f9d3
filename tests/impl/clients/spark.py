"""Spark, with tables in place of files; it is the client of Hadoop that reads and writes for it."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pyspark
from tests.impl.clients.gate import BYTES_A_ROW, gated
from tests.impl.clients.jvm import SHORT_LIVED, WAITS
from tests.impl.clients.operations import Operation
from tests.impl.server.processes import Processes

from genstamp.java import java_home

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_NO_FILES = "it has no call on single files; it renames and deletes them as it commits a job"
_NO_RECOVERY = "it has no such call, and no task opens a file that another has written"


class SparkClient:
    """Spark's reader and writer of Parquet."""

    title = f"Spark {pyspark.__version__}"
    cannot = MappingProxyType(
        {
            Operation.CHECKSUM: _NO_FILES,
            Operation.HFLUSH: "it has no such call; others see a table when its job is committed",
            Operation.TRUNCATE: _NO_FILES,
            Operation.RENAME: _NO_FILES,
            Operation.RECOVER: _NO_RECOVERY,
            Operation.TAKEOVER: _NO_RECOVERY,
            Operation.UNKNOWN: "it makes none",
        }
    )

    def __init__(self, processes: Processes, session: "SparkSession") -> None:
        self.processes = processes
        self._session = session
        self._open_files()

    def _open_files(self) -> None:
        """Have the session's Hadoop client wait for the namenode, as a core-site.xml would."""
        java: Any = self._session.sparkContext._jvm
        configuration = java.org.apache.hadoop.conf.Configuration()
        for name, value in WAITS.items():
            configuration.set(name, value)
        java.org.apache.hadoop.fs.FileSystem.get(java.java.net.URI(self.url("/")), configuration)

    def url(self, path: str) -> str:
        """Where a table is."""
        return f"hdfs://{self.processes.environment['GENSTAMP_NAMENODE']}{path}"

    def write(self, path: str, first: int, rows: int, mode: str = "errorifexists") -> None:
        """Write a table of numbers and their squares."""
        table = self._session.range(first, first + rows).selectExpr("id", "id * id AS square")
        table.write.mode(mode).parquet(self.url(path))

    def sums(self, path: str) -> tuple[int, int, int]:
        """How many rows a table has, and the sums of its columns."""
        (row,) = self._session.read.parquet(self.url(path)).selectExpr("count(*)", "sum(id)", "sum(square)").collect()
        return int(row[0]), int(row[1]), int(row[2])

    def write_gated(self, path: str, mib: int, gate: Path) -> None:
        """Write a table of random bytes whose second half is not made before a file is there."""
        total = mib * (1 << 20) // BYTES_A_ROW

        def batches(numbers: Iterator[Any]) -> Iterator[Any]:
            return gated(total, gate)

        table = self._session.range(1, numPartitions=1).mapInPandas(batches, "id long, bytes binary")
        table.write.option("compression", "none").option("parquet.block.size", 1 << 20).parquet(self.url(path))

    def is_whole(self, path: str, mib: int) -> bool:
        """Whether a gated table has all its rows, each once, and all its bytes."""
        table = self._session.read.parquet(self.url(path))
        (row,) = table.selectExpr("count(DISTINCT id)", "count(*)", "sum(length(bytes))").collect()
        total = mib * (1 << 20) // BYTES_A_ROW
        return (int(row[0]), int(row[1]), int(row[2])) == (total, total, total * BYTES_A_ROW)


class EndlessJob:
    """A job of Spark that writes a table until it is killed."""

    def __init__(self, url: str) -> None:
        environment = {
            **os.environ,
            "JAVA_HOME": str(java_home()),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_SUBMIT_OPTS": " ".join(SHORT_LIVED),
        }
        text = (
            "from pyspark.sql import SparkSession\n"
            "session = SparkSession.builder.master('local[1]').config('spark.ui.enabled', 'false').getOrCreate()\n"
            f"session.range(10**12).write.option('parquet.block.size', 1 << 20).parquet({url!r})\n"
        )
        self._process = subprocess.Popen(
            [sys.executable, "-c", text], env=environment, stderr=subprocess.DEVNULL, start_new_session=True
        )

    def kill(self) -> None:
        """kill -9 of Python and Java."""
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
