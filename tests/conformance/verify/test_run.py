"""A run: every job in a process of its own, whatever happens to it told as a row."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from genstamp.errors import RunDirectoryError
from genstamp.verify.job import Context, Job, Order
from genstamp.verify.row import Row, Verdict
from genstamp.verify.run import Progress, Run, run_directory
from genstamp.verify.worker import Worker

Rows = Callable[..., list[Row]]


def job(does: str, *claims: str, limit_s: float = 60.0, **arguments: object) -> Job:
    """A pretended job, named as what it does."""
    return Job(name=does, claims=claims, does=f"pretended_jobs:{does}", arguments=arguments, limit_s=limit_s)


@pytest.fixture
def rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rows:
    """The rows of a run of some jobs."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    context = Context(repository=tmp_path, directory=tmp_path, data=None, seed=0)
    return lambda *jobs, **options: Run(jobs, context, at_once=2).rows(**options)


@pytest.mark.slow
def test_rows_come_in_the_order_of_the_jobs(rows: Rows) -> None:
    jobs = [job("holds", "first", claim="first"), job("breaks", "second", claim="second")]
    assert [(row.claim, row.verdict) for row in rows(*jobs)] == [
        ("first", Verdict.HOLDS),
        ("second", Verdict.VIOLATED),
    ]


@pytest.mark.slow
def test_a_job_has_a_log_before_its_process_begins(rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    begin, found = Worker.begin, []

    def begun(worker: Worker, order: Order) -> int:
        found.append(order.log.exists())
        return begin(worker, order)

    monkeypatch.setattr(Worker, "begin", begun)
    rows(job("holds", "first", claim="first"))
    assert found == [True]


@pytest.mark.slow
def test_one_job_failing_does_not_stop_the_others(rows: Rows, tmp_path: Path) -> None:
    jobs = [job("dies", "a", "b", claim="a"), job("raises_other", "c"), job("holds", "d", claim="d")]
    found = {row.claim: row for row in rows(*jobs)}
    assert {claim: row.verdict for claim, row in found.items()} == {
        "a": Verdict.HOLDS,
        "b": Verdict.FAILURE,
        "c": Verdict.FAILURE,
        "d": Verdict.HOLDS,
    }
    assert "died of SIGKILL" in found["b"].note
    assert found["c"].note == "KeyError: 'missing'"
    assert found["c"].files == ("jobs/raises_other.log",)
    assert "Traceback" in (tmp_path / "jobs" / "raises_other.log").read_text()


@pytest.mark.slow
def test_claims_that_were_not_reached_are_failures(rows: Rows) -> None:
    found = rows(job("raises_ours", "reached", "not reached", claim="reached"))
    assert [(row.verdict, row.note) for row in found] == [
        (Verdict.HOLDS, ""),
        (Verdict.FAILURE, "the text is wrong"),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("does", ["nowhere", "gives_something_else"])
def test_a_job_that_is_wrong_in_itself_is_a_failure(rows: Rows, does: str) -> None:
    assert [row.verdict for row in rows(job(does, "a"))] == [Verdict.FAILURE]


@pytest.mark.slow
def test_a_job_that_takes_too_long_is_undetermined_and_ended(rows: Rows, tmp_path: Path) -> None:
    found = rows(job("hangs", "a", claim="a", limit_s=2.0))
    assert [(row.verdict, row.note) for row in found] == [(Verdict.UNDETERMINED, "given up after 2 s")]
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


@pytest.mark.slow
def test_an_interruption_ends_what_was_begun(rows: Rows, tmp_path: Path) -> None:
    def interrupt(progress: Progress) -> None:
        if progress.done and (tmp_path / "pid").is_file() and (tmp_path / "pid").read_text():
            raise KeyboardInterrupt

    found = rows(job("hangs", "a", claim="a"), job("holds", "b", claim="b"), watch=interrupt)
    assert [(row.claim, row.verdict) for row in found if row.note == "interrupted"] == [("a", Verdict.UNDETERMINED)]
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


@pytest.mark.slow
def test_what_a_job_prints_is_kept_and_shown(rows: Rows, tmp_path: Path) -> None:
    seen: list[Progress] = []
    rows(job("holds", "a", claim="a"), watch=seen.append)
    assert (tmp_path / "jobs" / "holds.log").read_text() == "looking\n"
    assert (seen[-1].done, seen[-1].total) == (1, 1)


def test_runs_are_numbered(tmp_path: Path) -> None:
    assert [run_directory(tmp_path).name for _ in range(3)] == ["1", "2", "3"]
    (tmp_path / ".genstamp" / "runs" / "17").mkdir()
    assert run_directory(tmp_path) == tmp_path / ".genstamp" / "runs" / "18"


def test_a_wanted_directory_must_be_empty(tmp_path: Path) -> None:
    assert run_directory(tmp_path, tmp_path / "here") == tmp_path / "here"
    (tmp_path / "here" / "precious").touch()
    with pytest.raises(RunDirectoryError, match="not empty"):
        run_directory(tmp_path, tmp_path / "here")


def test_a_directory_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(RunDirectoryError, match="file/below"):
        run_directory(tmp_path, tmp_path / "file" / "below")
