"""Rows of logs: what a report means, and what absent data means. What is read is tested with the logs."""

import pytest

from genstamp.logs.report import KeyCount, Report, SourceCount
from genstamp.verify.reading import absent, judged
from genstamp.verify.row import Verdict


def report(safety: str = "conformant", completion: str = "complete", rejects: int = 0) -> Report:
    keys = KeyCount("file", safety, completion, True, 1)  # type: ignore[arg-type]
    return Report(keys=(keys,), sources=(SourceCount("a.log", "hdfs-log", 5, 2, rejects),))


@pytest.mark.parametrize(
    ("found", "completion", "verdict"),
    [
        (report(), None, Verdict.HOLDS),
        (report(), "complete", Verdict.HOLDS),
        (report(completion="unfinished"), "unfinished", Verdict.HOLDS),
        (report(completion="unfinished"), "complete", Verdict.VIOLATED),
        (report(safety="violated", completion="unknown"), None, Verdict.VIOLATED),
        (report(safety="undetermined"), "complete", Verdict.UNDETERMINED),
        (report(rejects=1), "complete", Verdict.UNDETERMINED),
    ],
)
def test_a_row_holds_only_with_the_completion_that_it_claims(
    found: Report, completion: str | None, verdict: Verdict
) -> None:
    row = judged("logs", found, completion)
    assert row.verdict is verdict
    assert (row.count, row.unit) == (5, "events")


def test_absent_data_is_skipped_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GENSTAMP_REQUIRE_DATA", raising=False)
    row = absent("logs", "there is none")
    assert (row.verdict, row.note) == (Verdict.SKIPPED, "there is none")


def test_absent_data_fails_where_it_is_required(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GENSTAMP_REQUIRE_DATA", "1")
    assert absent("logs", "there is none").verdict is Verdict.FAILURE
