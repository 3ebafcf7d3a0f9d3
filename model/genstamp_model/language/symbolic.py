"""Bases of what there is only while a function is traced."""

from __future__ import annotations


class Traced:
    """Base of what there is only while a function is traced: the state and its values."""

    __slots__ = ()


class Symbolic(Traced):
    """Base class of symbolic values, which represent the values of every state."""

    __slots__ = ()
