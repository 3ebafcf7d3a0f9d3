"""The reference semantics, form by form: what each expression is in a state, and what each step does to it."""

import enum
from collections.abc import Callable
from typing import Any, Self

import pytest
from statemachine import State as MachineState
from statemachine import StateMachine

from genstamp_model.evaluate import Evaluator, State
from genstamp_model.language import (
    Bool,
    Configuration,
    EvaluationError,
    Index,
    Instance,
    Maybe,
    Number,
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
    lifecycle,
    limit,
    maximum,
    members,
    minimum,
    named,
    none,
    number,
    observation,
    observe,
    optional,
    ordered,
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


class Lamp(StateMachine):
    """A lifecycle."""

    off = MachineState(initial=True)
    on = MachineState()
    broken = MachineState(final=True)

    switch = off.to(on) | on.to(off)
    burn = on.to(broken)


class Note(Record):
    """A message."""

    to = optional(User)
    weight = number(1, 3, initially=1)


class World(Part):
    """One variable of every kind."""

    wet = flag()
    depth = number(0, 9, initially=3)
    stamp = ordered(limit="stamps")
    mood = enumeration(Mood)
    lamp = lifecycle(Lamp)
    lamps = per(Shelf, lifecycle(Lamp))
    here = reference(Shelf)
    owner = optional(Owner)
    user = optional(User)
    group = members(Owner)
    age = per(Shelf, number(0, 9))
    note = record(Note)
    line = sequence(number(2, 5), capacity=2)
    long = sequence(flag(), limit="lines")
    post = bag(Note, limit="notes")


class Idle(World):
    """A step that changes nothing: a system without any cannot be searched."""

    @action
    def idle(s) -> None:
        """Nothing happens."""


CONFIGURATION = Configuration("tried", {"User": 2, "Shelf": 3}, {"stamps": 2, "lines": 1, "notes": 2})


def evaluator_of(part: type[Part], **more: Any) -> Evaluator:
    """The evaluator of a part under the one configuration."""
    limits = {**CONFIGURATION.limits, **more}
    configuration = Configuration(CONFIGURATION.name, CONFIGURATION.sizes, limits)
    parts: list[type[Part]] = [part] if part.actions() else [part, Idle]
    return Evaluator(Instance(System("tried", parts=parts, configurations=[]).model(), configuration))


def state_of(evaluator: Evaluator, **values: Any) -> State:
    """The initial state with some variables replaced."""
    return tuple((evaluator.named(evaluator.initial()) | values).values())


def value(written: Callable[[Any], Any], **values: Any) -> Any:
    """What an expression is in a state."""
    written.__name__ = "shown"
    evaluator = evaluator_of(type("Tried", (World,), {"shown": observation(written)}))
    [shown] = evaluator.model.observations
    return evaluator.value(shown.value, state_of(evaluator, **values))


def after(written: Callable[[Any], None], **values: Any) -> dict[str, Any]:
    """What a step without parameters changes in a state, by variable."""
    written.__name__ = "step"
    evaluator = evaluator_of(type("Tried", (World,), {"step": action(written)}))
    before = state_of(evaluator, **values)
    then = evaluator.named(evaluator.apply(evaluator.model.action("step"), (), before))
    return {name: then[name] for name, old in evaluator.named(before).items() if then[name] != old}


A = (0, 1)
B = (1, 2)


@pytest.mark.parametrize(
    ("written", "values", "expected"),
    [
        (lambda s: s.wet & True, {"wet": True}, True),
        (lambda s: s.wet | s.wet, {}, False),
        (lambda s: ~s.wet, {}, True),
        (lambda s: s.wet.implies(False), {"wet": True}, False),
        (lambda s: s.depth + 2 * s.depth - 1, {"depth": 4}, 11),
        (lambda s: 1 - s.depth, {"depth": 4}, -3),
        (lambda s: s.depth * s.depth, {"depth": 10**10}, 10**20),
        (lambda s: (s.depth < 3) | (s.depth > 3), {}, False),
        (lambda s: (s.depth <= 3) & (s.depth >= 3), {}, True),
        (lambda s: s.depth != 3, {}, False),
        (lambda s: smallest(s.depth, 7, 2), {}, 2),
        (lambda s: largest(s.depth, 7, 2), {}, 7),
        (lambda s: s.mood.at(Mood.CROSS), {"mood": 1}, True),
        (lambda s: s.mood == Mood.CROSS, {}, False),
        (lambda s: s.lamp.at(Lamp.off, Lamp.broken), {"lamp": 1}, False),
        (lambda s: s.owner.is_none(), {}, True),
        (lambda s: s.owner == Owner.ROOT, {"owner": 2}, True),
        (lambda s: s.owner == s.user, {"owner": 1, "user": 1}, True),
        (lambda s: s.owner == s.user, {"owner": 2}, False),
        (lambda s: when(s.wet, s.depth, 0), {"wet": True}, 3),
        (lambda s: when(s.wet, s.depth, 0), {}, 0),
        (lambda s: when(s.wet, s.user, none), {"user": 1}, None),
        (lambda s: s.group.has(s.owner), {"group": frozenset({2}), "owner": 2}, True),
        (lambda s: s.group.size(), {"group": frozenset({0, 2})}, 2),
        (lambda s: s.group.is_empty(), {"group": frozenset({0})}, False),
        (lambda s: s.group | those(Owner, lambda o: o == s.owner), {"group": frozenset({0}), "owner": 2}, {0, 2}),
        (lambda s: s.group & those(Owner, lambda o: o == s.owner), {"group": frozenset({0}), "owner": 2}, set()),
        (lambda s: s.group - those(Owner, lambda o: o == s.owner), {"group": frozenset({0, 2}), "owner": 2}, {0}),
        (lambda s: s.group <= those(Owner, lambda o: o == s.owner), {"group": frozenset({0}), "owner": 0}, True),
        (lambda s: s.age[s.here], {"age": (4, 5, 6), "here": 2}, 6),
        (lambda s: s.note.weight, {"note": (None, 3)}, 3),
        (lambda s: s.note == Note(to=s.user, weight=3), {"note": (1, 3), "user": 1}, True),
        (lambda s: s.line.size(), {"line": (5, 4)}, 2),
        (lambda s: s.line.at(1), {"line": (5, 4)}, 4),
        (lambda s: s.line.first(), {"line": (5, 4)}, 5),
        (lambda s: s.post.size(), {"post": (A, A, B)}, 3),
        (lambda s: s.post.has(Note(to=s.user, weight=1)), {"post": (A, B), "user": 0}, True),
        (lambda s: s.post.has(Note(to=s.user, weight=2)), {"post": (A, B), "user": 0}, False),
        (lambda s: s.post.every(lambda m: m.weight == 1), {"post": (A, B)}, False),
        (lambda s: s.post.every(lambda m: m.weight == 1), {}, True),
        (lambda s: s.post.some(lambda m: m.weight == 2), {"post": (A, B)}, True),
        (lambda s: s.post.some(lambda m: m.weight == 1), {}, False),
        (lambda s: forall(Shelf, lambda h: s.age[h] == 1), {"age": (1, 1, 2)}, False),
        (lambda s: exists(Shelf, lambda h: s.age[h] == 2), {"age": (1, 1, 2)}, True),
        (lambda s: count(Shelf, lambda h: s.age[h] == 1), {"age": (1, 1, 2)}, 2),
        (lambda s: count(User, lambda u: True), {}, 2),
        (lambda s: count(Owner, lambda o: True), {}, 3),
        (lambda s: those(Shelf, lambda h: s.age[h] == 1), {"age": (1, 1, 2)}, {0, 1}),
        (lambda s: each(Shelf, lambda h: s.age[h] + 1), {"age": (1, 1, 2)}, (2, 2, 3)),
        (lambda s: choose(Shelf, lambda h: s.age[h] > 1), {"age": (1, 3, 2)}, 1),
        (lambda s: minimum(Shelf, lambda h: s.age[h], where=lambda h: s.age[h] > 1, default=7), {"age": (1, 3, 2)}, 2),
        (lambda s: maximum(Shelf, lambda h: s.age[h], where=lambda h: s.age[h] < 3, default=7), {"age": (1, 3, 2)}, 2),
        (lambda s: forall(Shelf, lambda h: exists(Shelf, lambda g: s.age[g] > s.age[h])), {"age": (1, 3, 2)}, False),
        (
            lambda s: count(Shelf, lambda h: s.age[h] == count(Shelf, lambda g: s.age[g] <= s.age[h])),
            {"age": (1, 3, 2)},
            3,
        ),
    ],
)
def test_expression(written: Any, values: dict[str, Any], expected: Any) -> None:
    assert value(written, **values) == expected


@pytest.mark.parametrize(
    ("written", "values", "expected"),
    [
        (lambda s: s.age[choose(Shelf, lambda h: False)], {"age": (4, 5, 6)}, 0),
        (lambda s: each(Owner, lambda o: s.group.has(o))[s.owner], {"group": frozenset({0, 1, 2})}, False),
        (lambda s: s.group.has(s.owner), {"group": frozenset({0, 1, 2})}, False),
        (lambda s: s.line.first(), {}, 2),
        (lambda s: s.line.at(s.line.size() - 3), {"line": (5, 4)}, 2),
        (lambda s: s.line.at(2), {"line": (5, 4)}, 2),
        (lambda s: choose(Shelf, lambda h: False), {}, None),
        (lambda s: minimum(Shelf, lambda h: s.age[h], where=lambda h: False, default=7), {}, 7),
        (lambda s: maximum(Shelf, lambda h: s.age[h], where=lambda h: False, default=-7), {}, -7),
    ],
)
def test_reads_of_what_is_not_there_give_the_zero_of_the_type(
    written: Any, values: dict[str, Any], expected: Any
) -> None:
    found = value(written, **values)
    assert found == expected
    assert type(found) is type(expected)


def test_writes_to_nobody_change_nothing() -> None:
    def step(s: Any) -> None:
        s.age[choose(Shelf, lambda h: False)] = 7
        s.group.add(s.owner)
        s.group.remove(s.owner)
        s.line.drop_first()
        s.post.take(Note(to=none, weight=1))

    assert after(step, age=(1, 2, 3), group=frozenset({1})) == {}


def set_all(s: Any) -> None:
    s.wet = True
    s.depth = s.depth - 1
    s.stamp = s.stamp + 1
    s.mood = Mood.CROSS
    s.owner = Owner.ROOT
    s.user = none


def array_and_record(s: Any) -> None:
    s.age[s.here] = 9
    s.note.weight = 3
    s.note.to = s.user


def swap(s: Any) -> None:
    depth = s.depth
    s.depth = s.age[s.here]
    s.age[s.here] = depth


def update_all(s: Any) -> None:
    s.age.update(lambda h: when(h == s.here, 0, s.age[h] + 1))


def sets(s: Any) -> None:
    s.group.add(Owner.ROOT)
    s.group.remove(s.owner)


def sequences(s: Any) -> None:
    s.line.drop_first()
    s.line.append(2)


def empty_all(s: Any) -> None:
    s.group.clear()
    s.line.clear()


def post(s: Any) -> None:
    s.post.send(Note(to=none, weight=1))
    s.post.send(Note(to=s.user, weight=1))
    s.post.take(Note(to=s.user, weight=2))


@pytest.mark.parametrize(
    ("written", "values", "expected"),
    [
        (
            set_all,
            {"depth": 1, "user": 0},
            {"wet": True, "depth": 0, "stamp": 1, "mood": 1, "owner": 2, "user": None},
        ),
        (array_and_record, {"here": 1, "user": 1}, {"age": (0, 9, 0), "note": (1, 3)}),
        (swap, {"age": (5, 0, 0)}, {"depth": 5, "age": (3, 0, 0)}),
        (update_all, {"here": 1, "age": (1, 5, 2)}, {"age": (2, 0, 3)}),
        (sets, {"group": frozenset({0, 1}), "owner": 1}, {"group": frozenset({0, 2})}),
        (sequences, {"line": (5, 4)}, {"line": (4, 2)}),
        (empty_all, {"line": (5, 4), "group": frozenset({0})}, {"line": (), "group": frozenset()}),
        # Sorted; nobody comes after everybody.
        (post, {"user": 1, "post": (A, B)}, {"post": (A, (1, 1), (None, 1))}),
        (post, {"user": 1, "post": (A, B, B)}, {"post": (A, (1, 1), B, (None, 1))}),
    ],
    ids=lambda entry: getattr(entry, "__name__", ""),
)
def test_step(written: Any, values: dict[str, Any], expected: dict[str, Any]) -> None:
    assert after(written, **values) == expected


class Lamps(World):
    """Firing events."""

    @action
    def flash(s) -> None:
        s.lamp.fire(Lamp.switch, Lamp.burn)

    @action
    def switch_one(s, shelf: Shelf) -> None:
        s.lamps[shelf].fire(Lamp.switch)

    @action
    def burn_if_wet(s) -> None:
        s.lamp.fire(Lamp.burn, where=s.wet)


def test_events_fire_one_after_the_other_each_where_it_may() -> None:
    evaluator = evaluator_of(Lamps)
    flash = evaluator.model.action("flash")
    off, on = state_of(evaluator, lamp=0), state_of(evaluator, lamp=1)
    assert evaluator.first_failing(flash, (), off) is None
    assert evaluator.named(evaluator.apply(flash, (), off))["lamp"] == 2
    failing = evaluator.first_failing(flash, (), on)
    assert failing is not None
    assert (failing.label, failing.refuses) == ("lamp is on to burn", None)


def test_event_of_one_member_leaves_the_others() -> None:
    evaluator = evaluator_of(Lamps)
    then = evaluator.apply(evaluator.model.action("switch_one"), (1,), state_of(evaluator, lamps=(1, 1, 0)))
    assert evaluator.named(then)["lamps"] == (1, 0, 0)


def test_event_fires_only_where_told() -> None:
    evaluator = evaluator_of(Lamps)
    burn = evaluator.model.action("burn_if_wet")
    for lamp in (0, 1):
        dry = state_of(evaluator, lamp=lamp)
        assert evaluator.first_failing(burn, (), dry) is None
        assert evaluator.apply(burn, (), dry) == dry
    wet = state_of(evaluator, lamp=1, wet=True)
    assert evaluator.named(evaluator.apply(burn, (), wet))["lamp"] == 2
    assert evaluator.first_failing(burn, (), state_of(evaluator, wet=True)) is not None


class Door(World):
    """Checks in the protocol's order."""

    @action
    def enter(s, user: User) -> None:
        require(~s.wet, "it is dry")
        require(s.group.has(user), "the user is known", refuses="UnknownUserException")
        require(s.depth > 2, "there is depth", refuses="ShallowException")
        s.group.remove(user)


@pytest.mark.parametrize(
    ("values", "label", "refuses"),
    [
        ({"wet": True, "depth": 0}, "it is dry", None),
        ({"depth": 0}, "the user is known", "UnknownUserException"),
        ({"depth": 0, "group": frozenset({1})}, "there is depth", "ShallowException"),
    ],
)
def test_first_failing_check_decides(values: dict[str, Any], label: str, refuses: str | None) -> None:
    evaluator = evaluator_of(Door)
    enter = evaluator.model.action("enter")
    state = state_of(evaluator, **values)
    failing = evaluator.first_failing(enter, (1,), state)
    assert failing is not None
    assert (failing.label, failing.refuses) == (label, refuses)
    refused = [(arguments, check.label) for _, arguments, check in evaluator.refusals(state)]
    assert (((1,), label) in refused) == (refuses is not None)
    assert not any(step.arguments == (1,) for step in evaluator.steps(state))


def test_steps_are_those_whose_checks_all_hold() -> None:
    evaluator = evaluator_of(Door)
    state = state_of(evaluator, group=frozenset({0, 1}))
    assert [(step.action.name, step.arguments) for step in evaluator.steps(state)] == [("enter", (0,)), ("enter", (1,))]
    assert [evaluator.named(step.after)["group"] for step in evaluator.steps(state)] == [frozenset({1}), frozenset({0})]
    assert list(evaluator.refusals(state)) == []


class Choices(World):
    """Every kind of parameter."""

    @action
    def index(s, shelf: Shelf, owner: Owner, user: Maybe[User]) -> None:
        s.here = shelf
        s.owner = owner
        s.user = user

    @action
    def message(s) -> None:
        s.post.take(s.post.receive())

    @action
    def guess(s) -> None:
        s.depth = pick("depth", 2, 4)


def test_parameters_range_over_members_nobody_messages_and_numbers() -> None:
    evaluator = evaluator_of(Choices)
    state = state_of(evaluator, post=(A, A, B))
    assert list(evaluator.choices(evaluator.model.action("index"), state)) == [
        (shelf, owner, user) for shelf in (0, 1, 2) for owner in (0, 1, 2) for user in (0, 1, None)
    ]
    assert list(evaluator.choices(evaluator.model.action("message"), state)) == [(A,), (B,)]
    assert list(evaluator.choices(evaluator.model.action("guess"), state)) == [(2,), (3,), (4,)]


def test_step_is_named_with_its_arguments() -> None:
    evaluator = evaluator_of(Choices)
    call = evaluator.call(evaluator.model.action("index"), (1, 2, None))
    assert call == "index(shelf shelf2, owner ROOT, user none)"
    assert evaluator.call(evaluator.model.action("message"), (B,)) == "message(post (to user2, weight 2))"


def below(s: Any) -> None:
    s.depth = s.depth - 4


def above(s: Any) -> None:
    s.depth = s.depth * 4


def element(s: Any) -> None:
    s.age[s.here] = 10


def sequence_element(s: Any) -> None:
    s.line.append(1)


def capacity(s: Any) -> None:
    s.line.append(2)
    s.line.append(2)
    s.line.append(2)


def message(s: Any) -> None:
    s.post.send(Note(to=none, weight=4))


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (below, "step makes depth -1, outside 0..9"),
        (above, "step makes depth 12, outside 0..9"),
        (element, "step makes age[0] 10, outside 0..9"),
        (sequence_element, "step makes line[0] 1, outside 2..5"),
        (capacity, "step makes line 3 long, above its capacity 2"),
        (message, "step makes a message in post.weight 4, outside 1..3"),
    ],
)
def test_number_that_leaves_its_range_is_an_error_at_its_line(written: Any, text: str) -> None:
    with pytest.raises(EvaluationError) as caught:
        after(written)
    assert text in str(caught.value)
    source = caught.value.source
    assert source is not None
    first = written.__code__.co_firstlineno
    assert (source.file, source.line) in {(__file__, first + i) for i in (1, 2, 3)}


def test_number_may_leave_its_range_on_the_way() -> None:
    def step(s: Any) -> None:
        s.depth = s.depth - 9
        s.depth = s.depth + 10

    assert after(step) == {"depth": 4}


class Limited(World):
    """Steps that go beyond limits."""

    @limit("shelves")
    def used_shelves(s) -> Number:
        return count(Shelf, lambda h: s.age[h] > 0)

    @action
    def more(s) -> None:
        s.stamp = s.stamp + 3
        s.long.append(True)
        s.long.append(True)
        s.post.send(s.note)


def test_limits_stop_no_step_and_a_state_tells_which_it_exceeds() -> None:
    evaluator = evaluator_of(Limited, shelves=1)
    before = state_of(evaluator, post=(A, B))
    assert evaluator.beyond(before) == []
    [step] = evaluator.steps(before)
    assert evaluator.beyond(step.after) == ["lines", "notes", "stamps"]
    assert evaluator.beyond(state_of(evaluator, age=(1, 0, 2))) == ["shelves"]
    assert evaluator.beyond(state_of(evaluator, age=(1, 0, 0))) == []


class Claims(World):
    """Properties of each kind."""

    @invariant
    def young(s, shelf: Shelf) -> Bool:
        return s.age[shelf] < 5

    @transition
    def deeper(s, t: Self) -> Bool:
        return s.depth < t.depth

    @witness
    def old(s, shelf: Shelf) -> Bool:
        return s.age[shelf] == 4


def test_properties_hold_for_all_parameters_and_witnesses_for_some() -> None:
    evaluator = evaluator_of(Claims)
    young, deeper, old = evaluator.model.properties
    one = state_of(evaluator, age=(0, 4, 0))
    other = state_of(evaluator, age=(0, 5, 0), depth=4)
    assert (evaluator.holds(young, one), evaluator.holds(young, other)) == (True, False)
    assert (evaluator.holds(old, one), evaluator.holds(old, other)) == (True, False)
    assert (evaluator.holds(deeper, one, other), evaluator.holds(deeper, other, one)) == (True, False)


class Shows(World):
    """What a step shows."""

    @action
    def look(s, shelf: Shelf) -> None:
        observe(was=s.age[shelf])
        s.age[shelf] = 7
        observe(now=s.age[shelf], known=s.group.has(Owner.ROOT), always=3)


def test_step_shows_values_around_its_effects() -> None:
    evaluator = evaluator_of(Shows)
    shown = evaluator.observed(evaluator.model.action("look"), (1,), state_of(evaluator, age=(1, 2, 3)))
    assert shown == {"was": 2, "now": 7, "known": False, "always": 3}


def test_initial_state() -> None:
    evaluator = evaluator_of(World)
    assert evaluator.named(evaluator.initial()) == {
        "wet": False,
        "depth": 3,
        "stamp": 0,
        "mood": 0,
        "lamp": 0,
        "lamps": (0, 0, 0),
        "here": 0,
        "owner": None,
        "user": None,
        "group": frozenset(),
        "age": (0, 0, 0),
        "note": (None, 1),
        "line": (),
        "long": (),
        "post": (),
    }
