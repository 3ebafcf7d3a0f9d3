"""The terms that `prove` reasons about mean what `evaluate` computes, action by action, on random states."""

import contextlib
import enum
import random
from collections.abc import Callable, Iterable
from functools import cache
from itertools import pairwise
from typing import Any, Self

import pytest
import z3
from tests.model.random_values import random_state
from tests.model.systems.every_form import EVERY_FORM
from tests.model.systems.two_phase import TWO_PHASE

from genstamp_model.errors import EvaluationError
from genstamp_model.evaluate import Evaluator, State
from genstamp_model.expand import Step, from_cells, plain_arguments, to_cells
from genstamp_model.language import (
    Bool,
    Configuration,
    Index,
    Instance,
    Maybe,
    Part,
    Record,
    System,
    action,
    bag,
    choose,
    count,
    each,
    enumeration,
    exists,
    flag,
    forall,
    invariant,
    largest,
    maximum,
    members,
    minimum,
    named,
    none,
    number,
    optional,
    per,
    pick,
    record,
    reference,
    require,
    sequence,
    smallest,
    those,
    transition,
    when,
    witness,
)
from genstamp_model.language.model import Action
from genstamp_model.language.types import BagType, sort_key
from genstamp_model.prove.algebra import lift, literal, plain
from genstamp_model.prove.encoding import Encoding


class Owner(Index, unnamed="User"):
    """Users, and the root."""

    ROOT = named()


class User(Owner):
    """A user."""


class Shelf(Index):
    """A place."""


class Mood(enum.Enum):
    """Some labels."""

    CALM = enum.auto()
    CROSS = enum.auto()
    SLY = enum.auto()


class Note(Record):
    """A message; its smallest number is not 0, which the filler of free places is."""

    owner = optional(User)
    weight = number(1, 3, initially=1)
    loud = flag()


class Corners(Part):
    """Where encodings go wrong: reads through nobody, full bags, empty choices, numbers that do not begin at 0."""

    level = number(2, 5, initially=3)
    mood = enumeration(Mood)
    owner = optional(Owner)
    user = optional(User)
    here = reference(Shelf)
    group = members(Owner)
    users = members(User)
    marks = per(Shelf, per(User, number(1, 4)))
    notes = per(Shelf, record(Note))
    post = bag(Note, limit="notes")
    line = sequence(record(Note), limit="notes")
    short = sequence(number(1, 9), capacity=2)

    @action
    def send(s, shelf: Shelf) -> None:
        require(s.level < 5, "there is room", refuses="FullException")
        s.post.send(s.notes[shelf])
        s.level = s.level + 1

    @action
    def send_twice(s) -> None:
        s.post.send(Note(owner=s.user, weight=1, loud=s.mood.at(Mood.SLY)))
        s.post.send(Note(owner=none, weight=3, loud=False))

    @action
    def receive(s) -> None:
        note = s.post.receive()
        require(~note.loud, "it is quiet")
        s.post.take(note)
        s.notes[s.here] = note
        s.line.append(note)

    @action
    def exchange(s, user: Maybe[User]) -> None:
        first, second = s.post.receive(), s.post.receive()
        require(s.post.has(Note(owner=user, weight=first.weight, loud=second.loud)), "known")
        s.post.take(first)
        s.post.send(Note(owner=user, weight=smallest(first.weight, second.weight), loud=True))
        s.user = user

    @action
    def lose(s) -> None:
        s.post.take(Note(owner=s.user, weight=s.line.at(s.level - 3).weight, loud=s.line.first().loud))

    @action
    def mark(s, shelf: Shelf, user: User) -> None:
        s.marks[shelf][user] = s.marks[shelf][s.user] + 1
        s.marks[s.here][user] = s.marks[shelf][user] * 2 - 1

    @action
    def measure(s) -> None:
        s.level = maximum(Shelf, lambda h: s.marks[h][s.user], where=lambda h: s.notes[h].loud, default=2)
        s.short.append(minimum(User, lambda u: s.marks[s.here][u], where=lambda u: s.users.has(u), default=9))

    @action
    def drop(s) -> None:
        s.line.drop_first()
        s.short.drop_first()

    @action
    def elect(s) -> None:
        s.owner = choose(Owner, lambda o: s.group.has(o))
        s.user = choose(User, lambda u: s.group.has(u) & ~s.users.has(u))
        s.users = (s.users | s.users) - those(User, lambda u: s.marks[s.here][u] > 2)

    @action
    def enrol(s, owner: Owner) -> None:
        require(~s.group.has(owner), "not yet", refuses="KnownException")
        s.group.add(owner)
        s.users.remove(s.user)
        s.users.add(s.user)
        s.mood = when(owner == Owner.ROOT, Mood.SLY, s.mood)

    @action
    def guess(s) -> None:
        number_ = pick("number", 1, 6)
        require(number_ != s.level, "another one")
        s.short.clear()
        s.short.append(largest(number_, s.level, 4) + count(Shelf, lambda h: s.notes[h].owner == s.user))

    @action
    def turn(s) -> None:
        s.notes.update(
            lambda h: when(h == s.here, Note(owner=s.user, weight=s.level, loud=s.owner.is_none()), s.notes[h])
        )
        s.post = when(s.mood == Mood.CALM, s.post, s.post)
        s.marks = each(Shelf, lambda h: s.marks[s.here])

    @invariant
    def quiet(s, shelf: Shelf) -> Bool:
        return s.notes[shelf].loud.implies(s.post.some(lambda m: m.owner == s.notes[shelf].owner))

    @invariant
    def same(s) -> Bool:
        first = (
            forall(Shelf, lambda h: s.notes[h] == s.line.first())
            | (s.group == those(Owner, lambda o: o == s.owner))
            | (s.users <= s.users)
        )
        return first & s.post.every(lambda m: m.weight >= s.short.size())

    @transition
    def grows(s, t: Self) -> Bool:
        return (s.post.size() <= t.post.size()) | exists(User, lambda u: s.marks[t.here][u] < t.marks[s.here][u])

    @witness
    def everybody(s, user: User) -> Bool:
        return (s.group.size() == 3) & (s.group & s.group).has(user) & (s.owner != s.user)


CORNERS = System(
    "corners", parts=[Corners], configurations=[Configuration("two", {"User": 2, "Shelf": 2}, {"notes": 3})]
)

SYSTEMS: dict[str, Callable[[], Instance]] = {
    "two_phase": lambda: TWO_PHASE.instance("three"),
    "every_form": lambda: EVERY_FORM.instance("wide"),
    "corners": CORNERS.instance,
}
STATES = 12


class At:
    """One encoding with all of its cells fixed to values, those after the step too where given."""

    def __init__(self, encoding: Encoding, values: list[int], after: list[int] | None = None) -> None:
        self._pairs = self._fixed(encoding.before, values)
        if after is not None:
            self._pairs += self._fixed(encoding.after, after)

    @staticmethod
    def _fixed(cells: list[Any], values: list[int]) -> list[tuple[Any, Any]]:
        return [(cell, literal(cell, value)) for cell, value in zip(cells, values, strict=True)]

    def values(self, terms: Iterable[Any]) -> list[int]:
        """What the terms are in this state, flags as 0 and 1; in one question, for Z3 shares what they share."""
        lifted = [lift(term) for term in terms]
        if not lifted:
            return []
        bundle = z3.Function("bundle", *(term.sort() for term in lifted), z3.BoolSort())(*lifted)
        return [plain(value) for value in z3.simplify(z3.substitute(bundle, *self._pairs)).children()]

    def value(self, term: Any) -> int:
        """What one term is."""
        return self.values([term])[0]


@cache
def steps_of(encoding: Encoding) -> list[Step[Any]]:
    """The expansion's steps, made once."""
    return list(encoding.expansion.steps())


@pytest.fixture(params=SYSTEMS, scope="module")
def encoding(request: pytest.FixtureRequest) -> Encoding:
    return Encoding(SYSTEMS[request.param]())


@pytest.fixture(scope="module")
def states(encoding: Encoding) -> list[State]:
    """Random states, and for each action one more where it is enabled; numbers may lie beyond their limits."""
    draw, evaluator = random.Random(1), Evaluator(encoding.instance)
    found = [random_state(encoding.instance, draw, beyond=1000) for _ in range(STATES)]
    missing = set(encoding.instance.model.actions)
    for _ in range(2000):
        state = random_state(encoding.instance, draw)
        enabled = {action for action in missing if is_enabled(evaluator, action, state)}
        if enabled:
            found.append(state)
            missing -= enabled
    return found


def is_enabled(evaluator: Evaluator, action: Action, state: State) -> bool:
    """Whether some choice of arguments takes the action to a state with room in all places."""
    for arguments in evaluator.choices(action, state):
        if evaluator.first_failing(action, arguments, state) is None:
            with contextlib.suppress(EvaluationError, ValueError):
                to_cells(evaluator.instance, evaluator.apply(action, arguments, state))
                return True
    return False


def test_possible_steps_are_those_of_evaluate(encoding: Encoding, states: list[State]) -> None:
    evaluator = Evaluator(encoding.instance)
    for state in states:
        at = At(encoding, to_cells(encoding.instance, state))
        found = [
            (step.action.name, arguments)
            for step in steps_of(encoding)
            if (arguments := plain_arguments(encoding.instance, step.action, step.arguments, state)) is not None
            and at.value(step.possible)
        ]
        wanted = [(a.name, choice) for a in encoding.instance.model.actions for choice in evaluator.choices(a, state)]
        assert sorted(found, key=str) == sorted(wanted, key=str)


def test_first_failing_check_is_that_of_evaluate(encoding: Encoding, states: list[State]) -> None:
    evaluator = Evaluator(encoding.instance)
    for state in states:
        at = At(encoding, to_cells(encoding.instance, state))
        for step in steps_of(encoding):
            arguments = plain_arguments(encoding.instance, step.action, step.arguments, state)
            if arguments is None:
                continue
            failing = [i for i, holds in enumerate(at.values(step.checks)) if not holds]
            first = step.action.checks[failing[0]] if failing else None
            assert first is evaluator.first_failing(step.action, arguments, state), (step.action.name, arguments)


@pytest.mark.slow
def test_next_state_is_that_of_evaluate(encoding: Encoding, states: list[State]) -> None:
    instance = encoding.instance
    evaluator, well_formed = Evaluator(instance), encoding.well_formed("in range")
    taken: set[str] = set()
    for state in states:
        at = At(encoding, to_cells(encoding.instance, state))
        steps = {(step.action.name, step.arguments): step for step in encoding.steps}
        for raw in steps_of(encoding):
            arguments = plain_arguments(encoding.instance, raw.action, raw.arguments, state)
            step = steps.get((raw.action.name, raw.arguments))
            if (
                arguments is None
                or not at.value(raw.possible)
                or evaluator.first_failing(raw.action, arguments, state) is not None
            ):
                assert step is None or not at.value(step.enabled)
                continue
            assert step is not None, "only steps that no state enables are left out"
            found = at.values(step.changed.get(i, cell) for i, cell in enumerate(encoding.before))
            then = At(encoding, found)
            in_range = all(then.values(conjunct.term for conjunct in well_formed.conjuncts))
            in_error = any(at.values(beyond for _, beyond in raw.errors))
            try:
                after = evaluator.apply(step.action, arguments, state)
            except EvaluationError:
                assert in_error, (step.action.name, arguments)
                assert not in_range, (step.action.name, arguments)
                continue
            try:
                wanted = to_cells(instance, after)
            except ValueError:
                assert not at.value(step.enabled), "a state without room is cut off"
                continue
            assert at.value(step.enabled)
            assert found == wanted, (step.action.name, arguments)
            taken.add(step.action.name)
            assert in_range
            assert not in_error
    assert taken == {action.name for action in instance.model.actions}, "every action was compared"


def test_properties_hold_where_evaluate_says(encoding: Encoding, states: list[State]) -> None:
    evaluator = Evaluator(encoding.instance)
    for state, after in pairwise(states):
        at = At(encoding, to_cells(encoding.instance, state), to_cells(encoding.instance, after))
        for declared in encoding.instance.model.properties:
            found = all(at.values(conjunct.term for conjunct in encoding.claim(declared).conjuncts))
            assert found == evaluator.holds(declared, state, after), declared.name


def test_every_state_is_well_formed(encoding: Encoding, states: list[State]) -> None:
    conjuncts = encoding.well_formed("in range").conjuncts
    for state in states:
        at = At(encoding, to_cells(encoding.instance, state))
        assert all(at.values(conjunct.term for conjunct in conjuncts))


def test_well_formed_cells_are_the_cells_of_a_state(encoding: Encoding) -> None:
    """What is well formed is no more than what states are: reading the cells back and forth changes nothing."""
    draw = random.Random(2)
    solver = z3.SolverFor("QF_LIA")
    solver.add([conjunct.term for conjunct in encoding.well_formed("in range").conjuncts])
    for _ in range(STATES):
        solver.push()
        for cell in encoding.before:
            wish = cell if z3.is_bool(cell) else cell == draw.randint(0, 3)
            if draw.random() < 0.5 and solver.check(wish) == z3.sat:
                solver.add(wish)
        assert solver.check() == z3.sat
        model = solver.model()
        values = [plain(model.eval(cell, model_completion=True)) for cell in encoding.before]
        state = from_cells(encoding.instance, values)
        assert to_cells(encoding.instance, state) == values
        for variable, value in zip(encoding.instance.model.variables, state, strict=True):
            if isinstance(variable.type, BagType):
                assert isinstance(value, tuple)
                assert value == tuple(sorted(value, key=sort_key))
        solver.pop()
