"""Two primaries of one chunk are possible exactly where clocks run apart by more than the master's grace."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from genstamp.cli.check.searches import Options
from genstamp.cli.verbs import app
from genstamp.gfs import skew
from genstamp.gfs.skew import GRACES, JUST_BEYOND, LEASES, PROPERTY, SKEWS, Point, Setting, Sweep, point, shortest_run
from genstamp.gfs.skew_chart import chart
from genstamp.tables import gfs_skew_page
from genstamp_model.evaluate import Evaluator
from genstamp_spec.gfs.parts.lease_master import LeaseMaster
from genstamp_spec.gfs.systems.chunk_lease import CHUNK_LEASE

pytestmark = pytest.mark.slow

DOCS = Path(__file__).resolve().parents[3] / "docs"
SVG = "{http://www.w3.org/2000/svg}"
FAULTS = [bug.name for bug in CHUNK_LEASE.bugs if PROPERTY in bug.breaks]


@pytest.fixture(scope="module")
def swept() -> Sweep:
    return skew.sweep()


def test_two_primaries_are_possible_exactly_where_the_skew_exceeds_the_grace(swept: Sweep) -> None:
    possible = {one.setting for one in swept.points if one.steps is not None}
    assert possible == {
        Setting(lease, grace, skew) for lease in LEASES for grace in GRACES for skew in SKEWS if skew > grace
    }
    assert not swept.undetermined
    assert not swept.against


def test_the_grid_has_both_sides_of_the_boundary_for_every_lease(swept: Sweep) -> None:
    for lease in LEASES:
        assert {one.steps is None for one in swept.points if one.setting.lease == lease} == {False, True}


def test_it_takes_longer_the_nearer_the_boundary_is(swept: Sweep) -> None:
    for lease in LEASES:
        for grace in GRACES:
            steps = [steps for each in SKEWS if (steps := swept.at(lease, grace, each).steps) is not None]
            assert steps == sorted(steps, reverse=True)


def test_the_shortest_run_is_a_run_that_ends_with_two_primaries(swept: Sweep) -> None:
    run = shortest_run(JUST_BEYOND)
    assert run is not None
    assert len(run) == swept.at(JUST_BEYOND.lease, JUST_BEYOND.grace, JUST_BEYOND.skew).steps
    evaluator = Evaluator(run.instance)
    for before, step in zip(run.states, run.steps, strict=False):
        assert any(one.after == step.after for one in evaluator.steps(before))
    [claim] = run.instance.model.properties
    assert [evaluator.holds(claim, state) for state in run.states] == [True] * len(run) + [False]
    assert shortest_run(Setting(JUST_BEYOND.lease, JUST_BEYOND.grace, JUST_BEYOND.skew - 1)) is None


@pytest.mark.parametrize("bug", FAULTS)
@pytest.mark.parametrize("setting", [Setting(1, 3, 2), Setting(4, 2, 1)], ids=str)
def test_each_fault_allows_two_primaries_within_the_boundary(bug: str, setting: Setting) -> None:
    assert point(setting).steps is None
    found = point(setting, bug)
    assert found.steps is not None
    assert not found.agrees


def test_a_search_that_comes_to_no_end_says_nothing() -> None:
    found = point(Setting(2, 1, 1), options=Options(max_states=100))
    assert found.undetermined
    assert found.steps is None


def test_a_search_in_which_clocks_cannot_tick_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(skew, "ClocksOfOneSpeed", LeaseMaster)
    assert point(Setting(4, 1, 0)).undetermined == "nothing took the steps chunkserver_clock_ticks"


@pytest.mark.parametrize("lease", LEASES)
def test_clocks_of_one_speed_need_no_grace_and_a_shorter_wait_would_be_too_short(lease: int) -> None:
    assert point(Setting(lease, 0, 0)).steps is None
    assert point(Setting(lease, -1, 0)).steps is not None


def test_the_page_and_its_picture_are_what_the_searches_give() -> None:
    """As `genstamp verify` has it; here so that a change of the system is told to who makes it."""
    written = {name: (DOCS / name).read_text(encoding="utf-8") for name in ("gfs-skew.md", gfs_skew_page.PICTURE)}
    made = {"gfs-skew.md": gfs_skew_page.page(), gfs_skew_page.PICTURE: gfs_skew_page.picture()}
    assert made == written, "write them with: genstamp tables"


def test_the_picture_has_a_cell_for_each_point_and_a_boundary_between_unlike_neighbours(swept: Sweep) -> None:
    drawn = ElementTree.fromstring(chart(swept))
    kinds = [shape.get("class") for shape in drawn.iter(f"{SVG}rect") if "cell" in shape.get("class", "")]
    assert kinds.count("cell two") == sum(one.steps is not None for one in swept.points)
    assert kinds.count("cell one") == sum(one.steps is None for one in swept.points)
    # Stairs: a step up each for all graces but the first, and a step to the right each for all skews but the last.
    lines = [line for line in drawn.iter(f"{SVG}line") if line.get("class") == "boundary"]
    assert len(lines) == len(LEASES) * (len(GRACES) - 1 + len(SKEWS) - 1)


def test_the_picture_tells_what_is_not_known() -> None:
    unknown = Sweep(tuple(Point(setting, None, 100, "too long") for setting in skew.settings()))
    drawn = ElementTree.fromstring(chart(unknown))
    assert {shape.get("class") for shape in drawn.iter(f"{SVG}rect") if "cell" in shape.get("class", "")} == {
        "cell unknown"
    }
    assert not list(drawn.iter(f"{SVG}line"))


def test_the_command_tells_the_region_and_writes_run_and_picture(swept: Sweep, tmp_path: Path) -> None:
    run, picture = tmp_path / "run.itf.json", tmp_path / "region.svg"
    asked = ["gfs", "skew", "--format", "json", "--trace", str(run), "--picture", str(picture)]
    result = CliRunner().invoke(app, asked)
    assert result.exit_code == 0
    told = json.loads(result.stdout)
    assert told["formula_holds"]
    assert {(one["lease"], one["grace"], one["skew"]): one["steps"] for one in told["points"]} == {
        (one.setting.lease, one.setting.grace, one.setting.skew): one.steps for one in swept.points
    }
    assert json.loads(run.read_text(encoding="utf-8"))["states"] == told["run"]["states"]
    assert picture.read_text(encoding="utf-8") == chart(swept)


def test_the_command_says_where_the_formula_is_wrong(swept: Sweep, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = Point(Setting(2, 2, 1), 9, 100, "")
    points = tuple(wrong if one.setting == wrong.setting else one for one in swept.points)
    monkeypatch.setattr(skew, "sweep", lambda bug: Sweep(points, bug))
    result = CliRunner().invoke(app, ["gfs", "skew"])
    assert result.exit_code == 12
    assert (
        "lease 2 ticks, grace 2 ticks, skew 1 tick: two primaries after 9 steps, against the formula" in result.stdout
    )
    assert f"at {len(points) - 1} of {len(points)} points" in result.stdout


def test_the_command_says_what_is_not_known(swept: Sweep, monkeypatch: pytest.MonkeyPatch) -> None:
    open_point = Point(Setting(4, 3, 3), None, 100, "stopped at 100 states")
    points = tuple(open_point if one.setting == open_point.setting else one for one in swept.points)
    monkeypatch.setattr(skew, "sweep", lambda bug: Sweep(points, bug))
    result = CliRunner().invoke(app, ["gfs", "skew"])
    assert result.exit_code == 3
    assert "undetermined: stopped at 100 states" in result.stdout


def test_a_fault_that_is_not_there_is_told_with_those_that_are() -> None:
    result = CliRunner().invoke(app, ["gfs", "skew", "--bug", "nothing"])
    assert "no-margin-for-clocks" in str(result.exception)
