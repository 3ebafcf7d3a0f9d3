"""Writes test cases as JUnit XML.

JUnit has no outcome "undetermined", so that is an error, which is not a pass. A warning is output of a passed test.
"""

import re
from collections.abc import Sequence
from typing import Final
from xml.etree import ElementTree

from genstamp.report.case import Case, Outcome

_TAGS: Final[dict[Outcome, str]] = {
    "failure": "failure",
    "error": "error",
    "undetermined": "error",
    "skipped": "skipped",
}

# XML 1.0 has no place for these, escaped or not.
_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(suite: str, cases: Sequence[Case], seconds: float | None = None) -> str:
    """A test suite as JUnit XML.

    Args:
        suite: its name.
        cases: its test cases.
        seconds: its time; by default the sum over the cases.
    """
    tags = [_TAGS.get(case.outcome) for case in cases]
    root = ElementTree.Element(
        "testsuite",
        name=suite,
        tests=str(len(cases)),
        failures=str(tags.count("failure")),
        errors=str(tags.count("error")),
        skipped=str(tags.count("skipped")),
        time=f"{sum(case.seconds for case in cases) if seconds is None else seconds:.3f}",
    )
    for case in cases:
        element = ElementTree.SubElement(
            root, "testcase", classname=case.group, name=clean(case.name), time=f"{case.seconds:.3f}"
        )
        if case.outcome == "warning":
            ElementTree.SubElement(element, "system-out").text = clean(f"warning: {case.message}")
        elif case.outcome != "passed":
            told = ElementTree.SubElement(element, _TAGS[case.outcome], type=case.kind, message=clean(case.message))
            told.text = clean(case.text) or None
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def clean(text: str) -> str:
    """The text with each character that XML cannot contain replaced."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
