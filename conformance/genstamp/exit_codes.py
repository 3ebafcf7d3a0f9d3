"""The exit codes of all commands; those that TLC has, too, have its numbers.

`genstamp --help` prints `MEANINGS`. `of` gives the exit code of a verdict, `genstamp.report.verdict` that of test
cases, and `genstamp.cli.verbs.exit_code` that of an error. The verbs `dfs` and `gfs` also use 1, if the cluster
refuses.
"""

from collections.abc import Mapping
from typing import Final

HOLDS: Final = 0
USAGE: Final = 2
UNDETERMINED: Final = 3
DEADLOCK: Final = 11
VIOLATED: Final = 12
UNFINISHED: Final = 13
FAILURE: Final = 75
SPECIFICATION: Final = 150
CONFIGURATION: Final = 151

MEANINGS: Final[Mapping[int, str]] = {
    HOLDS: "everything that was checked holds, conforms or agrees",
    USAGE: "the command line, or a file that it names, is wrong",
    UNDETERMINED: "undetermined, not a pass: time, memory or the solver did not suffice, or Ctrl-C came first",
    DEADLOCK: "a state without a step, where the system may not stop",
    VIOLATED: "safety is violated, or something is rejected, missing, different or not current",
    UNFINISHED: "liveness is violated, or a run is left unfinished",
    FAILURE: "a step fails, for example because a number leaves its range, or a checker could not run or is missing",
    SPECIFICATION: "a specification is wrong",
    CONFIGURATION: "there is no such system, configuration, bug, limit or property, or a size or limit is wrong",
}
"""The meaning of each code, the same for all verbs."""

_WORDS: Final[Mapping[str, int]] = {
    "violated": VIOLATED,
    "failure": FAILURE,
    "undetermined": UNDETERMINED,
    "holds": HOLDS,
    "conformant": HOLDS,
    "skipped": HOLDS,
}
"""The worst word first."""


def worst(words: set[str]) -> str:
    """The worst of some verdicts; if all are "skipped", nothing was checked, which is a failure.

    >>> worst({"holds", "undetermined"}), worst({"skipped"})
    ('undetermined', 'failure')
    """
    return next((word for word in _WORDS if word in words - {"skipped"}), "failure")


def of(word: str) -> int:
    """The exit code of a verdict."""
    return _WORDS[word]
