"""`genstamp logs check --follow`: reports violations as they occur, until it is interrupted.

Not here: following (`genstamp.logs.follow`), and what is printed at the end, which is as for logs at rest.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import typer

from genstamp.cli.output import printing
from genstamp_model.interrupt import taken

if TYPE_CHECKING:
    from genstamp.logs.follow.options import FollowOptions
    from genstamp.logs.follow.streaming import Told
    from genstamp.logs.report import Report

ENDING = (signal.SIGINT, signal.SIGTERM)


def followed(paths: Sequence[str], master: str | None, options: FollowOptions, *, to_stderr: bool) -> Report:
    """The findings of following; violations are reported at once.

    Args:
        paths: files and directories.
        master: Spark's, as for `spark_session`.
        options: of following.
        to_stderr: whether violations go there, because standard output is for something else.

    Raises:
        OutputError, TwoRunsError, SparkFailedError: see `follow`.
    """
    from genstamp.logs.follow.streaming import follow
    from genstamp.logs.session import spark_session

    for path in paths:
        if not Path(path).exists():
            typer.echo(f"genstamp: {path} is not there yet", err=True)
    teller = Teller(to_stderr=to_stderr)
    with spark_session(master) as spark, _until_asked_to_end() as stop:
        if not options.once:
            typer.echo("genstamp: following; Ctrl-C ends it", err=True)
        return follow(spark, paths, options, teller.tell, stop)


class Teller:
    """Reports batches: a line for each batch, and each violated key once.

    Args:
        to_stderr: whether violations go there too.
    """

    def __init__(self, *, to_stderr: bool) -> None:
        self._to_stderr = to_stderr
        self._known: set[tuple[str, str, str]] = set()

    def tell(self, told: Told) -> None:
        """Report one batch."""
        from genstamp.logs.report import story_lines
        from genstamp.logs.shown import shown
        from genstamp.logs.summary import finding

        for row in told.violated:
            key = row["namespace"], row["kind"], row["entity"]
            if key not in self._known:
                self._known.add(key)
                # Spark calls back in a thread of its own.
                with printing():
                    typer.echo("\n".join(map(shown, story_lines(finding(row)))), err=self._to_stderr)
        counted = ", ".join(f"{number} {safety}" for safety, number in sorted(told.keys.items()))
        typer.echo(f"genstamp: batch {told.batch}: {counted or 'no key'}", err=True)


@contextmanager
def _until_asked_to_end() -> Iterator[threading.Event]:
    """An event that a signal sets; Spark's own handler would break off what is under way."""
    stop = threading.Event()

    def end(_number: int, _frame: FrameType | None) -> None:
        taken.set()
        stop.set()

    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    # Where genstamp is started with interrupts ignored, as in the background of a script, it ignores them too.
    heard = [number for number in ENDING if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, end) for number in heard}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
