"""Each misuse of the modelling language is an error that names the author's line and says what to write.

The cases stand in functions that declare a wrong part; the line at fault ends in `# here`. Where mypy sees the misuse
too, an ignore says so, and mypy reports ignores that are not needed.
"""

import enum
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Self

import pytest
from statemachine import State, StateMachine

from genstamp_model.language import (
    Bool,
    Bug,
    Index,
    Maybe,
    Members,
    Number,
    Part,
    Record,
    RefinementDeclaration,
    SpecError,
    System,
    action,
    bag,
    choose,
    enumeration,
    exists,
    flag,
    forall,
    invariant,
    leads_to,
    lifecycle,
    limit,
    members,
    named,
    none,
    number,
    observe,
    optional,
    ordered,
    per,
    pick,
    record,
    reference,
    require,
    sequence,
    transition,
    when,
    witness,
)
from genstamp_model.language.declarations import PropertyDeclaration


class Holder(Index):
    """Clients and a master."""

    MASTER = named()


class Client(Holder):
    """A client."""


class Shelf(Index):
    """A place."""


class Colour(enum.Enum):
    """Some labels."""

    RED = enum.auto()


class Door(StateMachine):
    """A lifecycle."""

    shut = State(initial=True)
    ajar = State()

    push = shut.to(ajar)
    pull = ajar.to(shut)


class Wine(enum.Enum):
    """Labels of another enumeration, one of them with the same name."""

    RED = enum.auto()


class Window(StateMachine):
    """Another lifecycle, with the same names."""

    shut = State(initial=True)
    ajar = State()

    push = shut.to(ajar)
    pull = ajar.to(shut)


class Letter(Record):
    """A message."""

    to = reference(Client)
    weight = number(0, 9)


class World(Part):
    """One variable of every kind."""

    wet = flag()
    depth = number(0, 9)
    stamp = ordered(limit="stamps")
    colour = enumeration(Colour)
    door = lifecycle(Door)
    doors = per(Shelf, lifecycle(Door))
    holder = optional(Holder)
    client = reference(Client)
    chosen = members(Client)
    letter = record(Letter)
    line = sequence(number(0, 5), capacity=3)
    post = bag(Letter, limit="letters")
    age = per(Shelf, number(0, 9))


Case = Callable[[], Any]
CASES: list[tuple[Case, str]] = []


def misuse(message: str) -> Callable[[Case], Case]:
    """Register a case with a part of the message that it must give."""

    def add(case: Case) -> Case:
        CASES.append((case, message))
        return case

    return add


def step(case: Callable[[Any], None]) -> Callable[[], type[Part]]:
    """A case whose function is the body of an action."""

    def declare() -> type[Part]:
        case.__name__ = "step"
        return type("Wrong", (World,), {"step": action(case)})

    declare.__wrapped__ = case  # type: ignore[attr-defined]
    return declare


def claim(case: Callable[[Any], Any]) -> Callable[[], type[Part]]:
    """A case whose function is an invariant."""

    def declare() -> type[Part]:
        case.__name__ = "claim"
        return type("Wrong", (World,), {"claim": invariant(case)})

    declare.__wrapped__ = case  # type: ignore[attr-defined]
    return declare


# Sets are no arrays.


@misuse("a set of Client has no elements to assign; a set has .has(), .add(), .remove(), ")
@step
def assigned_in_a_set(s: Any) -> None:
    s.chosen[s.client] = True  # here


# Python's own control flow.


@misuse("when(condition, a, b) for 'if'")
@step
def if_(s: World) -> None:
    if s.wet:  # here
        s.depth = 1  # type: ignore[unreachable]


@misuse("write .has(item)")
@claim
def in_(s: World) -> Any:
    return s.client in s.chosen  # here


@misuse("write .size()")
@claim
def len_(s: World) -> Any:
    return len(s.line) == 1  # here


# Checks.


@misuse("comes after an assignment; checks must precede effects")
@step
def check_after_effect(s: World) -> None:
    s.chosen.clear()
    require(s.wet, "it is wet")  # here


@misuse("two checks are labelled 'it is wet'; give each its own label")
@step
def duplicate_label(s: World) -> None:
    require(s.wet, "it is wet")
    require(~s.wet, "it is wet")  # here


@misuse("is in a property; return the condition instead")
@claim
def check_in_property(s: World) -> Any:
    require(s.wet, "it is wet")  # here
    return True


@misuse("is inside a quantifier; write require(forall(...), ...)")
@step
def check_in_quantifier(s: World) -> None:
    def each_wet(shelf: Shelf) -> bool:
        require(s.age[shelf] > 1, "it is old")  # here
        return True

    require(forall(Shelf, each_wet), "all")


# Effects.


@misuse("a property cannot assign 'wet'; assign in an action")
@claim
def assignment_in_property(s: World) -> Any:
    s.wet = True  # here
    return True


@misuse("assigned inside a quantifier; write s.age.update(lambda i: value)")
@step
def assignment_in_quantifier(s: World) -> None:
    def age(shelf: Shelf) -> bool:
        s.age[shelf] = 0  # here
        return True

    require(forall(Shelf, age), "all")


@misuse("'wieght' is not a field of a Letter")
@step
def unknown_field(s: World) -> None:
    s.letter.wieght = 1  # here


@misuse("expected a state of Colour, not <Wine.RED: 1>")
@step
def label_of_another_enumeration(s: World) -> None:
    s.colour = Wine.RED  # here


@misuse("expected a state of Door, not State(")
@claim
def state_of_another_lifecycle(s: World) -> Bool:
    return s.door.at(Window.shut)  # here


@misuse("event 'push' belongs to another lifecycle; write an event of Door")
@step
def event_of_another_lifecycle(s: World) -> None:
    s.door.fire(Window.push)  # here


@misuse("expected a Client, not none")
@step
def none_to_reference(s: World) -> None:
    s.client = none  # here


@misuse("expected a Client, not a Holder or none (holder)")
@step
def optional_to_reference(s: World) -> None:
    s.client = s.holder  # here


@misuse("expected a Client, not a Client or none")
@step
def choice_to_reference(s: World) -> None:
    s.client = choose(Client, lambda c: s.chosen.has(c))  # here


@misuse("expected a Client or none, not a Holder (Holder.MASTER)")
@step
def holder_in_set_of_clients(s: World) -> None:
    s.chosen.add(Holder.MASTER)  # here


@misuse("expected a Shelf or none, not a Client (client)")
@claim
def wrong_index(s: World) -> Any:
    return s.age[s.client] == 1  # type: ignore[index] # here


@misuse("lifecycle 'door' cannot be assigned; write .fire(event)")
@step
def lifecycle_assigned(s: World) -> None:
    s.door = Door.ajar  # here


@misuse("lifecycle 'doors' cannot be assigned; write .fire(event)")
@step
def lifecycle_in_array_assigned(s: World) -> None:
    shelf = choose(Shelf, lambda shelf: s.age[shelf] == 0)
    s.doors[shelf] = Door.ajar  # here


@misuse("lifecycle 'elements' cannot be assigned; write .after(event)")
@step
def lifecycles_updated_to_a_state(s: World) -> None:
    s.doors.update(lambda shelf: Door.ajar)  # here


@misuse("lifecycle Door has no event 'kick'; it has pull, push")
@step
def unknown_event(s: World) -> None:
    s.door.fire("kick")  # here


@misuse("fire() needs at least one event")
@step
def no_event(s: World) -> None:
    s.door.fire()  # here


@misuse("an ordered number can only be raised by a constant above 0, not by 0")
@step
def ordered_raised_by_nothing(s: World) -> None:
    s.stamp = s.stamp + 0  # here


@misuse("an ordered number can only be compared and raised")
@step
def ordered_lowered(s: World) -> None:
    s.stamp = s.stamp - 1  # type: ignore[operator] # here


@misuse("this value is computed, not a variable of the state")
@step
def assignment_to_a_message(s: World) -> None:
    s.post.receive().weight = 1  # here


@misuse("Letter needs a value for 'weight'")
@step
def record_with_missing_field(s: World) -> None:
    s.post.send(Letter(to=s.client))  # here


@misuse("Letter has no field 'colour'; it has to, weight")
@step
def record_with_unknown_field(s: World) -> None:
    s.post.send(Letter(to=s.client, weight=1, colour=1))  # here


@misuse("receive first")
@step
def receive_after_send(s: World) -> None:
    s.post.send(Letter(to=s.client, weight=1))
    s.post.take(s.post.receive())  # here


@misuse("a property says s.post.every(...) or s.post.some(...)")
@claim
def receive_in_property(s: World) -> Any:
    return s.post.receive().weight == 1  # here


@misuse("nothing to pick for 'guess': 3 is above 2")
@step
def empty_pick(s: World) -> None:
    s.line.append(pick("guess", 3, 2))  # here


@misuse("this action already has a parameter 'guess'")
@step
def picked_twice(s: World) -> None:
    s.line.append(pick("guess", 1, 2))
    s.line.append(pick("guess", 1, 2))  # here


@misuse("only an action can pick 'guess'")
@claim
def pick_in_property(s: World) -> Any:
    return s.depth == pick("guess", 1, 2)  # here


@misuse("observed 'word' must be a value of the state, a flag or a number, not 'x'")
@step
def observed_text(s: World) -> None:
    observe(word="x")  # here


@misuse("a number is divided by a whole number above 0, such as n // 2, and not by 0")
@step
def division_by_zero(s: World) -> None:
    s.depth = s.depth // 0  # here


@misuse("when() cannot tell the type of its values")
@step
def choice_of_nobodies(s: World) -> None:
    s.client = when(s.wet, none, none)  # here


@misuse("'shelf_0' is the member of a quantifier and is used outside")
@step
def member_leaked_into_another_quantifier(s: World) -> None:
    seen: list[Shelf] = []

    def old(shelf: Shelf) -> Bool:
        seen.append(shelf)
        return s.age[shelf] > 1

    require(exists(Shelf, old), "some are old")
    require(exists(Shelf, lambda shelf: s.age[seen[0]] == s.age[shelf]), "another is as old")  # here


@misuse("parameter 'shelf_0' has the name of a member that a quantifier here is over")
def parameter_named_as_a_quantifiers_member() -> Any:
    class Named(World):
        @action
        def act(s, shelf_0: Shelf) -> None:
            require(exists(Shelf, lambda other: s.age[other] > s.age[shelf_0]), "one is older")  # here
            s.wet = True

    return Named


@misuse("parameter 'shelf_0' has the name of a member")
def propertys_parameter_named_as_a_quantifiers_member() -> Any:
    class Named(World):
        @invariant  # here
        def fine(s, shelf_0: Shelf) -> Bool:
            return exists(Shelf, lambda other: s.age[other] > s.age[shelf_0])

    return Named


@misuse("parameter 'shelf_0' has the name of a member")
@step
def number_picked_under_the_name_of_a_quantifiers_member(s: World) -> None:
    least = pick("shelf_0", 0, 2)
    require(forall(Shelf, lambda shelf: s.age[shelf] > least), "all are old")  # here


# Declarations.


@misuse("write number(0, 3) or number(limit='bytes')")
def number_without_bound() -> Any:
    class Wrong(Part):
        depth = number()  # here

    return Wrong


@misuse("write number(0, 3) or number(limit='bytes')")
def number_with_both_bounds() -> Any:
    class Wrong(Part):
        depth = number(0, 3, limit="depth")  # here

    return Wrong


@misuse("the initial value -1 of an ordered number is below 0")
def negative_stamp() -> Any:
    class Wrong(Part):
        stamp = ordered(limit="stamps", initially=-1)  # here

    return Wrong


@misuse("write capacity=4 or limit='packets'")
def sequence_without_bound() -> Any:
    class Wrong(Part):
        line = sequence(flag())  # here

    return Wrong


@misuse("'Shelv' is not defined; did you mean 'Shelf'?")
def unknown_annotation() -> Any:
    class Wrong(World):
        @action  # here
        def put(s, shelf: "Shelv") -> None:  # type: ignore[name-defined] # noqa: F821
            s.wet = shelf == shelf

    return Wrong


@misuse("action put returns a value; it should assign instead")
def action_that_returns() -> Any:
    class Wrong(World):
        @action  # here
        def put(s) -> None:
            return s.wet  # type: ignore[return-value]

    return Wrong


@misuse("parameter 'shelf' of old may be none, which only an action's can")
def property_of_maybe_nobody() -> Any:
    class Wrong(World):
        @invariant  # here
        def old(s, shelf: Maybe[Shelf]) -> Bool:
            return s.age[shelf] > 1

    return Wrong


@misuse("parameter 'group' of old ranges over other values than members, which only an action's can")
def property_of_a_subset() -> Any:
    class Wrong(World):
        @invariant  # here
        def old(s, group: Members[Shelf]) -> Bool:
            return group.is_empty()

    return Wrong


@misuse("nothing to pick for 'weight': 3 is above 1")
def parameter_of_no_number() -> Any:
    class Wrong(World):
        @action  # here
        def put(s, weight: Annotated[Number, 3, 1]) -> None:
            s.depth = weight

    return Wrong


@misuse("'weight' is picked from an index set, its subsets, an enumeration or two numbers, not the class int")
@step
def picked_of_no_kind(s: World) -> None:
    s.depth = pick("weight", int)  # here


@misuse("deep names property 'shallow'; there are deep")
def unknown_given() -> Any:
    class Wrong(World):
        @invariant(given=("shallow",))  # here
        def deep(s) -> Bool:
            return s.depth > 1

    return Wrong


@misuse("a property cannot assign 'depth'; assign in an action")
def next_state_assigned() -> Any:
    class Wrong(World):
        @transition
        def rises(s, t: Self) -> Bool:
            t.depth = 1  # here
            return s.stamp <= t.stamp

    return Wrong


@misuse("variable 'depth' is declared twice")
def variable_declared_twice() -> Any:
    class Other(Part):
        depth = number(0, 3)  # here

    return [World, Other]


@misuse("'is_deep' is declared here and at test_language_misuse.py")
def helper_declared_twice() -> Any:
    class One(World):
        def is_deep(s) -> Bool:
            return s.depth > 1

    class Other(World):
        def is_deep(s) -> Bool:  # here
            return s.depth > 2

    return [One, Other]


@misuse("'depth' is declared here and at test_language_misuse.py")
def variable_and_action_of_one_name() -> Any:
    class Other(Part):
        @action  # here
        def depth(s) -> None:
            """It is none of the other part's variables."""

    return [World, Other]


@misuse("'grow' stands in Fish, which is no part; declare it in a class derived from Part")
def action_in_a_record() -> Any:
    class Fish(Record):
        size = number(0, 3)

        @action  # here
        def grow(s) -> None:
            """It grows."""

    return World


@misuse("'grow' stands in Fish, which is no part; declare it in a class derived from Part")
def action_in_an_index_set() -> Any:
    class Fish(Index):
        @action  # here
        def grow(s) -> None:
            """It grows."""

    return World


@misuse("'put' is declared here and at test_language_misuse.py")
def action_declared_twice() -> Any:
    class One(World):
        @action
        def put(s) -> None:
            s.chosen.clear()

    class Other(World):
        @action  # here
        def put(s) -> None:
            s.line.clear()

    return [One, Other]


@misuse("'put' is declared here and at test_language_misuse.py")
def action_replaced_twice() -> Any:
    class Base(World):
        @action
        def put(s) -> None:
            s.chosen.clear()

    class One(Base):
        @action
        def put(s) -> None:
            s.line.clear()

    class Other(Base):
        @action  # here
        def put(s) -> None:
            s.line.clear()

    return [Base, One, Other]


@misuse("'weight' is declared here and at test_language_misuse.py")
def limit_declared_twice() -> Any:
    class One(World):
        @limit("light")
        def weight(s) -> Number:
            return s.depth

    class Other(World):
        @limit("heavy")  # here
        def weight(s) -> Number:
            return s.depth + 1

    return [One, Other]


def line_of(case: Any) -> int:
    """The line that ends in `# here`."""
    lines, first = inspect.getsourcelines(inspect.unwrap(case))
    [line] = [number for number, text in enumerate(lines, first) if text.rstrip().endswith("# here")]
    return line


@pytest.mark.parametrize(
    ("case", "message"), CASES, ids=lambda value: inspect.unwrap(value).__name__ if callable(value) else ""
)
def test_misuse_names_the_authors_line_and_says_what_to_write(case: Case, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        declared = case()
        System("wrong", parts=declared if isinstance(declared, list) else [declared], configurations=[]).model()
    assert message in str(caught.value)
    source = caught.value.source
    assert source is not None
    assert (Path(source.file).name, source.line) == (Path(__file__).name, line_of(case))


def test_bug_that_drops_an_unknown_check_of_an_action_is_answered_with_those_that_there_are() -> None:
    class Early(World):
        @action
        def step(s) -> None:
            require(~s.wet, "it is dry")
            s.wet = True

    bug = Bug("late", "a step is late", drops=(("step", "it was dry"),))
    with pytest.raises(SpecError, match=r"does not have; there are it is dry; did you mean 'it is dry'\?"):
        System("world", parts=[Early], configurations=[], bugs=[bug]).model(bugs=["late"])


def test_bugs_that_replace_one_action_cannot_be_combined() -> None:
    class Wet(World):
        @action
        def pour(s) -> None:
            s.wet = True

    class Flood(Wet):
        @action
        def pour(s) -> None:
            s.depth = 3

    class Drought(Wet):
        @action
        def pour(s) -> None:
            s.wet = False

    bugs = [Bug("flood", "too much", parts=(Flood,)), Bug("drought", "too little", parts=(Drought,))]
    system = System("weather", parts=[Wet], configurations=[], bugs=bugs)
    assert system.model(bugs=["flood"]).action("pour").effects != system.model(bugs=["drought"]).action("pour").effects
    with pytest.raises(SpecError, match=r"'pour' is declared here and at .*; inherit from Flood to replace it"):
        system.model(bugs=["flood", "drought"])


def test_two_parts_do_not_share_the_name_of_a_constant() -> None:
    one, other = (type(name, (World,), {"MOST": most}) for name, most in (("One", 1), ("Other", 2)))
    with pytest.raises(SpecError, match="'MOST' is declared here and in One; inherit from One to replace it"):
        System("wrong", parts=[one, other], configurations=[]).model()


def test_parts_may_replace_one_helper_of_a_part_that_they_share() -> None:
    class Shared(World):
        def is_deep(s) -> Bool:
            return s.depth > 1

        @invariant
        def is_shallow(s) -> Bool:
            return ~s.is_deep()

    class One(Shared):
        def is_deep(s) -> Bool:
            return super().is_deep() & s.wet

    class Other(Shared):
        def is_deep(s) -> Bool:
            return super().is_deep() | s.wet

    claim = System("shared", parts=[One, Other], configurations=[]).model().property("is_shallow")
    assert str(claim.condition) == "~(((1 < depth) & wet) | wet)"


def test_property_is_not_replaced_by_one_of_another_kind() -> None:
    class Dry(World):
        @invariant
        def stays_dry(s) -> Bool:
            return ~s.wet

    class Drier(Dry):
        """Between the two there may be others."""

    def stays_dry(s: Drier) -> Bool:
        return s.wet

    for declare in (witness, transition, leads_to()):
        replacing = declare(stays_dry)
        assert isinstance(replacing, PropertyDeclaration)
        message = (
            rf"{replacing.kind} 'stays_dry' would replace the invariant at .*:\d+; give it another name, or declare"
        )
        with pytest.raises(SpecError, match=message) as error:
            type("Wetter", (Drier,), {"stays_dry": replacing})
        assert error.value.source == replacing.source


def test_refinement_of_an_unknown_variable_is_refused() -> None:
    upper = System("upper", parts=[World], configurations=[])
    mapping = {"sunny": lambda s: ~s.wet}
    lower = System("lower", parts=[World], configurations=[], refines=[RefinementDeclaration(upper, mapping)])
    with pytest.raises(SpecError, match="lower maps 'sunny', which upper does not have; it has wet, "):
        lower.model()


def test_refinement_that_leaves_out_a_variable_is_refused() -> None:
    upper = System("upper", parts=[World], configurations=[])
    lower = System("lower", parts=[World], configurations=[], refines=[RefinementDeclaration(upper, {})])
    with pytest.raises(SpecError, match="the mapping from lower to upper leaves out 'wet'"):
        lower.model()


def test_refinement_that_reads_no_variable_is_refused() -> None:
    upper = System("upper", parts=[World], configurations=[])
    names = [variable.name for variable in World.variables()]
    hidden = dict.fromkeys(names, "it is not modelled")
    lower = System("lower", parts=[World], configurations=[], refines=[RefinementDeclaration(upper, {}, hidden=hidden)])
    with pytest.raises(SpecError, match="the mapping from lower to upper is the same in every state"):
        lower.model()


def test_state_can_only_be_read_while_it_is_traced() -> None:
    with pytest.raises(SpecError, match="can only be used inside an action or a property"):
        require(True, "outside")


def test_after_a_misuse_the_next_system_traces() -> None:
    with pytest.raises(SpecError):
        System("wrong", parts=[if_()], configurations=[]).model()
    assert System("right", parts=[World], configurations=[]).model().variables


def test_an_index_set_that_was_refused_does_not_stand_in_the_way_of_others() -> None:
    class Cat(Index):
        """It eats."""

    class House(Part):
        fed = per(Cat, flag())

        @action
        def feed(s, cat: Cat) -> None:
            """It eats."""
            s.fed[cat] = True

    with pytest.raises(SpecError) as refused:
        action_in_an_index_set()
    # A notebook or a debugger keeps the class alive, as the traceback does here.
    assert "Fish" in str(refused.value)
    assert System("house", parts=[House], configurations=[]).model().variables
