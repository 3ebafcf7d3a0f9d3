"""Keeps what each cell of the table of clients has come to."""

from collections.abc import Generator
from typing import Any

import pytest
from tests.impl.clients.operations import Operation
from tests.impl.clients.table import Cell

EVENTS = "EVENTS"
"""Of the test, the last for each client, that checks what the servers have told of all the others."""

RUN = pytest.StashKey[set[Cell]]()
PASSED = pytest.StashKey[set[Cell]]()


def pytest_configure(config: pytest.Config) -> None:
    """No test has run."""
    config.stash[RUN] = set()
    config.stash[PASSED] = set()


@pytest.fixture
def passed(request: pytest.FixtureRequest) -> set[Cell]:
    """The cells whose tests have passed, and whose events have been checked since and conform."""
    return request.config.stash[PASSED]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Function, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note a test that has passed: its name says the operation, its argument the client."""
    report = yield
    client: Any = item.funcargs.get("client")
    if report.when == "call" and report.passed and client is not None:
        name = item.originalname.removeprefix("test_").upper()
        if name == EVENTS:
            run = item.config.stash[RUN]
            item.config.stash[PASSED].update(cell for cell in run if cell[1] == client.title)
        elif name in Operation.__members__:
            item.config.stash[RUN].add((Operation[name], client.title))
    return report
