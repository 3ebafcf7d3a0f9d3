"""What every verb reports in the same form: test cases as JUnit's XML."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal
from xml.etree import ElementTree

Outcome = Literal["passed", "failure", "error", "skipped"]

# XML 1.0 has no place for these, escaped or not.
_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class Case:
    """One test case.

    Attributes:
        group, name: what was checked; the group is shown as a class.
        outcome: what is undetermined is an error, as it is no pass.
        kind: of what is not passed, in a word.
        message: in a sentence.
        text: the whole story.
    """

    group: str
    name: str
    seconds: float
    outcome: Outcome = "passed"
    kind: str = ""
    message: str = ""
    text: str = ""


def junit(suite: str, cases: Sequence[Case], seconds: float | None = None) -> str:
    """A test suite as JUnit's XML; it took `seconds`, by default what its cases took together."""
    count = {outcome: sum(case.outcome == outcome for case in cases) for outcome in ("failure", "error", "skipped")}
    root = ElementTree.Element(
        "testsuite",
        name=suite,
        tests=str(len(cases)),
        failures=str(count["failure"]),
        errors=str(count["error"]),
        skipped=str(count["skipped"]),
        time=f"{sum(case.seconds for case in cases) if seconds is None else seconds:.3f}",
    )
    for case in cases:
        element = ElementTree.SubElement(
            root, "testcase", classname=case.group, name=clean(case.name), time=f"{case.seconds:.3f}"
        )
        if case.outcome != "passed":
            told = ElementTree.SubElement(element, case.outcome, type=case.kind, message=clean(case.message))
            told.text = clean(case.text) or None
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def clean(text: str) -> str:
    """The text with what XML cannot hold replaced."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
