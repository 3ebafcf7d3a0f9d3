"""The report: what a run is, by its keys and sources, and how it is shown."""

import json

import pytest
from defusedxml.ElementTree import fromstring
from tests.conformance.report.sarif_form import places, well_formed

from genstamp.logs.report import (
    Completion,
    Finding,
    KeyCount,
    OpenCount,
    Report,
    RuleCount,
    Safety,
    SourceCount,
    cases,
    plain,
    text,
)
from genstamp.logs.tables import Key
from genstamp.report import Format, document
from genstamp.report.junit import junit

READ = SourceCount("a.log", "log", 10, 15, 0)
DAMAGED = SourceCount("b.log.gz", "log", 3, 5, 1)

FINDING = Finding(
    "BP-1", "block", "7", "violated", "start_recovery", ("UNDER_RECOVERY",), "recovery id 1002 is not above 1002",
    "start_recovery with recovery id above 1002", "a.log:3",
)  # fmt: skip


def _keys(*counts: tuple[str, Safety, Completion]) -> tuple[KeyCount, ...]:
    return tuple(KeyCount(kind, safety, completion, True, 1) for kind, safety, completion in counts)


COMPLETE: tuple[str, Safety, Completion] = ("block", "conformant", "complete")


@pytest.mark.parametrize(
    ("keys", "sources", "safety"),
    [
        ([COMPLETE], [READ], "conformant"),
        ([COMPLETE, ("lease", "violated", "unknown")], [READ], "violated"),
        ([COMPLETE, ("lease", "undetermined", "unknown")], [READ], "undetermined"),
        ([("file", "violated", "unknown"), ("lease", "undetermined", "unknown")], [DAMAGED], "violated"),
        ([COMPLETE], [READ, DAMAGED], "undetermined"),
        ([], [READ], "undetermined"),
    ],
    ids=["all conform", "one violated", "one undetermined", "violated comes first", "damaged source", "no event"],
)
def test_run_is_as_safe_as_its_worst_key(
    keys: list[tuple[str, Safety, Completion]], sources: list[SourceCount], safety: str
) -> None:
    report = Report(_keys(*keys), tuple(sources))
    assert report.safety == safety
    assert report.exit_code() == {"conformant": 0, "violated": 12, "undetermined": 3}[safety]


@pytest.mark.parametrize(
    ("keys", "completion"),
    [
        ([COMPLETE], "complete"),
        ([COMPLETE, ("file", "conformant", "unfinished")], "unfinished"),
        ([COMPLETE, ("file", "conformant", "unknown")], "unknown"),
        ([COMPLETE, ("replica", "conformant", "unfinished")], "complete"),
        ([COMPLETE, ("lease", "conformant", "unfinished")], "complete"),
        ([("replica", "conformant", "complete")], "unknown"),
    ],
    ids=["complete", "open file", "unclear file", "replica left behind", "lease held", "no file and no block"],
)
def test_files_and_blocks_decide_whether_a_run_is_complete(
    keys: list[tuple[str, Safety, Completion]], completion: str
) -> None:
    assert Report(_keys(*keys), (READ,)).completion == completion


def test_a_run_of_which_something_could_not_be_read_is_not_complete() -> None:
    assert Report(_keys(COMPLETE), (READ, DAMAGED)).completion == "unknown"
    assert Report(_keys(COMPLETE, ("file", "conformant", "unfinished")), (DAMAGED,)).completion == "unfinished"


def test_files_that_were_not_read_are_told_last() -> None:
    report = Report(_keys(COMPLETE), (READ,), notes=(("VERSION", "not read: text"), ("a.log", "of another run")))
    assert text(report).endswith(
        "conformant, complete in what was read, without 1 file; 10 events in 15 lines of 1 file, 1 key, 0.0 s"
    )


def test_key_whose_life_has_not_begun_owes_nothing() -> None:
    talked_of = KeyCount("block", "conformant", "unknown", False, 1)
    assert Report((*_keys(COMPLETE), talked_of), (READ,)).completion == "complete"


@pytest.mark.parametrize(("completion", "code"), [("complete", 0), ("unfinished", 13), ("unknown", 3)])
def test_completion_counts_where_it_is_required(completion: Completion, code: int) -> None:
    report = Report(_keys(("file", "conformant", completion)), (READ,))
    assert report.exit_code() == 0
    assert report.exit_code(require_complete=True) == code


def test_violation_is_told_with_the_check_that_failed() -> None:
    report = Report(_keys(("block", "violated", "unknown")), (READ,), (FINDING,))
    assert text(report).splitlines() == [
        " kind  conformant  violated  undetermined  complete  unfinished  unknown",
        "block           0         1             0         0           0        1",
        "",
        "decided on the fast path: 1 of 1 keys, 100.00 %; on the slow path: 0",
        "",
        "violated: block 7 of BP-1",
        "  rejected   start_recovery at a.log:3",
        "  before     UNDER_RECOVERY",
        "  because    recovery id 1002 is not above 1002",
        "  accepted   start_recovery with recovery id above 1002",
        "",
        "violated, unknown; 10 events in 15 lines of 1 file, 1 key, 0.0 s",
    ]


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ([("file", "conformant", "complete")], "conformant, complete; "),
        (
            [("file", "conformant", "unfinished"), ("block", "conformant", "unfinished")],
            "conformant, 1 block and 1 file open; ",
        ),
        (
            [
                ("file", "conformant", "unfinished"),
                ("block", "conformant", "unknown"),
                ("lease", "conformant", "unknown"),
            ],
            "conformant, 1 file open, 1 block whose end no line shows; ",
        ),
        ([("replica", "conformant", "unknown")], "conformant; "),
        ([("file", "violated", "unknown"), ("block", "conformant", "unfinished")], "violated, unfinished; "),
    ],
)
def test_what_is_open_is_no_headline_of_its_own(keys: list[tuple[str, Safety, Completion]], told: str) -> None:
    assert text(Report(_keys(*keys), (READ,))).splitlines()[-1].startswith(told)


def test_violations_are_told_by_rule() -> None:
    rules = (
        RuleCount("block", "violated", "start_recovery", "recovery id N is not above N", 2, ("a.log:3", "a.log:9")),
        RuleCount("file", "undetermined", "", "no order was found among N situations", 1),
    )
    keys = (KeyCount("block", "violated", "unknown", True, 2, 1), KeyCount("file", "undetermined", "unknown", True, 1))
    told = text(Report(keys, (READ,), rules=rules))
    assert "\ndecided on the fast path: 2 of 3 keys, 66.67 %; on the slow path: 1\n" in told
    assert (
        "\nby rule:\n"
        "  2 blocks violated: start_recovery: recovery id N is not above N, first at a.log:3\n"
        "  1 file undetermined: no order was found among N situations\n"
    ) in told


def test_what_is_left_open_is_told_in_every_form() -> None:
    left = OpenCount("file", ("under construction",), 1, (Key("BP-1", "file", "/a\x1b[2J"),))
    report = Report(_keys(("file", "conformant", "unfinished")), (READ,), unfinished=(left,))
    told = "1 file left under construction: /a\\x1b[2J"
    assert f"\nunfinished:\n  {told}\n" in text(report)
    assert json.loads(json.dumps(plain(report)))["unfinished"][0]["first"][0]["entity"] == "/a\x1b[2J"
    suite = fromstring(junit("genstamp logs check", list(cases(report, require_complete=True))))
    assert [failure.text for failure in suite.iter("failure")] == [told]


def test_names_in_logs_are_no_commands_to_a_terminal() -> None:
    hostile = Finding("BP-1", "file", "/a\x1b[2J", "violated", "create", ("closed",), "\x07", "", "a\n.log:3")
    told = text(Report(_keys(("file", "violated", "unknown")), (READ,), (hostile,)))
    assert "\x1b" not in told and "violated: file /a\\x1b[2J of BP-1" in told and "a\\n.log:3" in told


def test_rejects_are_told() -> None:
    shown = text(Report(_keys(COMPLETE), (READ, DAMAGED), rejects=("b.log.gz:3: gzip data ends early",)))
    assert "1 could not be read:\n  b.log.gz:3: gzip data ends early" in shown


def test_run_without_events_is_told() -> None:
    assert text(Report((), (READ,))).endswith(
        "undetermined: no event concerns a file, block, replica or lease; 10 events in 15 lines of 1 file, 0 keys"
    )
    assert text(Report((), (SourceCount("a.log", "log", 0, 15, 0),))).endswith(
        "undetermined: no event was found; 0 events in 15 lines of 1 file, 0 keys"
    )


def test_json_holds_the_report() -> None:
    shown = json.loads(json.dumps(plain(Report(_keys(("block", "violated", "unknown")), (READ,), (FINDING,)))))
    assert shown["safety"] == "violated"
    assert shown["findings"][0]["failed"] == "recovery id 1002 is not above 1002"
    assert shown["sources"] == [{"file": "a.log", "source": "log", "events": 10, "lines": 15, "rejects": 0}]


def test_sarif_shows_each_finding_at_its_line_and_warns_of_what_is_undetermined() -> None:
    undetermined = Finding("BP-1", "block", "8", "undetermined", failed="too many orders")
    keys = (KeyCount("block", "violated", "unknown", True, 3), KeyCount("block", "undetermined", "unknown", True, 1))
    report = Report(keys, (READ, DAMAGED), (FINDING, undetermined), rejects=("b.log.gz:3: bad",))
    shown = document(Format.SARIF, "genstamp logs check", lambda: plain(report), cases(report))
    results = well_formed(json.loads(shown))["results"]
    assert [(one["ruleId"], one["level"]) for one in results] == [
        ("logs/block", "error"),
        ("logs/block", "warning"),
        ("logs/block", "error"),
        ("logs/read", "warning"),
    ]
    assert [place["region"]["startLine"] for place in places(results[0])] == [3]
    assert all(list(places(result)) for result in results)
    assert "2 more are violated" in results[2]["message"]["text"]


def test_forms_of_a_run_that_conforms_have_no_result() -> None:
    report = Report(_keys(COMPLETE), (READ,))
    shown = document(Format.SARIF, "genstamp logs check", lambda: plain(report), cases(report, require_complete=True))
    run = well_formed(json.loads(shown))
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["logs/block", "logs/read", "logs/complete"]
    assert run["results"] == []


def test_junit_fails_a_case_a_kind_and_a_case_a_source() -> None:
    report = Report(
        _keys(("block", "violated", "unknown"), ("file", "conformant", "unfinished")),
        (READ, DAMAGED),
        (FINDING,),
        rejects=("b.log.gz:3: bad \x01",),
    )
    suite = fromstring(junit("genstamp logs check", list(cases(report, require_complete=True))))
    found = {case.get("name"): [child.tag for child in case] for case in suite}
    assert found == {
        "block 7 of BP-1": ["failure"],
        "files conform": [],
        "a.log": [],
        "b.log.gz": ["error"],
        "the run is complete": ["failure"],
    }
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("5", "2", "1")
