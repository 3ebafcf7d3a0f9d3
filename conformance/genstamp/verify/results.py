"""What is written of a run: the table for people, JSON, JUnit's XML and SARIF for machines."""

import platform
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import msgspec

from genstamp.report import Case, Format, Outcome, Place, Rule, document, verdict
from genstamp.verify.row import Row, Verdict, worst

WRITTEN: Final[Mapping[Format, str]] = {
    Format.JSON: "results.json",
    Format.JUNIT: "junit.xml",
    Format.SARIF: "results.sarif",
}
"""Files of a run directory that machines read."""


class Results(msgspec.Struct, frozen=True, kw_only=True):
    """A run that is over.

    Attributes:
        rows: in the order of the table.
        seconds: wall time.
        seed: of all random choices.
        directory: the run directory, as the user sees it.
    """

    rows: tuple[Row, ...]
    seconds: float
    seed: int
    directory: str

    @property
    def exit_code(self) -> int:
        """The verdict of the worst row."""
        return verdict(cases(self)).exit_code


def plain(results: Results) -> dict[str, Any]:
    """The run in words of JSON: the fields of `Results` and `Row`, and what it ran on."""
    return {
        "version": 1,
        "genstamp": version("genstamp"),
        "python": platform.python_version(),
        "verdict": str(worst(results.rows)),
        "exit_code": results.exit_code,
        "seconds": round(results.seconds, 3),
        "seed": results.seed,
        "rows": [msgspec.to_builtins(row) for row in results.rows],
    }


def in_form(form: Format, results: Results) -> str:
    """The run in a form other than text."""
    return document(form, "genstamp verify", lambda: plain(results), cases(results))


def cases(results: Results) -> list[Case]:
    """The rows as test cases."""
    return [_case(row) for row in results.rows]


_OUTCOMES: Final[Mapping[Verdict, Outcome]] = {
    Verdict.HOLDS: "passed",
    Verdict.VIOLATED: "failure",
    Verdict.UNDETERMINED: "undetermined",
    Verdict.FAILURE: "error",
    Verdict.SKIPPED: "skipped",
}


# Code scanning takes nothing that has no place; the README has the table of what is claimed.
_CLAIMED: Final = Place("README.md", 1)


def _case(row: Row) -> Case:
    kind, _, name = row.claim.partition(" ")
    return Case(
        group=f"genstamp.verify.{kind}",
        name=name,
        seconds=row.seconds,
        outcome=_OUTCOMES[row.verdict],
        kind=str(row.verdict),
        message=row.note,
        text="\n".join(row.story),
        rule=Rule(row.claim),
        place=row.place or _CLAIMED,
        steps=row.steps,
    )


def table_lines(results: Results) -> Iterator[str]:
    """The table, what is to be said of what holds, what does not hold and why, and a line that sums up."""
    cells = [("checked", "verdict", "looked at", "seconds"), *(_cells(row) for row in results.rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(4)]
    for what, word, looked_at, seconds in cells:
        yield f"{what:{widths[0]}}  {word:{widths[1]}}  {looked_at:>{widths[2]}}  {seconds:>{widths[3]}}"
    yield ""
    yield from (f"{row.claim}: {row.note}" for row in results.rows if row.verdict is Verdict.HOLDS and row.note)
    for row in results.rows:
        if row.verdict is not Verdict.HOLDS:
            yield f"\n{row.verdict}: {row.claim}: {row.note}"
            yield from (f"  {line}" for line in row.story)
            yield from (f"  see {results.directory}/{file}" for file in row.files)
    found = [(one, sum(row.verdict is one for row in results.rows)) for one in Verdict]
    summary = ", ".join(f"{number} {one}" for one, number in found if number)
    yield ""
    yield f"{summary}; {results.seconds:.0f} s, seed {results.seed}, exit code {results.exit_code}"
    yield f"written to {results.directory}"


def _cells(row: Row) -> tuple[str, str, str, str]:
    return row.claim, str(row.verdict), row.looked_at, f"{row.seconds:.1f}"


def write(results: Results, directory: Path) -> None:
    """Write the machine-readable results, and the table, into the run directory."""
    for form, name in WRITTEN.items():
        (directory / name).write_text(in_form(form, results), encoding="utf-8")
    table = [*table_lines(results), ""]
    (directory / "table.txt").write_text("\n".join(table), encoding="utf-8")
