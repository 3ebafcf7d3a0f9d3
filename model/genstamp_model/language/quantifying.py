"""Functions that an author gives to a quantifier: of one member, and the same for every one."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TypeVar

from genstamp_model.language import ir
from genstamp_model.language.ir import Expr
from genstamp_model.language.mismatch import shown
from genstamp_model.language.suspects import is_watching
from genstamp_model.language.trace import binding, current, misuse
from genstamp_model.language.types import IndexSet, RecordType
from genstamp_model.language.values import Value

T = TypeVar("T")
V = TypeVar("V")


def of_one(
    function: Callable[[T], V], form: str = "a quantifier", example: str = "lambda n: s.up.has(n)"
) -> Callable[[T], V]:
    """The function of one member; others are refused before they are called."""
    if isinstance(function, Value) or not callable(function):
        raise misuse(f"{form} takes a function of one member, such as {example}, not {shown(function)}")
    try:
        inspect.signature(function).bind(None)
    except TypeError as problem:
        raise misuse(f"{form} takes a function of one member; nest one in the other for two") from problem
    return function


def of_every(over: IndexSet | RecordType, function: Callable[[Expr], T]) -> tuple[ir.Binder, T]:
    """Open a quantifier: its binder, and what a function gives for the bound variable.

    Where it is watched, the function is called twice, because it stands for every member: one that counts its calls, or
    keeps something for the next one, would give another value for each member in Python.
    """
    trace = current()
    with binding(over) as (binder, bound):
        body = function(bound)
    if is_watching() and not trace.is_again:
        trace.is_again = True
        try:
            with binding(over) as (_, bound):
                again = function(bound)
        finally:
            trace.is_again = False
        if again != body:
            raise misuse(
                "a function of one member gives another value when it is called again; it stands for all members, so "
                "it cannot count its calls or keep anything for the next one: write a value that depends on the member"
            )
    return binder, body
