"""What is written of a run: the table for people, `results.json` and JUnit's XML for machines."""

import platform
import re
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree

import msgspec

from genstamp.verify.row import EXIT_CODES, Row, Verdict, worst

# What XML 1.0 cannot hold, not even escaped.
_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Results(msgspec.Struct, frozen=True, kw_only=True):
    """A run that is over.

    Attributes:
        rows: in the order of the table.
        seconds: wall time.
        seed: of whatever was drawn at random.
        directory: the run directory, as the user sees it.
    """

    rows: tuple[Row, ...]
    seconds: float
    seed: int
    directory: str

    @property
    def exit_code(self) -> int:
        """That of the worst verdict."""
        return EXIT_CODES[worst(self.rows)]


def json_text(results: Results) -> str:
    """The run as JSON: the fields of `Results` and `Row`, and what it ran on."""
    plain: dict[str, Any] = {
        "version": 1,
        "genstamp": version("genstamp"),
        "python": platform.python_version(),
        "verdict": str(worst(results.rows)),
        "exit_code": results.exit_code,
        "seconds": round(results.seconds, 3),
        "seed": results.seed,
        "rows": [msgspec.to_builtins(row) for row in results.rows],
    }
    return msgspec.json.format(msgspec.json.encode(plain), indent=1).decode() + "\n"


def junit_text(results: Results) -> str:
    """The run as JUnit's XML: a test case for each row; what is undetermined is an error, as it is no pass."""
    count = {verdict: sum(row.verdict is verdict for row in results.rows) for verdict in Verdict}
    suite = ElementTree.Element(
        "testsuite",
        name="genstamp verify",
        tests=str(len(results.rows)),
        failures=str(count[Verdict.VIOLATED]),
        errors=str(count[Verdict.FAILURE] + count[Verdict.UNDETERMINED]),
        skipped=str(count[Verdict.SKIPPED]),
        time=f"{results.seconds:.3f}",
    )
    for row in results.rows:
        kind, _, name = row.claim.partition(" ")
        case = ElementTree.SubElement(
            suite, "testcase", classname=f"genstamp.verify.{kind}", name=name or kind, time=f"{row.seconds:.3f}"
        )
        tag = {Verdict.HOLDS: None, Verdict.VIOLATED: "failure", Verdict.SKIPPED: "skipped"}.get(row.verdict, "error")
        if tag is not None:
            message = ElementTree.SubElement(case, tag, type=str(row.verdict), message=_clean(row.note))
            message.text = _clean("\n".join(row.story)) or None
    ElementTree.indent(suite)
    text = ElementTree.tostring(suite, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'


def _clean(text: str) -> str:
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def table_lines(results: Results) -> Iterator[str]:
    """The table, what is to be said of what holds, what does not hold and why, and a line that sums up."""
    cells = [("checked", "verdict", "looked at", "seconds"), *(_cells(row) for row in results.rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(4)]
    for what, verdict, looked_at, seconds in cells:
        yield f"{what:{widths[0]}}  {verdict:{widths[1]}}  {looked_at:>{widths[2]}}  {seconds:>{widths[3]}}"
    yield ""
    yield from (f"{row.claim}: {row.note}" for row in results.rows if row.verdict is Verdict.HOLDS and row.note)
    for row in results.rows:
        if row.verdict is not Verdict.HOLDS:
            yield f"\n{row.verdict}: {row.claim}: {row.note}"
            yield from (f"  {line}" for line in row.story)
            yield from (f"  see {results.directory}/{file}" for file in row.files)
    found = [(verdict, sum(row.verdict is verdict for row in results.rows)) for verdict in Verdict]
    summary = ", ".join(f"{number} {verdict}" for verdict, number in found if number)
    yield ""
    yield f"{summary}; {results.seconds:.0f} s, seed {results.seed}, exit code {results.exit_code}"
    yield f"written to {results.directory}"


def _cells(row: Row) -> tuple[str, str, str, str]:
    looked_at = "" if row.count is None else f"{grouped(row.count)} {row.unit}"
    return row.claim, str(row.verdict), looked_at, f"{row.seconds:.1f}"


def grouped(number: int) -> str:
    """A number as people read it.

    >>> grouped(6582011)
    '6 582 011'
    """
    return f"{number:,}".replace(",", " ")


def write(results: Results, directory: Path) -> None:
    """Write the machine-readable results, and the table, into the run directory."""
    (directory / "results.json").write_text(json_text(results), encoding="utf-8")
    (directory / "junit.xml").write_text(junit_text(results), encoding="utf-8")
    table = [*table_lines(results), ""]
    (directory / "table.txt").write_text("\n".join(table), encoding="utf-8")
