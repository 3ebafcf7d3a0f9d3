"""The meaning of the names of an expression in a Promela text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from genstamp_model.language.ir import Expr


@dataclass(frozen=True)
class Message:
    """A name that stands for a message: the bag that it is in, and its place there."""

    bag: Expr
    place: str


# What the free names of an expression stand for: a scalar's text, or a message.
Bound: TypeAlias = Mapping[str, str | Message]


@dataclass(frozen=True, eq=False)
class Scope:
    """What variables stand for.

    Attributes:
        before: prefix of the variables before a step; the state itself has none.
        effects: the new values of variables, in the next state; `given` its parameters.
        shared: subexpressions that were computed into a temporary.
    """

    before: str = ""
    effects: Mapping[str, Expr] | None = None
    given: Bound | None = None
    beneath: Scope | None = None
    shared: Mapping[Expr, str] | None = None


STATE = Scope()
STEP = Scope(before="old_")
