"""Every column of the tables of logs is documented, and no other."""

import pytest

from genstamp.logs.columns import COLUMNS
from genstamp.logs.json_fields import FIELDS
from genstamp.logs.run import TABLES
from genstamp.tables.logs_tables_page import SCHEMAS, page


def test_every_table_that_is_written_is_documented() -> None:
    assert set(COLUMNS) == set(SCHEMAS) == set(TABLES)
    assert all(SCHEMAS[name].equals(schema) for name, schema in TABLES.items())


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_are_those_of_the_schema_and_say_when_they_are_null(name: str) -> None:
    assert list(COLUMNS[name].columns) == SCHEMAS[name].names
    for field in SCHEMAS[name]:
        assert bool(COLUMNS[name].columns[field.name].null) == field.nullable, field.name


def test_page_has_a_row_a_column() -> None:
    lines = page().splitlines()
    assert "| `recovery_id` | int64 | a stamp | the stamp that the recovery is to install" in "\n".join(lines)
    columns = sum(len(schema.names) for schema in SCHEMAS.values())
    assert sum(line.startswith("| `") for line in lines) == columns + sum(map(len, FIELDS.values()))
