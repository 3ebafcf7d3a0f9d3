"""A second, deliberately simple check of one entity, with which the fast path is compared.

Takes the lifecycles as running machines and the rules as they are written; no tables, no sets as numbers, no kernel.
Unseen steps are found by trying every event of the machine. Not here: other orders than the one given.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Literal, NamedTuple

from statemachine.exceptions import TransitionNotAllowed

from genstamp.events import Kind
from genstamp.logs.graphs import DELETED, LIFECYCLES
from genstamp.logs.registers import Values
from genstamp.logs.rules import BOOKS
from genstamp.logs.rules.shape import Check, Move, Register, Rule, Way

Sign = Literal[-1, 0, 1]
Place = tuple[str, tuple[Sign, ...]]
"""A state and how each register has moved unseen."""


class Judgment(NamedTuple):
    """The two answers, and the first rejected event."""

    safety: Literal["conformant", "violated"]
    completion: Literal["complete", "unfinished", "unknown"]
    rejected_at: int | None


def judge(
    kind: Kind, unseen: frozenset[str], events: Sequence[tuple[int, Values]], begins_later: bool = False
) -> Judgment:
    """Judges one entity.

    Args:
        kind: of the entity.
        unseen: the steps that can have gone unseen.
        events: number of the rule and values, in order.
        begins_later: whether any steps at all can have come before the first event.
    """
    initial = "running" if kind == "node" else next(state.id for state in LIFECYCLES[kind].states if state.initial)
    before = frozenset(BOOKS[kind].effects) if begins_later else frozenset[str]()
    possible = {state for state, _ in _reached(kind, before, initial)}
    shown, began = {initial}, False
    held: dict[Register, Fraction] = {}
    loose: set[Register] = set()
    for index, (number, values) in enumerate(events):
        rule = BOOKS[kind].rules[number]
        after = _after(kind, unseen, possible, rule, values, held, loose)
        if not after:
            return Judgment("violated", "unknown", index)
        shown = (
            _after(kind, frozenset(), shown, rule, values, held, loose)
            or _after(kind, unseen, shown, rule, values, held, loose)
            or after
        )
        possible = after
        began = began or shown != {initial}
        _remember(rule, values, held, loose)
    if not began:
        return Judgment("conformant", "unknown", None)
    over = {state: _is_over(kind, state) for state in shown}
    if all(over.values()):
        return Judgment("conformant", "complete", None)
    return Judgment("conformant", "unknown" if any(over.values()) else "unfinished", None)


def _is_over(kind: Kind, state: str) -> bool:
    return (
        state
        in {
            "file": {"closed", DELETED},
            "block": {"complete", "removed"},
            "replica": {"finalized", "absent"},
            "lease": {"released"},
            "node": set(),
        }[kind]
    )


def _after(
    kind: Kind,
    unseen: frozenset[str],
    states: set[str],
    rule: Rule,
    values: Values,
    held: dict[Register, Fraction],
    loose: set[Register],
) -> set[str]:
    after = set()
    for way in rule.ways:
        for start in states:
            for state, moves in _reached(kind, unseen, start):
                if all(_can_hold(check, values, moves, held, loose) for check in way.checks):
                    after |= _through(kind, state, way)
    return after


def _through(kind: Kind, state: str | None, way: Way) -> set[str]:
    if way.forgets:
        return {*(each.id for each in LIFECYCLES[kind].states), *({DELETED} if kind == "file" else ())}
    if way.before is not None and state not in way.before:
        return set()
    for event in way.fires:
        state = _send(kind, state, event) if state is not None else None
    return set() if state is None or (way.after is not None and state not in way.after) else {state}


@cache
def _reached(kind: Kind, unseen: frozenset[str], start: str) -> frozenset[Place]:
    """States that unseen steps lead to, and how the registers moved."""
    first: Place = start, (0, 0, 0)
    reached, frontier = {first}, [first]
    book = BOOKS[kind]
    while frontier:
        state, moves = frontier.pop()
        steps = [
            (_send(kind, state, event), effect)
            for event in book.effects
            if event in unseen
            for effect in book.effects[event].each()
        ]
        steps += [(state, drift.effect) for drift in book.drifts if drift.name in unseen and state in drift.states]
        for target, effect in steps:
            if target is None:
                continue
            for together in product(*(_signs(move, more) for move, more in zip(moves, effect.moves(), strict=True))):
                if (target, together) not in reached:
                    reached.add((target, together))
                    frontier.append((target, together))
    return frozenset(reached)


def _signs(moved: Sign, more: Move) -> set[Sign]:
    """The possible relations of a number to its start after a move and a second move, found by trying small steps."""
    firsts = {-1: (-1, -2), 0: (0,), 1: (1, 2)}[moved]
    seconds = [step for move, steps in ((Move.LOWER, (-1, -2)), (Move.SAME, (0,)), (Move.HIGHER, (1, 2))) if move & more
               for step in steps]  # fmt: skip
    return {_sign(one + other) for one in firsts for other in seconds}


def _sign(number: int | Fraction) -> Sign:
    return 0 if number == 0 else 1 if number > 0 else -1


@cache
def _send(kind: Kind, state: str, event: str) -> str | None:
    """Where the running machine goes; None where it refuses."""
    if kind == "node" or state == DELETED:
        return None
    machine = LIFECYCLES[kind](start_value=next(s.value for s in LIFECYCLES[kind].states if s.id == state))
    try:
        machine.send(event)
    except TransitionNotAllowed:
        return None
    target = next(s for s in machine.states if s.value in machine.configuration_values)
    return DELETED if kind == "file" and target.initial else str(target.id)


def _can_hold(
    check: Check, values: Values, moves: tuple[Sign, ...], held: dict[Register, Fraction], loose: set[Register]
) -> bool:
    """Whether some number on the right side of the register makes the check true; between two numbers lies a third."""
    value = getattr(values, check.value)
    if value is None or check.register not in held:
        return True
    register = held[check.register]
    if check.register in loose and value >= register:
        return True
    near = (value, register)
    candidates = [*near, (value + register) / 2, min(near) - 1, max(near) + 1]
    return any(_true(check, value, now) for now in candidates if _sign(now - register) == moves[check.register])


def _true(check: Check, value: Fraction, register: Fraction) -> bool:
    return {
        "is": value == register,
        "above": value > register,
        "at_least": value >= register,
        "at_most": value <= register,
        "below": value < register,
    }[check.relation]


def _remember(rule: Rule, values: Values, held: dict[Register, Fraction], loose: set[Register]) -> None:
    stamp = held.get(Register.STAMP)
    if rule.late_sets_nothing and values.recovery_id is not None and stamp is not None and values.recovery_id < stamp:
        return
    for register, name in rule.sets.items():
        if name == "":
            held.pop(register, None)
            loose.discard(register)
        elif name == "0":
            held[register] = Fraction(0)
            loose.discard(register)
        elif getattr(values, name) is not None:
            held[register] = Fraction(getattr(values, name))
            loose.discard(register)
    loose |= rule.loosens
    shown = values.recovery_id if rule.shows_id else None
    if shown is not None and held.get(Register.RECOVERY_ID, shown) < shown:
        held[Register.RECOVERY_ID] = Fraction(shown)
        loose.add(Register.RECOVERY_ID)
