"""Each twin is noticed by the judge that should, and the implementation itself passes what shows it."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from tests.conformance.patching import Patch, patched
from tests.conformance.twins.all_twins import TWINS, notice, notice_by_walk
from tests.conformance.twins.holes import HOLES, Hole
from tests.conformance.twins.judging import WALKS, Noticed, Twin, judge, judge_walk
from tests.conformance.twins.page import cells, hole_cells, walk_cell
from tests.conformance.twins.scenarios import Scenario

from genstamp_dfs.errors import ReplicaNotFoundException
from genstamp_dfs.hdfs.datanode.pipeline_operations import PipelineOperations
from genstamp_dfs.hdfs.datanode.repairs import Repair
from genstamp_dfs.hdfs.datanode.replicas import Replica
from genstamp_dfs.hdfs.protocol import Block

pytestmark = pytest.mark.slow

SCENARIOS = {twin.scenario.name: twin.scenario for twin in TWINS if twin.scenario is not None}


MAKE = "python -m tests.conformance.twins.page makes the page"
notice_once = cache(notice)


@cache
def notice_alone(hole: Hole) -> Noticed | None:
    """What is noticed with this hole open, and no other."""
    return hole.notice(hole.alone())


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.jira)
def test_a_twin_is_noticed(twin: Twin) -> None:
    noticed = notice_once(twin)
    assert noticed is not None
    assert noticed.judge is twin.judge
    assert twin.says in noticed.sentence


@pytest.mark.parametrize("hole", HOLES, ids=lambda hole: str(hole.name))
def test_a_hole_shows_and_its_repair_closes_it(hole: Hole) -> None:
    assert hole.notice(hole.scenario.options) is None
    noticed = notice_alone(hole)
    assert noticed is not None
    assert (noticed.judge, hole.says in noticed.sentence) == (hole.judge, True)
    with_all = hole.notice(hole.with_all())
    assert with_all is not None
    assert with_all.judge is hole.judge


def window_alone(self: PipelineOperations, replica: Replica, block: Block, new_stamp: int) -> None:
    """What goes on after a failure needs no new stamp: append alone does, as in the patches proposed upstream."""
    del self
    if not block.generation_stamp <= replica.generation_stamp <= new_stamp:
        raise ReplicaNotFoundException(replica.name)


def test_hdfs_17850_is_not_closed_by_a_check_in_append_alone() -> None:
    [hole] = (one for one in HOLES if one.name is Repair.PIPELINES_BRING_A_NEW_STAMP)
    with patched([Patch(PipelineOperations, "_check_stamp", window_alone)]):
        noticed = hole.notice(hole.scenario.options)
    assert noticed is not None
    assert hole.says in noticed.sentence


@pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=lambda scenario: scenario.name)
def test_the_implementation_itself_passes(scenario: Scenario) -> None:
    """The plans of the scenario up to those in which its twins are noticed."""
    noticed = [notice_once(twin) for twin in TWINS if twin.scenario is scenario]
    needed = max(one.plan for one in noticed if one is not None)
    assert judge(replace(scenario, plans=scenario.plans[:needed])) is None


def test_the_implementation_itself_can_be_walked_through() -> None:
    """The last walk, of hdfs.recovery, takes half a minute: verify has another one."""
    assert judge_walk(len(WALKS) - 1) is None


def test_the_page_says_what_the_runs_say(repository: Path) -> None:
    lines = (repository / "docs" / "twins.md").read_text().splitlines()
    rows = [line.rsplit(" | ", 2)[0] for line in lines if line.startswith(("| HDFS-", "| `"))]
    walked = {row.split(" | ")[0].lstrip("| "): row.rpartition("| ")[2] for row in rows if row.startswith("| HDFS-")}
    found = [(twin, notice_once(twin)) for twin in TWINS]
    shown = [(hole, notice_alone(hole)) for hole in HOLES]
    assert len({twin.jira for twin in TWINS}) == len(TWINS) >= 20
    expected = [[*cells(twin, noticed), walked[twin.jira]] for twin, noticed in found if noticed is not None]
    expected += [hole_cells(hole, noticed) for hole, noticed in shown if noticed is not None]
    assert rows == [f"| {' | '.join(row)}" for row in expected], MAKE
    # Those that the page says the walk does not notice would take a whole walk each; of the others, a few.
    by_walk = [twin for twin in TWINS if walked[twin.jira]]
    assert len(by_walk) >= 10
    few = [twin for twin in by_walk if walked[twin.jira] != f"`{WALKS[-1][0].name}`"][::4]
    assert [walked[twin.jira] for twin in few] == [walk_cell(notice_by_walk(twin)) for twin in few], MAKE
