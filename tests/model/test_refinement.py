"""Refinements: what is a step of an upper system and what is not, for every judge that judges transition properties."""

import enum
import itertools
import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from genstamp_model.evaluate import Evaluator, State
from genstamp_model.explore import Verdict, explore
from genstamp_model.export.tla import tla
from genstamp_model.language import (
    Bool,
    Configuration,
    Index,
    Instance,
    Maybe,
    Part,
    Record,
    RefinementDeclaration,
    SpecError,
    System,
    action,
    bag,
    each,
    enumeration,
    flag,
    invariant,
    none,
    number,
    optional,
    ordered,
    per,
    pick,
    record,
    reference,
    require,
    when,
)
from genstamp_model.parametric import prove_parametric
from genstamp_model.prove import Verdict as Proved
from genstamp_model.prove import Within, bmc, prove
from genstamp_model.refinement import mapped
from genstamp_spec.hdfs.systems.recovery import RECOVERY


class Person(Index, symmetric=True):
    """Whoever goes through a door."""


class Door(Index, symmetric=True):
    """Doors."""


class Door1(Part):
    """One door and who holds it open."""

    holder = optional(Person)
    passed = number(0, 9)

    @action
    def open_(s, person: Person) -> None:
        require(s.holder.is_none(), "nobody holds it")
        s.holder = person

    @action
    def go_through(s, person: Person) -> None:
        require(s.holder == person, "the person holds it", refuses="ClosedException")
        s.passed = pick("passed", 0, 9)

    @action
    def shut(s) -> None:
        s.holder = none

    @action
    def hand_over(s, person: Maybe[Person]) -> None:
        require(~s.holder.is_none(), "somebody holds it")
        s.holder = person


DOOR = System("door", parts=[Door1], configurations=[Configuration("two", sizes={"Person": 2})])


class Doors(Part):
    """Several doors, held by whoever has the key."""

    key = per(Door, optional(Person))
    count = per(Door, number(limit="people"))

    @action
    def take(s, door: Door, person: Person) -> None:
        require(s.key[door].is_none(), "the key is there")
        s.key[door] = person

    @action
    def enter(s, door: Door, person: Person) -> None:
        require(s.key[door] == person, "the person has the key")
        s.count[door] = s.count[door] + 1

    @action
    def lock_all(s) -> None:
        s.key.update(lambda door: when(s.count[door] > 0, s.key[door], none))


Mapping_ = dict[str, Callable[..., Any]]
GOOD: Mapping_ = {"holder": lambda s, door: s.key[door], "passed": lambda s, door: s.count[door]}
UNREACHABLE = {"hand_over": "keys are put back, not given away"}
SIZES = Configuration("two", sizes={"Door": 2, "Person": 2}, limits={"people": 2})


def doors(mapping: Mapping_ = GOOD, part: type[Part] = Doors, **declared: Any) -> Instance:
    declared.setdefault("unreachable", UNREACHABLE)
    refines = [RefinementDeclaration(DOOR, mapping, each=Door, **declared)]
    return System("doors", parts=[part], configurations=[SIZES], refines=refines).instance()


def states(instance: Instance, most: int = 3000) -> Iterator[tuple[State, State]]:
    """Edges of an instance, breadth first."""
    evaluator = Evaluator(instance)
    seen = {evaluator.initial()}
    queue = list(seen)
    for before in itertools.islice(queue, most):
        for step in evaluator.steps(before):
            if not evaluator.beyond(step.after):
                yield before, step.after
                if step.after not in seen:
                    seen.add(step.after)
                    queue.append(step.after)


def test_every_step_is_one_of_the_upper_system() -> None:
    result = explore(doors())
    assert result.verdict is Verdict.HOLDS
    assert result.not_judged == ()
    assert set(result.refined) == {"door.open_", "door.go_through", "door.shut"}
    assert all(result.refined.values())


def test_an_upper_action_counts_once_an_edge_that_changes_something() -> None:
    instance = doors()
    result = explore(instance)
    evaluator = Evaluator(instance)
    found = dict.fromkeys(result.refined, 0)
    [refinement] = instance.model.refinements
    for before, after in states(instance):
        taken = {a.name for one in mapped(evaluator, refinement) for a, _ in one.steps(before, after)}
        for name in taken - set(UNREACHABLE):
            found[f"door.{name}"] += 1
    assert found == result.refined


class Thief(Doors):
    @action
    def enter(s, door: Door, person: Person) -> None:
        """Whoever comes, with a key or not, unless somebody else has it."""
        require(s.key[door].is_none() | (s.key[door] == person), "nobody else has the key")
        s.count[door] = s.count[door] + 1


def test_a_step_that_is_none_tells_why() -> None:
    violation = explore(doors(part=Thief)).violation
    assert violation is not None
    assert (violation.kind, violation.name, len(violation.path)) == ("transition", "refines door", 1)
    assert list(violation.story) == [
        "that step of door1 is none of door, where it",
        "     passed: 0 -> 1",
        "     and leaves holder none",
        "  not open_(person person1): holder would be person1, not none",
        '  not go_through(person person1, passed 0): "the person holds it" does not hold',
        "  not shut(): passed would be 0, not 1",
        '  not hand_over(person person1): "somebody holds it" does not hold',
    ]
    assert violation.story[0] in str(violation)


@pytest.mark.parametrize(
    ("passed", "verdict"),
    [
        (lambda s, door: s.count[door] * 4, Verdict.HOLDS),
        (lambda s, door: s.count[door] * 5, Verdict.VIOLATED),
        (lambda s, door: when(s.count[door] == 2, -1, s.count[door]), Verdict.VIOLATED),
    ],
    ids=["within", "above", "below"],
)
def test_a_number_outside_of_the_upper_range_is_no_step(passed: Callable[..., Any], verdict: Verdict) -> None:
    instance = doors(GOOD | {"passed": passed})
    assert explore(instance).verdict is verdict
    judges = list(mapped(Evaluator(instance), instance.model.refinements[0]))
    assert all(one.is_step(*edge) for edge in states(instance) for one in judges) == (verdict is Verdict.HOLDS)


def test_what_is_declared_unreachable_may_not_be_taken() -> None:
    violation = explore(doors(unreachable={"shut": "doors stay open", "hand_over": "keys stay"})).violation
    assert violation is not None
    assert violation.name == "refines door"
    assert "  not shut: doors stay open" in violation.story


@pytest.mark.parametrize(
    "judge", [explore, lambda doors: bmc(doors, steps=1), prove, lambda doors: prove_parametric(doors.model)]
)
def test_an_initial_state_that_is_mapped_elsewhere_is_refused(judge: Callable[[Instance], object]) -> None:
    mapping = GOOD | {"passed": lambda s, door: s.count[door] + 1}
    with pytest.raises(SpecError, match="of doors is not mapped to that of door: passed is 1, not 0"):
        judge(doors(mapping))


def test_an_unknown_upper_action_is_refused() -> None:
    with pytest.raises(SpecError, match="no action 'close' of door; it has open_, go_through, shut, hand_over"):
        doors(unreachable={"close": "never"})


def test_one_system_is_refined_once() -> None:
    refines = [RefinementDeclaration(DOOR, GOOD, each=Door)] * 2
    with pytest.raises(SpecError, match="door is refined twice"):
        System("doors", parts=[Doors], configurations=[SIZES], refines=refines).model()


def test_symmetry_keeps_the_verdict() -> None:
    assert explore(doors(), symmetry=True).verdict is Verdict.HOLDS
    broken = explore(doors(part=Thief), symmetry=True).violation
    assert broken is not None
    assert broken.story


@pytest.mark.slow
def test_bounded_model_checking_judges_it() -> None:
    assert bmc(doors(), steps=3).verdict is Within.NO_VIOLATION
    found = bmc(doors(part=Thief), steps=3)
    assert found.violation is not None
    assert (found.violation.name, len(found.violation.path)) == ("refines door", 1)


class CountedDoors(Doors):
    @invariant(inductive=True)
    def few(s, door: Door) -> Bool:
        return s.count[door] <= 9

    @action
    def enter(s, door: Door, person: Person) -> None:
        require(s.key[door] == person, "the person has the key")
        require(s.count[door] < 9, "there is room")
        s.count[door] = s.count[door] + 1


def test_it_can_be_proved() -> None:
    report = prove(doors(part=CountedDoors, inductive=True, given=("few",)))
    assert report.proof("refines door").verdict is Proved.PROVED
    report = prove(doors(inductive=True))
    assert report.proof("refines door").verdict is Proved.VIOLATED, "numbers are unbounded below"


def test_tla_has_it() -> None:
    assert "refines_door ==" in tla(doors()).text


# Every form of a parameter and an effect, held against the steps that `evaluate` takes in the upper system.


class Size(enum.Enum):
    SMALL = enum.auto()
    LARGE = enum.auto()


class Note(Record):
    to = reference(Person)
    weight = number(0, 3)


class Office(Part):
    """The upper system: whatever an action can do."""

    notes = bag(Note, limit="notes")
    desk = per(Person, record(Note))
    size = enumeration(Size)
    stamp = ordered(limit="stamps")
    busy = flag()

    @action
    def write(s, person: Person, to: Person) -> None:
        require(~s.busy, "not busy")
        s.notes.send(Note(to=to, weight=1))
        s.desk[person].weight = pick("weight", 1, 3)

    @action
    def deliver(s) -> None:
        note = s.notes.receive()
        s.notes.take(note)
        s.desk[note.to] = note

    @action
    def grow(s) -> None:
        weight = pick("weight", 0, 3)
        s.size = when(weight > 2, Size.LARGE, s.size)
        s.stamp = s.stamp + 1

    @action
    def rest(s) -> None:
        s.busy = ~s.busy
        s.desk.update(lambda person: Note(to=person, weight=0))


OFFICE = System(
    "office",
    parts=[Office],
    configurations=[Configuration("two", sizes={"Person": 2}, limits={"notes": 1, "stamps": 1})],
)
SAME: Mapping_ = {
    "notes": lambda s: s.notes,
    "desk": lambda s: s.desk,
    "size": lambda s: s.size,
    "stamp": lambda s: s.stamp,
    "busy": lambda s: s.busy,
}
MAPPINGS: Mapping[str, Mapping_] = {
    "same": SAME,
    "never busy": SAME | {"busy": lambda s: s.busy & ~s.busy},
    "light": SAME
    | {"desk": lambda s: each(Person, lambda person: Note(to=s.desk[person].to, weight=s.desk[person].weight * 0))},
    "always small": SAME | {"size": lambda s: when(s.busy, Size.SMALL, s.size)},
    "no stamp": SAME | {"stamp": lambda s: when(s.busy, s.stamp, 0)},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MAPPINGS)
def test_all_judges_agree_with_the_upper_systems_own_steps(name: str) -> None:
    refines = [RefinementDeclaration(OFFICE, MAPPINGS[name])]
    instance = System("lower", OFFICE.parts, OFFICE.configurations, refines=refines).instance()
    evaluator = Evaluator(instance)
    [claim] = instance.model.properties
    [one] = mapped(evaluator, instance.model.refinements[0])
    verdicts = [(evaluator.holds(claim, *edge), one.is_step(*edge)) for edge in states(instance, 200)]
    assert all(ours == reference for ours, reference in verdicts)
    expected = Verdict.HOLDS if all(ours for ours, _ in verdicts) else Verdict.VIOLATED
    assert expected is (Verdict.HOLDS if name == "same" else Verdict.VIOLATED)
    assert explore(instance).verdict is expected


class Many(Part):
    chosen = flag()

    @action
    def choose_(s) -> None:
        s.chosen = pick("of many", 0, 1000) > 5


def test_a_pick_of_too_many_is_refused() -> None:
    many = System("many", parts=[Many], configurations=[Configuration("one", sizes={})])
    refines = [RefinementDeclaration(many, {"chosen": lambda s: s.chosen})]
    with pytest.raises(SpecError, match="picks 'of many' from 1001 numbers"):
        System("lower", [Many], many.configurations, refines=refines).model()


# Projections: some upper variables are hidden.

HIDDEN: Mapping[str, tuple[str, ...]] = {
    "busy": ("busy",),
    "notes": ("notes",),
    "desk": ("desk",),
    "size, stamp": ("size", "stamp"),
    "all but busy": ("notes", "desk", "size", "stamp"),
}


def projected(hidden: tuple[str, ...], mapping: Mapping_ = SAME) -> Instance:
    left = {name: value for name, value in mapping.items() if name not in hidden}
    refines = [RefinementDeclaration(OFFICE, left, hidden=dict.fromkeys(hidden, "nobody asks"))]
    return System("lower", OFFICE.parts, OFFICE.configurations, refines=refines).instance()


@pytest.mark.parametrize("name", HIDDEN)
@pytest.mark.parametrize("broken", [None, *(name for name in MAPPINGS if name != "same")])
def test_a_projection_refuses_no_step_that_some_hidden_values_make_one(name: str, broken: str | None) -> None:
    """The reference takes the upper system's own steps, from each state that a hidden value of some state gives."""
    hidden = HIDDEN[name]
    mapping = MAPPINGS[broken or "same"]
    instance = projected(hidden, mapping)
    evaluator = Evaluator(instance)
    [one] = mapped(evaluator, instance.model.refinements[0])
    names = [variable.name for variable in OFFICE.model().variables]
    edges = list(states(instance, 40))
    guesses = list({tuple(state[names.index(n)] for n in hidden) for state, _ in edges})[:12]
    for before, after in edges[:: 1 + len(edges) // 60]:
        here, there = one.image(before), one.image(after)
        full = [_filled(names, hidden, here, guess) for guess in guesses]
        shown = [i for i, n in enumerate(names) if n not in hidden]
        possible = any(
            tuple(step.after[i] for i in shown) == there for state in full for step in one.upper.steps(state)
        )
        assert one.is_step(before, after) or not (possible or here == there)


def _filled(names: list[str], hidden: tuple[str, ...], image: State, guess: tuple[Any, ...]) -> State:
    """An upper state with a guess for what is hidden."""
    shown = iter(image)
    return tuple(guess[hidden.index(n)] if n in hidden else next(shown) for n in names)


@pytest.mark.parametrize(
    ("broken", "hidden", "verdict"),
    [
        ("never busy", ("notes",), Verdict.HOLDS),
        ("never busy", ("size",), Verdict.VIOLATED),
        ("light", ("busy",), Verdict.VIOLATED),
        ("light", ("desk",), Verdict.HOLDS),
        ("always small", ("notes", "desk"), Verdict.VIOLATED),
        ("no stamp", ("busy", "desk"), Verdict.VIOLATED),
        ("no stamp", ("stamp",), Verdict.HOLDS),
    ],
)
def test_a_projection_refuses_what_its_variables_show(broken: str, hidden: tuple[str, ...], verdict: Verdict) -> None:
    result = explore(projected(hidden, MAPPINGS[broken]))
    assert result.verdict is verdict
    if result.violation is not None:
        assert result.violation.story[-1] == f"  whatever {', '.join(hidden)} may be"


def test_a_hidden_variable_has_the_value_that_an_effect_tells() -> None:
    """The last one is whose turn it was, and that is somebody."""

    class Counter(Part):
        turn = optional(Person)
        last = optional(Person)

        @action
        def next_(s, person: Person) -> None:
            require(s.turn == person, "it is the person's turn")
            s.last = s.turn
            s.turn = none

    upper = System("upper", [Counter], [Configuration("two", sizes={"Person": 2})])
    declared = RefinementDeclaration(upper, {"last": lambda s: s.last}, hidden={"turn": "nobody asks"})

    class Anybody(Part):
        last = optional(Person)

        @action
        def anybody(s, person: Maybe[Person]) -> None:
            s.last = person

    lower = System("lower", [Anybody], [Configuration("two", sizes={"Person": 2})], refines=[declared]).instance()
    violation = explore(lower).violation
    assert violation is not None
    assert (len(violation.path), violation.story[1]) == (2, "     last: person1 -> none")


def test_actions_that_change_only_hidden_variables_are_none() -> None:
    mapping = {"passed": GOOD["passed"]}
    result = explore(doors(mapping, hidden={"holder": "nobody asks"}, unreachable={}))
    assert (result.verdict, set(result.refined)) == (Verdict.HOLDS, {"door.go_through"})


def test_a_variable_is_mapped_or_hidden() -> None:
    with pytest.raises(SpecError, match="'holder' is hidden, but is not a variable of door or is mapped"):
        doors(hidden={"holder": "twice"})
    with pytest.raises(SpecError, match="leaves out 'holder'"):
        doors({"passed": GOOD["passed"]})


@pytest.mark.slow
def test_hdfs_recovery_agrees_on_random_walks() -> None:
    instance = RECOVERY.instance("outages", "hadoop-3.4")
    evaluator, draw = Evaluator(instance), random.Random(3)
    refinements = instance.model.refinements
    assert len(refinements) == 2
    for _ in range(8):
        state = evaluator.initial()
        for _ in range(25):
            steps = [step for step in evaluator.steps(state) if not evaluator.beyond(step.after)]
            if not steps:
                break
            for step in steps[:6]:
                for refinement in refinements:
                    reference = all(one.is_step(state, step.after) for one in mapped(evaluator, refinement))
                    assert evaluator.holds(refinement.claim, state, step.after) == reference
            state = draw.choice(steps).after
