"""What refines a system notices its mutants: who says less than the system below does, or can do, is not above it.

A system that says what others are for is abstract, and much may happen in it; that nothing is left out there is what
those others show. A mutant is put in the place of the upper system in a refinement: a step below that is none of its
steps shows that it forbids too much, an action that no step below is any more shows that it does something else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from genstamp_model.explore import Compiled, Result, Search
from genstamp_model.language.model import Configuration, Instance, Model
from genstamp_model.language.refinement import RefinementDeclaration, refinement

if TYPE_CHECKING:
    from genstamp_model.language import System


@dataclass(frozen=True)
class Below:
    """A system that refines another one, in one configuration.

    Attributes:
        lower: the system, traced.
        declaration: how it refines the other one.
        configuration: where that is judged.
    """

    lower: Model
    declaration: RefinementDeclaration
    configuration: Configuration

    def __str__(self) -> str:
        return f"{self.lower.system}:{self.configuration.name}"

    @cached_property
    def taken(self) -> frozenset[str]:
        """The steps of the upper system itself that are seen below."""
        return _taken(self._search(self.declaration.upper.model()))

    def notices(self, mutant: Model) -> str | None:
        """What shows that a mutant of the upper system is not refined as that is; None if nothing does."""
        result = self._search(mutant)
        if result.violation is not None:
            return f"{self}: a step that is none of its steps, after {len(result.violation.path) - 1} others"
        lost = sorted(self.taken - _taken(result))
        return f"{self}: no step is {lost[0]}" if lost else None

    def _search(self, upper: Model) -> Result:
        """All states, with the refinement for the only property."""
        [before] = (one for one in self.lower.refinements if one.upper.system == upper.system)
        now = refinement(self.declaration, upper, before.mapping)
        model = replace(self.lower, properties=(now.claim,), refinements=(now,), may_stop=None)
        return Search(Compiled(Instance(model, self.configuration))).run()


def _taken(result: Result) -> frozenset[str]:
    return frozenset(name for name, steps in result.refined.items() if steps)


def below(upper: str, systems: Sequence[System], configurations: Sequence[str]) -> list[Below]:
    """Where systems refine the one of this name.

    Args:
        configurations: those that count, as SYSTEM:CONFIGURATION, in the order in which they are to be tried.
    """
    found = [
        Below(system.model(), declaration, configuration)
        for system in systems
        for declaration in system.refines
        if declaration.upper.name == upper
        for configuration in system.configurations
        if f"{system.name}:{configuration.name}" in configurations
    ]
    return sorted(found, key=lambda one: configurations.index(str(one)))
