"""Table 1 of the GFS paper is what the systems give, and no longer under their faults."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from genstamp.cli.check.searches import Options
from genstamp.cli.verbs import app
from genstamp.gfs.table1 import CASES, COLUMNS, PAPER, Table1, shortest_run, table1
from genstamp_model.evaluate import Evaluator

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def computed() -> Table1:
    return table1()


def test_the_table_is_the_papers(computed: Table1) -> None:
    found = {(entry.column, entry.case): entry.weakest and entry.weakest.region for entry in computed.entries}
    assert found == PAPER
    assert computed.agrees
    assert not computed.undetermined


def test_stronger_outcomes_come_of_every_case_but_the_first(computed: Table1) -> None:
    reached = {entry.name: [one.region for one in entry.reached] for entry in computed.entries}
    assert reached == {
        "write.serial-success": ["defined"],
        "write.concurrent-successes": ["defined", "consistent but undefined"],
        "write.failure": ["defined", "consistent but undefined", "inconsistent"],
        "record-append.serial-success": ["defined", "defined interspersed with inconsistent"],
        "record-append.concurrent-successes": ["defined", "defined interspersed with inconsistent"],
        "record-append.failure": ["defined", "inconsistent"],
    }


def test_a_fault_spoils_a_success_of_its_column_alone() -> None:
    # Its configurations with three replicas have tens of millions of states; what it spoils shows with two.
    table = table1("part-of-a-record-taken-for-success", Options(max_states=4_000_000))
    wrong = [entry for entry in table.entries if not entry.agrees]
    assert {(entry.column, entry.case) for entry in wrong} <= {(COLUMNS[1], case) for case in CASES[:2]}
    assert {entry.weakest and entry.weakest.region for entry in wrong} == {"inconsistent"}


def test_a_shortest_run_is_a_run_and_as_long_as_it_is_said_to_be(computed: Table1) -> None:
    entry = computed.entry(COLUMNS[1], CASES[2])
    run = shortest_run(entry)
    assert entry.weakest is not None
    assert len(run) == entry.weakest.steps
    evaluator = Evaluator(run.instance)
    for before, step in zip(run.states, run.steps, strict=False):
        assert any(one.after == step.after for one in evaluator.steps(before))


def test_a_search_that_comes_to_no_end_leaves_the_table_undetermined() -> None:
    table = table1(options=Options(max_states=100))
    assert len(table.undetermined) == len(table.searched)
    assert not table.agrees


def test_the_command_tells_the_table_and_writes_the_runs(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["gfs", "table1", "--format", "json", "--trace", str(tmp_path / "runs")])
    assert result.exit_code == 0
    told = json.loads(result.stdout)
    assert told["agrees_with_paper"]
    assert {entry["name"]: len(entry["run"]["states"]) - 1 for entry in told["entries"]} == {
        entry["name"]: entry["reached"][-1]["steps"] for entry in told["entries"]
    }
    written = sorted(path.name for path in (tmp_path / "runs").iterdir())
    assert written == sorted(f"{entry['name']}.itf.json" for entry in told["entries"])


def test_the_command_tells_a_table_that_is_not_the_papers() -> None:
    result = CliRunner().invoke(app, ["gfs", "table1", "--bug", "order-of-arrival"])
    assert result.exit_code == 12
    assert "write.concurrent-successes is inconsistent with the fault order-of-arrival" in result.stdout


def test_the_command_shows_what_each_step_of_a_run_changes() -> None:
    result = CliRunner().invoke(app, ["gfs", "table1", "--entry", "write.failure"])
    assert result.exit_code == 0
    assert "content[chunkserver" in result.stdout


@pytest.mark.parametrize("arguments", [["--entry", "nothing"], ["--bug", "nothing"]])
def test_what_is_not_there_is_told_with_what_is(arguments: list[str]) -> None:
    result = CliRunner().invoke(app, ["gfs", "table1", *arguments])
    assert "order-of-arrival" in str(result.exception) or "write.failure" in str(result.exception)
