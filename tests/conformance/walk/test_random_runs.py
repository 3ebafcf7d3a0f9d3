"""The record of random runs: a later call goes on with the next seed, and nothing of other steps is counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from genstamp.tables.model_coverage_page import page
from genstamp.walk import random_runs
from genstamp.walk.random_runs import RandomRunsError, Recorded, Slice

SYSTEM = "hdfs.replica"


def _slice(seed: int, verdict: str = "conforms") -> Slice:
    return Slice(seed=seed, runs=50, steps=60, events=2_000, seconds=30.0, verdict=verdict)


def _record(repository: Path, *made: Slice) -> Recorded:
    record = Recorded(semantics="hadoop-3.4", digest="one")
    for one in made:
        record = random_runs.add(repository, "3.4.1", SYSTEM, record, one)
    return record


def test_first_slice_has_the_seed_that_was_asked_for(tmp_path: Path) -> None:
    assert random_runs.read(tmp_path, "3.4.1") == {}
    assert Recorded(semantics="hadoop-3.4", digest="one").next_seed(7) == 7


def test_later_call_goes_on_after_what_is_recorded(tmp_path: Path) -> None:
    _record(tmp_path, _slice(7), _slice(8))
    found = random_runs.of(random_runs.read(tmp_path, "3.4.1"), SYSTEM, "hadoop-3.4", "one")
    assert [one.seed for one in found.slices] == [7, 8]
    assert found.next_seed(7) == 9


@pytest.mark.parametrize(("semantics", "digest"), [("hadoop-3.4", "another"), ("hadoop-3.5", "one")])
def test_slices_of_other_steps_do_not_count(tmp_path: Path, semantics: str, digest: str) -> None:
    _record(tmp_path, _slice(7))
    assert random_runs.of(random_runs.read(tmp_path, "3.4.1"), SYSTEM, semantics, digest).slices == []


def test_systems_of_a_release_are_recorded_side_by_side(tmp_path: Path) -> None:
    _record(tmp_path, _slice(7))
    other = Recorded(semantics="hadoop-3.4", digest="two")
    random_runs.add(tmp_path, "3.4.1", "hdfs.lease", other, _slice(3))
    assert {name: len(one.slices) for name, one in random_runs.read(tmp_path, "3.4.1").items()} == {
        "hdfs.lease": 1,
        SYSTEM: 1,
    }


def test_record_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / random_runs.RANDOM_RUNS / "3.4.1.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"hdfs.replica": 3}')
    with pytest.raises(RandomRunsError, match=r"run\.py --minutes N"):
        random_runs.read(tmp_path, "3.4.1")


def test_page_adds_up_the_slices(tmp_path: Path) -> None:
    _record(tmp_path, _slice(7), _slice(8, "rejected"), _slice(9, "undetermined"))
    text = page([], tmp_path)
    assert f"| {SYSTEM} | hadoop-3.4 | 3 | 150 | 6,000 | 1.5 | 1 | 1 | changed since |" in text
