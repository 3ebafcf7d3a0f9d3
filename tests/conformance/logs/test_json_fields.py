"""Every field of the report in JSON is documented, with its type, and no other."""

import json
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from genstamp.cli.verbs import app
from genstamp.logs.json_fields import FIELDS

SAMPLE = Path(__file__).parents[3] / "examples" / "late_writer.jsonl"

TYPES = {str: "string", bool: "boolean", int: "number", float: "number", type(None): "null", dict: "object"}


def seen(value: Any, where: str, found: defaultdict[str, dict[str, set[str]]]) -> None:
    """Which fields the objects in a document have, of which types."""
    if isinstance(value, list):
        for element in value:
            seen(element, f"{where}[]", found)
    elif isinstance(value, Mapping):
        for name, field in value.items():
            found[where].setdefault(name, set()).add(type_of(field))
            seen(field, f"{where}.{name}" if where else name, found)


def type_of(value: Any) -> str:
    if not isinstance(value, list):
        return TYPES[type(value)]
    return "array of strings" if value and all(isinstance(element, str) for element in value) else "array"


def test_fields_are_those_that_are_documented(tmp_path: Path) -> None:
    text = SAMPLE.read_bytes()
    half = tmp_path / "half.jsonl"
    half.write_bytes(text[: len(text) // 2])
    found: defaultdict[str, dict[str, set[str]]] = defaultdict(dict)
    for arguments in ([str(SAMPLE), str(half)], [str(half), "--out", str(tmp_path / "tables")]):
        result = CliRunner().invoke(app, ["logs", "check", "--format", "json", *arguments])
        seen(json.loads(result.stdout), "", found)
    assert {where: set(fields) for where, fields in found.items()} == {
        where: set(fields) for where, fields in FIELDS.items()
    }
    for where, fields in FIELDS.items():
        for name, field in fields.items():
            assert found[where][name] <= {*field.type.split(" or "), "array"}, f"{where}.{name}"
