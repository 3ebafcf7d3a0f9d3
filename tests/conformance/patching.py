"""Functions of the implementation that are broken for a while."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import wraps
from types import FunctionType, ModuleType
from typing import Any
from unittest import mock

from genstamp_dfs.hdfs.namenode.calls import CALLS, Call
from genstamp_dfs.world.request import Request


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
    """All of these are in place for a while.

    A function of a module is replaced in every module of the implementation that has it, and in the table of calls.

    Raises:
        AttributeError: an owner has no such function.
    """
    with ExitStack() as stack:
        for patch in patches:
            sound = getattr(patch.owner, patch.name)
            stack.enter_context(mock.patch.object(patch.owner, patch.name, patch.broken))
            if isinstance(sound, FunctionType):
                for module, name in _modules_with(sound):
                    stack.enter_context(mock.patch.object(module, name, patch.broken))
                stack.enter_context(mock.patch.dict(CALLS, _calls_of(sound, patch.broken)))
        yield


def _modules_with(function: FunctionType) -> list[tuple[ModuleType, str]]:
    """The modules of the implementation that have a function, each with the name that it has there."""
    modules = [module for path, module in sys.modules.items() if path.partition(".")[0] == "genstamp_dfs"]
    return [(module, name) for module in modules for name, value in vars(module).items() if value is function]


def _calls_of(sound: FunctionType, broken: Callable[..., Any]) -> dict[type[Request[Any]], Call]:
    """The calls that a function answers, answered by the broken one under its name."""

    @wraps(sound)
    def named(*arguments: Any) -> Any:
        return broken(*arguments)

    return {request: replace(call, function=named) for request, call in CALLS.items() if call.function is sound}
