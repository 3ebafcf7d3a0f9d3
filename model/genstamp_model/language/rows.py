"""Configurations of a system as a table, one a row."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence

from genstamp_model.errors import SpecError
from genstamp_model.language.author import caller
from genstamp_model.language.model import Configuration


def table_of(rows: str) -> tuple[dict[str, int], list[Configuration]]:
    """The configurations of a table, one a row, and the limits of the row `*`.

    A row is `NAME: NUMBERS; DOC`. A number is a size if its name begins with a capital, else a limit. `on_demand` and
    `renumber` may stand beside them. The row `*` has the numbers of rows that give no others. A line that is further in
    continues a row.

    Raises:
        SpecError: a row is no such row.

    >>> table_of("*: Node=2 crashes=0\\ncrash: crashes=1; a node stops")[1][0].limits
    {'crashes': 1}
    """
    lines = re.sub(r"\n +", " ", inspect.cleandoc(rows)).splitlines()
    common, *others = lines if rows.lstrip().startswith("*") else ["", *lines]
    shared, left = _numbers(common.removeprefix("*:").split())
    if left:
        raise SpecError(f"the row '*' has {', '.join(sorted(left))}; write numbers only, as in Node=2", caller())
    return _limits(shared), [_row(line, shared) for line in others]


def _row(line: str, shared: Mapping[str, int]) -> Configuration:
    name, _, rest = line.partition(":")
    row, _, doc = rest.partition(";")
    given, flags = _numbers(row.split())
    numbers = {**shared, **given}
    if not name or not doc or not flags <= {"on_demand", "renumber"}:
        message = f"a row is '{line}'; write NAME: NUMBERS; DOC, such as crash: Node=2 crashes=1; a node stops"
        raise SpecError(message, caller())
    sizes = {one: number for one, number in numbers.items() if one[0].isupper()}
    return Configuration(name, sizes, _limits(numbers), doc.strip(), "on_demand" in flags, "renumber" in flags)


def _limits(numbers: Mapping[str, int]) -> dict[str, int]:
    return {name: number for name, number in numbers.items() if not name[0].isupper()}


def _numbers(words: Sequence[str]) -> tuple[dict[str, int], set[str]]:
    """The numbers by name, and the words without one."""
    given = {name: value for name, _, value in (word.partition("=") for word in words)}
    numbers = {name: int(value) for name, value in given.items() if name and value.isdecimal()}
    return numbers, set(given) - set(numbers)
