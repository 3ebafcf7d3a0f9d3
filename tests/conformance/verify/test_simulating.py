"""The row of simulated runs: what it counts, and that it tells of a promise that was broken."""

from pathlib import Path

import pytest

from genstamp.verify.job import Context
from genstamp.verify.row import Row, Verdict
from genstamp.verify.simulating import simulate, simulate_gfs
from genstamp_dfs.simulation import sweep
from genstamp_dfs.simulation.outcomes import SeedOutcome


def row(tmp_path: Path, runs: int) -> Row:
    (made,) = simulate(Context(repository=tmp_path, directory=tmp_path, data=None, seed=0), "simulate", runs)
    return made


@pytest.mark.slow
def test_runs_that_keep_their_promises_hold(tmp_path: Path) -> None:
    made = row(tmp_path, 3)
    assert (made.verdict, made.looked_at) == (Verdict.HOLDS, "3 runs")
    assert "none of them lost within the promise" in made.note
    assert made.data["failed"] == {}


def test_a_broken_promise_is_told_with_its_seed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lose(seed: int, **_: object) -> SeedOutcome:
        return SeedOutcome(seed, seed != 1, ("/a lost 5 bytes",) if seed == 1 else (), {"events": 1})

    monkeypatch.setattr(sweep, "run_one", lose)
    made = row(tmp_path, 3)
    assert made.verdict is Verdict.VIOLATED
    assert made.note == "1 of 3 runs broke a promise; the first has seed 1"
    assert made.story == ("seed 1: /a lost 5 bytes",)


@pytest.mark.slow
def test_runs_of_gfs_that_keep_their_promises_hold(tmp_path: Path) -> None:
    context = Context(repository=tmp_path, directory=tmp_path, data=None, seed=0)
    (made,) = simulate_gfs(context, "simulate", 3)
    assert (made.verdict, made.looked_at) == (Verdict.HOLDS, "3 runs")
    assert "none of them lost" in made.note
    assert made.data["totals"]["records acknowledged"] > 0
