"""The formats of `--format`, and the report in each machine-readable one."""

import json
from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Any

from genstamp.report.case import Case
from genstamp.report.github import github
from genstamp.report.junit import junit
from genstamp.report.sarif import sarif


class Format(StrEnum):
    """The format of standard output: text for people, JSON with all results, or a format that CI services read."""

    TEXT = "text"
    JSON = "json"
    JUNIT = "junit"
    SARIF = "sarif"
    GITHUB = "github"


def document(
    form: Format, verb: str, plain: Callable[[], Any], cases: Iterable[Case], seconds: float | None = None
) -> str:
    """A report in a format other than text; ends with a newline.

    Args:
        form: the format.
        verb: the verb that reports, as "genstamp check".
        plain: makes the report for JSON; called only for that format.
        cases: the report as test cases, for the other formats.
        seconds: the total time; by default the sum over the cases.
    """
    match form:
        case Format.JSON:
            return json.dumps(plain(), indent=2) + "\n"
        case Format.JUNIT:
            return junit(verb, list(cases), seconds)
        case Format.SARIF:
            return sarif(verb, list(cases))
        case Format.GITHUB:
            return github(verb, list(cases))
        case Format.TEXT:
            raise AssertionError("a verb words its own text")
