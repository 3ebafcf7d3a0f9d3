"""What random systems are made of: index sets, kinds of variables, sizes, limits and values to begin with.

A profile is one choice of these. `STANDARD` is what most comparisons of judges use; `extended` has numbers at the
edges of machine words, records within records and arrays of them, tight limits and other sizes; `symmetric` says of any
profile's index sets that their members are alike.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from genstamp_model.language.types import (
    BOOL,
    ArrayType,
    BagType,
    BoolType,
    EnumType,
    IndexSet,
    NumberType,
    RecordType,
    RefType,
    SequenceType,
    SetType,
    Sizes,
    Type,
    Value,
)

# A value to begin with, of a type.
First: TypeAlias = Callable[[Type, Sizes, random.Random], Value]

NODE = IndexSet("Node", origin="random")
HOLDER = IndexSet("Holder", named=("ROOT",), unnamed="Client", origin="random")
CLIENT = IndexSet("Client", root="Holder", unnamed="Client", origin="random")

MOOD = EnumType("Mood", ("CALM", "CROSS", "ASLEEP"))
LAMP = EnumType("Lamp", ("off", "on", "broken"), (("off", "switch", "on"), ("on", "burn", "broken")))
STAMP = NumberType(0, None, "stamps", ordered=True)
LETTER = RecordType(
    "Letter", (("sender", RefType(CLIENT)), ("to", RefType(NODE, optional=True)), ("weight", NumberType(1, 2)))
)
TICKET = RecordType("Ticket", (("urgent", BOOL), ("stamp", STAMP), ("mood", MOOD)))
INNER = RecordType("Inner", (("mark", NumberType(-2, 0)), ("who", RefType(NODE, optional=True)), ("on", BOOL)))
OUTER = RecordType("Outer", (("inner", INNER), ("marks", ArrayType(NODE, INNER)), ("group", SetType(CLIENT))))
NOTICE = RecordType("Notice", (("kind", MOOD),))

# Whoever quantifies over an index set must find its size, so each is mentioned by a variable.
ALWAYS: tuple[Type, ...] = (RefType(HOLDER, optional=True), ArrayType(NODE, BOOL), RefType(CLIENT))
KINDS: tuple[Type, ...] = (
    BOOL,
    NumberType(0, 3),
    NumberType(-1, 1),
    NumberType(1, None, "sent"),
    STAMP,
    MOOD,
    LAMP,
    RefType(NODE),
    RefType(CLIENT, optional=True),
    RefType(HOLDER),
    SetType(NODE),
    SetType(HOLDER),
    LETTER,
    TICKET,
    ArrayType(NODE, NumberType(0, 2)),
    ArrayType(CLIENT, LAMP),
    ArrayType(NODE, RefType(NODE, optional=True)),
    ArrayType(NODE, ArrayType(CLIENT, BOOL)),
    ArrayType(NODE, TICKET),
    ArrayType(HOLDER, SetType(NODE)),
    SequenceType(NumberType(0, 1), capacity=2),
    SequenceType(RefType(HOLDER), limit="waiting"),
    SequenceType(LETTER, limit="waiting"),
    BagType(LETTER, "letters"),
    BagType(TICKET, "tickets"),
)
FURTHER_KINDS: tuple[Type, ...] = (
    NumberType(-3, -1),
    NumberType(-128, 127),
    NumberType(0, 255),
    NumberType(-(2**31), 2**31 - 1),
    NumberType(2**31 - 2, 2**31),
    NumberType(-1, 2**40),
    NumberType(7, 7),
    NumberType(-1, None, "below"),
    INNER,
    OUTER,
    ArrayType(NODE, OUTER),
    ArrayType(HOLDER, ArrayType(NODE, INNER)),
    ArrayType(NODE, SequenceType(MOOD, capacity=1)),
    SequenceType(INNER, capacity=3),
    SequenceType(BOOL, capacity=1),
    BagType(NOTICE, "notices"),
    BagType(INNER, "letters"),
    ArrayType(CLIENT, RefType(HOLDER)),
    SetType(CLIENT),
    ArrayType(CLIENT, STAMP),
)
# Kinds that relate members to members, in every way that a representative must follow.
RELATIONS: tuple[Type, ...] = (
    ArrayType(NODE, ArrayType(NODE, BOOL)),
    ArrayType(NODE, ArrayType(CLIENT, LAMP)),
    ArrayType(NODE, SetType(NODE)),
    ArrayType(NODE, RefType(NODE)),
    ArrayType(CLIENT, RefType(NODE)),
    ArrayType(NODE, SequenceType(RefType(CLIENT), capacity=2)),
    SequenceType(RefType(NODE), capacity=1),
    SequenceType(RefType(CLIENT), capacity=2),
    RefType(NODE, optional=True),
    SequenceType(LETTER, capacity=1),
)

LIMITS: Mapping[str, int] = {"sent": 3, "stamps": 3, "waiting": 2, "letters": 2, "tickets": 1, "busy": 5}
SIZES: Mapping[str, int] = {"Node": 2, "Client": 2}


def first_value(type_: Type, sizes: Sizes, draw: random.Random) -> Value:
    """Where a variable begins: anywhere, but sequences and bags are empty."""
    match type_:
        case BoolType():
            return draw.random() < 0.5
        case NumberType(low=low, high=high):
            value = (low or 0) + draw.randint(0, 1)
            return value if high is None else min(value, high)
        case EnumType(labels=labels):
            return draw.randrange(len(labels))
        case RefType(index=index, optional=optional):
            member = draw.randrange(sizes.of(index) + optional)
            return member if member < sizes.of(index) else None
        case SetType(index=index):
            return frozenset(i for i in range(sizes.of(index)) if draw.random() < 0.5)
        case RecordType(fields=fields):
            return tuple(first_value(kind, sizes, draw) for _, kind in fields)
        case ArrayType(index=index, element=element):
            return tuple(first_value(element, sizes, draw) for _ in range(sizes.of(index)))
        case SequenceType() | BagType():
            return ()


def uniform_value(type_: Type, sizes: Sizes, draw: random.Random) -> Value:
    """The same for every member, so that it is one for any size: what a proof for all sizes begins with."""
    match type_:
        case ArrayType(index=index, element=element):
            return (uniform_value(element, sizes, draw),) * sizes.of(index)
        case SetType(index=index):
            return frozenset(range(sizes.of(index))) if draw.random() < 0.5 else frozenset()
        case RecordType(fields=fields):
            return tuple(uniform_value(kind, sizes, draw) for _, kind in fields)
        case RefType(optional=True):
            return None
        case _:
            return first_value(type_, sizes, draw)


@dataclass(frozen=True)
class Sets:
    """The index sets of a system: nodes, and clients among holders."""

    node: IndexSet = NODE
    holder: IndexSet = HOLDER
    client: IndexSet = CLIENT

    def within(self, type_: Type) -> Type:
        """A type over these index sets instead of those that the kinds above are over."""
        match type_:
            case RefType(index=index, optional=optional):
                return RefType(self._like(index), optional)
            case SetType(index=index):
                return SetType(self._like(index))
            case ArrayType(index=index, element=element):
                return ArrayType(self._like(index), self.within(element))
            case RecordType(name=name, fields=fields):
                return RecordType(name, tuple((field, self.within(kind)) for field, kind in fields))
            case SequenceType(element=element, capacity=capacity, limit=limit):
                return SequenceType(self.within(element), capacity, limit)
            case BagType(message=message, limit=limit):
                inside = self.within(message)
                assert isinstance(inside, RecordType)
                return BagType(inside, limit)
            case _:
                return type_

    def _like(self, index: IndexSet) -> IndexSet:
        return next(one for one in (self.node, self.holder, self.client) if one.name == index.name)


@dataclass(frozen=True)
class Profile:
    """What random systems are made of.

    Attributes:
        sets: the index sets.
        always: kinds of the variables that every system has.
        kinds: kinds of which each system has some more.
        sizes, limits: those of its only configuration.
        first: the value that a variable begins with.
        chooses: whether `choose` occurs.
        orders: whether the order of members is asked for, beyond that, numbers are divided, and parameters are subsets
            and labels.
        begins: how many values a variable begins with at most; with more than one there are conditions on them, too.
    """

    sets: Sets = field(default_factory=Sets)
    always: tuple[Type, ...] = ALWAYS
    kinds: tuple[Type, ...] = KINDS
    sizes: Mapping[str, int] = field(default_factory=lambda: SIZES)
    limits: Mapping[str, int] = field(default_factory=lambda: LIMITS)
    first: First = first_value
    chooses: bool = True
    orders: bool = False
    begins: int = 1


STANDARD = Profile()


def extended(seed: int) -> Profile:
    """More kinds; sizes from 1 to 3 and tight limits, as a seed says."""
    draw = random.Random(seed)
    sizes = {"Node": draw.choice((1, 1, 2, 3)), "Client": draw.choice((1, 1, 2, 3))}
    tight = {name: draw.choice((0, 1, 2, 3)) for name in ("letters", "tickets", "notices")}
    return Profile(
        kinds=KINDS + FURTHER_KINDS,
        sizes=sizes,
        limits={**LIMITS, "below": 1, "waiting": draw.randint(0, 3), **tight},
        first=uniform_value if seed % 4 == 2 else first_value,
    )


def in_order(seed: int) -> Profile:
    """The kinds of `extended`, with members that have ranks and neighbours, and numbers that are divided."""
    return replace(extended(seed), orders=True)


def choosing(seed: int) -> Profile:
    """The kinds of `extended`, with variables that begin with any of several values."""
    return replace(extended(seed), begins=2)


def symmetric(seed: int) -> Profile:
    """Index sets whose members are declared alike, relations among them, and sizes with something to exchange."""
    draw = random.Random(seed)
    alike = Sets(*(replace(index, symmetric=True) for index in (NODE, HOLDER, CLIENT)))
    return Profile(
        sets=alike,
        always=tuple(map(alike.within, (*ALWAYS, RefType(NODE)))),
        kinds=tuple(map(alike.within, KINDS + RELATIONS)),
        sizes={"Node": draw.choice((2, 3, 3)), "Client": draw.choice((2, 2, 3))},
        first=draw.choice((first_value, uniform_value, uniform_value)),
        chooses=False,
        begins=2 if seed % 5 == 1 else 1,
    )
