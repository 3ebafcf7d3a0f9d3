"""Pieces of Promela expressions: parentheses, conjunctions, calls of macros."""

from __future__ import annotations

from collections.abc import Callable, Sequence


def call(name: str, arguments: Sequence[str]) -> str:
    """A macro with arguments, or without any."""
    return f"{name}({', '.join(arguments)})" if arguments else name


def following(where: str | int) -> str | int:
    """The place after one."""
    return where + 1 if isinstance(where, int) else f"{where} + 1"


def preceding(where: str | int) -> str | int:
    """The place before one."""
    return where - 1 if isinstance(where, int) else f"{where} - 1"


def bare(text: str) -> str:
    """A text without the parentheses around all of it."""
    if not (text.startswith("(") and text.endswith(")")):
        return text
    depth = 0
    for i, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if depth == 0 and i < len(text) - 1:
            return text
    inner = text[1:-1]
    # A choice keeps its parentheses: Promela knows it only in them. So does a number below 0.
    return text if _has_choice(inner) or inner.startswith("-") else inner


def enclosed(text: str) -> str:
    """A text that can be anywhere in an expression."""
    if text.replace("_", "a").isalnum() or (bare(text) != text) or (text.startswith("(") and _closes_last(text)):
        return text
    return f"({text})"


def _closes_last(text: str) -> bool:
    depth = 0
    for i, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return i == len(text) - 1
    return False


def _has_choice(text: str) -> bool:
    depth = 0
    for i, sign in enumerate(text):
        depth += (sign in "([") - (sign in ")]")
        if depth == 0 and text.startswith("->", i):
            return True
    return False


def every(parts: Sequence[str]) -> str:
    """All of the conditions."""
    return f"({' && '.join(parts)})" if parts else "true"


def some(parts: Sequence[str]) -> str:
    """Any of the conditions."""
    return f"({' || '.join(parts)})" if parts else "false"


def infix(sign: str) -> Callable[[Sequence[str]], str]:
    """What writes an operation between its operands."""
    return lambda parts: f"({f' {sign} '.join(parts)})"
