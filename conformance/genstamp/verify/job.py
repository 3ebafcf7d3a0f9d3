"""A job, and the process that does it: `python -m genstamp.verify.job`, its order as JSON on standard input.

What a job prints goes where the caller sends it; its rows go to a file, one JSON line each, as they come.
"""

import importlib
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from genstamp.verify.row import Row, Verdict


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """The data that all jobs of a run share.

    Attributes:
        repository: root of the repository.
        directory: the run directory.
        data: the folder of real logs and images; None where it is absent.
        seed: of all random choices.
    """

    repository: Path
    directory: Path
    data: Path | None
    seed: int


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """One piece of work.

    Attributes:
        name: unique in a run; names the job's files.
        claims: the rows that it will give, in order.
        does: "module:function"; called with the context and `arguments`, it gives the rows.
        arguments: for the function, by name.
        seconds: about what it takes; long jobs begin first.
        limit_s: seconds after which it is given up.
    """

    name: str
    claims: tuple[str, ...]
    does: str
    arguments: dict[str, Any] = {}
    seconds: float = 1.0
    limit_s: float = 900.0


class Order(msgspec.Struct, frozen=True):
    """What the process of a job is told: the task, and the file for its rows."""

    job: Job
    context: Context
    rows: Path

    def encode(self) -> bytes:
        """The order as JSON; paths are text there."""
        return msgspec.json.encode(self, enc_hook=str)

    @staticmethod
    def decode(text: bytes) -> "Order":
        """The order that `encode` wrote."""
        return msgspec.json.decode(text, type=Order, dec_hook=lambda kind, value: kind(value))


Doing = Callable[..., Iterable[Row]]


def rows_of(job: Job, context: Context) -> Iterator[Row]:
    """Do a job; its rows as they come.

    An error is a row too, in place of the next claim, and so is each claim that was not reached.
    """
    missing = list(job.claims)
    reason = "the job gave no such row"
    began = time.monotonic()
    try:
        module, _, function = job.does.partition(":")
        doing: Doing = getattr(importlib.import_module(module), function)
        for row in doing(context, **job.arguments):
            assert row.claim in missing, f"job {job.name} gives a row {row.claim!r} that it does not announce"
            missing.remove(row.claim)
            now = time.monotonic()
            yield msgspec.structs.replace(row, seconds=round(row.seconds or now - began, 3))
            began = now
    except Exception as problem:
        traceback.print_exc()
        reason = _told(problem)
    for claim in missing:
        yield Row(claim=claim, verdict=Verdict.FAILURE, seconds=time.monotonic() - began, note=reason)
        began = time.monotonic()


def _told(problem: Exception) -> str:
    """An error as a row reports it: ours are sentences, others are unexpected and need their name."""
    is_ours = type(problem).__module__.startswith("genstamp")
    return str(problem) if is_ours and str(problem) else f"{type(problem).__name__}: {problem}"


def main() -> None:
    """Do the job that standard input orders."""
    order = Order.decode(sys.stdin.buffer.read())
    with order.rows.open("wb") as out:
        for row in rows_of(order.job, order.context):
            out.write(msgspec.json.encode(row) + b"\n")
            out.flush()


if __name__ == "__main__":
    main()
