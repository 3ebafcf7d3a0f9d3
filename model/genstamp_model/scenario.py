"""A scenario: a row of steps with gaps, and a model that counts how much of it a run has shown.

    create; add_block(file=file1); not hflush; complete_under_recovery

is every run that takes these steps in this order, whatever else happens between them, but for an hflush between the
second and the last. A name is an action's or an event's, which stands for all its actions; arguments that are not named
may have any value.

A search for a scenario is a search for a state in which all its steps were taken. A step that is the next one of the
scenario may also be one of a gap: a run can come to its end only by a later step of the same name.

Not here: refusals, which are not steps.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from genstamp_model.errors import ConfigurationError, Source
from genstamp_model.evaluate import Step
from genstamp_model.language import ir
from genstamp_model.language.author import similar
from genstamp_model.language.ir import Expr
from genstamp_model.language.model import Action, Effect, Instance, Model, Property, Variable
from genstamp_model.language.trace import ActionParameter, Check, MessageOf, values_of
from genstamp_model.language.types import NumberType, Sizes, show
from genstamp_model.path import Path

_ITEM: Final = re.compile(r"(?P<negated>not\s+)?(?P<name>\w+)\s*(?:\((?P<arguments>[^()]*)\))?")
_SOURCE: Final = Source("a scenario", 1)
PROGRESS: Final = "scenario"
"""The variable that counts the steps of the scenario that were taken."""
_TAKES: Final = "_of_the_scenario"


@dataclass(frozen=True)
class Wanted:
    """Steps by the name of their action or event, and by some of their arguments, as text."""

    name: str
    arguments: tuple[tuple[str, str], ...] = ()

    def matches(self, action: Action, sizes: Sizes) -> Expr | None:
        """Where a step of an action is one of these: a condition on its arguments; None if it never is."""
        if self.name not in (action.name, action.event):
            return None
        conditions = []
        for name, text in self.arguments:
            parameter = next((one for one in action.parameters if one.name == name), None)
            if parameter is None or (value := _values(parameter, sizes).get(text)) is None:
                return None
            conditions.append(ir.equal(parameter.expr, value))
        return ir.conjunction(conditions)


@dataclass(frozen=True)
class Stage:
    """A step of a scenario, and the steps that may not be taken in the gap before it."""

    wanted: Wanted
    excluded: tuple[Wanted, ...] = ()


def read(text: str) -> tuple[Stage, ...]:
    """A scenario from its text.

    Raises:
        ConfigurationError: it has no step, ends with an excluded step, or something else stands there.
    """
    stages: list[Stage] = []
    excluded: list[Wanted] = []
    for item in filter(None, map(str.strip, text.split(";"))):
        found = _ITEM.fullmatch(item)
        if found is None:
            raise ConfigurationError(f"'{item}' is no step; write NAME, NAME(parameter=value, ...) or not NAME")
        wanted = Wanted(found["name"], tuple(_arguments(item, found["arguments"] or "")))
        if found["negated"]:
            excluded.append(wanted)
        else:
            stages.append(Stage(wanted, tuple(excluded)))
            excluded = []
    if excluded or not stages:
        raise ConfigurationError(f"the scenario '{text}' must end with a step that is taken")
    return tuple(stages)


def _arguments(item: str, text: str) -> Iterable[tuple[str, str]]:
    for argument in filter(None, map(str.strip, text.split(","))):
        name, equals, value = map(str.strip, argument.partition("="))
        if not (name and equals and value):
            raise ConfigurationError(f"'{argument}' in '{item}' is no argument; write parameter=value")
        yield name, value


def never(instance: Instance, stages: Sequence[Stage]) -> Instance:
    """The instance with the only claim that no run shows the whole scenario.

    Raises:
        ConfigurationError: the model has no such step.
    """
    model, sizes = instance.model, instance.sizes
    for one in (wanted for stage in stages for wanted in (stage.wanted, *stage.excluded)):
        if all(one.matches(action, sizes) is None for action in model.actions):
            raise ConfigurationError(_unknown(one, model, sizes))
    kind = NumberType(low=0, high=len(stages))
    counted = ir.make(ir.Op.VARIABLE, (), kind, PROGRESS)
    claim = Property(
        name=PROGRESS,
        kind="invariant",
        parameters=(),
        condition=ir.negation(ir.equal(counted, ir.number(len(stages)))),
        target=None,
        inductive=False,
        given=(),
        fair=(),
        doc="no run shows the whole scenario",
        source=_SOURCE,
    )
    counting = replace(
        model,
        variables=(*model.variables, Variable(PROGRESS, kind, lambda sizes: 0, _SOURCE)),
        actions=tuple(way for action in model.actions for way in _ways(action, stages, counted, sizes)),
        properties=(claim,),
        refinements=(),
        may_stop=None,
    )
    return Instance(counting, instance.configuration)


def _ways(action: Action, stages: Sequence[Stage], counted: Expr, sizes: Sizes) -> Iterable[Action]:
    """The action in a gap, and as the next step of the scenario if it can be that."""
    excluded: list[Expr] = []
    taken: list[Expr] = []
    for position, stage in enumerate(stages):
        here = ir.equal(counted, ir.number(position))
        found = (other.matches(action, sizes) for other in stage.excluded)
        excluded += [ir.conjunction([here, one]) for one in found if one is not None]
        if (one := stage.wanted.matches(action, sizes)) is not None:
            taken.append(ir.conjunction([here, one]))
    if excluded:
        yield _where(action, ir.negation(ir.disjunction(excluded)))
    else:
        yield action
    if taken:
        next_one = ir.make(ir.Op.ADD, (counted, ir.number(1)), counted.type)
        way = _where(action, ir.disjunction(taken))
        effects = (*way.effects, Effect(PROGRESS, next_one, _SOURCE))
        yield replace(way, name=f"{action.name}{_TAKES}", effects=effects)


def _where(action: Action, condition: Expr) -> Action:
    """The action where a condition holds."""
    return replace(action, checks=(*action.checks, Check(condition, "the scenario allows it", None, _SOURCE)))


def without_progress(path: Path, instance: Instance) -> Path:
    """A path of the instance that `never` gives, as one of the instance that it was given."""
    model = instance.model
    steps = [
        Step(model.action(step.action.name.removesuffix(_TAKES)), step.arguments, step.after[:-1])
        for step in path.steps
    ]
    return Path(instance, path.initial[:-1], tuple(steps))


def _values(parameter: ActionParameter, sizes: Sizes) -> dict[str, Expr]:
    """The values of a parameter by their names; none of one that ranges over messages."""
    if isinstance(parameter.domain, MessageOf):
        return {}
    values = values_of(parameter.domain, sizes)
    return {show(value, parameter.type, sizes): ir.const(value, parameter.type) for value in values}


def _unknown(wanted: Wanted, model: Model, sizes: Sizes) -> str:
    """Why a model has no step that is wanted."""
    actions = [one for one in model.actions if wanted.name in (one.name, one.event)]
    if not actions:
        names = {one.name for one in model.actions} | {one.event for one in model.actions}
        return f"{model.system} has no action or event '{wanted.name}'{similar(wanted.name, sorted(names))}"
    parameters = {one.name: one for action in actions for one in action.parameters}
    accepted = "; ".join(
        f"{name}: {', '.join(_values(one, sizes)) or 'cannot be chosen'}" for name, one in parameters.items()
    )
    return f"{wanted.name} has no step with {dict(wanted.arguments)}; its arguments are {accepted or 'none'}"
