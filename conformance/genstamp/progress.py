"""The progress of a long task, on standard error: live on a terminal, a line a minute elsewhere.

Not here: what the lines say, and the table of jobs that `genstamp verify` shows.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import typer
from rich.console import Console
from rich.live import Live
from rich.text import Text

LINE_EVERY_S: Final = 60.0
"""Seconds between two lines where standard error is no terminal."""


def each_minute(show: Callable[[str], None] | None = None, every_s: float = LINE_EVERY_S) -> Callable[[str], None]:
    """Shows a line, but not before `every_s` seconds are over, nor more often than that; other lines are dropped."""
    last = time.monotonic()

    def shown(line: str) -> None:
        nonlocal last
        if time.monotonic() - last >= every_s:
            last = time.monotonic()
            (show or _on_standard_error)(line)

    return shown


@contextmanager
def live() -> Iterator[Callable[[str], None]]:
    """A function that shows the latest line: at once on a terminal, else a line a minute."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield each_minute()
        return
    with Live(console=console, transient=True, refresh_per_second=4) as shown:
        yield lambda line: shown.update(Text(line))


def _on_standard_error(line: str) -> None:
    typer.echo(line, err=True)
