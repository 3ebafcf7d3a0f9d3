"""What is decided from the text about symmetry: what is accepted, what is refused with its line and what to write."""

from collections.abc import Callable
from typing import Any, Self

import pytest

from genstamp_model.errors import ConfigurationError
from genstamp_model.explore.symmetry import groups
from genstamp_model.explore.symmetry_static import refuse_asymmetry
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
    attempt,
    bag,
    choose,
    count,
    each,
    exists,
    flag,
    forall,
    invariant,
    ir,
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
    those,
    transition,
    when,
    witness,
)
from genstamp_model.language.types import INTEGER, RefType, SetType, Type
from genstamp_model.language.values import coerce, wrap


class Guest(Index, symmetric=True, unnamed="Sitter"):
    """Those who come, and the host."""

    HOST = named()


class Sitter(Guest):
    """A guest who is not the host."""


class Room(Index):
    """A room; rooms are not alike."""


class Bill(Record):
    """What a guest owes, and who pays."""

    amount = number(0, 2)
    payer = reference(Sitter)
    friend = optional(Guest)


class Inn(Part):
    """Every kind of variable that can name a guest."""

    queue = sequence(reference(Sitter), capacity=3)
    bills = sequence(record(Bill), capacity=2)
    lines = per(Room, sequence(reference(Sitter), capacity=2))
    speaker = reference(Sitter)
    leader = optional(Sitter)
    other = optional(Guest)
    after = per(Sitter, reference(Sitter))
    likes = per(Sitter, optional(Sitter))
    bill = per(Sitter, record(Bill))
    seats = per(Room, reference(Sitter))
    rows = per(Room, per(Sitter, reference(Sitter)))
    seat = optional(Room)
    awake = members(Sitter)
    tired = per(Sitter, flag())
    visits = per(Sitter, number(0, 3))
    post = bag(Bill, limit="post")
    round = number(0, 3)
    open = flag()


def step(function: Callable[[Any], None]) -> Instance:
    """The inn with one step."""

    def act(s: Any) -> None:
        function(s)

    return _instance(act=action(act))


def claim(function: Callable[[Any], Any]) -> Instance:
    """The inn with one invariant."""

    def act(s: Any) -> None:
        s.open = True

    def fine(s: Any) -> Bool:
        result: Bool = function(s)
        return result

    return _instance(act=action(act), fine=invariant(fine))


def _instance(**body: Any) -> Instance:
    system = System(
        "inn",
        parts=[type("Some", (Inn,), body)],
        configurations=[Configuration("one", sizes={"Sitter": 3, "Room": 2}, limits={"post": 1})],
    )
    return system.instance()


def look(s: Any, guest: Any) -> None:
    """A step that depends on a guest and on nothing that a guest's number says."""
    s.open = s.tired[guest]


def guarded(*conditions: Callable[[Any], Any]) -> Callable[[Callable[[Any], Any]], Callable[[Any], None]]:
    """A step that looks at a guest after some checks."""

    def with_guest(guest: Callable[[Any], Any]) -> Callable[[Any], None]:
        def act(s: Any) -> None:
            for i, condition in enumerate(conditions):
                require(condition(s), f"check {i}")
            look(s, guest(s))

        return act

    return with_guest


def in_turn(*parts: Callable[[Any], None]) -> Callable[[Any], None]:
    """A step that does several things."""

    def act(s: Any) -> None:
        for part in parts:
            part(s)

    return act


def try_to_call(s: Any) -> None:
    def call() -> None:
        require(s.queue.size() > 0, "somebody waits")
        s.speaker = s.queue.first()

    tried = attempt(call)
    require(tried.possible, "it can be")
    tried.take()


def call_some(s: Any) -> None:
    place = pick("place", 0, 2)
    require(place < s.queue.size(), "somebody is there")
    s.speaker = s.queue.at(place)


def least(value: Any, kind: Type) -> Any:
    """The least of some values as a number, as no specification can write it."""
    binder = ir.Binder("sitter_0", Sitter.set)
    return wrap(ir.make(ir.Op.MINIMUM, (ir.TRUE, coerce(value, kind), ir.number(0)), INTEGER, binder))


def may_call(s: Any, place: Any) -> Any:
    return (place < s.queue.size()) & s.tired[s.queue.at(place)]


def first(s: Any) -> Any:
    return s.queue.first()


def followed(s: Any) -> Any:
    return s.after[s.leader]


ACCEPTED: dict[str, Instance] = {
    # An element that is there.
    "size above 0": step(guarded(lambda s: s.queue.size() > 0)(first)),
    "0 below size": step(guarded(lambda s: (s.round - 5 < 0) & (s.queue.size() >= 1))(first)),
    "size is not 0": step(guarded(lambda s: s.queue.size() != 0)(first)),
    "size is 2": step(guarded(lambda s: s.queue.size() == 2)(lambda s: s.queue.at(1))),
    "size below 1 does not hold": step(guarded(lambda s: ~(s.queue.size() < 1))(first)),
    "size minus 1 is at least 0": step(guarded(lambda s: s.queue.size() - 1 >= 0)(first)),
    "the last one": step(guarded(lambda s: s.queue.size() > 0)(lambda s: s.queue.at(s.queue.size() - 1))),
    "a place below size": step(guarded(lambda s: s.round < s.queue.size())(lambda s: s.queue.at(s.round))),
    "the next place": step(guarded(lambda s: s.round + 1 < s.queue.size())(lambda s: s.queue.at(s.round + 1))),
    "a place up to size minus 1": step(guarded(lambda s: s.round <= s.queue.size() - 1)(lambda s: s.queue.at(s.round))),
    "one of two sizes": step(guarded(lambda s: (s.queue.size() == 1) | (s.queue.size() == 3))(first)),
    "whenever open, and open": step(guarded(lambda s: ~s.open | (s.queue.size() > 0), lambda s: s.open)(first)),
    "in a line of a room": step(guarded(lambda s: exists(Room, lambda room: s.open & (s.queue.size() > 0)))(first)),
    # A reference that names somebody.
    "is not none": step(guarded(lambda s: ~s.leader.is_none())(followed)),
    "differs from none": step(guarded(lambda s: s.leader != none)(followed)),
    "is somebody": step(guarded(lambda s: s.leader == s.speaker)(followed)),
    "is one of two": step(guarded(lambda s: (s.leader == s.speaker) | (s.leader == s.after[s.speaker]))(followed)),
    "is in a set": step(guarded(lambda s: s.awake.has(s.leader))(followed)),
    "is some member": step(guarded(lambda s: exists(Sitter, lambda guest: (s.leader == guest) & s.open))(followed)),
    "not for all other than it": step(guarded(lambda s: ~forall(Sitter, lambda guest: s.leader != guest))(followed)),
    "a choice of two": step(
        guarded(lambda s: ~s.leader.is_none())(lambda s: s.after[when(s.open, s.leader, s.speaker)])
    ),
    "a seat that is there": step(guarded(lambda s: ~s.seat.is_none())(lambda s: s.seats[s.seat])),
    # Under conditions of the expression itself.
    "when": step(lambda s: setattr(s, "open", when(s.queue.size() > 0, s.tired[s.queue.first()], s.open))),
    "when not": step(lambda s: setattr(s, "open", when(s.leader.is_none(), s.open, s.tired[s.after[s.leader]]))),
    "and, before it": claim(lambda s: (s.queue.size() > 0) & s.tired[s.queue.first()]),
    "and, after it": claim(lambda s: s.tired[s.queue.first()] & (s.queue.size() > 0)),
    "implies": claim(lambda s: (s.queue.size() > 1).implies(s.tired[s.queue.at(1)] | (s.queue.at(0) == s.speaker))),
    "or": claim(lambda s: s.leader.is_none() | s.tired[s.after[s.leader]]),
    "in a quantifier": claim(
        lambda s: forall(Sitter, lambda guest: s.likes[guest].is_none() | s.tired[s.after[s.likes[guest]]])
    ),
    "around a quantifier": claim(
        lambda s: s.leader.is_none() | exists(Sitter, lambda guest: s.after[s.leader] == guest)
    ),
    "where of a smallest": claim(
        lambda s: (
            minimum(
                Sitter,
                lambda guest: s.bill[s.after[s.likes[guest]]].amount,
                where=lambda guest: ~s.likes[guest].is_none(),
                default=0,
            )
            < 3
        )
    ),
    # Reads of nothing that name nobody.
    "a flag of nobody": step(lambda s: look(s, s.leader)),
    "nobody's friend": step(lambda s: setattr(s, "other", s.bill[s.leader].friend)),
    "an amount of no bill": step(lambda s: setattr(s, "round", s.bills.first().amount)),
    "a friend of no bill": step(lambda s: setattr(s, "leader", s.likes[s.leader])),
    # What is stored nowhere does no harm.
    "a field of nobody": step(lambda s: setattr(s.bill[s.leader], "amount", 1)),
    "an element of no row": step(lambda s: s.rows[s.seat].__setitem__(s.speaker, s.speaker)),
    "an element of nobody": step(lambda s: s.after.__setitem__(s.leader, s.after[s.leader])),
    # Equality, quantifiers, sets, bags.
    "all of it": step(
        in_turn(
            lambda s: require(count(Sitter, lambda guest: s.tired[guest]) > 1, "two are tired"),
            lambda s: require((s.other == Guest.HOST) | (s.other == s.speaker), "the host or the speaker"),
            lambda s: setattr(s, "awake", those(Sitter, lambda guest: guest != s.speaker) & s.awake),
            lambda s: setattr(s, "after", each(Sitter, lambda guest: s.after[guest])),
            lambda s: s.queue.append(s.speaker),
            lambda s: setattr(s, "leader", s.queue.first()),
            lambda s: s.post.send(Bill(amount=1, payer=s.speaker, friend=s.other)),
        )
    ),
    "appended": step(in_turn(lambda s: s.queue.append(s.speaker), lambda s: setattr(s, "speaker", s.queue.first()))),
    "behind what is dropped": step(
        in_turn(
            lambda s: require(s.queue.size() > 1, "two wait"),
            lambda s: s.queue.drop_first(),
            lambda s: setattr(s, "speaker", s.queue.first()),
        )
    ),
    "an attempt": step(try_to_call),
    "a picked place": step(call_some),
    "a place that is read": step(lambda s: setattr(s, "open", may_call(s, s.visits[s.speaker]))),
    "a choice among rooms": step(lambda s: setattr(s, "seat", choose(Room, lambda room: s.seats[room] == s.speaker))),
}

REFUSED: dict[str, tuple[Instance, str]] = {
    "first of an empty sequence": (step(lambda s: look(s, first(s))), r"require\(queue.size\(\) > 0, ...\) before it"),
    "past the end": (
        step(guarded(lambda s: s.queue.size() > 0)(lambda s: s.queue.at(1))),
        r"reads queue\.at\(1\), which gives the first Sitter unless queue.size\(\) > 1",
    ),
    "before the beginning": (
        step(lambda s: look(s, s.queue.at(s.round - 1))),
        r"queue.size\(\) > \(round - 1\)",
    ),
    "a place that may be below 0": (
        step(guarded(lambda s: s.round - 1 < s.queue.size())(lambda s: s.queue.at(s.round - 1))),
        "which gives the first Sitter",
    ),
    "a place that is below 0 during the step": (
        step(
            in_turn(
                lambda s: s.visits.__setitem__(s.leader, s.visits[s.leader] - 1),
                lambda s: setattr(s, "open", may_call(s, s.visits[s.speaker])),
                lambda s: s.visits.__setitem__(s.leader, 0),
            )
        ),
        "which gives the first Sitter",
    ),
    "a place in a message that is below 0 during the step": (
        step(
            in_turn(
                lambda s: s.post.send(Bill(amount=s.round - 3, payer=s.speaker, friend=none)),
                lambda s: setattr(s, "open", s.post.some(lambda bill: may_call(s, bill.amount))),
                lambda s: s.post.take(Bill(amount=s.round - 3, payer=s.speaker, friend=none)),
            )
        ),
        "which gives the first Sitter",
    ),
    "size is at least 0": (step(guarded(lambda s: s.queue.size() >= 0)(first)), "unless queue.size"),
    "size is not 1": (step(guarded(lambda s: s.queue.size() != 1)(first)), "unless queue.size"),
    "size of another": (step(guarded(lambda s: s.bills.size() > 0)(first)), "unless queue.size"),
    "size above 0 or open": (step(guarded(lambda s: (s.queue.size() > 0) | s.open)(first)), "unless queue.size"),
    "one of two sizes, one 0": (
        step(guarded(lambda s: (s.queue.size() == 1) | (s.queue.size() == 0))(first)),
        "unless queue.size",
    ),
    "behind what is dropped": (
        step(
            in_turn(
                lambda s: require(s.queue.size() > 0, "one waits"),
                lambda s: s.queue.drop_first(),
                lambda s: look(s, s.queue.first()),
            )
        ),
        r"require\(queue.size\(\) > 1, ...\) before it",
    ),
    "checked too late": (
        step(in_turn(lambda s: require(s.tired[first(s)], "tired"), lambda s: require(s.queue.size() > 0, "one"))),
        r"check 'tired' of action act reads queue\.at\(0\)",
    ),
    "through none": (step(lambda s: look(s, followed(s))), r"require\(~leader.is_none\(\), ...\) before it"),
    "through none where it is none": (step(guarded(lambda s: s.leader.is_none())(followed)), "is_none"),
    "through what equals what may be none": (
        step(guarded(lambda s: s.leader == s.likes[s.speaker])(followed)),
        "unless ~leader.is_none",
    ),
    "in the other branch": (
        step(lambda s: setattr(s, "open", when(s.leader.is_none(), s.tired[s.after[s.leader]], s.open))),
        "unless ~leader.is_none",
    ),
    "in the other branch, of what is there": (
        step(lambda s: setattr(s, "open", when(~s.leader.is_none(), s.open, s.tired[s.after[s.leader]]))),
        "unless ~leader.is_none",
    ),
    "of a row that is then changed": (
        step(
            in_turn(
                lambda s: setattr(s, "after", s.rows[s.seat]),
                lambda s: s.after.__setitem__(s.speaker, s.speaker),
            )
        ),
        r"reads rows\[seat\], which gives the first Sitter",
    ),
    "of another guest": (
        claim(lambda s: forall(Sitter, lambda guest: s.likes[guest].is_none() | s.tired[s.after[s.leader]])),
        r"invariant fine reads .*write when\(~leader.is_none\(\), ..., ...\) around it",
    ),
    "bound elsewhere": (
        claim(
            lambda s: (
                exists(Sitter, lambda guest: ~s.likes[guest].is_none())
                & forall(Sitter, lambda guest: s.tired[s.after[s.likes[guest]]])
            )
        ),
        "is_none",
    ),
    "a bill of nobody": (step(lambda s: setattr(s, "speaker", s.bill[s.leader].payer)), "gives the first Sitter"),
    "a whole bill of nobody": (step(lambda s: s.post.send(s.bill[s.leader])), "gives the first Sitter"),
    "no seat": (step(lambda s: setattr(s, "speaker", s.seats[s.seat])), "unless ~seat.is_none"),
    "choose": (
        step(lambda s: setattr(s, "leader", choose(Sitter, lambda guest: s.tired[guest]))),
        "chooses the first Sitter, .* give the choice as a parameter of the action",
    ),
    "choose among all": (
        step(lambda s: setattr(s, "other", choose(Guest, lambda guest: guest == s.other))),
        "chooses the first Guest",
    ),
    # The language refuses to order members; the form of a model that was not written in it.
    "smallest member": (
        claim(lambda s: s.round == least(s.speaker, RefType(Sitter.set))),
        "orders members of a symmetric set in minimum.*compare members with == only",
    ),
    "smallest set": (claim(lambda s: s.round == least(s.awake, SetType(Sitter.set))), "orders members"),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_what_treats_members_alike_is_accepted(name: str) -> None:
    instance = ACCEPTED[name]
    refuse_asymmetry(instance, groups(instance))


@pytest.mark.parametrize("name", REFUSED)
def test_what_may_prefer_a_member_is_refused(name: str) -> None:
    instance, message = REFUSED[name]
    with pytest.raises(ConfigurationError, match=rf"test_symmetry_static\.py:\d+: .*{message}") as error:
        refuse_asymmetry(instance, groups(instance))
    assert str(error.value).endswith(", or search without symmetry")


def test_a_set_with_one_member_has_no_other_to_prefer() -> None:
    model = REFUSED["through none"][0].model
    alone = Instance(model, Configuration("alone", sizes={"Sitter": 1, "Room": 1}, limits={"post": 1}))
    refuse_asymmetry(alone, groups(alone))


class OpenInn(Inn):
    """The inn with a step that treats all alike."""

    @action
    def close(s) -> None:
        """Closing time."""
        s.open = False


class Late(OpenInn):
    """Properties of all kinds that read through nobody."""

    @transition
    def step_reads(s, t: Self) -> Bool:
        """The next state's leader is followed."""
        return s.tired[t.after[t.leader]]

    @witness
    def seen(s, guest: Sitter) -> Bool:
        """Somebody is followed by the first one."""
        return s.queue.first() == guest


def test_every_kind_of_property_is_looked_at() -> None:
    for name, refused in (("step_reads", r"transition step_reads reads after'\[leader'\]"), ("seen", "witness seen")):
        part = type("One", (OpenInn,), {name: vars(Late)[name]})
        system = System("late", parts=[part], configurations=[])
        instance = Instance(system.model(), Configuration("one", {"Sitter": 2, "Room": 1}, {"post": 1}))
        with pytest.raises(ConfigurationError, match=refused):
            refuse_asymmetry(instance, groups(instance))


def test_a_limit_and_the_condition_to_stop_are_looked_at() -> None:
    stopping = System(
        "stopping",
        parts=[OpenInn],
        configurations=[Configuration("one", {"Sitter": 2, "Room": 1}, {"post": 1})],
        may_stop=lambda s: s.tired[s.queue.first()],
    )
    with pytest.raises(ConfigurationError, match=r"test_symmetry_static.py:\d+: the condition under which"):
        refuse_asymmetry(stopping.instance(), groups(stopping.instance()))


def test_a_parameter_that_may_be_none_is_no_member() -> None:
    def act(s: Any, guest: Maybe[Sitter]) -> None:
        look(s, s.after[guest])

    instance = _instance(act=action(act))
    with pytest.raises(ConfigurationError, match=r"unless ~guest\.is_none"):
        refuse_asymmetry(instance, groups(instance))
