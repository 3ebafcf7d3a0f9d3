"""The state of a system: one class of all its parts, in which no part loses anything to another one without a word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from genstamp_model.errors import Source, SpecError
from genstamp_model.language.declarations import Declaration
from genstamp_model.language.declare import Part
from genstamp_model.language.lost import source_of
from genstamp_model.language.variables import Declared


def compose(parts: Sequence[type[Part]], source: Source | None) -> type[Part]:
    """One class of all parts; actions of later parts replace those of earlier ones.

    Args:
        parts: the parts of a system, those of its variations last.
        source: the line of the system.

    Raises:
        SpecError: two parts have something of one name, and one of them would vanish.
    """
    _refuse_namesakes(parts, source)
    # What an earlier part builds on is there already; what a later one builds on keeps its place among the others.
    chosen = [part for i, part in enumerate(parts) if not any(issubclass(other, part) for other in parts[:i])]
    bases = tuple(reversed(chosen))
    state = type("State", bases, {})
    declared: dict[str, Declared[Any]] = {}
    for base in reversed(state.__mro__):
        for name, value in vars(base).items():
            if isinstance(value, Declared) and declared.setdefault(name, value) is not value:
                raise SpecError(
                    f"variable '{name}' is declared twice, here and at {declared[name].source}", value.source
                )
    assert issubclass(state, Part)
    return state


def _refuse_namesakes(parts: Sequence[type[Part]], source: Source | None) -> None:
    """Refuse what has one name in two parts of which neither inherits from the other: one would vanish.

    A helper or a constant too, for one part would be traced with that of the other. But several parts may replace a
    helper of a part that all of them inherit from: the later ones call the earlier ones, or take their place.
    """
    found: dict[str, tuple[type[Part], object]] = {}
    for part in parts:
        for base in part.__mro__:
            for name, value in vars(base).items():
                if name.startswith("__") or name in vars(Part) or isinstance(value, type):
                    continue
                other, before = found.setdefault(name, (base, value))
                if issubclass(base, other):
                    found[name] = (base, value)
                elif not (issubclass(other, base) or _is_replaced(name, (base, value), (other, before))):
                    where = f"at {at}" if (at := source_of(before)) else f"in {other.__name__}"
                    message = f"'{name}' is declared here and {where}; inherit from {other.__name__} to replace it"
                    raise SpecError(message, source_of(value) or source)


def _is_replaced(name: str, one: tuple[type, object], other: tuple[type, object]) -> bool:
    """Whether two declarations of a name are refused elsewhere, or are of helpers that both replace another one."""
    declared = [isinstance(value, Declaration | Declared) for _, value in (one, other)]
    if any(declared):
        return isinstance(one[1], Declared) and isinstance(other[1], Declared)
    return any(name in vars(base) for base in one[0].__mro__ if base in other[0].__mro__)
