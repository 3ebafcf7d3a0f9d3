"""Fair instances: an action with one choice of members for its arguments.

Messages and picked numbers do not belong to an instance: a step with any of them takes it. In TLA+, an action `receive`
of each datanode with one of the messages in a bag is `\\A d \\in Datanode : WF_vars(\\E m \\in bag : receive(d, m))`.
As in TLA+, a step that changes nothing neither enables nor takes an instance.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from genstamp_model.evaluate import Arguments, Evaluator, State
from genstamp_model.expand.cells import nobody
from genstamp_model.language.model import Action, Instance, Property
from genstamp_model.language.trace import MessageOf, OptionalMember, Range, Subset, values_of
from genstamp_model.language.types import IndexSet, Value, show


@dataclass(frozen=True)
class FairInstance:
    """An action with its members.

    Attributes:
        action: the action.
        members: the values of its parameters that range over index sets, in their order.
        strong: whether it must be taken if it is enabled infinitely often, not only if it stays enabled.
    """

    action: Action
    members: tuple[Value, ...]
    strong: bool

    def is_taken_by(self, action: Action, arguments: Arguments) -> bool:
        """Whether a step with these arguments, as in `evaluate`, takes this instance."""
        return action is self.action and chosen_members(action, arguments) == self.members

    def steps(self, evaluator: Evaluator, state: State) -> Iterator[State]:
        """The next states by its possible steps that change a state, including those beyond a limit."""
        for arguments in evaluator.choices(self.action, state):
            if chosen_members(self.action, arguments) != self.members:
                continue
            if evaluator.first_failing(self.action, arguments, state) is None:
                after = evaluator.apply(self.action, arguments, state)
                if after != state:
                    yield after

    def shown(self, evaluator: Evaluator) -> str:
        """Its name in reports, as `receive(dn datanode1, any message of post)`."""
        members = iter(self.members)
        arguments = []
        for parameter in self.action.parameters:
            match parameter.domain:
                case MessageOf(bag=bag):
                    arguments.append(f"any message of {bag}")
                case Range() | Subset():
                    arguments.append(f"any {parameter.name}")
                case _:
                    arguments.append(f"{parameter.name} {show(next(members), parameter.type, evaluator.sizes)}")
        return f"{self.action.name}({', '.join(arguments)})"


def chosen_members(action: Action, arguments: Sequence[Value]) -> tuple[Value, ...]:
    """The arguments of a step that range over index sets, with or without none."""
    return tuple(
        argument
        for parameter, argument in zip(action.parameters, arguments, strict=True)
        if not isinstance(parameter.domain, MessageOf | Range | Subset)
    )


def fair_instances(instance: Instance, claim: Property) -> list[FairInstance]:
    """Every fair instance of a leads-to property."""
    found = []
    for action in instance.model.actions:
        if action.name in claim.fair or action.name in claim.strongly_fair:
            domains = [
                values_of(parameter.domain, instance.sizes)
                for parameter in action.parameters
                if isinstance(parameter.domain, IndexSet | OptionalMember)
            ]
            strong = action.name in claim.strongly_fair
            found += [FairInstance(action, members, strong) for members in product(*domains)]
    return found


def labels_of(
    instance: Instance, steps: Sequence[tuple[Action, tuple[int, ...]]], fair: Sequence[FairInstance]
) -> list[int]:
    """The label of each step: 1 + the number of its fair instance, or 0 if it has none.

    Args:
        instance: the instance.
        steps: the action of each step, and the values of the cells of its arguments.
        fair: the fair instances.
    """
    number = {(one.action.name, one.members): i for i, one in enumerate(fair, 1)}
    found = []
    for action, arguments in steps:
        plain: list[Value] = [
            None if isinstance(p.domain, OptionalMember) and value == nobody(instance, p.domain.index) else value
            for p, value in zip(action.parameters, arguments, strict=True)
        ]
        found.append(number.get((action.name, chosen_members(action, plain)), 0))
    return found
