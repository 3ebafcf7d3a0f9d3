"""How variables begin: as they are declared, at a member that is given, and as a function of each member says."""

import enum
from collections.abc import Callable
from typing import Any

import pytest
from tests.model.systems.rings import DINING, PRIVILEGES, Node, Seat

from genstamp_model.errors import ConfigurationError, SpecError
from genstamp_model.explore import explore
from genstamp_model.export.promela import promela_model
from genstamp_model.language import (
    Configuration,
    Index,
    Part,
    Record,
    System,
    action,
    each,
    enumeration,
    flag,
    forall,
    members,
    number,
    optional,
    per,
    record,
    reference,
    when,
)
from genstamp_model.language.types import Sizes, Value
from genstamp_model.language.variables import Declared
from genstamp_model.parametric import prove_parametric


class Mood(enum.Enum):
    """One of two."""

    CALM = enum.auto()
    CROSS = enum.auto()


class Plate(Record):
    """Whose it is."""

    owner = optional(Seat, initially=Seat.last())
    empty = flag(initially=True)


def moody(seat: Seat) -> object:
    """The first one is cross."""
    return when(seat == Seat.first(), Mood.CROSS, Mood.CALM)


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        (lambda: reference(Seat), 0),
        (lambda: reference(Seat, initially=Seat.HOST), 2),
        (lambda: reference(Seat, initially=Seat.last().predecessor()), 1),
        (lambda: optional(Seat), None),
        (lambda: optional(Seat, initially=Seat.first()), 0),
        (lambda: members(Seat, initially=lambda seat: seat != Seat.HOST), frozenset({0, 1})),
        (lambda: members(Seat, initially=lambda seat: True), frozenset({0, 1, 2})),
        (lambda: per(Seat, number(0, 9), initially=lambda seat: seat.rank() + 1), (1, 2, 3)),
        (lambda: per(Seat, number(0, 9), initially=lambda seat: 4), (4, 4, 4)),
        (lambda: per(Seat, enumeration(Mood), initially=moody), (1, 0, 0)),
        (lambda: per(Seat, optional(Seat), initially=lambda seat: seat.next()), (1, 2, None)),
        (lambda: record(Plate), (2, True)),
        (lambda: per(Seat, record(Plate)), ((2, True),) * 3),
        (
            lambda: per(Seat, record(Plate), initially=lambda seat: Plate(owner=seat, empty=seat == Seat.HOST)),
            ((0, False), (1, False), (2, True)),
        ),
        (
            lambda: per(Seat, per(Seat, flag()), initially=lambda a: each(Seat, lambda b: a.before(b))),
            ((False, True, True), (False, False, True), (False, False, False)),
        ),
    ],
)
def test_where_variables_begin(declared: Callable[[], Declared[object]], expected: Value) -> None:
    assert declared().initial(Sizes({"Guest": 2})) == expected


@pytest.mark.parametrize(("philosophers", "states", "depth"), [(3, 19, 16), (5, 67, 28)])
def test_philosophers_need_no_step_to_lay_the_table(philosophers: int, states: int, depth: int) -> None:
    found = explore(DINING.instance(f"p{philosophers}"))
    assert (found.states, found.depth) == (states, depth)


def begun(**variables: Declared[Any]) -> System:
    """A system whose only part has some variables."""

    def stay(s: Part) -> None:
        """Nothing happens."""

    part = type("Begun", (Part,), {**variables, "stay": action(stay)})
    for name, declared in variables.items():
        declared.__set_name__(part, name)
    return System("begun", parts=[part], configurations=[Configuration("two", sizes={"Node": 2})])


def last_first() -> type[Record]:
    """Two members, of which the one begins with the last."""

    class Pair(Record):
        one = reference(Node, initially=Node.last())
        other = reference(Node)

    return Pair


def last_second() -> type[Record]:
    """The same, but the other one does."""

    class Pair(Record):
        one = reference(Node)
        other = reference(Node, initially=Node.last())

    return Pair


def test_a_digest_knows_how_variables_begin_in_other_sizes() -> None:
    """With one member, first and last are one."""
    first, last = (reference(Node, initially=member) for member in (Node.first(), Node.last()))
    one, other = (per(Node, flag(), initially=lambda n, m=m: n == m) for m in (Node.first(), Node.last()))  # type: ignore[misc]
    within = [per(Node, per(Node, reference(Node, initially=m))) for m in (Node.first(), Node.last())]
    fields = [record(last_first()), record(last_second())]
    for pair in ((first, last), (one, other), within, fields):
        digests = {begun(of=declared).model().digest for declared in pair}
        assert len(digests) == 2


def test_no_proof_for_any_size_knows_how_members_begin() -> None:
    with pytest.raises(SpecError, match="'forks' has an initial value that depends on the member, which a proof"):
        prove_parametric(DINING.model())


def test_an_initial_value_outside_its_range_is_refused() -> None:
    system = begun(of=per(Node, number(0, 1), initially=lambda node: node.rank() + 1))
    with pytest.raises(ConfigurationError, match=r"'of' is 2, outside 0\.\.1, initially in configuration two of begun"):
        system.instance()


def test_promela_has_no_records_that_begin_differently() -> None:
    with pytest.raises(ConfigurationError, match=r"rings.py:\d+: the Promela export .* elements of 'forks' begin"):
        promela_model(DINING.instance("p3"))
    assert "value[4] = {0, 1, 2, 3}" in promela_model(PRIVILEGES.instance())


class Other(Index):
    """Another set."""


@pytest.mark.parametrize(
    ("declare", "message"),
    [
        (lambda: per(Node, flag(), initially=True), "initially= takes a function of one member, such as lambda n: "),  # type: ignore[arg-type]
        (lambda: per(Node, flag(), initially=lambda: True), "initially= takes a function of one member; nest"),  # type: ignore[arg-type,misc]
        (lambda: per(Node, flag(), initially=lambda node: node.rank()), "expected a flag, not a number (rank(node_0))"),
        (lambda: per(Node, number(0, 3), initially=lambda node: node), "expected a number, not a Node"),
        (lambda: per(Node, number(0, 3), initially=lambda node: nod), "'nod' is not defined; did you mean 'node'?"),  # type: ignore[name-defined]  # noqa: F821
        (
            lambda: per(Other, flag(), initially=lambda o: o == Other.first()),
            "declare class Other(Index, ordered=True)",
        ),
        (lambda: members(Node, initially=lambda node: 1 if node == Node.first() else 0), "has no truth value"),  # type: ignore[arg-type,return-value]
        (lambda: members(Node, initially_all=True, initially=lambda node: True), "write one of them"),
        (lambda: reference(Node, initially=3), "expected a Node, not 3"),  # type: ignore[arg-type]
        (lambda: reference(Node, initially=Seat.HOST), "expected a Node, not a Seat"),
        (lambda: reference(Seat, initially=Seat.first().next()), "expected a Seat, not a Seat or none"),
        (lambda: optional(Node, initially=lambda: Node.first()), "expected a Node or none, not a function"),  # type: ignore[arg-type]
    ],
)
def test_mistakes_name_their_line(declare: Callable[[], object], message: str) -> None:
    with pytest.raises(SpecError) as error:
        declare()
    assert message in str(error.value)
    assert str(error.value).startswith(f"test_initially.py:{declare.__code__.co_firstlineno}: ")


def test_a_quantifier_may_stand_in_it() -> None:
    declared = per(Node, flag(), initially=lambda node: forall(Node, lambda other: ~other.before(node)))
    assert declared.initial(Sizes({"Node": 3})) == (True, False, False)
