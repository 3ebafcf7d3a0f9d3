"""Which variations change which call of a system: holes of a release, historic faults, and other differences.

A variation may change a call if it drops a check of it, is named by a mark that the call meets, or replaces a function
that the call reaches; these calls are traced under the variation alone, and compared.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from types import CodeType, FunctionType
from typing import Any

from genstamp_model.language import System, Variation
from genstamp_model.language.declarations import ActionDeclaration
from genstamp_model.language.model import Action


class Differences:
    """The variations that change the calls of a system.

    Args:
        system: it.
        actions: its actions under the default semantics.
    """

    def __init__(self, system: System, actions: Sequence[Action]) -> None:
        self._system = system
        self._default = by_call(actions)
        self._functions = _functions(system)
        self._reached: dict[str, set[str]] = {}

    def of(self, call: str) -> list[Variation]:
        """The variations that change a call."""
        return [variation for variation, calls in self._changed.items() if call in calls]

    @cached_property
    def _changed(self) -> dict[Variation, set[str]]:
        found = {}
        for variation in self._system.variations:
            own = {base for part in self._system.parts for base in part.__mro__}
            bases = {base for part in variation.parts for base in part.__mro__} - own
            replaced = {name for base in bases for name in vars(base)}
            asked = {call for call in self._default if self._may_change(variation, replaced, call)} | replaced
            traced = by_call(self._system.actions(asked, bugs=[variation.name]))
            found[variation] = {
                call for call, ways in traced.items() if _shape(ways) != _shape(self._default.get(call, ()))
            }
        return found

    def marks(self, call: str) -> dict[str, str]:
        """The variations that drop a check of a call, by the check's label."""
        found: dict[str, list[str]] = {}
        for variation in self._system.variations:
            for name, label in variation.drops:
                if name == call:
                    found.setdefault(label, []).append(variation.name)
        return {label: ", ".join(names) for label, names in found.items()}

    def _may_change(self, variation: Variation, replaced: set[str], call: str) -> bool:
        if any(name == call for name, _ in variation.drops):
            return True
        is_marked = any(variation.name in way.marks for way in self._default[call])
        return is_marked or bool(replaced & self._reach(call))

    def _reach(self, call: str) -> set[str]:
        """The call, and the functions of the parts that it reaches by name."""
        found = self._reached.get(call)
        if found is None:
            found, left = {call}, [call]
            while left:
                for function in self._functions.get(left.pop(), ()):
                    fresh = (set(_names(function.__code__)) & self._functions.keys()) - found
                    found |= fresh
                    left += fresh
            self._reached[call] = found
        return found


def by_call(actions: Sequence[Action]) -> dict[str, list[Action]]:
    """Actions by their declarations."""
    found: dict[str, list[Action]] = {}
    for action in actions:
        found.setdefault(action.declared, []).append(action)
    return found


def _shape(ways: Sequence[Action]) -> list[tuple[Any, ...]]:
    """All that a call does; expressions are interned, so that equal ones are one object."""
    return [
        (
            way.name,
            way.refuses,
            [(check.label, id(check.condition), check.refuses) for check in way.checks],
            [(effect.variable, id(effect.value)) for effect in way.effects],
            [(name, id(value)) for name, value in way.observations],
        )
        for way in ways
    ]


def _functions(system: System) -> dict[str, list[FunctionType]]:
    """The functions of the parts by name, whichever of them one replaces."""
    found: dict[str, list[FunctionType]] = {}
    for base in dict.fromkeys(base for part in system.parts for base in part.__mro__):
        for name, value in vars(base).items():
            function = value.function if isinstance(value, ActionDeclaration) else value
            if isinstance(function, FunctionType):
                found.setdefault(name, []).append(function)
    return found


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
