"""Interrupts from the keyboard while Z3 answers: Python handles them, not Z3, and what is proved by then is kept.

`genstamp` interrupts Z3 when one comes (see its `cli.interrupting`); others wait until the question is answered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import z3

T = TypeVar("T")
S = TypeVar("S")

# By default Z3 handles the signal while it answers, and an interrupt is lost where it has just found an answer.
z3.set_param("ctrl_c", False)


def until_interrupted(items: Sequence[S], do: Callable[[S], T], left_open: Callable[[S], T]) -> tuple[list[T], bool]:
    """The result of each item, and whether an interrupt has left some open."""
    found: list[T] = []
    try:
        while len(found) < len(items):
            found.append(do(items[len(found)]))
    except KeyboardInterrupt:
        return [*found, *map(left_open, items[len(found) :])], True
    return found, False
