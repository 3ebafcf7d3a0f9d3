"""Functions of the implementation that are broken for a while."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from types import FunctionType
from typing import Any
from unittest import mock


@dataclass(frozen=True)
class Patch:
    """One function of the implementation, and the broken one in its place.

    Attributes:
        owner: the class or module that has the function.
        name: of the function there.
    """

    owner: Any
    name: str
    broken: Any


@contextmanager
def patched(patches: Iterable[Patch]) -> Iterator[None]:
    """All of these are in place for a while: each in its owner, and in every module that has imported the function.

    Raises:
        AttributeError: an owner has no such function.
    """
    with ExitStack() as stack:
        for patch in patches:
            sound = getattr(patch.owner, patch.name)
            stack.enter_context(mock.patch.object(patch.owner, patch.name, patch.broken))
            for module, name in _bound(sound):
                stack.enter_context(mock.patch.object(module, name, patch.broken))
        yield


def _bound(function: Any) -> list[tuple[Any, str]]:
    """The modules of the implementation that import a function, each with the name that it has there."""
    modules = [module for path, module in sys.modules.items() if path.partition(".")[0] == "genstamp_dfs"]
    is_plain = isinstance(function, FunctionType)
    return [(each, name) for each in modules for name, value in vars(each).items() if is_plain and value is function]
