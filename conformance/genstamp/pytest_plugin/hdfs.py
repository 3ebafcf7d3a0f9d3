"""The fixtures `hdfs_cluster` and `hdfs_cluster_factory`."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from genstamp.extras import missing_extra

if TYPE_CHECKING:
    from genstamp.dfs.local_cluster import HdfsCluster


@pytest.fixture(scope="session")
def hdfs_cluster_factory(tmp_path_factory: pytest.TempPathFactory) -> Iterator["Callable[..., HdfsCluster]"]:
    """Starts clusters, which end with the session; takes the arguments of `genstamp.dfs.local_cluster.hdfs_cluster`
    but for the directory, which is a new one below pytest's.
    """
    try:
        from genstamp.dfs.local_cluster import hdfs_cluster as running
    except ModuleNotFoundError as problem:
        raise missing_extra(problem, "the fixture hdfs_cluster") or problem from problem

    with ExitStack() as clusters:

        def start(**options: Any) -> "HdfsCluster":
            return clusters.enter_context(running(tmp_path_factory.mktemp("hdfs"), **options))

        yield start


@pytest.fixture(scope="session")
def hdfs_cluster(hdfs_cluster_factory: "Callable[..., HdfsCluster]") -> "HdfsCluster":
    """A NameNode and three DataNodes of the reference implementation on loopback, which answer; for the whole session.

    See `genstamp.dfs.local_cluster.HdfsCluster` for its address and its client settings.
    """
    return hdfs_cluster_factory()
