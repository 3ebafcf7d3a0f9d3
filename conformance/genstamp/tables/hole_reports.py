"""Hand-written parts of the bug reports: one TOML file a hole or loss, in `spec/genstamp_spec/holes/`."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import genstamp_spec

DIRECTORY: Final = Path(genstamp_spec.__file__).parent / "holes"
RELEASES: Final = ("3.4.1", "3.5.0")
KINDS: Final = ("hole", "loss")
TEXTS: Final = (
    "kind",
    "summary",
    "symptom",
    "loses",
    "since",
    "affected",
    "reproduce",
    "root_cause",
    "repair",
    "upstream",
    "searched",
)


class ReportError(ValueError):
    """A report lacks a key, or has one that is not known."""


@dataclass(frozen=True)
class Report:
    """The written report of one hole or loss.

    Attributes:
        texts: by the keys of `TEXTS`.
        reproduced: for each of `RELEASES`, what showed it on Apache HDFS, or "no" with the reason.
    """

    texts: Mapping[str, str]
    reproduced: Mapping[str, str]


def read(directory: Path = DIRECTORY) -> dict[str, Report]:
    """The reports by name, sorted.

    Raises:
        ReportError: a key is missing, empty or unknown; the kind or a release is unknown.
    """
    return {path.stem: _report(path) for path in sorted(directory.glob("*.toml"))}


def _report(path: Path) -> Report:
    given = tomllib.loads(path.read_text(encoding="utf-8"))
    reproduced = given.pop("reproduced", {})
    _require(path, "keys", set(given), TEXTS)
    _require(path, "releases under reproduced", set(reproduced), RELEASES)
    empty = sorted(key for key, text in (given | reproduced).items() if not str(text).strip())
    if empty:
        raise ReportError(f"{path.name} has empty texts: {', '.join(empty)}")
    if given["kind"] not in KINDS:
        raise ReportError(f"{path.name} has kind {given['kind']!r}; expected one of {', '.join(KINDS)}")
    return Report({key: str(given[key]).strip() for key in TEXTS}, {key: str(reproduced[key]) for key in RELEASES})


def _require(path: Path, what: str, given: set[str], expected: tuple[str, ...]) -> None:
    if given != set(expected):
        raise ReportError(f"{path.name} has the {what} {sorted(given)}; expected {sorted(expected)}")
