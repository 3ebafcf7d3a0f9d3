"""What `genstamp verify` looks at in a few minutes."""

from pathlib import Path

import pytest

from genstamp import lock
from genstamp.systems import PLACES, system_named
from genstamp.verify import plan, quick, summing
from genstamp.verify.job import Context, Job, rows_of
from genstamp.verify.row import Row, Verdict

MOST_ROWS = 30


@pytest.fixture(scope="module")
def planned(repository: Path) -> plan.Plan:
    return quick.quick(repository)


@pytest.fixture
def context(repository: Path, tmp_path: Path) -> Context:
    return Context(repository=repository, directory=tmp_path, data=None, seed=0)


def _job(planned: plan.Plan, name: str) -> Job:
    (job,) = (job for job in planned.jobs if job.name == name)
    return job


def test_every_system_is_looked_at_and_the_table_is_short(planned: plan.Plan) -> None:
    claims = [claim for job in planned.jobs for claim in job.claims]
    checked = [claim.removeprefix("check ").partition(":")[0] for claim in claims if claim.startswith("check ")]
    assert checked == list(PLACES)
    rows = planned.rows([Row(claim=claim, verdict=Verdict.HOLDS, count=1, unit="states") for claim in claims])
    assert len(rows) <= MOST_ROWS
    assert rows[0].looked_at == f"{sum(not name.startswith('gfs.') for name in PLACES)} states"


def test_a_fault_of_each_kind_is_looked_for_where_the_lock_has_the_fewest_states(
    planned: plan.Plan, repository: Path
) -> None:
    locked = lock.read(repository / summing.LOCK)["hdfs.lease"].variations
    system = system_named("hdfs.lease")
    names = _job(planned, "sample_hdfs.lease").arguments["names"]
    kinds = {system.bug(name).kind: locked[name].distinct for name in names.values()}
    for kind, states in kinds.items():
        assert states == min(locked[one.name].distinct for one in system.variations if one.kind == kind)
    assert set(kinds) == {"bug", "hole", "difference"}


def test_what_does_not_hold_keeps_its_row() -> None:
    rows = [
        Row(claim="check hdfs.a:one", verdict=Verdict.HOLDS, count=2, unit="states", seconds=1),
        Row(claim="check hdfs.b:one", verdict=Verdict.VIOLATED, count=3, unit="states"),
        Row(claim="check gfs.c:one", verdict=Verdict.HOLDS, count=4, unit="states"),
        Row(claim="check hdfs.d:one", verdict=Verdict.HOLDS, count=5, unit="states", seconds=2),
        Row(claim="conform hdfs.a: x", verdict=Verdict.HOLDS),
    ]
    shown = quick.together(rows)
    assert [(row.claim, row.verdict, row.count, row.seconds) for row in shown] == [
        ("check HDFS, smallest configuration of 2 systems", Verdict.HOLDS, 7, 3),
        ("check hdfs.b:one", Verdict.VIOLATED, 3, 0),
        ("check GFS, smallest configuration of 1 systems", Verdict.HOLDS, 4, 0),
        ("conform hdfs.a: x", Verdict.HOLDS, None, 0),
    ]


def test_a_sample_of_a_system_agrees_with_the_lock(planned: plan.Plan, context: Context, repository: Path) -> None:
    job = _job(planned, "sample_hdfs.monitor")
    rows = list(rows_of(job, context))
    assert [row.claim for row in rows] == list(job.claims)
    assert {row.verdict for row in rows} == {Verdict.HOLDS}
    path = repository / summing.LOCK
    assert summing.locked("lock", rows, job.claims, path, None).verdict is Verdict.HOLDS
    assert summing.locked("lock", rows, [*job.claims, "check another"], path, None).verdict is Verdict.UNDETERMINED


def test_what_differs_from_the_lock_is_noticed(context: Context, planned: plan.Plan, tmp_path: Path) -> None:
    rows = list(rows_of(_job(planned, "sample_hdfs.single_writer"), context))
    found = summing.found_in(rows)
    semantics = next(iter(found["hdfs.single_writer"].semantics.values()))
    (entry,) = semantics.searches.values()
    path = tmp_path / "spec.lock"
    lock.write(path, found)
    text = path.read_text().replace(f'"distinct": {entry.distinct}', f'"distinct": {entry.distinct + 1}')
    path.write_text(text)
    assert summing.locked("lock", rows, [], path, None).verdict is Verdict.VIOLATED


@pytest.mark.slow
def test_the_two_invariants_are_proved(planned: plan.Plan, context: Context) -> None:
    """One is proved here, the other by verify."""
    assert all(_job(planned, f"prove_{system}") for system in quick.PROVED)
    (row,) = rows_of(_job(planned, "prove_hdfs.recovery"), context)
    assert (row.verdict, row.note.partition(",")[0]) == (Verdict.HOLDS, quick.PROVED["hdfs.recovery"][0])


@pytest.mark.slow
def test_logs_are_read_without_spark(planned: plan.Plan, context: Context) -> None:
    rows = {row.claim: row.verdict for row in rows_of(_job(planned, "logs"), context)}
    assert [verdict for claim, verdict in rows.items() if "hdfs-12070" not in claim] == [Verdict.HOLDS] * 3


def test_what_apache_hdfs_has_shown_is_not_claimed_anew(planned: plan.Plan) -> None:
    rows = [row for row in planned.recorded if row.claim.startswith("walk Apache HDFS ")]
    assert len(rows) >= 4
    assert {row.verdict for row in rows} == {Verdict.SKIPPED}
    assert all("not run here; recorded 20" in row.note for row in rows)
