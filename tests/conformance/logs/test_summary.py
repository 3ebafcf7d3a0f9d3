"""Summing up: from the tables to the report."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from genstamp.logs.report import Report
from genstamp.logs.summary import Summary
from genstamp.logs.tables import COVERAGE, REJECTS, SPANS, VERDICTS
from genstamp.logs.units import Found


def _report(place: Path, *verdicts: dict[str, Any]) -> Report:
    for table in ("verdicts", "rejects", "coverage"):
        (place / table).mkdir()
    rows = [
        {
            "namespace": "BP-1",
            "kind": "block",
            "entity": str(number),
            "safety": "conformant",
            "completion": "unknown",
            "path": "fast",
            "events": 1,
            "states": ["absent"],
            **verdict,
        }
        for number, verdict in enumerate(verdicts)
    ]
    pyarrow.parquet.write_table(pa.Table.from_pylist(rows, VERDICTS), place / "verdicts" / "part.parquet")
    pyarrow.parquet.write_table(REJECTS.empty_table(), place / "rejects" / "part.parquet")
    pyarrow.parquet.write_table(COVERAGE.empty_table(), place / "coverage" / "part.parquet")
    return Summary(Found(), SPANS.empty_table()).report(place, complete=False)


def test_key_that_is_only_talked_of_has_not_begun(tmp_path: Path) -> None:
    report = _report(tmp_path, {}, {"completion": "complete", "states": ["COMPLETE"]})
    assert [(count.begun, count.keys) for count in report.keys] == [(True, 1), (False, 1)]
    assert report.completion == "complete"


def test_key_of_which_several_states_are_shown_leaves_the_run_unknown(tmp_path: Path) -> None:
    report = _report(
        tmp_path, {"states": ["COMMITTED", "COMPLETE"]}, {"completion": "complete", "states": ["COMPLETE"]}
    )
    assert report.completion == "unknown"


def test_violated_keys_are_told_before_undetermined_ones(tmp_path: Path) -> None:
    report = _report(
        tmp_path,
        {"safety": "undetermined", "failed": "no order was found"},
        {"safety": "violated", "failed": "x", "states_before": ["absent"], "place": {"file": "a.log", "line": 3}},
    )
    assert [(f.safety, f.entity, f.place) for f in report.findings] == [
        ("violated", "1", "a.log:3"),
        ("undetermined", "0", ""),
    ]
    assert report.safety == "violated"


def test_keys_of_the_slow_path_are_counted(tmp_path: Path) -> None:
    report = _report(tmp_path, {}, {"path": "slow"}, {"path": "slow", "states": ["COMPLETE"]})
    assert sorted((count.keys, count.slow) for count in report.keys) == [(1, 1), (2, 1)]


def test_violations_are_counted_by_rule(tmp_path: Path) -> None:
    stale = {"safety": "violated", "rejected_event": "start_recovery", "place": {"file": "a.log", "line": 3}}
    report = _report(
        tmp_path,
        {"safety": "undetermined", "failed": "no order was found among 100 situations"},
        {**stale, "failed": "recovery id 1002 is not above 1002"},
        {**stale, "failed": "recovery id 7 is not above 9"},
        {},
    )
    assert [(rule.safety, rule.event, rule.failed, rule.keys) for rule in report.rules] == [
        ("violated", "start_recovery", "recovery id N is not above N", 2),
        ("undetermined", "", "no order was found among N situations", 1),
    ]
    assert report.rules[0].places == ("a.log:3", "a.log:3")


def test_what_is_left_open_is_told_by_its_states_and_first_keys(tmp_path: Path) -> None:
    stuck = {"completion": "unfinished", "states": ["UNDER_RECOVERY"]}
    leased = {"kind": "lease", "completion": "unfinished", "states": ["held"]}
    report = _report(tmp_path, {"completion": "complete", "states": ["COMPLETE"]}, *[stuck] * 7, leased)
    (left,) = report.unfinished
    assert (left.kind, left.states, left.keys) == ("block", ("UNDER_RECOVERY",), 7)
    assert [key.entity for key in left.first] == ["1", "2", "3", "4", "5"]
    assert left.sentence() == "7 blocks left UNDER_RECOVERY: blk_1, blk_2, blk_3, blk_4, blk_5, ..."


def test_places_of_a_rule_are_the_first_ones_whatever_the_order_of_the_keys(tmp_path: Path) -> None:
    rejected = [
        {"safety": "violated", "failed": f"{line} is no stamp", "place": {"file": "a.log", "line": line}}
        for line in (30, 9, 20, 1, 12, 5)
    ]
    (rule,) = _report(tmp_path, *rejected).rules
    assert rule.places == ("a.log:1", "a.log:5", "a.log:9", "a.log:12", "a.log:20")
