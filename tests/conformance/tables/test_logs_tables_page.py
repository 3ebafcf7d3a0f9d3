"""Every column of the tables of logs has a row on their page."""

from genstamp.logs.json_fields import FIELDS
from genstamp.logs.tables import TABLES
from genstamp.tables.logs_tables_page import page


def test_page_has_a_row_a_column() -> None:
    lines = page().splitlines()
    assert "| `recovery_id` | int64 | a stamp | the stamp that the recovery is to install" in "\n".join(lines)
    columns = sum(len(schema.names) for schema in TABLES.values())
    assert sum(line.startswith("| `") for line in lines) == columns + sum(map(len, FIELDS.values()))
