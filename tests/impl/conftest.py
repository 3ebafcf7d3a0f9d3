"""What several tests of the reference implementation share."""

import pickle
from collections.abc import Callable

import pytest

from genstamp_dfs.hdfs.driver import Driver
from genstamp_dfs.hdfs.namenode.base import Shown


@pytest.fixture
def snapshot() -> Callable[[Driver], bytes]:
    """The whole state of a driver's nodes, to be compared before and after a step that must change nothing."""

    def take(driver: Driver) -> bytes:
        cluster = driver.cluster
        cluster.namesystem.shown = Shown()
        return pickle.dumps((cluster.namesystem, cluster.datanodes, cluster.clients, cluster.now_us))

    return take
