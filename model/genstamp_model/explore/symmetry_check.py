"""Whether a model keeps the symmetry that it declares; where it does not, symmetry is refused.

Almost every form of the language treats members alike by its meaning. Two do not: `choose` prefers earlier members, and
is refused wherever it ranges over interchangeable ones; and a read through nobody, or past the end of a sequence, of a
type that has no "none" gives the first member. Whether such a read is ever met cannot be told from the text, so states
on random walks are compared with themselves renamed: the same actions must lead to states with the same
representatives, and all properties, limits and coverage must agree. That is done for every model, as a check of what
stands here, and on many more states where there is such a read. It is a sample: it can miss a step that breaks the
symmetry far away.

An initial state that is not symmetric does no harm: what is reached from it is searched up to renaming all the same.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from genstamp_model.errors import ConfigurationError
from genstamp_model.evaluate import Evaluator, State
from genstamp_model.expand import from_cells, to_cells
from genstamp_model.explore.emit import ALARM, LIMITS, Program
from genstamp_model.explore.native import COVER, EXPAND, ON_STATE, Native
from genstamp_model.explore.symmetry import Group, Renaming, renamed
from genstamp_model.explore.symmetry_plan import Plan
from genstamp_model.language import ir
from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.model import Instance
from genstamp_model.language.types import ArrayType, RecordType, RefType, Type

_SAMPLE, _SAMPLE_IN_DOUBT = 40, 800
_STEPS_A_WALK = 40

Row = tuple[int, ...]


def refuse_preferences(instance: Instance, groups: Sequence[Group]) -> bool:
    """Refuse what prefers a member by its meaning.

    Returns:
        Whether something may prefer the first member, which only the states met can tell.

    Raises:
        ConfigurationError: an action or property chooses among interchangeable members.
    """
    doubtful = False
    for where, expression in _judged(instance):
        for node in ir.walk(expression):
            if node.op is Op.CHOOSE and any(group.has(node.data.over) for group in groups):
                raise ConfigurationError(
                    f"{where} chooses the first {node.data.over.name}, and so prefers some of the members, which are "
                    "declared symmetric; give the choice as a parameter of the action, or search without symmetry"
                )
            doubtful |= _may_read_nothing(node) and _names_first(node.type, groups)
    return doubtful


def _judged(instance: Instance) -> Iterator[tuple[str, Expr]]:
    """Every expression that the search computes, with what it is part of."""
    model = instance.model
    for action in model.actions:
        for check in action.checks:
            yield f"{check.source}: check '{check.label}' of action {action.name}", check.condition
        for effect in action.effects:
            yield f"{effect.source}: action {action.name}", effect.value
    for claim in model.properties:
        if claim.kind != "leads_to":
            yield f"{claim.source}: {claim.kind} {claim.name}", claim.closed
    for name, expression in model.limits:
        yield f"limit {name}", expression
    if model.may_stop is not None:
        yield "the condition under which the system may stop", model.may_stop


def _may_read_nothing(node: Expr) -> bool:
    if node.op is not Op.SELECT:
        return node.op is Op.AT
    position = node.args[1].type
    return isinstance(position, RefType) and position.optional


def _names_first(type_: Type, groups: Sequence[Group]) -> bool:
    """Whether the value that stands for nothing names the first member of a group."""
    match type_:
        case RefType(index=index, optional=optional):
            return not optional and any(group.has(index) for group in groups)
        case RecordType(fields=fields):
            return any(_names_first(kind, groups) for _, kind in fields)
        case ArrayType(element=element):
            return _names_first(element, groups)
        case _:
            return False


def refuse_differences(program: Program, native: Native, *, doubtful: bool) -> None:
    """Refuse a model whose states on random walks do not behave like themselves renamed.

    Args:
        program, native: of a search by symmetry.
        doubtful: whether to look at many states.

    Raises:
        ConfigurationError: one does not; names the action or property.
    """
    assert program.symmetry is not None
    _Sample(program, native, program.symmetry).compare(_SAMPLE_IN_DOUBT if doubtful else _SAMPLE)


@dataclass(frozen=True)
class _Behaviour:
    """What the compiled functions tell of one row; representatives of successors with the name of the action."""

    successors: tuple[tuple[str, Row], ...]
    alarms: int
    cuts: tuple[int, ...]
    failing: int
    may_stop: bool
    shown: tuple[bool, ...]


class _Sample:
    """States on random walks, and themselves renamed."""

    def __init__(self, program: Program, native: Native, plan: Plan) -> None:
        self._program = program
        self._native = native
        self._groups = (*plan.sorted, *plan.tried)
        self._instance = program.instance
        self._draw = random.Random(0)

    def compare(self, states: int) -> None:
        """Look at so many states."""
        if not self._groups:
            return
        start = self._first()
        row, steps = start, 0
        for _ in range(states):
            behaviour = self._behaviour(row)
            self._compare(row, behaviour)
            steps += 1
            if not behaviour.successors or steps == _STEPS_A_WALK:
                row, steps = start, 0
            else:
                row = self._draw.choice(behaviour.successors)[1]

    def _compare(self, row: Row, here: _Behaviour) -> None:
        renaming: Renaming = {group.name: tuple(self._shuffled(group.size)) for group in self._groups}
        state = self._state(row)
        renamed_state = renamed(self._instance, state, renaming)
        there = self._behaviour(self._row(renamed_state))
        expected, found = Counter(here.successors), Counter(there.successors)
        differing = {name for name, _ in (expected - found) | (found - expected)}
        for action in self._instance.model.actions:
            if action.name in differing:
                self._refuse(f"{action.source}: action {action.name}")
        for name, left, right in zip(self._program.limits, here.cuts, there.cuts, strict=True):
            if left != right:
                self._refuse(f"limit {name}, or an action that it cuts off,")
        self._compare_claims(state, renamed_state, here, there)

    def _first(self) -> Row:
        initial, renumbering = Evaluator(self._instance).initial(), self._program.renumbering
        return self._row(renumbering.renumbered(initial) if renumbering is not None else initial)

    def _shuffled(self, size: int) -> list[int]:
        members = list(range(size))
        self._draw.shuffle(members)
        return members

    def _compare_claims(self, state: State, other: State, here: _Behaviour, there: _Behaviour) -> None:
        evaluator, model = Evaluator(self._instance), self._instance.model
        if here.failing != there.failing:
            for claim in model.properties:
                if claim.kind == "invariant" and evaluator.holds(claim, state) != evaluator.holds(claim, other):
                    self._refuse(f"{claim.source}: invariant {claim.name}")
        if here.alarms != there.alarms:
            names = ", ".join(claim.name for claim in model.properties if claim.kind == "transition")
            self._refuse(f"a transition property ({names}), or an action that goes wrong,")
        if here.may_stop != there.may_stop:
            self._refuse("the condition under which the system may stop")
        for target, left, right in zip(self._program.targets, here.shown, there.shown, strict=True):
            if left != right:
                if target.witness is not None:
                    self._refuse(f"{target.witness.source}: witness {target.witness.name}")
                if target.interest is not None:
                    self._refuse(f"{target.interest.claim.source}: {target.interest.claim.name}")
                assert target.check is not None and target.action is not None
                self._refuse(f"{target.check.source}: check '{target.check.label}' of action {target.action.name}")

    def _refuse(self, what: str) -> None:
        names = " and ".join(group.name for group in self._groups)
        raise ConfigurationError(
            f"{what} does not treat the members of {names} alike, which are declared symmetric: a state that was met "
            "and the same state with members renamed behave differently; search without symmetry"
        )

    def _row(self, state: State) -> Row:
        return tuple(self._program.layout.pack(to_cells(self._instance, state)))

    def _state(self, row: Row) -> State:
        return from_cells(self._instance, self._program.layout.unpack(row))

    def _behaviour(self, row: Row) -> _Behaviour:
        program, native = self._program, self._native
        words, counters = np.array(row, np.int64), np.zeros(program.counters, np.int64)
        out = np.zeros((len(program.steps) + 1, program.layout.words), np.int64)
        seen = np.zeros(max(1, len(program.targets)), np.int64)
        made = EXPAND(native.expand)(words.ctypes.data, out.ctypes.data, counters.ctypes.data)
        COVER(native.cover)(words.ctypes.data, 1, seen.ctypes.data)
        first_step = program.first_step
        taken = [program.steps[i][0].name for i in np.flatnonzero(counters[first_step : program.first_refined])]
        assert len(taken) == made, "every step taken is counted"
        return _Behaviour(
            successors=tuple((name, tuple(after.tolist())) for name, after in zip(taken, out, strict=False)),
            alarms=int(counters[ALARM]),
            cuts=tuple(counters[LIMITS:first_step].tolist()),
            failing=ON_STATE(native.judge)(words.ctypes.data),
            may_stop=bool(ON_STATE(native.may_stop)(words.ctypes.data)),
            shown=tuple(place != 0 for place in seen[: len(program.targets)].tolist()),
        )
