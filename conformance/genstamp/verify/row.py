"""A row of the table: one claim, its verdict, and what that took."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

import msgspec

from genstamp import exit_codes
from genstamp.report.case import Place, Stage


class Verdict(StrEnum):
    """Of one claim. An undecided or skipped check is not a pass."""

    HOLDS = "holds"
    VIOLATED = "violated"
    UNDETERMINED = "undetermined"
    FAILURE = "failure"
    SKIPPED = "skipped"


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one claim.

    Attributes:
        claim: what is claimed, in a few words; unique in a run.
        verdict: whether it holds.
        count: states, obligations, runs or events that were checked; None where nothing is counted.
        unit: what is counted, in the plural.
        seconds: wall time.
        note: what a reader should know, in a sentence; always given where the claim does not hold.
        story: more lines on it: a counterexample, a list of differences.
        files: what was written on it, relative to the run directory.
        place: the line to examine.
        steps: of a counterexample, each with its line.
        data: what machines read; of the same form for all rows of one kind.
    """

    claim: str
    verdict: Verdict
    count: int | None = None
    unit: str = ""
    seconds: float = 0.0
    note: str = ""
    story: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    place: Place | None = None
    steps: tuple[Stage, ...] = ()
    data: dict[str, Any] = {}

    @property
    def looked_at(self) -> str:
        """The count, as in the table.

        >>> Row(claim="check", verdict=Verdict.HOLDS, count=6582011, unit="states").looked_at
        '6,582,011 states'
        """
        return "" if self.count is None else f"{self.count:,} {self.unit}"


def worst(rows: Iterable[Row]) -> Verdict:
    """The worst verdict of some rows; that of no rows is failure, for nothing was examined.

    >>> worst([Row(claim="a", verdict=Verdict.HOLDS), Row(claim="b", verdict=Verdict.UNDETERMINED)])
    <Verdict.UNDETERMINED: 'undetermined'>
    """
    return Verdict(exit_codes.worst({str(row.verdict) for row in rows}))
