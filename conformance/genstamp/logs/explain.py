"""Says why an event was rejected: the check that failed with its values, and what would have been accepted.

Not here: finding the rejected event.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from genstamp.logs.automaton import Automaton, in_order, moves_needed, order_of
from genstamp.logs.registers import Registers, Values
from genstamp.logs.rules.shape import Check, Rule, Way
from genstamp.logs.unseen import ANYHOW

STEPS_MAX = 3
"""Steps of the lifecycle that are tried before a rejected event, to find what was missing."""

_NAMES_MAX = 4

_WANTED = {"is": "{}", "above": "above {}", "at_least": "{} or more", "at_most": "{} or less", "below": "below {}"}


class Explanation(NamedTuple):
    """Why an event was rejected.

    Attributes:
        states_before: the possible states before it, as HDFS calls them.
        failed: the check that failed, with its values.
        accepted: the nearest that would have been accepted.
    """

    states_before: tuple[str, ...]
    failed: str
    accepted: str


def explain(automaton: Automaton, states: int, registers: Registers, number: int, values: Values) -> Explanation:
    """Explains a rejection.

    Args:
        automaton: which rejected the event.
        states: the set of possible states before.
        registers: before.
        number: of the rule that the event falls under.
        values: of the event.
    """
    rule = automaton.rules[number]
    letter = registers.letter(values)
    check = _failed_check(automaton, states, number, letter)
    before = automaton.graph.members(states)
    if check is not None:
        check = _as_moved(automaton, states, number, letter, check)
        value, held = getattr(values, check.value), registers.held[check.register]
        assert value is not None and held is not None, f"{check} cannot fail on {values} and {registers}"
        wanted = check.wanted or f"with {check.value.replace('_', ' ')} {_WANTED[check.relation].format(held)}"
        accepted = f"{named(rule)} {wanted}"
        return Explanation(before, check.sentence(value, held), accepted)
    failed = f"{named(rule)} is no step of a {automaton.kind} that is {_either(before)}"
    return Explanation(before, failed, _nearest(automaton, states, number))


def named(rule: Rule) -> str:
    """An event with what made it fall under its rule.

    >>> from genstamp.logs.rules import BOOKS
    >>> next(named(rule) for rule in BOOKS["file"].rules if rule.event == "complete")
    'complete (outcome=unknown)'
    """
    told = [f"{name}={value}" for name, value in rule.when.items() if value != "*"]
    if rule.refused:
        told.insert(0, "refused" if rule.refused == "*" else f"refused with {rule.refused}")
    return rule.event + (f" ({', '.join(told)})" if told else "")


@cache
def _failed_check(automaton: Automaton, states: int, number: int, letter: int) -> Check | None:
    """The check without which some way would have been open; None if it is the state that forbids the event."""
    rule = automaton.rules[number]
    for way in rule.ways:
        if not _open(automaton, states, way, letter, 0):
            continue
        for number in range(len(way.checks)):
            if not _open(automaton, states, way, letter, number + 1):
                return way.checks[number]
    return None


def _as_moved(automaton: Automaton, states: int, number: int, letter: int, check: Check) -> Check:
    """The check; where the value is as it was, and every way to the event has raised the register, the one to pass."""
    raised = in_order(check, letter, 1)
    if check.relation == "is" and order_of(check, letter) == 0 and not _failed_check(automaton, states, number, raised):
        return replace(check, relation="above")
    return check


def _open(automaton: Automaton, states: int, way: Way, letter: int, checks: int) -> bool:
    """Whether a way is open when only its first checks count."""
    needed = moves_needed(way.checks[:checks], letter)
    alone = Rule("", (way,), "")
    return needed is not None and automaton.possible(states, alone, (needed,)) != 0


@cache
def _nearest(automaton: Automaton, states: int, number: int) -> str:
    """The fewest steps of the lifecycle after which the event would be accepted; else what would be at once."""
    rule = automaton.rules[number]
    graph = automaton.graph
    stepping = Rule(rule.event, tuple(way for way in rule.ways if way.fires) or rule.ways, "")
    told = list(_told_otherwise(automaton, states, rule))
    if told and not rule.refused and not any(way.fires for way in rule.ways):  # What it tells is wrong, not when.
        return f"{_either(told)} instead"
    frontier: list[tuple[int, tuple[str, ...]]] = [(states, ())]
    visited = {states}
    for _ in range(STEPS_MAX):
        onward: list[tuple[int, tuple[str, ...]]] = []
        for here, steps in frontier:
            for event in graph.edges:
                there = graph.image(here, event)
                if not there or there in visited:
                    continue
                visited.add(there)
                if automaton.shown(there, stepping, (ANYHOW,) * len(stepping.ways)):
                    return f"{named(rule)} after {', '.join((*steps, event))}"
                onward.append((there, (*steps, event)))
        frontier = onward
    names = list(dict.fromkeys(_instead(automaton, states, rule)))
    if not names:
        return f"nothing: the life of this {automaton.kind} is over"
    return f"{_either(names[:_NAMES_MAX])}{', ...' if len(names) > _NAMES_MAX else ''} instead"


def _instead(automaton: Automaton, states: int, rule: Rule) -> Iterator[str]:
    """The events that would be accepted next: the same event with other values; else steps of the entity itself."""
    told = list(_told_otherwise(automaton, states, rule))
    yield from told
    if not told:
        for other in automaton.rules:
            if not other.role and other.event != rule.event and _changes(automaton, states, other):
                yield other.event


def _told_otherwise(automaton: Automaton, states: int, rule: Rule) -> Iterator[str]:
    """The same event as it would be accepted at once; in another role it is one of another entity."""
    rules = [other for other in automaton.rules if other.event == rule.event and other is not rule]
    same = [other for other in rules if other.when and not other.role and not other.refused]
    told = {named(other) for other in same if automaton.shown(states, other, (ANYHOW,) * len(other.ways))}
    yield from sorted(told - {named(rule), rule.event})


def _changes(automaton: Automaton, states: int, rule: Rule) -> bool:
    """Whether an event can be a step that is taken, and not only talk."""
    steps = Rule(rule.event, tuple(way for way in rule.ways if way.fires), "")
    return automaton.shown(states, steps, (ANYHOW,) * len(steps.ways)) != 0


def _either(names: Sequence[str]) -> str:
    return " or ".join(names)
