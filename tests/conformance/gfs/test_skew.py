"""Two primaries of one chunk are possible exactly where clocks run apart by more than the master's grace.

Here for one lease; the page of the whole grid is compared by `genstamp verify`.
"""

import json
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner, Result

from genstamp.cli.check.searches import Options
from genstamp.cli.verbs import app
from genstamp.gfs import skew
from genstamp.gfs.skew import GRACES, JUST_BEYOND, LEASES, PROPERTY, SKEWS, Point, Setting, Sweep, point, shortest_run
from genstamp.gfs.skew_chart import chart
from genstamp_model.evaluate import Evaluator
from genstamp_spec.gfs.parts.lease_master import LeaseMaster
from genstamp_spec.gfs.systems.chunk_lease import CHUNK_LEASE

pytestmark = pytest.mark.slow

SVG = "{http://www.w3.org/2000/svg}"
FAULTS = [bug.name for bug in CHUNK_LEASE.bugs if PROPERTY in bug.breaks]
AS_EXPECTED: Final = Sweep(tuple(Point(one, 9 if one.beyond else None, 100, "") for one in skew.settings()))
"""The whole grid, as the formula has it; nothing was searched."""


@pytest.fixture(scope="module")
def swept() -> Sweep:
    with pytest.MonkeyPatch.context() as patch:
        for name, values in (("LEASES", (JUST_BEYOND.lease,)), ("GRACES", (0, 1)), ("SKEWS", (0, 1, 2))):
            patch.setattr(skew, name, values)
        found = skew.sweep()
    skew._points.cache_clear()
    return found


def test_two_primaries_are_possible_exactly_where_the_skew_exceeds_the_grace(swept: Sweep) -> None:
    possible = {(one.setting.grace, one.setting.skew) for one in swept.points if one.steps is not None}
    assert possible == {(0, 1), (0, 2), (1, 2)}
    assert len(swept.points) == 6
    assert not swept.undetermined
    assert not swept.against


def test_it_takes_longer_the_nearer_the_boundary_is(swept: Sweep) -> None:
    near, far = (swept.at(JUST_BEYOND.lease, 0, each).steps for each in (1, 2))
    assert near is not None and far is not None
    assert near > far


def test_the_shortest_run_is_a_run_that_ends_with_two_primaries(swept: Sweep) -> None:
    run = shortest_run(JUST_BEYOND)
    assert run is not None
    assert len(run) == swept.at(JUST_BEYOND.lease, JUST_BEYOND.grace, JUST_BEYOND.skew).steps
    evaluator = Evaluator(run.instance)
    for before, step in zip(run.states, run.steps, strict=False):
        assert any(one.after == step.after for one in evaluator.steps(before))
    [claim] = run.instance.model.properties
    assert [evaluator.holds(claim, state) for state in run.states] == [True] * len(run) + [False]


@pytest.mark.parametrize("bug", FAULTS)
def test_each_fault_allows_two_primaries_within_the_boundary(bug: str) -> None:
    found = point(Setting(1, 3, 2), bug)
    assert found.steps is not None
    assert not found.agrees


def test_a_search_that_comes_to_no_end_says_nothing() -> None:
    found = point(Setting(2, 1, 1), options=Options(max_states=100))
    assert found.undetermined
    assert found.steps is None


def test_a_search_in_which_clocks_cannot_tick_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(skew, "ClocksOfOneSpeed", LeaseMaster)
    assert point(Setting(4, 1, 0)).undetermined == "nothing took the steps chunkserver_clock_ticks"


def test_with_clocks_of_one_speed_a_shorter_wait_than_the_lease_is_too_short() -> None:
    assert point(Setting(JUST_BEYOND.lease, -1, 0)).steps is not None


def kinds_of_cells(swept: Sweep) -> list[str]:
    shapes = ElementTree.fromstring(chart(swept)).iter(f"{SVG}rect")
    return [kind for shape in shapes if "cell" in (kind := shape.get("class", ""))]


def test_the_picture_has_a_cell_for_each_point_and_a_boundary_between_unlike_neighbours() -> None:
    kinds = kinds_of_cells(AS_EXPECTED)
    assert kinds.count("cell two") == sum(one.steps is not None for one in AS_EXPECTED.points)
    assert kinds.count("cell one") == sum(one.steps is None for one in AS_EXPECTED.points)
    # Stairs: a step up each for all graces but the first, and a step to the right each for all skews but the last.
    lines = list(ElementTree.fromstring(chart(AS_EXPECTED)).iter(f"{SVG}line"))
    assert len(lines) == len(LEASES) * (len(GRACES) - 1 + len(SKEWS) - 1)


def test_the_picture_tells_what_is_not_known() -> None:
    unknown = Sweep(tuple(Point(setting, None, 100, "too long") for setting in skew.settings()))
    assert set(kinds_of_cells(unknown)) == {"cell unknown"}
    assert not list(ElementTree.fromstring(chart(unknown)).iter(f"{SVG}line"))


def told(monkeypatch: pytest.MonkeyPatch, *arguments: str, but: Point | None = None) -> Result:
    """What the command says of the grid as expected, but for one point."""
    points = (but if but is not None and one.setting == but.setting else one for one in AS_EXPECTED.points)
    found = Sweep(tuple(points))
    monkeypatch.setattr(skew, "sweep", lambda bug: found)
    return CliRunner().invoke(app, ["gfs", "skew", *arguments])


def test_the_command_tells_the_region_and_writes_run_and_picture(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run, picture = tmp_path / "run.itf.json", tmp_path / "region.svg"
    result = told(monkeypatch, "--format", "json", "--trace", str(run), "--picture", str(picture))
    assert result.exit_code == 0
    plain = json.loads(result.stdout)
    assert plain["formula_holds"]
    assert {(one["lease"], one["grace"], one["skew"]): one["steps"] for one in plain["points"]} == {
        (one.setting.lease, one.setting.grace, one.setting.skew): one.steps for one in AS_EXPECTED.points
    }
    assert json.loads(run.read_text(encoding="utf-8"))["states"] == plain["run"]["states"]
    assert picture.read_text(encoding="utf-8") == chart(AS_EXPECTED)


def test_the_command_says_where_the_formula_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    result = told(monkeypatch, but=Point(Setting(2, 2, 1), 9, 100, ""))
    assert result.exit_code == 12
    assert (
        "lease 2 ticks, grace 2 ticks, skew 1 tick: two primaries after 9 steps, against the formula" in result.stdout
    )
    assert f"at {len(AS_EXPECTED.points) - 1} of {len(AS_EXPECTED.points)} points" in result.stdout


def test_the_command_says_what_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    result = told(monkeypatch, but=Point(Setting(4, 3, 3), None, 100, "stopped at 100 states"))
    assert result.exit_code == 3
    assert "undetermined: stopped at 100 states" in result.stdout


def test_a_fault_that_is_not_there_is_told_with_those_that_are() -> None:
    result = CliRunner().invoke(app, ["gfs", "skew", "--bug", "nothing"])
    assert "no-margin-for-clocks" in str(result.exception)
