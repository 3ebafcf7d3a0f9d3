"""Calls that one action answers and another one refuses: which check refuses a call is a claim about all others, too.

Actions of one event with the same arguments are one call, of which each says one outcome. Where one of them is possible
while a check of another one fails that refuses with an exception, the caller is told two things at once. A change of
such a check that lets nothing else happen shows in this alone.

Left out: calls with arguments that are no members of index sets, such as picked numbers; two exceptions for one call.
"""

from __future__ import annotations

from collections.abc import Iterator

from genstamp_model.language import ir
from genstamp_model.language.model import Action, Model, Property
from genstamp_model.language.types import IndexSet


def contradictions(model: Model, action: str | None = None) -> tuple[Property, ...]:
    """For each two actions of one call the witness that the one refuses what the other one answers.

    Args:
        action: only pairs with the action of this name.
    """
    return tuple(
        _contradiction(one, other) for one, other in _pairs(model) if action is None or action in (one.name, other.name)
    )


def _pairs(model: Model) -> Iterator[tuple[Action, Action]]:
    """Who refuses with exceptions, and who answers the same call."""
    for one in model.actions:
        refusing = any(check.refuses for check in one.checks)
        if refusing and all(isinstance(parameter.domain, IndexSet) for parameter in one.parameters):
            for other in model.actions:
                if other is not one and other.event == one.event and other.parameters == one.parameters:
                    yield one, other


def _contradiction(one: Action, other: Action) -> Property:
    answered = ir.conjunction([check.condition for check in other.checks])
    passed = [ir.conjunction([check.condition for check in one.checks[:i]]) for i in range(len(one.checks))]
    refused = ir.disjunction(
        [
            ir.conjunction([before, ir.negation(check.condition)])
            for before, check in zip(passed, one.checks, strict=True)
            if check.refuses
        ]
    )
    return Property(
        name=f"{one.name} refuses what {other.name} answers",
        kind="witness",
        parameters=one.parameters,
        condition=ir.conjunction([answered, refused]),
        target=None,
        inductive=False,
        given=(),
        fair=(),
        doc="",
        source=one.source,
    )
