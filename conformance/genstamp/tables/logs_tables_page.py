"""The page of what `genstamp logs check` gives to programs: its tables, and its report in JSON.

Not here: what columns and fields mean (`genstamp.logs.tables`, `genstamp.logs.json_fields`).
"""

from collections.abc import Iterator
from typing import Any

from genstamp.logs.json_fields import FIELDS
from genstamp.logs.tables import DECLARED

_BEGINNING = """\
# Tables of `genstamp logs check`

With `--out DIRECTORY` the check writes its input and its findings: each table is a directory of Parquet files, which
Spark, pandas, DuckDB and Arrow read. The JSON file `_genstamp_logs` beside them holds the assumptions of the check:
whether the logs were asserted to be whole, and which sources describe each namespace. A later check atomically replaces
a directory that has this file; it refuses any other existing directory. `genstamp logs explain KEY --from DIRECTORY`
prints the history of one key from the tables alone. Made by `genstamp tables`.
"""


def page() -> str:
    """The page as Markdown."""
    return "\n".join([_BEGINNING, *(line for name in DECLARED for line in _table(name)), *_report()])


def _table(name: str) -> Iterator[str]:
    text = DECLARED[name]
    yield from (f"## {name}", "", f"One row is {text.row}", "")
    yield "| column | type | unit | meaning | null when |"
    yield "| --- | --- | --- | --- | --- |"
    for field, column in text.columns.items():
        cells = (f"`{field}`", _type(column.type), column.unit, column.meaning, column.null or "never")
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
    yield ""


def _report() -> Iterator[str]:
    yield from ("## The report in JSON", "", "What `--format json` writes to standard output: one object.", "")
    yield "| field | type | meaning |"
    yield "| --- | --- | --- |"
    for where, fields in FIELDS.items():
        for name, field in fields.items():
            path = f"{where}.{name}" if where else name
            yield f"| `{path}` | {field.type} | {field.meaning} |"
    yield ""


def _type(of: Any) -> str:
    """A type in Arrow's words, without what nullability says."""
    return str(of).replace(" not null", "")
