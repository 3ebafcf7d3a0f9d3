"""Fair instances: an action with one choice of the members that its arguments range over.

Messages and picked numbers are no part of an instance: it is taken by any of them. In TLA+, for an action `receive` of
each datanode that takes one of the messages in a bag: `\\A d \\in Datanode : WF_vars(\\E m \\in bag : receive(d, m))`.
As there, a step that changes nothing is not one of the instance: it does not make it enabled, and does not take it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from genstamp_model.evaluate import Arguments, Evaluator, State
from genstamp_model.expand.cells import nobody
from genstamp_model.language.model import Action, Instance, Property
from genstamp_model.language.trace import MessageOf, OptionalMember, Range
from genstamp_model.language.types import IndexSet, Value, show


@dataclass(frozen=True)
class FairInstance:
    """An action with its members, in the order of its parameters; those that are no members are left out.

    Attributes:
        strong: whether it must be taken if it is enabled again and again, and not only if it is enabled for ever.
    """

    action: Action
    members: tuple[Value, ...]
    strong: bool

    def is_taken_by(self, action: Action, arguments: Arguments) -> bool:
        """Whether a step with these arguments, as `evaluate` has them, is one of this instance."""
        return action is self.action and chosen_members(action, arguments) == self.members

    def steps(self, evaluator: Evaluator, state: State) -> Iterator[State]:
        """The states after its steps that are possible in a state and change it, those beyond a limit included."""
        for arguments in evaluator.choices(self.action, state):
            if chosen_members(self.action, arguments) != self.members:
                continue
            if evaluator.first_failing(self.action, arguments, state) is None:
                after = evaluator.apply(self.action, arguments, state)
                if after != state:
                    yield after

    def shown(self, evaluator: Evaluator) -> str:
        """As reports name it: `receive(dn datanode1, any message of post)`."""
        members = iter(self.members)
        arguments = []
        for parameter in self.action.parameters:
            match parameter.domain:
                case MessageOf(bag=bag):
                    arguments.append(f"any message of {bag}")
                case Range():
                    arguments.append(f"any {parameter.name}")
                case _:
                    arguments.append(f"{parameter.name} {show(next(members), parameter.type, evaluator.sizes)}")
        return f"{self.action.name}({', '.join(arguments)})"


def chosen_members(action: Action, arguments: Sequence[Value]) -> tuple[Value, ...]:
    """Those of a step's arguments that range over members of index sets, nobody included."""
    return tuple(
        argument
        for parameter, argument in zip(action.parameters, arguments, strict=True)
        if not isinstance(parameter.domain, MessageOf | Range)
    )


def fair_instances(instance: Instance, claim: Property) -> list[FairInstance]:
    """Every fair instance of a leads-to property."""
    found = []
    for action in instance.model.actions:
        if action.name in claim.fair or action.name in claim.strongly_fair:
            domains: list[list[Value]] = []
            for parameter in action.parameters:
                match parameter.domain:
                    case IndexSet() as index:
                        domains.append(list(range(instance.sizes.of(index))))
                    case OptionalMember(index=index):
                        domains.append([*range(instance.sizes.of(index)), None])
            strong = action.name in claim.strongly_fair
            found += [FairInstance(action, members, strong) for members in product(*domains)]
    return found


def labels_of(
    instance: Instance, steps: Sequence[tuple[Action, tuple[int, ...]]], fair: Sequence[FairInstance]
) -> list[int]:
    """For each step, given with the values of its cells, 1 + the number of its fair instance; 0 where it has none."""
    number = {(one.action.name, one.members): i for i, one in enumerate(fair, 1)}
    found = []
    for action, arguments in steps:
        plain: list[Value] = [
            None if isinstance(p.domain, OptionalMember) and value == nobody(instance, p.domain.index) else value
            for p, value in zip(action.parameters, arguments, strict=True)
        ]
        found.append(number.get((action.name, chosen_members(action, plain)), 0))
    return found
