"""Starts Spark so that the pipeline works on a fresh machine: the right Java, the right Python, nothing reachable
from outside.

Not here: the job (`genstamp.logs.job`).
"""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from genstamp.errors import SparkFailedError
from genstamp.java import java_home

LOCAL = "local[*]"

SPARK_FAILURES = (PySparkException, Py4JError)
"""The exceptions that Spark raises when a job fails."""

_ONE_COLLECTOR = "-XX:+UseSerialGC"
"""Of a virtual machine beside tasks of Python: its parallel collector would take their processors."""


@contextmanager
def spark_session(master: str | None = None, *, computes: bool = False) -> Iterator[SparkSession]:
    """A session of Spark, stopped at the end if it was started here.

    Args:
        master: Spark's master; by default the one that `spark-submit` has set, else `local[*]`.
        computes: whether Spark itself is to compute much, as in SQL; else it is started for tasks of Python.

    Raises:
        SparkFailedError: Spark failed, on starting or under what is done with the session.
    """
    try:
        with _session(master, computes) as session:
            yield session
    except (PySparkException, Py4JError) as problem:
        raise SparkFailedError(problem) from problem


@contextmanager
def _session(master: str | None, computes: bool) -> Iterator[SparkSession]:
    running = SparkSession.getActiveSession()
    if running is not None:
        yield running
        return
    submitted = "PYSPARK_GATEWAY_PORT" in os.environ
    builder = SparkSession.builder.appName("genstamp logs check")
    builder = builder.config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
    builder = builder.config("spark.sql.session.timeZone", "UTC").config("spark.sql.adaptive.enabled", "false")
    builder = builder.config("spark.sql.execution.arrow.maxRecordsPerBatch", "65536")
    chosen = master or ("" if submitted else LOCAL)
    if chosen:
        builder = builder.master(chosen)
        os.environ["JAVA_HOME"] = str(java_home())
        # Workers would otherwise be whatever python3 comes first on the PATH; on a cluster it may stand elsewhere.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if chosen.startswith("local"):
        os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
        os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
        builder = builder.config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1")
        if not computes:
            builder = builder.config("spark.driver.extraJavaOptions", _ONE_COLLECTOR)
        # Twice the cores, to even out.
        builder = builder.config("spark.sql.shuffle.partitions", str(2 * (os.cpu_count() or 1)))
    with _interrupts_as_before():
        session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    end = session.stop
    try:
        yield session
    except KeyboardInterrupt:
        end = partial(_end_at_once, session)
        raise
    finally:
        end()


@contextmanager
def _interrupts_as_before() -> Iterator[None]:
    """Restore the handler of interrupts, which Spark replaces by one that waits for its jobs."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, before)


def _end_at_once(session: SparkSession) -> None:
    """End Spark without waiting for its jobs; a Spark that was not started here is only stopped."""
    process = getattr(session.sparkContext._gateway, "proc", None)
    if process is None:
        session.stop()
    else:
        process.terminate()
