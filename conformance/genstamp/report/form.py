"""The forms that a verb's `--format` chooses from, and the document in each of them but the text."""

import json
from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Any

from genstamp.report.case import Case
from genstamp.report.github import github
from genstamp.report.junit import junit
from genstamp.report.sarif import sarif


class Format(StrEnum):
    """What standard output gets: text for people, JSON with everything, or what machines of a forge read."""

    TEXT = "text"
    JSON = "json"
    JUNIT = "junit"
    SARIF = "sarif"
    GITHUB = "github"


def document(
    form: Format, verb: str, plain: Callable[[], Any], cases: Iterable[Case], seconds: float | None = None
) -> str:
    """A report in a form other than text, with the end of its last line.

    Args:
        verb: whose report it is, as "genstamp check".
        plain: gives all of it in words of JSON.
        cases: it again, as test cases; taken only where they are asked for.
        seconds: that the whole took; by default what the cases took together.
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
