"""Amounts of memory as people write them: `512M`, `20GB`, `1.5GiB`."""

import re
from typing import Final

import typer

_UNITS: Final = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_BINARY: Final = {"ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}


def bytes_of(text: str) -> int:
    """The number of bytes of a size.

    Raises:
        typer.BadParameter: it is none.
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?(|[kmgt]i?)b?", text.strip().lower(), re.ASCII)
    if found is None:
        raise typer.BadParameter(
            f"'{text}' is not a size; expected a number followed by k, M, G or T, or by Ki, Mi, Gi or Ti"
        )
    return int(float(found[1]) * (_UNITS | _BINARY)[found[2]])
