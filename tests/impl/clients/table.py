"""The table of clients by operations, as docs/clients.md has it between two marks."""

import re
from collections.abc import Collection, Mapping

from tests.impl.clients.operations import LONG, Operation

Cell = tuple[Operation, str]
"""A row, and the title of a client."""

YES = "yes"
NOT_RUN = "not run"

_MARKED = re.compile(r"(?<=<!-- made by tests/impl/clients -->\n)(.*?)(?=<!-- end -->)", re.S)


def marked_text(page: str) -> str:
    """What a page has between its marks."""
    found = _MARKED.search(page)
    assert found is not None, "the page has its marks"
    return found[0]


def with_table(page: str, table: str) -> str:
    """The page with another table."""
    return _MARKED.sub(lambda found: table, page)


def expected(lacks: Mapping[str, Mapping[Operation, str]]) -> set[Cell]:
    """The cells that must have passed: all but those that a client lacks, or that take long."""
    return {(row, title) for title, lacking in lacks.items() for row in Operation if row not in (*lacking, *LONG)}


def render(lacks: Mapping[str, Mapping[Operation, str]], passed: Collection[Cell], page: str) -> str:
    """The table.

    Args:
        lacks: for each client, by title, the operations that it lacks, and why.
        passed: the cells whose tests have passed.
        page: as it was; what takes long stays as it is there where it was not run.
    """
    reasons: list[str] = []
    lines = [f"| | {' | '.join(lacks)} |", f"| --- |{' --- |' * len(lacks)}"]
    for row in Operation:
        cells = []
        for title, lacking in lacks.items():
            if row in lacking:
                if lacking[row] not in reasons:
                    reasons.append(lacking[row])
                cells.append(f"no ({reasons.index(lacking[row]) + 1})")
            elif (row, title) in passed or (row in LONG and _stood_there(page, row, title)):
                cells.append(YES)
            else:
                cells.append(NOT_RUN)
        lines.append(f"| {row.value} | {' | '.join(cells)} |")
    lines += ["", *(f"{number}. {reason}" for number, reason in enumerate(reasons, 1))]
    return "\n" + "\n".join(lines) + "\n\n"


def _stood_there(page: str, row: Operation, title: str) -> bool:
    """Whether the page says yes."""
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.splitlines() if line.startswith("| ")]
    heads = next((cells for cells in rows if title in cells), [])
    line = next((cells for cells in rows if cells[0] == row.value), [])
    return title in heads and len(line) == len(heads) and line[heads.index(title)] == YES
