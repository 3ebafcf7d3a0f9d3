"""A plugin of pytest: lists tests that take more processor time than the quick check allows and are not marked slow.

`make durations` runs it. Processor time is that of the test and its fixtures, and of child processes that have ended.
Tracing a model is not in it: one that is traced is kept for the tests that follow, and whichever is first would pay.
"""

import gc
import resource
from collections.abc import Iterator, Sequence

import pytest

from genstamp_model.language import System
from genstamp_model.language.model import Model

MOST_S = 0.25

_PROPERTY = "processor_s"
_BEGAN = pytest.StashKey[float]()
_found: list[tuple[float, str]] = []
_traced_s: list[float] = []


def pytest_configure() -> None:
    """Note how long models are traced."""
    model = System.model

    def timed(system: System, semantics: str | None = None, bugs: Sequence[str] = ()) -> Model:
        began = _used_s()
        try:
            return model(system, semantics, bugs)
        finally:
            _traced_s.append(_used_s() - began)

    pytest.MonkeyPatch().setattr(System, "model", timed)


def pytest_collection_finish() -> None:
    """Spare the tests the garbage collector's looks at all that was imported and collected."""
    gc.freeze()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    """Look at the clock before fixtures are made."""
    item.stash[_BEGAN] = _processor_s()
    yield


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """Report the time with the last report of the test, which comes from another process."""
    try:
        yield
    finally:
        item.user_properties.append((_PROPERTY, _processor_s() - item.stash[_BEGAN]))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note what takes too long."""
    for name, value in report.user_properties:
        if name == _PROPERTY and isinstance(value, float) and value > MOST_S and "slow" not in report.keywords:
            _found.append((value, report.nodeid.rpartition("@")[0] or report.nodeid))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List it."""
    terminalreporter.section(f"more than {MOST_S} s of processor time and not marked slow: {len(_found)}")
    for seconds, test in sorted(_found, reverse=True):
        terminalreporter.write_line(f"{seconds:6.2f} s {test}")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail if there is any."""
    if _found:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _processor_s() -> float:
    return _used_s() - sum(_traced_s)


def _used_s() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)
