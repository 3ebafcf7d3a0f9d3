"""Errors of the modelling language and its judges.

Every error that a user can cause derives from `ModelError` and keeps its parts as attributes. Not here: our own bugs,
which are assertions, and a protocol's refusals, which are values (`Check.refuses`).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Source:
    """A place in a specification's text: file name as Python reports it, and line."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file.rsplit('/', 1)[-1]}:{self.line}"


class ModelError(Exception):
    """Base of all errors that a caller of this package can cause."""


class SpecError(ModelError):
    """A specification misuses the language; the message names the line and says what to write.

    Attributes:
        source: the line at fault, if known.
    """

    def __init__(self, message: str, source: Source | None = None) -> None:
        self.source = source
        super().__init__(f"{source}: {message}" if source else message)


class ConfigurationError(ModelError):
    """A configuration names something unknown or leaves out something needed, or nothing can begin in it.

    Attributes:
        source: the line at fault, if known.
    """

    def __init__(self, message: str, source: Source | None = None) -> None:
        self.source = source
        super().__init__(f"{source}: {message}" if source else message)


class EvaluationError(ModelError):
    """A step computes a value outside its declared range, or reads what does not exist.

    Attributes:
        source: the line of the effect at fault, if known.
    """

    def __init__(self, message: str, source: Source | None = None) -> None:
        self.source = source
        super().__init__(f"{source}: {message}" if source else message)


class TraceError(ModelError):
    """A trace cannot be read, or mentions what the model does not have."""
