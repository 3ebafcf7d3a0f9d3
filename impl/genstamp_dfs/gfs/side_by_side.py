"""Things that a node does side by side, and waits for."""

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Generic, TypeAlias, TypeVar

from genstamp_dfs.gfs.runtime import Runtime

Result = TypeVar("Result")


Work: TypeAlias = Callable[[], Coroutine[Any, Any, Result]]
"""Begins something; a node that dies first has not begun it, so there is nothing to be closed."""


class Outcome(Generic[Result]):
    """What comes of a process that somebody waits for."""

    def __init__(self, runtime: Runtime, work: Work[Result], name: str) -> None:
        self._result: Result | None = None
        self._failure: Exception | None = None
        self._is_done = False
        self._done = runtime.condition()
        runtime.spawn(self._run(work), name)

    async def _run(self, work: Work[Result]) -> None:
        try:
            self._result = await work()
        except Exception as failure:
            self._failure = failure
        self._is_done = True
        self._done.notify_all()

    async def result(self) -> Result:
        """Wait for it; raises what the process has raised."""
        while not self._is_done:
            await self._done.wait()
        if self._failure is not None:
            raise self._failure
        return self._result  # type: ignore[return-value]


async def together(runtime: Runtime, works: Sequence[Work[Result]], name: str) -> list[Result]:
    """Do several things side by side; gives what comes of them, in order."""
    outcomes = [Outcome(runtime, work, name) for work in works]
    return [await outcome.result() for outcome in outcomes]
