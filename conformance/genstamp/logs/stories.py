"""Puts the stories of keys into a report.

Not here: the stories themselves (`genstamp.logs.story`) and the report's forms (`genstamp.logs.report`).
"""

from dataclasses import replace

from genstamp.logs.kept import Kept
from genstamp.logs.report import Report
from genstamp.logs.story import lines, stages, tell_all


def with_stories(report: Report, kept: Kept) -> Report:
    """A report that gives the findings with all their events.

    Args:
        report: of a check.
        kept: its tables.
    """
    told = tell_all(kept, [finding.key for finding in report.findings])
    findings = (
        replace(finding, told=tuple(lines(story)), stages=stages(story))
        for finding, story in zip(report.findings, told, strict=True)
    )
    return replace(report, findings=tuple(findings))
