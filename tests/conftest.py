"""What all tests share: the data beside the clone, one Spark session, Hypothesis settings."""

import contextlib
import os
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).resolve().parents[1]

# Groups of tests from several files.
SPARK = "spark"
CLIENTS = "tests/impl/clients/"

# A slow machine is no failure, so nothing has a deadline; what failed is printed in a form that replays it.
hypothesis.settings.register_profile("local", derandomize=False, print_blob=True, deadline=None)
hypothesis.settings.register_profile("ci", hypothesis.settings.get_profile("local"), database=None)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "local")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Draw the seed in CI, so that it is known and printed before the first test runs; divide the processors."""
    if os.environ.get("CI") and config.getoption("hypothesis_seed", None) is None:
        config.option.hypothesis_seed = str(random.SystemRandom().randrange(2**32))
    # Spark's virtual machines live for a minute: their second compiler costs more than it gives.
    os.environ.setdefault("SPARK_SUBMIT_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
    worker = getattr(config, "workerinput", None)
    if worker is not None and hasattr(os, "sched_setaffinity"):
        # Searches, JVMs and servers size themselves by the processors that they see. Each worker sees its share only.
        number, workers = int(worker["workerid"].removeprefix("gw")), worker["workercount"]
        os.sched_setaffinity(0, share(sorted(os.sched_getaffinity(0)), number, workers))


def share(processors: Sequence[int], number: int, workers: int) -> Sequence[int]:
    """The processors of worker `number`, counted from 0, among so many workers; all where they are not enough.

    >>> share([0, 1, 2], 0, 2), share([0, 1, 2], 1, 2), share([0, 1], 2, 3)
    ([0, 2], [1], [0, 1])
    """
    return processors[number::workers] if workers <= len(processors) else processors


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give each test its group: pytest-xdist runs the tests of one group in one process, in order.

    A group is a file, so that a module's fixtures are made once, except the tests that share a Spark session and those
    of third-party clients. These two run for minutes, so they are first.
    """
    for item in items:
        item.add_marker(pytest.mark.xdist_group(_group(item)))
    items.sort(key=lambda item: not _is_shared(_group(item)))


def _group(item: pytest.Item) -> str:
    """The group of a test."""
    if "spark" in getattr(item, "fixturenames", ()):
        return SPARK
    place = item.path.relative_to(ROOT).as_posix() if item.path.is_relative_to(ROOT) else item.path.name
    return CLIENTS if place.startswith(CLIENTS) else place


def _is_shared(group: str) -> bool:
    """Whether several files are in a group."""
    return group in (SPARK, CLIENTS)


def pytest_report_header(config: pytest.Config) -> str:
    """Says how to draw the same examples again."""
    seed = config.getoption("hypothesis_seed", None)
    return f"replay with: --hypothesis-seed={seed}" if seed else "hypothesis draws a new seed for each test"


@pytest.fixture(scope="session")
def repository() -> Path:
    """The repository's root."""
    return ROOT


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real logs and images that are too large for the repository; the test is skipped where they are absent.

    Looked for in `GENSTAMP_DATA`, by default `../shared/data`. With `GENSTAMP_REQUIRE_DATA=1` absence is a failure.
    """
    data = Path(os.environ.get("GENSTAMP_DATA") or ROOT.parent / "shared" / "data")
    if not data.is_dir():
        reason = f"no directory {data}; GENSTAMP_DATA may name another"
        if os.environ.get("GENSTAMP_REQUIRE_DATA") == "1":
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)
    return data


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator["SparkSession"]:
    """The one Spark session of a test run, started when a test first asks for it; leave its settings as they are."""
    from py4j.protocol import Py4JNetworkError
    from pyspark.sql import SparkSession

    from genstamp.java import java_home

    scratch = tmp_path_factory.mktemp("spark")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("JAVA_HOME", str(java_home()))
        # Without it, workers would be whatever python3 comes first on the PATH.
        environment.setenv("PYSPARK_PYTHON", sys.executable)
        environment.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        session = (
            SparkSession.builder.master("local[2]")
            .appName("genstamp tests")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.local.dir", str(scratch / "local"))
            .config("spark.sql.session.timeZone", "UTC")
            .config("spark.sql.shuffle.partitions", "2")
            .config("spark.sql.warehouse.dir", str(scratch / "warehouse"))
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.ui.enabled", "false")
            .getOrCreate()
        )
        yield session
        # No test is left that could miss it, if its JVM has ended already.
        with contextlib.suppress(ConnectionError, Py4JNetworkError):
            session.stop()
