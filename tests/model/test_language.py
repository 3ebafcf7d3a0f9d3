"""Each form of the modelling language traces to the expression that it means."""

import enum
import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Self, cast

import pytest
from statemachine import State, StateMachine
from tests.model.systems.two_phase import TWO_PHASE

from genstamp_model.errors import SpecError
from genstamp_model.language import (
    Bool,
    Bug,
    Configuration,
    ConfigurationError,
    Hole,
    Index,
    Instance,
    Model,
    Number,
    Part,
    Record,
    RefinementDeclaration,
    System,
    action,
    attempt,
    bag,
    choose,
    count,
    each,
    enumeration,
    exists,
    flag,
    forall,
    invariant,
    ir,
    largest,
    leads_to,
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
from genstamp_model.language.trace import MessageOf, Range
from genstamp_model.language.types import IndexSet, Sizes, show


class Holder(Index, unnamed="Client"):
    """Who may hold something: clients, and the master."""

    MASTER = named()


class Client(Holder):
    """A client."""


class Shelf(Index, symmetric=True):
    """A place."""


class Colour(enum.Enum):
    """Some labels."""

    RED = enum.auto()
    GREEN = enum.auto()


class Lamp(StateMachine):
    """A lifecycle with two ways out of one state."""

    off = State(initial=True)
    on = State()
    broken = State(final=True)

    switch = off.to(on) | on.to(off)
    burn = on.to(broken)


class Box(Record):
    """A record with a record's usual fields."""

    owner = optional(Holder)
    weight = number(0, 9, initially=2)
    lamp = lifecycle(Lamp)


class Letter(Record):
    """A message."""

    to = reference(Client)
    stamp = ordered(limit="stamps")


class World(Part):
    """One variable of every kind."""

    wet = flag()
    depth = number(0, 9, initially=3)
    stamp = ordered(limit="stamps")
    colour = enumeration(Colour, initially=Colour.GREEN)
    lamp = lifecycle(Lamp)
    client = reference(Client)
    holder = optional(Holder)
    chosen = members(Client)
    box = record(Box)
    line = sequence(number(0, 5), capacity=3)
    post = bag(Letter, limit="letters")
    age = per(Shelf, number(0, 9))
    grid = per(Shelf, per(Client, flag()))
    boxes = per(Shelf, record(Box))
    lamps = per(Shelf, lifecycle(Lamp))


def model_of(*parts: type[Part], **more: Any) -> Model:
    """The traced model of some parts."""
    return System("tried", parts=[World, *parts], configurations=[], **more).model()


def step(function: Callable[..., None]) -> dict[str, str]:
    """What one action, written as a function of the world, assigns: variable -> expression."""
    function.__name__ = "step"
    part = type("Tried", (World,), {"step": action(function)})
    return {effect.variable: ir.text(effect.value) for effect in model_of(part).action("step").effects}


def checks(function: Callable[..., None]) -> list[tuple[str, str, str | None]]:
    """The checks of such an action: condition, label, exception."""
    function.__name__ = "step"
    part = type("Tried", (World,), {"step": action(function)})
    return [(ir.text(c.condition), c.label, c.refuses) for c in model_of(part).action("step").checks]


def condition(function: Callable[[World], Bool]) -> str:
    """The condition of an invariant, written as a function of the world."""
    function.__name__ = "claim"
    part = type("Tried", (World,), {"claim": invariant(function)})
    return ir.text(model_of(part).property("claim").condition)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (lambda s: s.wet & True, "(wet & true)"),
        (lambda s: True & s.wet | False, "((wet & true) | false)"),
        (lambda s: ~s.wet, "~wet"),
        (lambda s: s.wet.implies(s.depth == 1), "(~wet | (depth == 1))"),
        (lambda s: s.depth != 3, "~(depth == 3)"),
        (lambda s: s.depth < s.depth + 1, "(depth < (depth + 1))"),
        (lambda s: s.depth <= 2, "(depth <= 2)"),
        (lambda s: s.depth > 2, "(2 < depth)"),
        (lambda s: s.depth >= 2, "(2 <= depth)"),
        (lambda s: s.depth > 2, "(2 < depth)"),
        (lambda s: 2 * s.depth - 1 == 5 - s.depth, "(((depth * 2) - 1) == (5 - depth))"),
        (lambda s: 1 + s.depth == s.depth * s.depth, "((depth + 1) == (depth * depth))"),
        (lambda s: s.stamp + 1 > s.stamp, "(stamp < (stamp + 1))"),
        (lambda s: smallest(s.depth, 1, s.depth) == 0, "(min(min(depth, 1), depth) == 0)"),
        (lambda s: largest(s.stamp, s.stamp + 2) == s.stamp, "(max(stamp, (stamp + 2)) == stamp)"),
        (lambda s: s.colour.at(Colour.RED), "(colour == RED)"),
        (lambda s: s.colour.at(Colour.RED, Colour.GREEN), "((colour == RED) | (colour == GREEN))"),
        (lambda s: s.colour == Colour.GREEN, "(colour == GREEN)"),
        (lambda s: s.lamp.at(Lamp.on, Lamp.broken), "((lamp == on) | (lamp == broken))"),
        # Python asks the subclass first.
        (lambda s: s.holder == s.client, "(client == holder)"),
        (lambda s: s.client == s.holder, "(client == holder)"),
        (lambda s: s.client == Holder.MASTER, "(client == Holder.MASTER)"),
        (lambda s: s.holder.is_none(), "(holder == none)"),
        (lambda s: s.holder == none, "(holder == none)"),
        (lambda s: s.chosen.has(s.client), "member(chosen, client)"),
        (lambda s: s.chosen.size() == 2, "(cardinality(chosen) == 2)"),
        (lambda s: s.chosen.is_empty(), "(chosen == {})"),
        (
            lambda s: s.chosen <= those(Client, lambda c: c == s.client),
            "(chosen <= members(client_0 in Client: (client_0 == client)))",
        ),
        (lambda s: (s.chosen & s.chosen).is_empty(), "((chosen & chosen) == {})"),
        (lambda s: (s.chosen | s.chosen) == s.chosen - s.chosen, "((chosen | chosen) == (chosen - chosen))"),
        (lambda s: s.box.weight == 1, "(box.weight == 1)"),
        (lambda s: s.box == s.box, "(box == box)"),
        (lambda s: s.line.size() == 1, "(length(line) == 1)"),
        (lambda s: s.line.at(s.depth) == s.line.first(), "(line[depth] == line[0])"),
        (lambda s: s.post.size() == 0, "(length(post) == 0)"),
        (
            lambda s: s.post.every(lambda m: m.to == s.client),
            "forall_in(letter_0 in Letter: post, (letter_0.to == client))",
        ),
        (lambda s: s.post.some(lambda m: m.stamp > 1), "exists_in(letter_0 in Letter: post, (1 < letter_0.stamp))"),
        (lambda s: s.post.has(Letter(to=s.client, stamp=1)), "holds(post, record(client, 1))"),
        (lambda s: forall(Shelf, lambda h: s.age[h] > 0), "forall(shelf_0 in Shelf: (0 < age[shelf_0]))"),
        (lambda s: exists(Shelf, lambda h: s.grid[h][s.client]), "exists(shelf_0 in Shelf: grid[shelf_0][client])"),
        (
            lambda s: forall(Shelf, lambda h: exists(Client, lambda c: s.grid[h][c])),
            "forall(shelf_0 in Shelf: exists(client_1 in Client: grid[shelf_0][client_1]))",
        ),
        (lambda s: count(Shelf, lambda h: s.age[h] == 0) == 1, "(count(shelf_0 in Shelf: (age[shelf_0] == 0)) == 1)"),
        (
            lambda s: minimum(Shelf, lambda h: s.age[h], where=lambda h: s.age[h] > 1, default=7) == 7,
            "(minimum(shelf_0 in Shelf: (1 < age[shelf_0]), age[shelf_0], 7) == 7)",
        ),
        (
            lambda s: maximum(Shelf, lambda h: s.age[h], where=lambda h: True, default=0) == 7,
            "(maximum(shelf_0 in Shelf: true, age[shelf_0], 0) == 7)",
        ),
        (
            lambda s: choose(Client, lambda c: s.chosen.has(c)).is_none(),
            "(choose(client_0 in Client: member(chosen, client_0)) == none)",
        ),
        (
            lambda s: each(Shelf, lambda h: s.age[h] + 1)[choose(Shelf, lambda h: True)] == 1,
            "(tabulate(shelf_0 in Shelf: (age[shelf_0] + 1))[choose(shelf_0 in Shelf: true)] == 1)",
        ),
        (lambda s: s.colour < Colour.GREEN, "(rank(colour) < rank(GREEN))"),
        (lambda s: s.colour >= Colour.GREEN, "(rank(GREEN) <= rank(colour))"),
        (lambda s: s.depth // 2 == 1, "((depth // 2) == 1)"),
        (lambda s: s.depth % 3 == 1, "((depth % 3) == 1)"),
        (lambda s: -s.depth == 1, "((0 - depth) == 1)"),
        (lambda s: when(s.wet, s.depth, 0) == 0, "(ite(wet, depth, 0) == 0)"),
        (lambda s: when(s.wet, 1, s.depth) == 0, "(ite(wet, 1, depth) == 0)"),
        (lambda s: when(s.wet, 1, 0) == 0, "(ite(wet, 1, 0) == 0)"),
        (lambda s: when(s.wet, s.wet, False), "ite(wet, wet, false)"),
        (lambda s: when(s.wet, Colour.RED, Colour.GREEN) == s.colour, "(ite(wet, RED, GREEN) == colour)"),
        (lambda s: when(s.wet, none, s.client).is_none(), "(ite(wet, none, client) == none)"),
        (lambda s: when(s.wet, s.client, none).is_none(), "(ite(wet, client, none) == none)"),
        (lambda s: when(s.wet, Holder.MASTER, s.client) == s.holder, "(ite(wet, Holder.MASTER, client) == holder)"),
        (lambda s: when(s.wet, s.colour, Colour.RED) == Colour.GREEN, "(ite(wet, colour, RED) == GREEN)"),
    ],
)
def test_condition_traces_to_what_it_means(written: Any, meant: str) -> None:
    assert condition(written) == meant


def assign(s: Any) -> None:
    s.wet = True
    s.depth = s.depth + 1
    s.stamp = 7
    s.colour = Colour.RED
    s.holder = Holder.MASTER
    s.chosen = those(Client, lambda c: s.wet)


def read_after_write(s: Any) -> None:
    s.depth = 4
    s.age.update(lambda shelf: s.depth)
    s.wet = s.depth == 4


def assign_nothing_new(s: Any) -> None:
    s.depth = 1
    s.depth = 2


def assign_elements(s: Any) -> None:
    shelf = choose(Shelf, lambda h: True)
    s.age[shelf] = 1
    s.age[shelf] = s.age[shelf] + 1
    s.grid[shelf][s.client] = True


def assign_fields(s: Any) -> None:
    s.box.weight = 1
    s.box.owner = s.client
    s.boxes[choose(Shelf, lambda h: True)].weight = s.box.weight


def whole_values(s: Any) -> None:
    s.box = Box(owner=none, weight=0, lamp=Lamp.off)
    s.age.update(lambda shelf: 0)
    s.grid.update(lambda shelf: s.grid[shelf])


def work_on_sets(s: Any) -> None:
    s.chosen.add(s.client)
    s.chosen.remove(s.client)
    s.chosen = s.chosen & s.chosen


def work_on_sequences(s: Any) -> None:
    s.line.append(2)
    s.line.drop_first()


def clear(s: Any) -> None:
    s.line.clear()
    s.chosen.clear()


def send_and_take(s: Any) -> None:
    letter = s.post.receive()
    s.post.take(letter)
    s.post.send(Letter(to=letter.to, stamp=letter.stamp + 1))


FIRST = "choose(shelf_0 in Shelf: true)"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (
            assign,
            {
                "wet": "true",
                "depth": "(depth + 1)",
                "stamp": "7",
                "colour": "RED",
                "holder": "Holder.MASTER",
                "chosen": "members(client_0 in Client: true)",
            },
        ),
        (read_after_write, {"depth": "4", "age": "tabulate(shelf_0 in Shelf: 4)", "wet": "(4 == 4)"}),
        (assign_nothing_new, {"depth": "2"}),
        (
            assign_elements,
            {
                "age": f"store(age, {FIRST}, (1 + 1))",
                "grid": f"store(grid, {FIRST}, store(grid[{FIRST}], client, true))",
            },
        ),
        (
            assign_fields,
            {
                "box": "box.with(weight=1).with(owner=client)",
                "boxes": f"store(boxes, {FIRST}, boxes[{FIRST}].with(weight=1))",
            },
        ),
        (
            whole_values,
            {
                "box": "record(none, 0, off)",
                "age": "tabulate(shelf_0 in Shelf: 0)",
                "grid": "tabulate(shelf_0 in Shelf: grid[shelf_0])",
            },
        ),
        (work_on_sets, {"chosen": "(remove(insert(chosen, client), client) & remove(insert(chosen, client), client))"}),
        (work_on_sequences, {"line": "drop_first(append(line, 2))"}),
        (clear, {"line": "{}", "chosen": "{}"}),
        (send_and_take, {"post": "send(take(post, post), record(post.to, (post.stamp + 1)))"}),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_effects_trace_to_what_they_mean(written: Callable[[Any], None], meant: dict[str, str]) -> None:
    assert step(written) == meant


def test_scalar_read_before_an_effect_is_a_snapshot_and_a_view_shows_what_is_assigned_through_it() -> None:
    def step_(s: Any) -> None:
        depth, chosen, box = s.depth, s.chosen, s.box
        s.depth = 0
        chosen.clear()
        box.weight = 2
        s.box.owner = none
        s.wet = (depth == 1) & chosen.is_empty() & (box.weight == 2)

    assert step(step_)["wet"] == "(((depth == 1) & ({} == {})) & (2 == 2))"


def test_checks_keep_their_order_label_and_exception() -> None:
    def step_(s: Any) -> None:
        require(s.wet, "it is wet")
        require(s.depth > 1, "it is deep", refuses="ShallowException")
        require(s.wet & True, "nothing more")

    assert checks(step_) == [
        ("wet", "it is wet", None),
        ("(1 < depth)", "it is deep", "ShallowException"),
        ("(wet & true)", "nothing more", None),
    ]


def test_an_attempt_is_traced_aside() -> None:
    def call(s: Any) -> None:
        require(s.wet, "it is wet")
        require(s.depth > 1, "it is deep", refuses="ShallowException")
        s.depth = 1

    def works(s: Any) -> None:
        tried = attempt(lambda: call(s))
        require(tried.possible, "the call works")
        s.wet = s.depth == 5
        tried.take()

    def is_refused(s: Any) -> None:
        require(attempt(lambda: call(s)).refused, "the call is refused")

    def picks(s: Any) -> None:
        require(attempt(lambda: pick("number", 0, 1)).possible, "the call works")

    assert checks(works) == [("(wet & (1 < depth))", "the call works", None)]
    assert step(works) == {"wet": "(depth == 5)", "depth": "1"}
    assert checks(is_refused) == [("(wet & ~(1 < depth))", "the call is refused", None)]
    with pytest.raises(SpecError, match="an attempt cannot pick numbers"):
        checks(picks)


def test_source_of_a_check_and_of_an_effect_is_the_authors_line() -> None:
    def step_(s: Any) -> None:
        require(s.wet, "it is wet")
        s.depth = 1

    part = type("Tried", (World,), {"step": action(step_)})
    traced = model_of(part).action("step_")
    line = step_.__code__.co_firstlineno
    assert [(c.source.file, c.source.line) for c in traced.checks] == [(__file__, line + 1)]
    assert [(e.source.file, e.source.line) for e in traced.effects] == [(__file__, line + 2)]


def test_firing_an_event_is_a_check_and_an_effect() -> None:
    def step_(s: Any) -> None:
        s.lamp.fire(Lamp.switch)

    assert checks(step_) == [("((lamp == off) | (lamp == on))", "lamp is off or on to switch", None)]
    assert step(step_) == {"lamp": "ite((lamp == on), off, ite((lamp == off), on, lamp))"}


def test_events_fire_in_sequence() -> None:
    def step_(s: Any) -> None:
        s.lamp.fire(Lamp.switch, Lamp.burn)

    assert [label for _, label, _ in checks(step_)] == ["lamp is off or on to switch", "lamp is on to burn"]
    assert checks(step_)[1][0] == "(ite((lamp == on), off, ite((lamp == off), on, lamp)) == on)"


def test_lifecycles_are_updated_by_events() -> None:
    def step_(s: Any) -> None:
        s.lamps.update(lambda shelf: s.lamps[shelf].after(Lamp.burn))

    assert checks(step_) == []
    assert step(step_) == {"lamps": "tabulate(shelf_0 in Shelf: ite((lamps[shelf_0] == on), broken, lamps[shelf_0]))"}


def test_event_fires_only_where_told() -> None:
    def step_(s: Any) -> None:
        s.box.lamp.fire(Lamp.burn, where=s.wet)

    assert checks(step_) == [("(~wet | (box.lamp == on))", "box.lamp is on to burn", None)]
    assert step(step_) == {"box": "box.with(lamp=ite(wet, ite((box.lamp == on), broken, box.lamp), box.lamp))"}


def test_index_parameters_range_over_their_sets_in_order() -> None:
    class Tried(World):
        @action
        def move(s, client: Client, shelf: Shelf) -> None:
            """Move."""
            s.grid[shelf][client] = True

    move = model_of(Tried).action("move")
    assert [(p.name, p.domain) for p in move.parameters] == [("client", Client.set), ("shelf", Shelf.set)]
    assert move.doc == "Move."
    assert (move.event, move.hidden, move.refuses) == ("move", False, None)


def test_received_messages_and_picked_numbers_are_parameters() -> None:
    class Tried(World):
        @action
        def read(s) -> None:
            first, second = s.post.receive(), s.post.receive()
            require(first.stamp == pick("guess", 1, 4), "guessed")
            s.client = second.to

    read = model_of(Tried).action("read")
    assert [(p.name, p.domain) for p in read.parameters] == [
        ("post", MessageOf("post")),
        ("post1", MessageOf("post")),
        ("guess", Range(1, 4)),
    ]


def test_action_says_its_event_its_hiddenness_and_its_answer() -> None:
    class Tried(World):
        @action(event="create", refuses="FileAlreadyExistsException")
        def create_after_soft_limit(s) -> None:
            s.wet = True

        @action(hidden=True)
        def time_passes(s) -> None:
            s.wet = False

    model = model_of(Tried)
    assert (model.action("create_after_soft_limit").event, model.action("create_after_soft_limit").refuses) == (
        "create",
        "FileAlreadyExistsException",
    )
    assert model.action("time_passes").hidden


def test_step_shows_values_of_the_state_after_the_effects_so_far() -> None:
    class Tried(World):
        @action
        def look(s) -> None:
            observe(before=s.depth)
            s.depth = s.depth + 1
            observe(after=s.depth, always=True, many=3)

    shown = {name: ir.text(value) for name, value in model_of(Tried).action("look").observations}
    assert shown == {"before": "depth", "after": "(depth + 1)", "always": "true", "many": "3"}


def test_properties_of_each_kind() -> None:
    class Tried(World):
        @invariant(inductive=True, given=("rises",))
        def shallow(s, shelf: Shelf) -> Bool:
            return s.age[shelf] < 9

        @transition(inductive=True)
        def rises(s, t: Self) -> Bool:
            return s.stamp <= t.stamp

        @witness
        def somewhere(s, shelf: Shelf) -> Bool:
            return s.age[shelf] == 3

        @leads_to(fair=("dry",))
        def dries(s, client: Client) -> tuple[Bool, Bool]:
            return s.wet, s.chosen.has(client)

        @action
        def dry(s) -> None:
            s.wet = False

    model = model_of(Tried)
    text = {claim.name: ir.text(claim.closed) for claim in model.properties}
    assert text == {
        "shallow": "forall(shelf in Shelf: (age[shelf] < 9))",
        "rises": "(stamp <= stamp')",
        "somewhere": "exists(shelf in Shelf: (age[shelf] == 3))",
        "dries": "forall(client in Client: wet)",
    }
    assert {c.name: (c.kind, c.inductive, c.given, c.fair) for c in model.properties} == {
        "shallow": ("invariant", True, ("rises",), ()),
        "rises": ("transition", True, (), ()),
        "somewhere": ("witness", False, (), ()),
        "dries": ("leads_to", False, (), ("dry",)),
    }
    target = model.property("dries").target
    assert target is not None
    assert ir.text(target) == "member(chosen, client)"


def test_strong_fairness_stands_in_the_text_only_where_it_is_asked_for() -> None:
    class Weak(World):
        @leads_to(fair=("dry",))
        def dries(s) -> tuple[Bool, Bool]:
            return s.wet, ~s.wet

        @action
        def dry(s) -> None:
            s.wet = False

    class Strong(Weak):
        @leads_to(strongly_fair=("dry",))
        def dries(s) -> tuple[Bool, Bool]:
            return s.wet, ~s.wet

    lines = [next(line for line in model_of(part).text() if line.startswith("leads_to")) for part in (Weak, Strong)]
    assert lines == [
        "leads_to dries: wet ~> ~wet inductive False given () fair ('dry',)",
        "leads_to dries: wet ~> ~wet inductive False given () fair () strongly fair ('dry',)",
    ]
    assert model_of(Strong).property("dries").strongly_fair == ("dry",)


def test_limits_and_observations_are_kept_apart_from_the_steps() -> None:
    class Tried(World):
        @limit("open")
        def open_places(s) -> Number:
            return count(Shelf, lambda shelf: s.age[shelf] == 0)

        @observation
        def box_owner(s, shelf: Shelf) -> Holder:
            return s.boxes[shelf].owner

    model = model_of(Tried)
    assert [(name, ir.text(expr)) for name, expr in model.limits] == [
        ("open", "count(shelf_0 in Shelf: (age[shelf_0] == 0))")
    ]
    assert model.limit_names == {"open", "stamps", "letters"}
    assert [(o.name, ir.text(o.value)) for o in model.observations] == [("box_owner", "boxes[shelf].owner")]


def test_initial_values() -> None:
    sizes = Sizes({"Client": 2, "Shelf": 2})
    initial = {variable.name: variable.initial(sizes) for variable in model_of().variables}
    box = (None, 2, 0)
    assert initial == {
        "wet": False,
        "depth": 3,
        "stamp": 0,
        "colour": 1,
        "lamp": 0,
        "client": 0,
        "holder": None,
        "chosen": frozenset(),
        "box": box,
        "line": (),
        "post": (),
        "age": (0, 0),
        "grid": ((False, False), (False, False)),
        "boxes": (box, box),
        "lamps": (0, 0),
    }


def test_named_members_come_after_the_unnamed_ones_and_subsets_have_only_these() -> None:
    sizes = Sizes({"Client": 2, "Shelf": 1})
    assert (sizes.of(Holder.set), sizes.of(Client.set)) == (3, 2)
    assert [sizes.member_name(Holder.set, i) for i in range(3)] == ["client1", "client2", "MASTER"]
    assert sizes.member_name(Client.set, 1) == "client2"
    origin = f"{Client.__module__}.Client"
    assert Client.set == IndexSet("Client", (), False, root="Holder", unnamed="Client", origin=origin)
    assert Shelf.set.symmetric


def test_values_are_shown_in_an_authors_words() -> None:
    sizes = Sizes({"Client": 2, "Shelf": 2})
    shown = {v.name: show(v.initial(sizes), v.type, sizes) for v in model_of().variables}
    assert shown["box"] == "(owner none, weight 2, lamp off)"
    assert shown["grid"] == "{shelf1: {client1: false, client2: false}, shelf2: {client1: false, client2: false}}"
    assert (shown["colour"], shown["client"], shown["chosen"], shown["post"]) == ("GREEN", "client1", "{}", "[]")
    assert show(((1, 7),), model_of().types["post"], sizes) == "[(to client2, stamp 7)]"


def test_part_that_needs_anothers_variables_inherits_them() -> None:
    class First(Part):
        wet = flag()

        @action
        def rain(s) -> None:
            s.wet = True

    class Second(First):
        @action
        def shine(s) -> None:
            s.wet = False

    model = System("both", parts=[Second, First], configurations=[]).model()
    assert [v.name for v in model.variables] == ["wet"]
    assert [a.name for a in model.actions] == ["rain", "shine"]


class Rain(Part):
    """Base text of the variations below."""

    wet = flag()

    @action
    def rain(s) -> None:
        require(~s.wet, "it is dry")
        s.wet = True


class Drizzle(Rain):
    """Another way to rain."""

    @action
    def rain(s) -> None:
        require(s.wet, "it is wet already")
        s.wet = True


def variants(**more: Any) -> System:
    return System("rain", parts=[Rain], configurations=[], **more)


def first_check(model: Model) -> list[str]:
    return [check.label for check in model.action("rain").checks]


def test_bug_drops_a_check() -> None:
    system = variants(bugs=[Bug("any-time", "it rains at any time", drops=(("rain", "it is dry"),))])
    assert first_check(system.model()) == ["it is dry"]
    assert first_check(system.model(bugs=["any-time"])) == []


class Flood(Part):
    """A refusal that some system gives, and another one does not."""

    wet = flag()

    @action
    def flood(s) -> None:
        require(~s.wet, "it is dry", "FloodException", defensive=True)
        s.wet = True


def test_system_says_which_defensive_refusals_it_meets() -> None:
    system = System("flood", parts=[Flood], configurations=[])
    assert [check.defensive for check in system.model().action("flood").checks] == [True]
    met = replace(system, meets=(("flood", "it is dry"),))
    assert [check.defensive for check in met.model().action("flood").checks] == [False]
    assert met.model().digest != system.model().digest


@pytest.mark.parametrize("met", [("flood", "it is wet"), ("rain", "it is dry")])
def test_system_meets_only_refusals_that_it_has(met: tuple[str, str]) -> None:
    system = System("flood", parts=[Flood], configurations=[], meets=(met,))
    with pytest.raises(SpecError, match=f"flood meets '{met[1]}' of {met[0]}, which refuses nothing there"):
        system.model()


def test_an_action_that_is_declared_unchanged_has_no_effects() -> None:
    class Rain(Part):
        wet = flag()

        @action(unchanged="it was wet before")
        def rain(s) -> None:
            s.wet = True

    with pytest.raises(
        SpecError, match=r"rain is declared unchanged \('it was wet before'\) and assigns 'wet'"
    ) as error:
        System("rain", parts=[Rain], configurations=[]).model()
    assert error.value.source is not None
    assert error.value.source.line == inspect.getsourcelines(Rain.rain.function)[1] + 2


def test_system_declares_idle_only_what_it_has() -> None:
    system = System("flood", parts=[Flood], configurations=[], idle={"flood": "why not", "wet": "why not"})
    assert system.model().idle == {"flood": "why not", "wet": "why not"}
    with pytest.raises(
        SpecError, match=r":\d+: flood has no action, variable or property 'rain', which it declares idle"
    ):
        replace(system, idle={"rain": "why not"}).model()


class Weather(enum.Enum):
    """What no step sets is fog."""

    SUN = enum.auto()
    RAIN = enum.auto()
    FOG = enum.auto()


class Sky(Part):
    weather = per(Shelf, enumeration(Weather))

    @action
    def change(s, shelf: Shelf) -> None:
        s.weather[shelf] = when(s.weather[shelf] == Weather.FOG, Weather.SUN, Weather.RAIN)


def test_system_declares_labels_idle_that_no_step_sets() -> None:
    system = System("sky", parts=[Sky], configurations=[], idle={"Weather.FOG": "there is none"})
    assert system.model().idle == {"Weather.FOG": "there is none"}
    for label in ("SUN", "RAIN", "HAIL"):
        with pytest.raises(SpecError, match=f"sky has no label that no step sets 'Weather.{label}', which it declares"):
            replace(system, idle={f"Weather.{label}": "why not"}).model()


def test_what_is_declared_to_say_nothing_does_not_change_the_model() -> None:
    system = System("flood", parts=[Flood], configurations=[])
    assert replace(system, idle={"wet": "why not"}).model().digest == system.model().digest


def test_variation_replaces_an_action() -> None:
    system = variants(bugs=[Bug("drizzle", "it rains more", parts=(Drizzle,))])
    assert first_check(system.model(bugs=["drizzle"])) == ["it is wet already"]


def test_semantics_are_lists_of_holes() -> None:
    hole = Hole("more", "it rains more", parts=(Drizzle,))
    system = variants(semantics={"old": (hole,), "repaired": ()}, default_semantics="repaired")
    assert first_check(system.model()) == ["it is dry"]
    assert first_check(system.model("old")) == ["it is wet already"]


def test_refinement_maps_every_variable_of_the_upper_system() -> None:
    class Weather(Part):
        dry = flag()

    upper = System("weather", parts=[Weather], configurations=[])
    system = variants(refines=[RefinementDeclaration(upper, {"dry": lambda s: ~s.wet})])
    [refinement] = system.model().refinements
    assert {name: ir.text(value) for name, value in refinement.mapping.items()} == {"dry": "~wet"}


def test_where_a_system_may_stop() -> None:
    stop = variants(may_stop=lambda s: s.wet).model().may_stop
    assert stop is not None
    assert ir.text(stop) == "wet"


def test_equal_texts_have_equal_digests_and_any_change_another() -> None:
    assert variants().model().digest == variants().model().digest

    class Wet(Part):
        wet = flag(initially=True)

        @action
        def rain(s) -> None:
            require(~s.wet, "it is dry")
            s.wet = True

    changed = [
        variants(bugs=[Bug("any-time", "", drops=(("rain", "it is dry"),))]).model(bugs=["any-time"]),
        variants(may_stop=lambda s: s.wet).model(),
        replace(variants(), parts=[Wet]).model(),
    ]
    assert variants().model().digest not in {model.digest for model in changed}


def test_claims_do_not_count_in_the_digest_of_steps() -> None:
    class Claims(Rain):
        @invariant
        def stays_dry(s) -> Bool:
            return ~s.wet

        @witness
        def it_rained(s) -> Bool:
            return s.wet

    system = variants()
    steps = system.model().digest_of_steps
    claimed = replace(system, parts=[Claims], may_stop=lambda s: s.wet)
    assert claimed.model().digest != system.model().digest
    assert claimed.model().digest_of_steps == steps

    class Hail(Rain):
        @action
        def hail(s) -> None:
            require(~s.wet, "it is dry")

    class Gauge(Rain):
        @observation
        def gauge(s) -> Bool:
            return s.wet

    class Bounded(Rain):
        @limit("showers")
        def showers(s) -> Number:
            return count(Shelf, lambda shelf: s.wet)

    others = [
        *(replace(system, parts=[part]).model() for part in (Hail, Gauge, Bounded)),
        variants(bugs=[Bug("any-time", "", drops=(("rain", "it is dry"),))]).model(bugs=["any-time"]),
    ]
    assert steps not in {model.digest_of_steps for model in others}


def test_two_phase_commit_traces() -> None:
    model = TWO_PHASE.model()
    assert [len(a.checks) for a in model.actions] == [2, 1, 2, 1, 1, 1, 1]
    assert ir.text(model.action("tm_commit").checks[1].condition) == "forall(rm_0 in Rm: member(tm_prepared, rm_0))"


def test_rows_are_configurations() -> None:
    table = """
        *: Node=2 crashes=0
        calm: ; no node stops
        crash: Node=3 crashes=1 on_demand; a node
            stops
    """
    system = System("nodes", parts=[Rain], rows=table)
    assert system.configurations == (
        Configuration("calm", {"Node": 2}, {"crashes": 0}, "no node stops"),
        Configuration("crash", {"Node": 3}, {"crashes": 1}, "a node stops", on_demand=True),
    )
    assert system.limits == {"crashes": 0}


def test_a_bug_without_a_title_has_the_sentence_of_its_part() -> None:
    assert Bug("wet", parts=(Flood,)).title == "a refusal that some system gives, and another one does not"


def test_a_bug_is_the_same_elsewhere_but_for_where_it_shows() -> None:
    bug = Bug("any-time", "it rains at any time", breaks=("dry",)).at("small")
    assert (bug.configuration, bug.breaks, bug.at("large", "wet").breaks) == ("small", ("dry",), ("wet",))


def test_a_configuration_changes_the_limits_of_its_system() -> None:
    own, other = Configuration("own", sizes={}), Configuration("other", sizes={}, limits={"crashes": 1, "calls": 7})
    system = System("any", parts=[], configurations=[own, other], limits={"stamps": 3, "crashes": 0})
    assert dict(system.configuration("own").limits) == {"stamps": 3, "crashes": 0}
    assert dict(system.configuration("other").limits) == {"stamps": 3, "crashes": 1, "calls": 7}
    # Another system may have the same configurations.
    assert (own.limits, other.limits) == ({}, {"crashes": 1, "calls": 7})


@pytest.mark.parametrize(
    ("sizes", "limits", "message"),
    [
        ({"Rm": 3, "Datanode": 1}, {}, "gives size 'Datanode', which the system does not have; it has Rm"),
        ({}, {}, "needs size 'Rm'"),
        ({"Rm": 3}, {"stamps": 2}, "gives limit 'stamps', which the system does not have"),
        ({"Rm": 0}, {}, "size Rm=0 .* must be 1 to 62"),
    ],
)
def test_configuration_must_fit_the_system(sizes: dict[str, int], limits: dict[str, int], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        Instance(TWO_PHASE.model(), Configuration("odd", sizes, limits))


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: TWO_PHASE.configuration("ten"), "two_phase has no configuration 'ten'; it has three, five, nine"),
        (lambda: TWO_PHASE.bug("lazy"), "two_phase has no bug 'lazy'; it has eager-commit"),
        (lambda: TWO_PHASE.model("hadoop-1"), "two_phase has no semantics 'hadoop-1'; it has default"),
    ],
)
def test_unknown_names_are_answered_with_the_known_ones(ask: Callable[[], object], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        ask()


def test_extremes_take_a_plain_number_in_any_place() -> None:
    class Level(Part):
        level = number(0, 9)

        @action
        def lower(s) -> None:
            s.level = smallest(cast(Number, 3), s.level)

    (lower,) = System("level", parts=[Level], configurations=[]).model().actions
    assert [str(effect.value) for effect in lower.effects] == ["min(3, level)"]
