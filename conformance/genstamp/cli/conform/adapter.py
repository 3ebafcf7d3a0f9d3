"""The implementation that a verb drives: one that a command starts, or the reference implementation."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import typer

from genstamp.adapters import Adapter, ChildAdapter, ReferenceAdapter


@contextmanager
def adapters(command: str | None, answer_seconds: float, log: Path | None) -> Iterator[Callable[[], Adapter]]:
    """A function that gives a new adapter at each call.

    Args:
        command: starts the implementation; None for the reference implementation, in this process.
        answer_seconds: timeout of an answer of the command.
        log: where the command's standard error goes.

    Raises:
        BadParameter: the log cannot be written, or there is no command that could write to it.
    """
    if command is None:
        if log is not None:
            raise typer.BadParameter("--adapter-log needs --command; the reference implementation runs in this process")
        yield ReferenceAdapter
        return
    with ExitStack() as files:
        try:
            file = None if log is None else files.enter_context(log.open("wb"))
        except OSError as problem:
            raise typer.BadParameter(f"{log} cannot be written: {problem.strerror or problem}") from None
        yield lambda: ChildAdapter(command, answer_seconds, file)
