"""Writes test cases in the Static Analysis Results Interchange Format, OASIS SARIF 2.1.0, for code scanning.

The log has one run. The claims are its rules, the findings its results, and a counterexample is a code flow.
"""

import hashlib
import json
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any, Final
from urllib.parse import quote

from genstamp.report.case import Case, Outcome, Place, Rule

_ROOT: Final = "%SRCROOT%"
# A result that is not a failure must have the level "none", so an undetermined case is a failure of a lower level.
_LEVELS: Final[dict[Outcome, str]] = {
    "failure": "error",
    "error": "error",
    "undetermined": "warning",
    "warning": "warning",
}


def sarif(verb: str, cases: Sequence[Case]) -> str:
    """The log with the run of a verb, as JSON."""
    rules: dict[str, Rule] = {}
    for case in cases:
        if case.outcome == "skipped":
            continue
        for rule in (*case.judged, case.claim):
            rules.setdefault(rule.name, rule)
    names = list(rules)
    run = {
        "tool": {
            "driver": {
                "name": "genstamp",
                "version": version("genstamp"),
                "rules": [_rule(rule) for rule in rules.values()],
            }
        },
        # An id that ends with a slash is a category: code scanning keeps the results of each verb apart.
        "automationDetails": {"id": f"{verb}/"},
        "invocations": [{"executionSuccessful": not any(map(_is_cut_off, cases)), **_notes(cases)}],
        "originalUriBaseIds": {_ROOT: {"description": {"text": "the root of the repository"}}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(case, names.index(case.claim.name)) for case in cases if case.outcome in _LEVELS],
    }
    log = {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2) + "\n"


def _is_cut_off(case: Case) -> bool:
    """Whether a judge could not do its work, or was interrupted in it."""
    return case.outcome == "error" or case.kind == "interrupted"


def _notes(cases: Sequence[Case]) -> dict[str, Any]:
    """Skipped cases as notes of the run, because code scanning would show any result for them."""
    notes = [
        {"level": "note", "message": {"text": f"{case.name}: {case.message}"}}
        for case in cases
        if case.outcome == "skipped"
    ]
    return {"toolExecutionNotifications": notes} if notes else {}


def _rule(rule: Rule) -> dict[str, Any]:
    text = rule.text or rule.name
    return {"id": rule.name, "shortDescription": {"text": text}, "defaultConfiguration": {"level": "error"}}


def _result(case: Case, index: int) -> dict[str, Any]:
    told = "\n".join(filter(None, [f"{case.name}: {case.message or case.kind}", case.text]))
    same = hashlib.sha256("\n".join([case.claim.name, case.group, case.name]).encode()).hexdigest()
    result: dict[str, Any] = {
        "ruleId": case.claim.name,
        "ruleIndex": index,
        "level": _LEVELS[case.outcome],
        "message": {"text": told},
        "locations": [_location(case.where, case)],
        "partialFingerprints": {"genstamp/v1": same},
        "properties": {"outcome": case.outcome, "kind": case.kind},
    }
    if case.steps:
        steps = [
            {"location": _located(stage.place, stage.text), "executionOrder": number}
            for number, stage in enumerate(case.steps, 1)
        ]
        result["codeFlows"] = [{"threadFlows": [{"locations": steps}]}]
    return result


def _location(place: Place | None, case: Case) -> dict[str, Any]:
    name = {"fullyQualifiedName": f"{case.group} {case.name}"}
    return {**_physical(place), "logicalLocations": [name]}


def _located(place: Place | None, text: str) -> dict[str, Any]:
    return {**_physical(place), "message": {"text": text}}


def _physical(place: Place | None) -> dict[str, Any]:
    if place is None:
        return {}
    artifact = {"uri": quote(place.file), "uriBaseId": _ROOT}
    return {"physicalLocation": {"artifactLocation": artifact, "region": {"startLine": place.line}}}
