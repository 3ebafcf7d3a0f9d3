"""Historic faults of HDFS, by their numbers in its tracker."""

from typing import Final

from genstamp_model.language import *

ISSUE: Final = "https://issues.apache.org/jira/browse/"


def historic(
    number: str, *parts: type[Part], fixed: str, drops: tuple[tuple[str, str], ...] = (), title: str = ""
) -> Bug:
    """A fault that was fixed.

    Args:
        number: in the tracker, such as "HDFS-10240".
        parts: that make the change.
        fixed: releases that have the repair, or where it came otherwise: "in the 0.20-append line", "after 3.4.1".
        drops: checks that were not there, as (action, label).
        title: what was wrong, where no part says it.
    """
    where = f"in {fixed}" if fixed[0].isdigit() else fixed
    return Bug(number, title, drops, parts, source=f"{ISSUE}{number}; fixed {where}")
