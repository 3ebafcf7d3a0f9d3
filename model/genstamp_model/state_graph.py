"""The whole state graph of a small instance, found breadth first by `evaluate`."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Final

from genstamp_model.evaluate import Evaluator, State

MOST_STATES: Final = 300
"""A larger graph is not drawn: nobody could read it."""


@dataclass
class StateGraph:
    """The states within the limits, and the steps between them.

    Attributes:
        numbers: of the states, in the order in which they were found; the initial ones first.
        parents: of each state the number of the one that it was found from, and the step; None for an initial state.
        levels: of each state, how many steps lead to it at least.
        edges: the steps between two states, as text; steps that go wrong are left out.
        violated: the states that violate an invariant.
    """

    numbers: dict[State, int]
    parents: list[tuple[int, str] | None] = field(default_factory=list)
    levels: list[int] = field(default_factory=list)
    edges: dict[tuple[int, int], list[str]] = field(default_factory=dict)
    violated: frozenset[int] = frozenset()


def state_graph(evaluator: Evaluator) -> StateGraph | None:
    """The state graph of an instance; None if it has more than `MOST_STATES` states."""
    found = StateGraph({state: number for number, state in enumerate(evaluator.initials)})
    found.parents, found.levels = [None] * len(found.numbers), [0] * len(found.numbers)
    waiting = deque(found.numbers)
    while waiting:
        state = waiting.popleft()
        here = found.numbers[state]
        for step in evaluator.whole_steps(state):
            if evaluator.beyond(step.after):
                continue
            call = evaluator.call(step.action, step.arguments)
            if step.after not in found.numbers:
                found.numbers[step.after] = len(found.numbers)
                found.parents.append((here, call))
                found.levels.append(found.levels[here] + 1)
                waiting.append(step.after)
            found.edges.setdefault((here, found.numbers[step.after]), []).append(call)
        if len(found.numbers) > MOST_STATES:
            return None
    claims = [claim for claim in evaluator.model.properties if claim.kind == "invariant"]
    found.violated = frozenset(
        number for state, number in found.numbers.items() if not all(evaluator.holds(claim, state) for claim in claims)
    )
    return found
