"""The verdict over all test cases of a run: its word and its exit code.

The headline of a verb's text, the verdict in its JSON and its exit code are all computed here from the same test cases.
"""

from collections.abc import Iterable
from enum import Enum
from typing import Final

from genstamp import exit_codes
from genstamp.report.case import Case


class Verdict(Enum):
    """A verdict, from the worst to the best. Undetermined is not a pass."""

    UNSAFE = ("violated", exit_codes.VIOLATED)
    DEADLOCK = ("violated", exit_codes.DEADLOCK)
    BAD_STEP = ("violated", exit_codes.FAILURE)
    """A step cannot be computed, or takes a number out of its range."""
    FAILURE = ("failure", exit_codes.FAILURE)
    """A judge could not do its work."""
    UNFINISHED = ("violated", exit_codes.UNFINISHED)
    """Liveness is violated, or a run is left unfinished."""
    UNDETERMINED = ("undetermined", exit_codes.UNDETERMINED)
    HOLDS = ("holds", exit_codes.HOLDS)

    def __init__(self, word: str, exit_code: int) -> None:
        self.word = word
        self.exit_code = exit_code

    @property
    def holds(self) -> bool:
        """Whether it is a pass."""
        return self is Verdict.HOLDS


_BY_KIND: Final = {
    "deadlock": Verdict.DEADLOCK,
    "error": Verdict.BAD_STEP,
    "leads_to": Verdict.UNFINISHED,
    "unfinished": Verdict.UNFINISHED,
}


def verdict(cases: Iterable[Case]) -> Verdict:
    """The worst verdict of some cases; if all are skipped, nothing was checked, which is a failure."""
    found = {_of(case) for case in cases if case.outcome != "skipped"}
    return next((one for one in Verdict if one in found), Verdict.FAILURE)


def _of(case: Case) -> Verdict:
    match case.outcome:
        case "failure":
            return _BY_KIND.get(case.kind, Verdict.UNSAFE)
        case "error":
            return _BY_KIND.get(case.kind, Verdict.FAILURE)
        case "undetermined":
            return Verdict.UNDETERMINED
        case _:
            return Verdict.HOLDS
