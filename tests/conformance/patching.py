"""Functions of the implementation that are broken for a while."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any
from unittest import mock


@dataclass(frozen=True)
class Patch:
    """One function of the implementation, and the broken one in its place."""

    owner: Any
    name: str
    broken: Any


@contextmanager
def patched(patches: Iterable[Patch]) -> Iterator[None]:
    """All of these are in place for a while."""
    with ExitStack() as stack:
        for patch in patches:
            stack.enter_context(mock.patch.object(patch.owner, patch.name, patch.broken))
        yield
