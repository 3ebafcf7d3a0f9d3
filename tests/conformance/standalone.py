"""A standalone cluster of Spark on loopback: a master and workers, each a process of its own.

PySpark brings no scripts that start one, so its `spark-class` starts the two classes. Not here: what runs on it.
"""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyspark

from genstamp.java import java_home

SPARK_HOME = Path(pyspark.__file__).parent
SPARK_SUBMIT = SPARK_HOME / "bin" / "spark-submit"

LIMIT_S = 120.0

_CLASSES = "org.apache.spark.deploy"
_STARTED = re.compile(r"Starting Spark master at (spark://\S+)")
_REGISTERED = re.compile(r"Registering worker ")


@dataclass(frozen=True)
class Standalone:
    """A running cluster.

    Attributes:
        master: its address, as `--master` takes it.
        environment: for programs that submit something to it.
        work: directory of each worker, with one below it for each executor that it has started.
    """

    master: str
    environment: Mapping[str, str]
    work: tuple[Path, ...]

    def executors(self) -> list[int]:
        """How many executors each worker has started."""
        return [len(list(directory.glob("app-*/[0-9]*"))) for directory in self.work]


@contextmanager
def standalone(scratch: Path, workers: int = 2) -> Iterator[Standalone]:
    """A master and some workers with a core each, that end with the block.

    Each worker has its own directories for what Spark and Python keep for a while.

    Args:
        scratch: an empty directory for what they log and keep.
        workers: how many.
    """
    environment = {
        **os.environ,
        "JAVA_HOME": str(java_home()),
        "SPARK_HOME": str(SPARK_HOME),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_DIRS": str(scratch / "local"),
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        # The second port of a master is for requests that nobody makes here.
        "SPARK_DAEMON_JAVA_OPTS": "-Dspark.master.rest.enabled=false -XX:TieredStopAtLevel=1",
        "SPARK_DAEMON_MEMORY": "256m",
    }
    at_loopback = ["--host", "127.0.0.1", "--port", "0", "--webui-port", "0"]
    with ExitStack() as running:
        master_log = scratch / "master.log"
        running.enter_context(_process("master.Master", at_loopback, environment, master_log))
        master = _said(master_log, _STARTED)[0]
        work = tuple(scratch / f"worker{number}" for number in range(workers))
        for directory in work:
            options = [*at_loopback, "--cores", "1", "--memory", "1g", "--work-dir", str(directory), master]
            local, temporary = directory / "local", directory / "temporary"
            temporary.mkdir(parents=True)
            own = {**environment, "SPARK_LOCAL_DIRS": str(local), "TMPDIR": str(temporary)}
            running.enter_context(_process("worker.Worker", options, own, scratch / f"{directory.name}.log"))
        _said(master_log, _REGISTERED, workers)
        yield Standalone(master, environment, work)


@contextmanager
def _process(name: str, options: list[str], environment: Mapping[str, str], log: Path) -> Iterator[None]:
    command = [str(SPARK_HOME / "bin" / "spark-class"), f"{_CLASSES}.{name}", *options]
    with log.open("wb") as said:
        process = subprocess.Popen(command, env=environment, stdout=said, stderr=subprocess.STDOUT)
    try:
        yield
    finally:
        process.terminate()
        process.wait(LIMIT_S)


def _said(log: Path, pattern: re.Pattern[str], times: int = 1) -> list[str]:
    """What a log says so often; waits for it."""
    limit = time.monotonic() + LIMIT_S
    while time.monotonic() < limit:
        found = pattern.findall(log.read_text(errors="replace"))
        if len(found) >= times:
            return found
        time.sleep(0.05)
    raise AssertionError(f"{log.name} did not say {pattern.pattern!r} in {LIMIT_S} s: {log.read_text()[-2000:]}")
