"""Conditions over many states at once: each cell is a column of values, and an expression gives a column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

# A column of flags or numbers, or one known value for all rows.
Column: TypeAlias = Any


class ColumnAlgebra:
    """The operations that `expand` builds with, on columns."""

    def constant(self, value: int | bool) -> Column:
        """A known value."""
        return value

    def not_(self, a: Column) -> Column:
        """Negation."""
        return not a if isinstance(a, bool) else ~a

    def and_(self, parts: Sequence[Column]) -> Column:
        """All flags; true for none."""
        found: Column = True
        for part in parts:
            found = part & found
        return found

    def or_(self, parts: Sequence[Column]) -> Column:
        """Any flag; false for none."""
        found: Column = False
        for part in parts:
            found = part | found
        return found

    def eq(self, a: Column, b: Column) -> Column:
        """Equality."""
        return a == b

    def lt(self, a: Column, b: Column) -> Column:
        """Less than."""
        return a < b

    def le(self, a: Column, b: Column) -> Column:
        """Less than or equal."""
        return a <= b

    def add(self, a: Column, b: Column) -> Column:
        """Sum."""
        return a + b

    def sub(self, a: Column, b: Column) -> Column:
        """Difference."""
        return a - b

    def mul(self, a: Column, b: Column) -> Column:
        """Product."""
        return a * b

    def div(self, a: Column, by: int) -> Column:
        """Quotient by a number above 0, rounded down."""
        return a // by

    def mod(self, a: Column, by: int) -> Column:
        """The remaining elements, from 0."""
        return a % by

    def quotient(self, a: Column, by: Column) -> Column:
        """Quotient of a number from 0 by a number from 1."""
        return a // by

    def minimum(self, a: Column, b: Column) -> Column:
        """The smaller."""
        return np.minimum(a, b)

    def maximum(self, a: Column, b: Column) -> Column:
        """The larger."""
        return np.maximum(a, b)

    def ite(self, condition: Column, then: Column, otherwise: Column) -> Column:
        """One of two."""
        if isinstance(condition, bool):
            return then if condition else otherwise
        return np.where(condition, then, otherwise)


def flags(column: Column, rows: int) -> NDArray[np.bool_]:
    """A column of flags in full, known values repeated."""
    return np.broadcast_to(np.asarray(column, dtype=bool), rows)
