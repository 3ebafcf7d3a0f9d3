"""Random small systems with a leads-to property, for comparing liveness judges.

A state is a place, and a level that some configurations limit. Each action has a table: where it is possible, and where
it leads; some have a table for each member of an index set, or a choice between several. Some systems also have
stamps, which some actions draw, look at or wait for.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from genstamp_model.language import (
    Bool,
    Configuration,
    Index,
    Number,
    Part,
    System,
    action,
    always_eventually,
    any_of,
    eventually_always,
    leads_to,
    named,
    number,
    ordered,
    pick,
    reference,
    require,
    when,
)
from genstamp_model.language.declarations import ActionDeclaration


class Side(Index, unnamed="Middle"):
    """Who acts."""

    LEFT = named()
    RIGHT = named()


# Where an action leads from each place where it is possible: the place, and what it does to the level.
Table = dict[int, tuple[int, str]]


def random_system(draw: random.Random, stamps: bool = False, several: bool = False, forms: bool = False) -> System:
    """A system with one leads-to property, `follows`; its numbers can be renumbered where it has stamps.

    It begins in the first place, or, with `several`, in the first or the last one. With `forms` the property is one of
    those that say again and again, or a leads-to that assumes so of one or two conditions.
    """
    places = draw.randint(2, 5 if stamps else 9)

    class Base(Part):
        place = number(0, places - 1, initially=any_of(0, places - 1) if several else 0)
        level = number(limit="level")
        chair = reference(Side)  # never changes: here so that every system has sides

    class Stamped(Base):
        stamp = ordered(limit="stamps")
        seen = ordered(limit="stamps")

    names = [f"step{i}" for i in range(draw.randint(1, 5))]
    body: dict[str, Any] = {name: _action(draw, name, places, stamps) for name in names}
    weak = tuple(name for name in names if draw.random() < 0.55)
    strong = tuple(name for name in names if name not in weak and draw.random() < 0.45)
    body["follows"] = (_form if forms else _claim)(draw, places, weak, strong)
    part = type("Random", (Stamped if stamps else Base,), body)
    limits = {"stamps": 3} if stamps else {}
    return System(
        "random",
        parts=[part],
        configurations=[Configuration("one", sizes={"Middle": 1}, limits=limits | {"level": draw.randint(0, 2)})],
    )


def _table(draw: random.Random, places: int) -> Table:
    density = draw.choice((0.2, 0.4, 0.7, 1.0))
    how = draw.choice((("same",), ("same", "same", "reset", "rise"), ("same", "rise")))
    return {p: (draw.randrange(places), draw.choice(how)) for p in range(places) if draw.random() < density}


def _action(draw: random.Random, name: str, places: int, stamps: bool) -> ActionDeclaration:
    stamping = draw.choice(("", "draw", "look", "forget", "if seen", "if unseen")) if stamps else ""
    tables = [_table(draw, places) for _ in range(3)]
    kind = draw.choice(("plain", "of a side", "with a choice", "both"))

    def plain(s: Any) -> None:
        _await(s, stamping)
        _follow(s, tables[0])
        _stamp(s, stamping)

    def of_a_side(s: Any, side: Side) -> None:
        _await(s, stamping)
        _follow_one(s, tables, [side == Side.LEFT, side == Side.RIGHT])
        _stamp(s, stamping)

    def with_a_choice(s: Any) -> None:
        chosen = pick("which", 0, 2)
        _await(s, stamping)
        _follow_one(s, tables, [chosen == 0, chosen == 1])
        _stamp(s, stamping)

    def both(s: Any, side: Side) -> None:
        chosen = pick("which", 0, 1)
        _await(s, stamping)
        _follow_one(s, tables, [side == Side.LEFT, (side == Side.RIGHT) & (chosen == 0)])
        _stamp(s, stamping)

    functions: dict[str, Callable[..., None]] = {
        "plain": plain,
        "of a side": of_a_side,
        "with a choice": with_a_choice,
        "both": both,
    }
    function = functions[kind]
    function.__name__ = name
    return action(function)


def _stamp(s: Any, stamping: str) -> None:
    match stamping:
        case "draw":
            s.stamp = s.stamp + 1
        case "look":
            s.seen = s.stamp
        case "forget":
            s.seen = 0


def _await(s: Any, stamping: str) -> None:
    match stamping:
        case "if seen":
            require(s.seen == s.stamp, "the last stamp was seen")
        case "if unseen":
            require(s.seen < s.stamp, "the last stamp was not seen")


def _follow_one(s: Any, tables: list[Table], chosen: list[Bool]) -> None:
    """Follow the first table whose condition holds, or the last one."""
    first, second = chosen
    possible = [_possible(s, table) for table in tables]
    require(when(first, possible[0], when(second, possible[1], possible[2])), "the table has it")
    places, levels = zip(*(_target(s, table) for table in tables), strict=True)
    s.place = when(first, places[0], when(second, places[1], places[2]))
    s.level = when(first, levels[0], when(second, levels[1], levels[2]))


def _follow(s: Any, table: Table) -> None:
    require(_possible(s, table), "the table has it")
    s.place, s.level = _target(s, table)


def _possible(s: Any, table: Table) -> Bool:
    return _any_of(s.place, table)


def _any_of(place: Number, some: Any) -> Bool:
    found = place < 0
    for p in some:
        found = found | (place == p)
    return found


def _target(s: Any, table: Table) -> tuple[Number, Number]:
    before, level = s.place, s.level
    place, raised = before + 0, level + 0
    for p, (to, how) in table.items():
        place = when(before == p, to, place)
        raised = when(before == p, level if how == "same" else level + 1 if how == "rise" else level * 0, raised)
    return place, raised


def _claim(draw: random.Random, places: int, weak: tuple[str, ...], strong: tuple[str, ...]) -> Any:
    here = [[p for p in range(places) if draw.random() < 0.5] for _ in range(2)]
    there = [[p for p in range(places) if draw.random() < 0.3] for _ in range(2)]

    def follows(s: Any) -> tuple[Bool, Bool]:
        return _any_of(s.place, here[0]), _any_of(s.place, there[0])

    def follows_for_all(s: Any, side: Side) -> tuple[Bool, Bool]:
        left = side == Side.LEFT
        return (
            when(left, _any_of(s.place, here[0]), _any_of(s.place, here[1])),
            when(left, _any_of(s.place, there[0]), _any_of(s.place, there[1])),
        )

    function: Callable[..., tuple[Bool, Bool]] = draw.choice((follows, follows_for_all))
    function.__name__ = "follows"
    return leads_to(fair=weak, strongly_fair=strong)(function)


def _form(draw: random.Random, places: int, weak: tuple[str, ...], strong: tuple[str, ...]) -> Any:
    said = [[p for p in range(places) if draw.random() < share] or [0] for share in (0.5, 0.2, 0.5, 0.6)]
    form = draw.choice((always_eventually, eventually_always, leads_to, leads_to))
    count = draw.randint(1, 2)

    def follows(s: Any, side: Side) -> Any:
        here, there, *again = ((side == Side.LEFT).implies(_any_of(s.place, some)) for some in said)
        return (here, there, *again[:count]) if form is leads_to else there

    return form(fair=weak, strongly_fair=strong)(follows)
