"""A job, and the processes that do jobs: `python -m genstamp.verify.job`, an order as JSON a line on standard input.

Each job has a process of its own, forked from one that has loaded what most jobs need; that takes longer than many a
job. Its rows go to a file, one JSON line each, as they come.
"""

import contextlib
import gc
import importlib
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

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
    """What the process of a job is told: the task, the file for its rows, and the one for all that it prints."""

    job: Job
    context: Context
    rows: Path
    log: Path

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
    """Do the jobs that standard input orders, one after the other.

    For each, standard output has a line with the number of its process, which leads a session of its own, and then one
    with its exit code, negative for a signal.
    """
    for line in sys.stdin.buffer:
        order = Order.decode(line)
        if order.job.does.startswith("genstamp."):
            _load()
        pid = os.fork()
        if pid == 0:
            _be_the_process_of(order)
        _, status = os.waitpid(pid, 0)
        os.write(1, f"{os.waitstatus_to_exitcode(status)}\n".encode())


@cache
def _load() -> None:
    """Load what most jobs need, the same for all: when Python collects garbage, and so what a run meets, depends on it.

    Only once a job of genstamp's own comes, so that others begin at once.
    """
    from genstamp.systems import every_system

    for name in ("conforming", "proving", "searching"):
        importlib.import_module(f"genstamp.verify.{name}")
    # A system that cannot be loaded is told by the jobs that need it.
    with contextlib.suppress(Exception):
        every_system()
    gc.freeze()


def _be_the_process_of(order: Order) -> NoReturn:
    """Do a job in this process, and end it."""
    os.setsid()
    os.write(1, f"{os.getpid()}\n".encode())
    code = 1
    try:
        with order.log.open("wb") as log, Path(os.devnull).open("rb") as nothing:
            for file, number in ((nothing, 0), (log, 1), (log, 2)):
                os.dup2(file.fileno(), number)
        os.chdir(order.context.repository)
        with order.rows.open("wb") as out:
            for row in rows_of(order.job, order.context):
                out.write(msgspec.json.encode(row) + b"\n")
                out.flush()
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    main()
