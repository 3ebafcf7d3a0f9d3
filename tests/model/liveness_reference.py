"""A second liveness judge, for comparison: plain Python on the graph that `evaluate` gives, and another algorithm.

Strong fairness is decided by trying every set of strongly fair instances as the ones that a behaviour takes: the states
where another one is enabled are left out, and what is left falls into components by the closure of reachability. Slow,
and good for some hundred states.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, product

from genstamp_model.evaluate import Evaluator, State
from genstamp_model.explore import Verdict
from genstamp_model.explore.renumber import Renumbering
from genstamp_model.language import Instance
from genstamp_model.language.model import Property
from genstamp_model.language.trace import MessageOf, Range

# A fair instance: name of the action, and its arguments but for messages and picked numbers.
Who = tuple[str, tuple[object, ...]]


@dataclass
class Graph:
    """Steps between states by who takes them, who is enabled in each, and from where a limit cuts a step off."""

    after: dict[State, dict[State, set[Who]]]
    enabled: dict[State, set[Who]]
    is_cut: set[State]


def graph_of(instance: Instance, renumber: bool = False) -> Graph:
    """Every state within the limits; steps that change nothing are left out.

    With ordered numbers renumbered, a step that changes nothing but those may lead from a state to itself.
    """
    evaluator = Evaluator(instance)
    stored = Renumbering(instance).renumbered if renumber else _as_it_is
    found = Graph({}, {}, set())
    waiting = list(map(stored, evaluator.initials))
    while waiting:
        state = waiting.pop()
        if state in found.after:
            continue
        found.after[state], found.enabled[state] = {}, set()
        for step in evaluator.steps(state):
            if step.after == state:
                continue
            pairs = zip(step.action.parameters, step.arguments, strict=True)
            who = (step.action.name, tuple(v for p, v in pairs if not isinstance(p.domain, MessageOf | Range)))
            found.enabled[state].add(who)
            after = stored(step.after)
            if evaluator.beyond(after):
                found.is_cut.add(state)
            else:
                found.after[state].setdefault(after, set()).add(who)
                waiting.append(after)
    return found


def _as_it_is(state: State) -> State:
    return state


def verdict(instance: Instance, claim: Property, graph: Graph) -> tuple[Verdict, int]:
    """The verdict on a leads-to, and how many states are pending; summed up to the first members that break it."""
    evaluator = Evaluator(instance)
    assert claim.target is not None
    found, pending_states = Verdict.HOLDS, 0
    for members in product(*(range(instance.sizes.of(p.domain)) for p in claim.parameters)):  # type: ignore[arg-type]
        bound = dict(zip((p.name for p in claim.parameters), members, strict=True))
        met = {s for s in graph.after if evaluator.value(claim.target, s, bound=bound)}
        waiting = [s for s in graph.after if s not in met and evaluator.value(claim.condition, s, bound=bound)]
        pending: set[State] = set()
        while waiting:
            state = waiting.pop()
            if state not in pending:
                pending.add(state)
                waiting += [t for t in graph.after[state] if t not in met]
        pending_states += len(pending)
        again = [{s for s in pending if evaluator.value(one, s, bound=bound)} for one in claim.again]
        if can_stay(graph, pending, claim.fair, claim.strongly_fair, again):
            return Verdict.VIOLATED, pending_states
        if pending & graph.is_cut:
            found = Verdict.UNDETERMINED
    return found, pending_states


def can_stay(
    graph: Graph, pending: set[State], weak: Sequence[str], strong: Sequence[str], again: Sequence[set[State]]
) -> bool:
    """Whether a fair behaviour can stay among these states for ever, and be in each set of `again` again and again."""
    asked = {who for s in pending for who in graph.enabled[s] if who[0] in strong}
    for taken in chain.from_iterable(combinations(sorted(asked, key=str), n) for n in range(len(asked) + 1)):
        left = {s for s in pending if not graph.enabled[s] & (asked - set(taken))}
        for component in _components(graph.after, left):
            within = {
                who for s in component for t, all_who in graph.after[s].items() if t in component for who in all_who
            }
            always = set.intersection(*(graph.enabled[s] for s in component))
            if (
                all(component & some for some in again)
                and set(taken) <= within
                and all(who in within for who in always if who[0] in weak and who[0] not in strong)
            ):
                return True
    return False


def _components(after: Mapping[State, Mapping[State, set[Who]]], states: set[State]) -> Iterator[set[State]]:
    """Strongly connected components; each state reaches itself, because behaviours may stutter."""
    reached = {s: {s} | (set(after[s]) & states) for s in states}
    changed = True
    while changed:
        changed = False
        for s in states:
            more = set().union(*(reached[t] for t in reached[s]))
            if len(more) > len(reached[s]):
                reached[s], changed = more, True
    done: set[State] = set()
    for s in states:
        if s not in done:
            component = {t for t in reached[s] if s in reached[t]}
            done |= component
            yield component
