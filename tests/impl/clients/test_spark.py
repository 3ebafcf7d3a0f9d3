"""Spark against a cluster as `genstamp dfs up` starts it; each test is a cell of the table of clients."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.impl.clients.cluster import (
    SETTINGS,
    check_events,
    kill_datanode_of,
    names_of_events,
    replica_of,
    wait_for_safe_mode,
)
from tests.impl.clients.operations import ON_DEMAND
from tests.impl.clients.spark import EndlessJob, SparkClient
from tests.impl.server.processes import Processes, until

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def client(spark: "SparkSession", tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkClient]:
    """Spark, and a cluster with a datanode more than a pipeline needs."""
    processes = Processes(tmp_path_factory.mktemp("spark") / "cluster", SETTINGS, datanodes=4)
    processes.start()
    try:
        wait_for_safe_mode(processes)
        yield SparkClient(processes, spark)
    finally:
        processes.stop()


def sums(rows: int) -> tuple[int, int, int]:
    return rows, sum(range(rows)), sum(number * number for number in range(rows))


def test_write(client: SparkClient) -> None:
    client.write("/write", 0, 100_000)
    assert client.sums("/write") == sums(100_000)


def test_append(client: SparkClient) -> None:
    client.write("/append", 0, 600)
    client.write("/append", 600, 400, "append")
    assert client.sums("/append") == sums(1000)


def test_delete(client: SparkClient) -> None:
    """A table that is overwritten is deleted first."""
    client.write("/delete", 5000, 100)
    client.write("/delete", 0, 10, "overwrite")
    assert client.sums("/delete") == sums(10)


def test_killed(client: SparkClient) -> None:
    job = EndlessJob(client.url("/killed"))
    until(lambda: replica_of(client.processes, "/killed/"))
    job.kill()
    client.write("/killed", 0, 1000, "overwrite")
    assert client.sums("/killed") == sums(1000)


def write_around(client: SparkClient, path: str, mib: int, gate: Path, fault: Callable[[Path], None]) -> None:
    """Write, let something happen when half of it is written, and write on."""
    with ThreadPoolExecutor(1) as pool:
        job = pool.submit(client.write_gated, path, mib, gate)
        try:
            replica = until(lambda: job.done() or replica_of(client.processes, f"{path}/"))
            assert isinstance(replica, Path), job.result()
            fault(replica)
        finally:
            gate.touch()
        job.result()
    assert client.is_whole(path, mib)


def lose_a_datanode(client: SparkClient, mib: int, gate: Path) -> None:
    before = names_of_events(client.processes).count("update_pipeline")
    write_around(client, f"/datanode{mib}", mib, gate, lambda replica: kill_datanode_of(client.processes, replica))
    assert names_of_events(client.processes).count("update_pipeline") > before


def test_datanode(client: SparkClient, tmp_path: Path) -> None:
    lose_a_datanode(client, 16, tmp_path / "gate")


@ON_DEMAND
def test_datanode_100(client: SparkClient, tmp_path: Path) -> None:
    lose_a_datanode(client, 100, tmp_path / "gate")


def test_namenode(client: SparkClient, tmp_path: Path) -> None:
    def kill_namenode(replica: Path) -> None:
        client.processes.kill("namenode")
        wait_for_safe_mode(client.processes)

    write_around(client, "/namenode", 4, tmp_path / "gate", kill_namenode)


def test_events(client: SparkClient) -> None:
    check_events(client.processes.directory)
