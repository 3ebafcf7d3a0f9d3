"""What is written of a run: the table, JSON, JUnit."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.conformance.report.sarif_form import places, well_formed

from genstamp.report import Format, Place, Stage
from genstamp.verify.results import Results, in_form, table_lines, write
from genstamp.verify.row import Row, Verdict, worst


def row(verdict: Verdict, claim: str = "check one", **fields: object) -> Row:
    return Row(claim=claim, verdict=verdict, **fields)  # type: ignore[arg-type]


def results(*rows: Row) -> Results:
    return Results(rows=rows, seconds=83.4, seed=7, directory=".genstamp/runs/1")


EVERY = results(
    row(Verdict.HOLDS, "check one", count=6582011, unit="states", seconds=12.34),
    row(Verdict.VIOLATED, "check two", note="it broke", story=("1. a step \x1b[1m <&>",), files=("two.txt",)),
    row(Verdict.UNDETERMINED, "prove one", note="no time left"),
    row(Verdict.FAILURE, "diagrams lifecycles", note="no such file"),
    row(Verdict.SKIPPED, "logs one", note="no data"),
)


@pytest.mark.parametrize(
    ("verdicts", "code"),
    [
        ([Verdict.HOLDS], 0),
        ([Verdict.HOLDS, Verdict.SKIPPED], 0),
        ([Verdict.HOLDS, Verdict.UNDETERMINED], 3),
        ([Verdict.UNDETERMINED, Verdict.FAILURE], 75),
        ([Verdict.FAILURE, Verdict.VIOLATED, Verdict.UNDETERMINED], 12),
        ([Verdict.SKIPPED], 75),
        ([], 75),
    ],
)
def test_exit_code_is_that_of_the_worst_verdict(verdicts: list[Verdict], code: int) -> None:
    assert results(*(row(verdict) for verdict in verdicts)).exit_code == code


def test_nothing_looked_at_is_no_pass() -> None:
    assert worst([]) is Verdict.FAILURE


def test_table_has_a_line_for_each_row_and_says_what_does_not_hold() -> None:
    lines = list(table_lines(EVERY))
    assert lines[1] == "check one            holds         6,582,011 states     12.3"
    assert [line.split("  ")[0].strip() for line in lines[1:6]] == [row.claim for row in EVERY.rows]
    text = "\n".join(lines)
    assert "violated: check two: it broke\n  1. a step" in text
    assert "see .genstamp/runs/1/two.txt" in text
    assert "skipped: logs one: no data" in text
    assert lines[-2].startswith("1 holds, 1 violated, 1 undetermined, 1 failure, 1 skipped; 83 s, seed 7, exit code 12")


def test_json_has_every_field() -> None:
    found = json.loads(in_form(Format.JSON, EVERY))
    assert (found["verdict"], found["exit_code"], found["seed"]) == ("violated", 12, 7)
    assert found["rows"][0]["count"] == 6582011
    assert found["rows"][1]["files"] == ["two.txt"]


def test_junit_counts_and_tells_each_row() -> None:
    suite = ElementTree.fromstring(in_form(Format.JUNIT, EVERY))
    counts = {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "5", "failures": "1", "errors": "2", "skipped": "1"}
    told = {case.get("name"): [child.tag for child in case] for case in suite}
    assert [case.get("name") for case in suite] == ["one", "two", "one", "lifecycles", "one"]
    assert told["two"] == ["failure"]
    assert told["lifecycles"] == ["error"]
    assert suite[0].get("classname") == "genstamp.verify.check"


def test_junit_is_xml_whatever_a_story_holds() -> None:
    failure = ElementTree.fromstring(in_form(Format.JUNIT, EVERY)).find(".//failure")
    assert failure is not None
    assert failure.text == "1. a step \N{REPLACEMENT CHARACTER}[1m <&>"


def test_sarif_shows_what_is_no_pass_at_its_line() -> None:
    place, steps = Place("spec/leases.py", 7), (Stage("grant", Place("spec/leases.py", 3)),)
    rows = results(*EVERY.rows, row(Verdict.VIOLATED, "check three", note="broken", place=place, steps=steps))
    run = well_formed(json.loads(in_form(Format.SARIF, rows)))
    judged = [one.claim for one in rows.rows if one.verdict is not Verdict.SKIPPED]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == judged
    found = {one["ruleId"]: one for one in run["results"]}
    assert [one["level"] for one in found.values()] == ["error", "warning", "error", "error"]
    assert [at["region"]["startLine"] for at in places(found["check three"])] == [7, 3]
    assert all(list(places(one)) for one in found.values())


def test_github_sums_up_all_rows() -> None:
    lines = in_form(Format.GITHUB, EVERY).splitlines()
    assert [line.partition(" ")[0] for line in lines] == ["::error", "::warning", "::error", "::notice", "::notice"]
    assert lines[-1].endswith("::1 passed, 1 failed, 1 could not be judged, 1 undetermined, 1 skipped")


def test_run_directory_gets_all(tmp_path: Path) -> None:
    write(EVERY, tmp_path)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["junit.xml", "results.json", "results.sarif", "table.txt"]
