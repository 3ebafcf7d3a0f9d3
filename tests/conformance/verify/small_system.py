"""A counter that two clients raise: small enough to be judged in a moment, with all that a verification looks at."""

from typing import Self

from genstamp_model.language import (
    OTHER_STATES,
    Bool,
    Bug,
    Configuration,
    Difference,
    Hole,
    Index,
    Part,
    System,
    action,
    invariant,
    members,
    number,
    require,
    sequence,
    transition,
    witness,
)


class Client(Index):
    """A client."""


class Counter(Part):
    """A counter and who has raised it."""

    count = number(limit="counts")
    raised = members(Client)

    @action
    def add(s, client: Client) -> None:
        """A client raises the counter, once."""
        require(~s.raised.has(client), "the client has not raised it yet", refuses="AgainException")
        s.raised.add(client)
        s.count = s.count + 1

    @action
    def withdraw(s, client: Client) -> None:
        """A client is forgotten."""
        require(s.raised.has(client), "the client has raised it")
        require(s.count > 1, "there are enough without it")
        s.raised.remove(client)

    @invariant(inductive=True)
    def never_negative(s) -> Bool:
        """The counter is never negative."""
        return s.count >= 0

    @invariant
    def one_is_raised(s, client: Client) -> Bool:
        """Who has raised it has raised it."""
        return s.raised.has(client).implies(s.count > 0)

    @transition(inductive=True)
    def never_falls(s, t: Self) -> Bool:
        """The counter only rises."""
        return t.count >= s.count

    @witness
    def all_have_raised(s, client: Client, other: Client) -> Bool:
        """Two clients have raised it."""
        return (client != other) & s.raised.has(client) & s.raised.has(other)


class Forgetful(Counter):
    """The counter is not raised."""

    @action
    def add(s, client: Client) -> None:
        """A client raises the counter, once; the counter forgets it."""
        require(~s.raised.has(client), "the client has not raised it yet", refuses="AgainException")
        s.raised.add(client)


class Natural(Counter):
    """It is said why a counter is never negative."""

    @invariant(inductive=True, vacuous="a counter has no negative values")
    def never_negative(s) -> Bool:
        """The counter is never negative."""
        return s.count >= 0


class Resetting(Counter):
    """The counter may fall."""

    @action
    def reset(s) -> None:
        """All is forgotten but the clients."""
        require(s.count > 1, "there is something to forget")
        s.count = 0


class Generous(Counter):
    """Who has raised the counter is told so."""

    @action(event="add")
    def add_again(s, client: Client) -> None:
        """Nothing happens."""
        require(s.raised.has(client), "the client has raised it", refuses="StillException")
        require(s.count > 1, "there are others")

    @witness
    def one_alone(s, client: Client) -> Bool:
        """One client has raised it, and no other."""
        return s.raised.has(client) & (s.count == 1)


class Sparing(Counter):
    """Nobody is forgotten."""

    @action
    def withdraw(s, client: Client) -> None:
        """It never happens."""
        require(s.raised.has(client) & ~s.raised.has(client), "the client has raised it, and has not")


def difference(name: str, shows: str, parts: tuple[type[Part], ...] = (Generous,)) -> Difference:
    """What an old release did otherwise."""
    return Difference(name, "who has raised it is told so", parts=parts, configuration="two", shows=shows)


COUNTER = System(
    "counter",
    parts=[Counter],
    semantics={"good": (), "old": (Hole("resets", "the counter can be reset", parts=(Resetting,)),)},
    default_semantics="good",
    configurations=[
        Configuration("two", sizes={"Client": 2}, limits={"counts": 6}),
        Configuration("one", sizes={"Client": 1}, limits={"counts": 6}),
        Configuration("again", sizes={"Client": 1}, limits={"counts": 9}, on_demand=True),
    ],
    bugs=[
        Bug("BUG-1", "not raised", parts=(Forgetful,), breaks=("one_is_raised",), configuration="two"),
        Bug("BUG-2", "not raised", parts=(Forgetful,), breaks=("never_falls",), configuration="two"),
        Bug("BUG-3", "nothing", parts=(Counter,), breaks=("never_falls",), configuration="two"),
        Bug("BUG-4", "not raised", parts=(Forgetful,), breaks=("one_is_raised",), configuration="two", depth=7),
    ],
)

OTHERWISE = System(
    "otherwise",
    parts=[Counter],
    semantics={
        "good": (),
        "old": (
            difference("DIFFERENCE-1", "witness one_alone"),
            difference("DIFFERENCE-2", "action add_again"),
            difference("DIFFERENCE-3", "refusal add_again, StillException: the client has raised it"),
            difference("DIFFERENCE-4", "witness all_have_raised"),
            difference("DIFFERENCE-5", "witness nothing"),
            difference("DIFFERENCE-6", "action reset", parts=(Resetting,)),
            difference("DIFFERENCE-7", OTHER_STATES, parts=(Sparing,)),
            difference("DIFFERENCE-8", OTHER_STATES),
        ),
    },
    default_semantics="good",
    configurations=COUNTER.configurations,
)

WRONG = System("wrong", parts=[Resetting], configurations=COUNTER.configurations)

STILL = System(
    "still", parts=[Counter], configurations=[Configuration("none", sizes={"Client": 1}, limits={"counts": 0})]
)

UNTRUE = System(
    "untrue",
    parts=[Resetting],
    configurations=[Configuration("two", sizes={"Client": 2}, limits={"counts": 6})],
)

SMALL = System(
    "small",
    parts=[Natural],
    configurations=[
        Configuration("two", sizes={"Client": 2}, limits={"counts": 6}),
        Configuration("again", sizes={"Client": 1}, limits={"counts": 9}, on_demand=True),
    ],
    bugs=[Bug("BUG-1", "not raised", parts=(Forgetful,), breaks=("one_is_raised",), configuration="two")],
)


class Queue(Part):
    """Numbers in a queue, which holds as many as a configuration says."""

    line = sequence(number(0, 1), limit="places")

    @action
    def join(s) -> None:
        """Another one."""
        s.line.append(1)

    @invariant(inductive=True)
    def never_negative_long(s) -> Bool:
        """There are no fewer than none."""
        return s.line.size() >= 0


QUEUE = System(
    "queue",
    parts=[Queue],
    configurations=[
        Configuration("short", sizes={}, limits={"places": 1}),
        Configuration("again", sizes={}, limits={"places": 1}),
        Configuration("long", sizes={}, limits={"places": 2}),
    ],
)
