"""Names for ids and stamps, so that answers of two namenodes can be compared.

Each namenode has ids of its own. What an answer shows for the first time is named after its kind and the number of the
call: `b7` is the block, `g7` the stamp and `f7` the file that call 7 showed first; `b7.2` is the second one.
"""

from __future__ import annotations

import re
from typing import Any

KINDS = {"block": "b", "id": "b", "stamp": "g", "recovery": "g", "file": "f"}
"""By the key of a number in a call or an answer, the letter of its kind."""

WALL_CLOCK_MS = 10**12
_IN_PATH = re.compile(r"\{(f[\d.]+)\}")
_UNKNOWN = 999


class Names:
    """What one namenode calls what has a name."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._names: dict[tuple[str, int], str] = {}

    def resolved(self, value: Any, key: str = "") -> Any:
        """A call with names replaced by numbers; a name that was not given is a number that nothing has."""
        if isinstance(value, dict):
            return {inner: self.resolved(one, inner) for inner, one in value.items()}
        if isinstance(value, list):
            return [self.resolved(one) for one in value]
        if isinstance(value, str) and key in KINDS:
            return self._numbers.get(value, _UNKNOWN)
        if isinstance(value, str):
            return _IN_PATH.sub(lambda found: str(self._numbers.get(found[1], _UNKNOWN)), value)
        return value

    def named(self, value: Any, number: int, key: str = "") -> Any:
        """An answer to call `number` with numbers replaced by names, and times of the wall clock by "now"."""
        if isinstance(value, dict):
            return {inner: self.named(one, number, inner) for inner, one in value.items()}
        if isinstance(value, list):
            return [self.named(one, number, key) for one in value]
        if isinstance(value, int) and not isinstance(value, bool):
            if key in KINDS:
                return self._name(KINDS[key], value, number)
            if key in ("modified", "accessed") and value > WALL_CLOCK_MS:
                return "now"
        return value

    def forget(self, number: int) -> None:
        """Takes back the names that the answer to call `number` was the first to show."""
        for (kind, real), name in list(self._names.items()):
            if name.partition(".")[0] == f"{kind}{number}":
                del self._names[kind, real], self._numbers[name]

    def _name(self, kind: str, real: int, number: int) -> str:
        known = self._names.get((kind, real))
        if known is not None:
            return known
        name, count = f"{kind}{number}", 1
        while name in self._numbers:
            count += 1
            name = f"{kind}{number}.{count}"
        self._numbers[name] = real
        self._names[kind, real] = name
        return name
