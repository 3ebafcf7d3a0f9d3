"""Checks the values that an author gives for the fields of a declaration; a wrong kind of value is refused at the
declaration.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from genstamp_model.language.mismatch import shown
from genstamp_model.language.trace import misuse

IsRight = Callable[[Any], bool]


def refuse_others(what: str, declaration: object, **fields: tuple[IsRight, str]) -> None:
    """Refuse a declaration one of whose fields holds something else.

    Args:
        what: the declaration, as text.
        fields: by name, what the value has to fulfil, and what to write.

    Raises:
        SpecError: one does not fulfil it.
    """
    for name, (is_right, would_do) in fields.items():
        value = getattr(declaration, name)
        if not is_right(value):
            raise misuse(f"{name} of {what} is {shown(value)}; write {would_do}")


def is_name(value: Any) -> bool:
    """Whether it can be written on the command line, as SYSTEM:CONFIGURATION."""
    return isinstance(value, str) and value.strip() == value != "" and value.isprintable() and ":" not in value


def is_text(value: Any) -> bool:
    """A text."""
    return isinstance(value, str)


def is_flag(value: Any) -> bool:
    """True or False."""
    return isinstance(value, bool)


def is_count(value: Any) -> bool:
    """A whole number from 0."""
    return type(value) is int and value >= 0


def by_name(is_right: IsRight) -> IsRight:
    """A mapping from names to such values."""
    return lambda value: isinstance(value, Mapping) and all(is_text(key) and is_right(value[key]) for key in value)


def several(is_right: IsRight) -> IsRight:
    """A sequence of such values, which a text is not."""
    return lambda value: isinstance(value, Sequence) and not is_text(value) and all(map(is_right, value))


def a(*kinds: type) -> IsRight:
    """An instance of one of these classes."""
    return lambda value: isinstance(value, kinds)
