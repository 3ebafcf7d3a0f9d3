"""What several tests of the reference implementation share."""

import inspect
import pickle
from collections.abc import Callable

import pytest
from tests.impl.running import run

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


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test that is a coroutine function in an event loop of its own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in inspect.signature(pyfuncitem.obj).parameters}))
    return True
