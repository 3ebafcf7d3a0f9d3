"""Jobs that only pretend, each in its own way."""

import os
import signal
import time
from collections.abc import Iterator

from genstamp.verify.job import Context
from genstamp.verify.row import Row, Verdict
from genstamp_model.errors import SpecError


def holds(context: Context, claim: str, count: int = 3) -> Iterator[Row]:
    """All is well."""
    print("looking")
    yield Row(claim=claim, verdict=Verdict.HOLDS, count=count, unit="states")


def breaks(context: Context, claim: str) -> Iterator[Row]:
    """Something does not hold."""
    (context.directory / "why.txt").write_text("because\n")
    yield Row(claim=claim, verdict=Verdict.VIOLATED, note="it broke", story=("1. step",), files=("why.txt",))


def raises_ours(context: Context, claim: str) -> Iterator[Row]:
    """Raises an error for the user after a row."""
    yield Row(claim=claim, verdict=Verdict.HOLDS)
    raise SpecError("the text is wrong")


def raises_other(context: Context) -> Iterator[Row]:
    """Has a bug."""
    raise KeyError("missing")


def dies(context: Context, claim: str) -> Iterator[Row]:
    """Its process dies after a row."""
    yield Row(claim=claim, verdict=Verdict.HOLDS)
    os.kill(os.getpid(), signal.SIGKILL)


def hangs(context: Context, claim: str) -> Iterator[Row]:
    """Never ends; says where its process is to be found."""
    (context.directory / "pid").write_text(str(os.getpid()))
    time.sleep(3600)
    yield Row(claim=claim, verdict=Verdict.HOLDS)


def gives_something_else(context: Context) -> Iterator[Row]:
    """A row that was not announced."""
    yield Row(claim="a surprise", verdict=Verdict.HOLDS)
