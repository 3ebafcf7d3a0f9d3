"""Keeps what each cell of the table of clients has come to."""

from collections.abc import Generator
from typing import Any

import pytest
from tests.impl.clients.operations import Operation
from tests.impl.clients.table import Cell

PASSED = pytest.StashKey[set[Cell]]()


def pytest_configure(config: pytest.Config) -> None:
    """No test has run."""
    config.stash[PASSED] = set()


@pytest.fixture
def passed(request: pytest.FixtureRequest) -> set[Cell]:
    """The cells whose tests have passed so far."""
    return request.config.stash[PASSED]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Function, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note a test that has passed: its name says the operation, its argument the client."""
    report = yield
    operation = Operation.__members__.get(item.originalname.removeprefix("test_").upper())
    client: Any = item.funcargs.get("client")
    if report.when == "call" and report.passed and operation is not None and client is not None:
        item.config.stash[PASSED].add((operation, client.title))
    return report
