"""Does jobs in processes of their own, some at a time, and gathers their rows.

Not here: which jobs (`plan`), what is shown meanwhile (`genstamp.cli.verify`) and what is written of it (`results`).
"""

import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import ExitStack
from pathlib import Path
from queue import SimpleQueue
from typing import Final

import msgspec

from genstamp.errors import RunDirectoryError
from genstamp.verify.job import Context, Job, Order
from genstamp.verify.row import Row, Verdict
from genstamp.verify.worker import Worker, end_session

RUNS: Final = Path(".genstamp", "runs")
_LOOK_S: Final = 0.5
INTERRUPTED: Final = "interrupted"


class Progress(msgspec.Struct, frozen=True):
    """The progress of a run.

    Attributes:
        done: jobs that have ended.
        total: all jobs.
        running: seconds since it began, and the last line that it printed, by name of the job.
        seconds: since the run began.
    """

    done: int
    total: int
    running: dict[str, tuple[float, str]]
    seconds: float


def run_directory(repository: Path, wanted: Path | None = None) -> Path:
    """A new directory for one run: the wanted one, or the next number in `.genstamp/runs`.

    Raises:
        RunDirectoryError: the wanted one has something in it, or none can be made.
    """
    try:
        if wanted is not None:
            wanted.mkdir(parents=True, exist_ok=True)
            if any(wanted.iterdir()):
                raise RunDirectoryError(wanted, "it is not empty")
            return wanted.absolute()
        runs = repository / RUNS
        runs.mkdir(parents=True, exist_ok=True)
        taken = [int(path.name) for path in runs.iterdir() if path.name.isdecimal()]
        directory = runs / str(max(taken, default=0) + 1)
        directory.mkdir()
    except OSError as problem:
        raise RunDirectoryError(wanted or repository / RUNS, problem.strerror or str(problem)) from problem
    return directory.absolute()


class Run:
    """Jobs being done.

    Args:
        jobs: what to do; their names are different.
        context: what they share; its run directory exists.
        at_once: how many processes there may be.
    """

    def __init__(self, jobs: Sequence[Job], context: Context, at_once: int) -> None:
        assert at_once >= 1
        assert len({job.name for job in jobs}) == len(jobs)
        self._jobs = jobs
        self._context = context
        self._at_once = at_once
        self._began: dict[str, float] = {}
        self._processes: dict[str, int] = {}
        self._workers: SimpleQueue[Worker] = SimpleQueue()
        self._stopped = threading.Event()
        self._interrupted = threading.Event()
        self._files = context.directory / "jobs"

    def rows(self, watch: Callable[[Progress], None] = lambda progress: None) -> list[Row]:
        """Do all jobs.

        Args:
            watch: called with the progress of the run, about twice a second.

        Returns:
            The rows, in the order of the jobs; each job gave all the claims that it announced. Everything that an
            interrupt from the keyboard leaves open is undetermined.
        """
        began = time.monotonic()
        self._files.mkdir(exist_ok=True)
        with ExitStack() as ending, ThreadPoolExecutor(self._at_once) as pool:
            for _ in range(self._at_once):
                self._workers.put(ending.enter_context(Worker(self._context.repository)))
            # Longest first, so that none is left alone at the end.
            ordered = sorted(self._jobs, key=lambda job: -job.seconds)
            futures = {job.name: pool.submit(self._do, job) for job in ordered}
            try:
                pending = set(futures.values())
                while pending:
                    done, pending = wait(pending, _LOOK_S, FIRST_COMPLETED)
                    for future in done:
                        future.result()
                    watch(self._progress(len(futures) - len(pending), began))
            except KeyboardInterrupt:
                self._interrupted.set()
            finally:
                # Only an interruption finds something left to end here.
                self._stopped.set()
                for leader in list(self._processes.values()):
                    end_session(leader)
        return [row for job in self._jobs for row in futures[job.name].result()]

    @property
    def is_interrupted(self) -> bool:
        """Whether the keyboard has ended the run early."""
        return self._interrupted.is_set()

    def _progress(self, done: int, began: float) -> Progress:
        now = time.monotonic()
        running = {
            name: (now - self._began[name], _last_line(self._files / f"{name}.log")) for name in sorted(self._processes)
        }
        return Progress(done, len(self._jobs), running, now - began)

    def _do(self, job: Job) -> list[Row]:
        """Run one job in its own process; any failure becomes a row."""
        if self._stopped.is_set():
            return _complete(job, [], Verdict.UNDETERMINED, INTERRUPTED, 0.0)
        self._began[job.name] = time.monotonic()
        rows = self._files / f"{job.name}.jsonl"
        log = self._files / f"{job.name}.log"
        rows.touch()
        # Its last line may be asked for before the process has opened it.
        log.touch()
        order = Order(job, self._context, rows.absolute(), log.absolute())
        worker = self._workers.get()
        verdict, reason = Verdict.FAILURE, ""
        self._processes[job.name] = leader = worker.begin(order)
        code = None if self._stopped.is_set() else worker.exit_code(job.limit_s)
        if code is None:
            verdict, reason = Verdict.UNDETERMINED, f"given up after {job.limit_s:.0f} s"
        # Also what it started, and left.
        end_session(leader)
        code = worker.exit_code() if code is None else code
        if code is None:
            worker.end()
        del self._processes[job.name]
        self._workers.put(worker)
        if self._interrupted.is_set():
            verdict, reason = Verdict.UNDETERMINED, INTERRUPTED
        reason = reason or f"the job's process {_death(code)}"
        found = _complete(job, _read(rows), verdict, reason, time.monotonic() - self._began[job.name])
        return [_with_log(row, f"jobs/{log.name}") for row in found]


def _complete(job: Job, rows: list[Row], verdict: Verdict, reason: str, seconds: float) -> list[Row]:
    """The job's rows in the order of its claims, with one for each claim that it did not reach."""
    found = {row.claim: row for row in rows}
    rest = max(0.0, seconds - sum(row.seconds for row in rows))
    complete = []
    for claim in job.claims:
        complete.append(found.get(claim) or Row(claim=claim, verdict=verdict, seconds=rest, note=reason))
        rest = rest if claim in found else 0.0
    return complete


def _with_log(row: Row, log: str) -> Row:
    """A job's output belongs to a row that it could not judge."""
    is_judged = row.verdict not in (Verdict.FAILURE, Verdict.UNDETERMINED)
    return row if is_judged else msgspec.structs.replace(row, files=(*row.files, log))


def _read(rows: Path) -> list[Row]:
    """The rows in a file; its last line may be half written."""
    lines = rows.read_bytes().split(b"\n")[:-1]
    return [msgspec.json.decode(line, type=Row) for line in lines]


def _death(code: int | None) -> str:
    if code is None:
        return "was lost"
    return f"died of {signal.Signals(-code).name}" if code < 0 else f"ended with code {code} before its time"


def _last_line(log: Path) -> str:
    """The last line that a job has printed, without what a terminal would have drawn over."""
    with log.open("rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - 1000))
        lines = file.read().decode(errors="replace").splitlines()
    return next((line.strip() for line in reversed(lines) if line.strip()), "")
