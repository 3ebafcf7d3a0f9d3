"""The system that is explored, and its instances: one for each configuration, semantics and choice of bugs."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from genstamp_model.errors import ConfigurationError
from genstamp_model.evaluate import Evaluator
from genstamp_model.language import Bug, Configuration, Hole, Instance, System

_EVALUATORS_KEPT: Final = 8


@dataclass(frozen=True)
class Setup:
    """What is explored of a system.

    Attributes:
        configuration, semantics: by name.
        bugs: bugs and holes that are added, by name.
    """

    configuration: str
    semantics: str
    bugs: tuple[str, ...] = ()


class Explored:
    """A system, with an evaluator for each setup that was asked for.

    Args:
        system: the system.
        limits: of every configuration that has them, in place of its own.

    Raises:
        ConfigurationError: no configuration has one of the limits.
    """

    def __init__(self, system: System, limits: Mapping[str, int]) -> None:
        self.system = system
        self.configurations = {one.name: _limited(one, limits) for one in system.configurations}
        unknown = [name for name in limits if all(name not in one.limits for one in system.configurations)]
        if unknown:
            known = sorted({name for one in system.configurations for name in one.limits})
            raise ConfigurationError(f"{system.name} has no limit '{unknown[0]}'; it has {', '.join(known) or 'none'}")
        self._evaluators: dict[Setup, Evaluator] = {}
        # Requests come in several threads, and a system keeps the models that it has traced.
        self._tracing = threading.Lock()

    def setup(self, configuration: str = "", semantics: str | None = None, bugs: tuple[str, ...] = ()) -> Setup:
        """The setup by names; by default the configuration in which the first bug shows, or the first one.

        Raises:
            ConfigurationError: there is none of these names.
        """
        shown = [bug.configuration for bug in map(self.system.bug, bugs) if bug.configuration]
        chosen = self.system.configuration(configuration or next(iter(shown), None))
        setup = Setup(chosen.name, semantics or self.system.default_semantics, bugs)
        self.evaluator(setup)
        return setup

    def evaluator(self, setup: Setup) -> Evaluator:
        """What computes the states and steps of a setup.

        Raises:
            ConfigurationError: there is no such configuration, semantics or bug.
        """
        with self._tracing:
            evaluator = self._evaluators.pop(setup, None) or Evaluator(self._instance(setup))
            self._evaluators[setup] = evaluator  # The latest one is last.
            if len(self._evaluators) > _EVALUATORS_KEPT:
                del self._evaluators[next(iter(self._evaluators))]
            return evaluator

    def _instance(self, setup: Setup) -> Instance:
        self.system.configuration(setup.configuration)
        return Instance(self.system.model(setup.semantics, setup.bugs), self.configurations[setup.configuration])

    @cached_property
    def plain(self) -> dict[str, Any]:
        """What a page needs to know of the system, as JSON."""
        system = self.system
        return {
            "system": system.name,
            "doc": system.doc,
            "configurations": [{"name": name, "doc": one.doc} for name, one in self.configurations.items()],
            "semantics": list(system.semantics) or [system.default_semantics],
            "bugs": [
                {"name": one.name, "kind": one.kind, "title": one.title, "source": one.source}
                for one in system.variations
                if isinstance(one, Bug | Hole)
            ],
        }


def _limited(configuration: Configuration, limits: Mapping[str, int]) -> Configuration:
    """A configuration with those of its limits changed that it has, marked with a star as by other verbs."""
    changed = {name: bound for name, bound in limits.items() if name in configuration.limits}
    if not changed:
        return configuration
    return replace(configuration, limits={**configuration.limits, **changed}, name=f"{configuration.name}*")
