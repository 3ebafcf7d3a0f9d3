"""The mutants of a model: each differs from it in one place of one action, or of what its initial states may be.

Each check and each effect is left out, and is changed inside by `changes`. Where variables begin with any of several
values, each value is left out, and each condition on initial states. Not mutated: properties, limits, observed values,
and the exception of a check, which conformance tests cover.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

from genstamp_model.errors import Source
from genstamp_model.language import ir
from genstamp_model.language.model import Action, Model
from genstamp_model.mutate.changes import changes


@dataclass(frozen=True)
class Mutant:
    """One change of a model.

    Attributes:
        action: the name of the changed action; empty where the initial states are changed.
        place: the check, by its label, the effect or the choice, by its variable, or the condition, by its name.
        change: the change in words; long expressions are cut.
        digest: the digest of the changed check, effect or choice; empty if it is left out.
        source: the line of the check, effect, variable or condition.
        model: the changed model.
    """

    action: str
    place: str
    change: str
    digest: str
    source: Source
    model: Model

    @property
    def name(self) -> str:
        """A short name that depends only on the system, the action, and the changed check or effect."""
        told = "\n".join([self.model.system, self.action, self.place, self.digest])
        return f"{self.subject}-{hashlib.sha256(told.encode()).hexdigest()[:8]}"

    @property
    def subject(self) -> str:
        """The action, or that it is the beginning."""
        return self.action or "initially"

    def __str__(self) -> str:
        return f"{self.subject}: {self.place}: {self.change} ({self.source})"


def mutants(model: Model) -> list[Mutant]:
    """All mutants of a model, in the order of its text."""
    digests: dict[int, str] = {}
    of_actions = (mutant for action in model.actions for mutant in _of_action(model, action, digests))
    return [*_of_beginnings(model), *of_actions]


def _of_beginnings(model: Model) -> Iterator[Mutant]:
    for i, variable in enumerate(model.variables):
        for left_out, choice in variable.choice.weaker() if variable.choice is not None else ():
            fewer = replace(variable, initial=choice.first, choice=choice)
            variables = (*model.variables[:i], fewer, *model.variables[i + 1 :])
            changed = replace(model, variables=variables)
            place, said = f"choice of {variable.name}", f"without {left_out}"
            yield Mutant("", place, said, choice.text(), variable.source, changed)
    for i, condition in enumerate(model.beginnings):
        changed = replace(model, beginnings=(*model.beginnings[:i], *model.beginnings[i + 1 :]))
        yield Mutant("", f"condition {condition.name}", "dropped", "", condition.source, changed)


def _of_action(model: Model, action: Action, digests: dict[int, str]) -> Iterator[Mutant]:
    for i, check in enumerate(action.checks):
        place = f"check '{check.label}'"
        before, after = action.checks[:i], action.checks[i + 1 :]
        gone = replace(action, checks=(*before, *after))
        yield _mutant(model, action, gone, place, "dropped", "", check.source)
        for said, condition in changes(check.condition):
            changed = replace(action, checks=(*before, replace(check, condition=condition), *after))
            yield _mutant(model, action, changed, place, said, ir.digest(condition, digests), check.source)
    for i, effect in enumerate(action.effects):
        place = f"effect on {effect.variable}"
        earlier, later = action.effects[:i], action.effects[i + 1 :]
        gone = replace(action, effects=(*earlier, *later))
        yield _mutant(model, action, gone, place, "left out", "", effect.source)
        for said, value in changes(effect.value):
            changed = replace(action, effects=(*earlier, replace(effect, value=value), *later))
            yield _mutant(model, action, changed, place, said, ir.digest(value, digests), effect.source)


def _mutant(model: Model, old: Action, new: Action, place: str, change: str, digest: str, source: Source) -> Mutant:
    actions = tuple(new if action is old else action for action in model.actions)
    return Mutant(old.name, place, change, digest, source, replace(model, actions=actions))
