"""Writes test cases as workflow commands of GitHub, which its runner shows as annotations of lines.

Escapes as in `@actions/core`, command.ts.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from genstamp.report.case import Case, Outcome

_COMMANDS: Final[dict[Outcome, str]] = {
    "failure": "error",
    "error": "error",
    "undetermined": "warning",
    "warning": "warning",
    "skipped": "notice",
}
_SUMMED: Final[dict[Outcome, str]] = {
    "passed": "passed",
    "failure": "failed",
    "error": "could not be judged",
    "undetermined": "undetermined",
    "warning": "with a warning",
    "skipped": "skipped",
}


def github(verb: str, cases: Sequence[Case]) -> str:
    """One error for each failed case, one warning for each undetermined case or warning, one notice for each skipped
    case, and one notice with the totals.
    """
    return "".join(f"{line}\n" for line in _lines(verb, cases))


def _lines(verb: str, cases: Sequence[Case]) -> Iterator[str]:
    for case in cases:
        if command := _COMMANDS.get(case.outcome):
            story = [f"{case.group} {case.name}: {case.message or case.kind}", *filter(None, [case.text])]
            yield f"::{command} {_properties(verb, case)}::{_data(chr(10).join(story))}"
    counts = Counter(case.outcome for case in cases)
    told = ", ".join(f"{counts[outcome]} {word}" for outcome, word in _SUMMED.items() if counts[outcome])
    yield f"::notice title={_property(verb)}::{_data(told or 'nothing was judged')}"


def _properties(verb: str, case: Case) -> str:
    found = {} if case.where is None else {"file": case.where.file, "line": str(case.where.line)}
    found["title"] = f"{verb}, {case.outcome}: {case.claim.name}"
    return ",".join(f"{name}={_property(value)}" for name, value in found.items())


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
