"""What a page may ask, and how it is read: nothing of a request is taken that is not named here."""

from __future__ import annotations

from typing import Annotated, Final, TypeVar

import msgspec
from msgspec import Meta

from genstamp.explorer.errors import ExplorerError

MOST_BYTES: Final = 4 * 1024 * 1024
"""Of a request; a trace of some hundred states has fewer."""
MOST_STEPS: Final = 500

Name = Annotated[str, Meta(max_length=200)]
Call = Annotated[str, Meta(max_length=2000)]
Count = Annotated[int, Meta(ge=0, le=1_000_000)]

T = TypeVar("T", bound="Asked")


class Asked(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A question about a setup; by default the system's first configuration, and no bug."""

    configuration: Name = ""
    semantics: Name = ""
    bugs: Annotated[tuple[Name, ...], Meta(max_length=50)] = ()


class Walk(Asked, frozen=True):
    """A run, of which the page knows the states before number `since`."""

    initial: Count = 0
    steps: Annotated[tuple[Call, ...], Meta(max_length=MOST_STEPS)] = ()
    since: Count = 0


class Reach(Asked, frozen=True):
    """A shortest run: to a witness or other property, through a scenario, or, if both are empty, to a violation."""

    witness: Name = ""
    scenario: Call = ""


class TraceText(Asked, frozen=True):
    """A trace in the Informal Trace Format, as text."""

    text: str = ""


def read(body: bytes, kind: type[T]) -> T:
    """A question from JSON.

    Raises:
        ExplorerError: it is none.
    """
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as problem:
        raise ExplorerError(f"the request is not understood: {problem}") from problem
