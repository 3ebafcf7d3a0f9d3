"""Systems that refine a system judge its mutants: an abstract system must allow every step of the concrete one.

The mutant replaces the upper system in a refinement. A step of the lower system that the mutant does not allow shows
that the mutant forbids too much. An action of the mutant that no step of the lower system refines any more shows that
its effect has changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from genstamp_model.errors import ModelError
from genstamp_model.explore import Compiled, Result, Search, Verdict
from genstamp_model.language.model import Configuration, Instance, Model
from genstamp_model.language.refinement import RefinementDeclaration, refinement
from genstamp_model.mutate.searching import searched
from genstamp_model.refinement import OtherBeginningError

if TYPE_CHECKING:
    from genstamp_model.language import System


@dataclass(frozen=True)
class Below:
    """A system that refines another one, in one configuration.

    Attributes:
        lower: the refining system's model.
        declaration: the refinement.
        configuration: the configuration that is searched.
    """

    lower: Model
    declaration: RefinementDeclaration
    configuration: Configuration

    def __str__(self) -> str:
        return f"{self.lower.system}:{self.configuration.name}"

    @cached_property
    def taken(self) -> frozenset[str]:
        """The names of the upper system's steps that the lower system takes."""
        return _taken(self._search(self.declaration.upper.model()))

    def notices(self, mutant: Model) -> str | None:
        """Why the lower system does not refine a mutant as it refines the upper system; None if it does.

        Raises:
            ModelError: the search does not end, for example because memory is used up.
        """
        try:
            result = self._search(mutant)
        except OtherBeginningError as problem:
            return f"{self}: {problem}"
        if result.violation is not None:
            return f"{self}: a step that is none of its steps, after {len(result.violation.path) - 1} others"
        lost = sorted(self.taken - _taken(result))
        return f"{self}: no step is {lost[0]}" if lost else None

    def _search(self, upper: Model) -> Result:
        """Search all states, with the refinement as the only property."""
        [before] = (one for one in self.lower.refinements if one.upper.system == upper.system)
        now = refinement(self.declaration, upper, before.mapping)
        model = replace(self.lower, properties=(now.claim,), refinements=(now,), may_stop=None)
        result = searched(Search(Compiled(Instance(model, self.configuration))))
        if result.verdict is Verdict.UNDETERMINED:
            raise ModelError(f"whether {self} refines {upper.system} is undetermined: {result.undetermined}")
        return result


def _taken(result: Result) -> frozenset[str]:
    return frozenset(name for name, steps in result.refined.items() if steps)


def below(upper: str, systems: Sequence[System], configurations: Sequence[str]) -> list[Below]:
    """The refinements of a system.

    Args:
        upper: the name of the refined system.
        systems: the systems that may refine it.
        configurations: the configurations to use, as SYSTEM:CONFIGURATION, in the order of the result.
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
