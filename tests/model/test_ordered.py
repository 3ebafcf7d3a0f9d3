"""The order of an index set's members: what it means, and where it is refused."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.model.systems.division import DIVISION, Size
from tests.model.systems.rings import RING, TABLE, Guest, Seat

from genstamp_model.errors import SpecError
from genstamp_model.evaluate import Evaluator
from genstamp_model.explore import Verdict, explore
from genstamp_model.explore.symmetry import Group
from genstamp_model.explore.symmetry_static import treats_alike
from genstamp_model.language import Configuration, Index, Number, Part, System, action, ir, none, number, observe, per
from genstamp_model.language.ir import Op
from genstamp_model.language.members import member_of
from genstamp_model.language.types import INTEGER, IndexSet, RefType
from genstamp_model.language.values import Enumerated, Value, wrap
from genstamp_model.parametric import prove_parametric
from genstamp_model.prove import Verdict as Proved
from genstamp_model.prove import Within, bmc, prove
from genstamp_model.prove.written import written

SEATS = 4
"""Three guests and the host."""


def value(form: Callable[[Seat], Value], position: int | None, index: type[Index] = Seat) -> object:
    """What a form is of a member of the table with three guests."""
    evaluator = Evaluator(TABLE.instance("g3"))
    seat = ir.make(Op.PARAMETER, (), RefType(index.set, optional=True), "seat")
    return evaluator.value(form(member_of(seat)).expr, evaluator.initial(), bound={"seat": position})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        (lambda seat: seat.rank(), [0, 1, 2, 3, 0]),
        (lambda seat: seat.successor(), [1, 2, 3, 0, None]),
        (lambda seat: seat.predecessor(), [3, 0, 1, 2, None]),
        (lambda seat: seat.next(), [1, 2, 3, None, None]),
        (lambda seat: seat.previous(), [None, 0, 1, 2, None]),
        (lambda seat: seat.before(Seat.HOST), [True, True, True, False, False]),
        (lambda seat: seat.before(none), [False] * 5),
        (lambda seat: Guest.first().before(seat), [False, True, True, True, False]),
        (lambda seat: Guest.last().successor().rank(), [0] * 5),
        (lambda seat: Seat.last().rank(), [3] * 5),
    ],
)
def test_what_the_forms_mean(form: Callable[[Seat], Value], expected: list[object]) -> None:
    assert [value(form, position) for position in (0, 1, 2, 3, None)] == expected


def test_a_subset_is_a_ring_of_its_own() -> None:
    assert [value(lambda guest: guest.successor(), position, Guest) for position in (0, 1, 2)] == [1, 2, 0]
    assert [value(lambda guest: guest.next(), position, Guest) for position in (0, 1, 2)] == [1, 2, None]


@pytest.mark.parametrize(("nodes", "states", "depth"), [(3, 31, 6), (4, 92, 8)])
def test_election_on_a_ring(nodes: int, states: int, depth: int) -> None:
    found = explore(RING.instance(f"n{nodes}"))
    assert (found.verdict, found.states, found.depth) == (Verdict.HOLDS, states, depth)


def test_a_shortest_violation_is_found_by_search_and_by_bounded_checks() -> None:
    instance = RING.instance("n3", bugs=["lower"])
    searched, bounded = explore(instance), bmc(instance, steps=5)
    assert searched.violation is not None and bounded.violation is not None
    assert (bounded.verdict, bounded.violation.steps, len(searched.violation.path)) == (Within.VIOLATED, 4, 4)


def test_no_proof_for_any_size_speaks_of_the_order() -> None:
    proof = prove_parametric(TABLE.model()).proof("neighbours")
    assert proof.verdict is Proved.UNDETERMINED
    assert "it asks for the order of members (" in proof.reason
    assert "), which is supported for fixed sizes only" in proof.reason


def test_order_is_proved_of_fixed_sizes() -> None:
    proofs = prove(TABLE.instance("g3"))
    assert {proofs.proof(name).verdict for name in ("neighbours", "order")} == {Proved.PROVED}


NODE = IndexSet("Node", symmetric=True)
SOME = ir.make(Op.PARAMETER, (), RefType(NODE), "some")


@pytest.mark.parametrize("op", [Op.RANK, Op.SUCCESSOR, Op.PREDECESSOR])
def test_a_symmetric_set_has_no_order(op: Op) -> None:
    asked = ir.make(op, (SOME,), INTEGER if op is Op.RANK else SOME.type)
    condition = ir.equal(asked, ir.number(1) if op is Op.RANK else SOME)
    assert treats_alike([], condition)
    assert not treats_alike([Group("Node", 2)], condition)


class Bare(Index):
    """Without an order."""


class Alike(Index, symmetric=True):
    """Without one because of what it is."""


@pytest.mark.parametrize(
    ("form", "message"),
    [
        (lambda: Bare.first(), ".first() needs an order; declare class Bare(Index, ordered=True)"),
        (lambda: Alike.last(), "ordered=True), and leave out symmetric=True"),
        (lambda: some(Bare).successor(), ".successor() needs an order; declare class Bare(Index, ordered=True)"),
        (lambda: some(Bare).next(), ".next() needs an order"),
        (lambda: some(Bare).rank(), ".rank() needs an order"),
        (lambda: some(Seat).before(some(Bare)), "expected a Seat or none, not a Bare"),
        (lambda: some(Seat).before(3), "expected a Seat or none, not 3"),  # type: ignore[arg-type]
        (
            lambda: some(Seat) < some(Seat),  # type: ignore[operator]
            "a Seat has no '<'; members have == and !=, and those",
        ),
        (lambda: some(Seat) + 1, ".before(), .next(), .successor() and .rank()"),  # type: ignore[operator]
    ],
)
def test_what_is_refused(form: Callable[[], object], message: str) -> None:
    with pytest.raises(SpecError) as error:
        form()
    assert message in str(error.value)


def test_an_optional_member_of_a_subset_is_compared_with_nobody() -> None:
    assert [value(lambda guest: guest == none, position, Guest) for position in (0, None)] == [False, True]


def test_what_is_proved_is_written_as_an_author_would() -> None:
    at = some(Seat)
    assert written(at.successor().before(Seat.HOST).expr) == "some.successor().rank() < Seat.HOST.rank()"
    size = wrap(ir.make(Op.VARIABLE, (), DIVISION.model().types["size"], "size"))
    assert isinstance(size, Enumerated)
    assert written((size <= Size.NONE).expr) == "s.size <= Size.NONE"


def some(index: type[Index]) -> Index:
    return member_of(ir.make(Op.PARAMETER, (), RefType(index.set), "some"))


def test_no_set_is_both_symmetric_and_ordered() -> None:
    with pytest.raises(SpecError, match="Both cannot be both: the members of a symmetric set have no order"):

        class Both(Index, symmetric=True, ordered=True):
            """Neither."""


def test_an_array_over_an_ordered_set_is_a_map_from_numbers() -> None:
    class Ladder(Part):
        """Steps that are counted."""

        marks = per(Guest, number(0, 9))
        place = number(-1, 3, initially=0)

        @action
        def mark(s) -> None:
            """Beyond the ends 0 is read, and nothing is marked."""
            observe(read=s.marks[s.place], nobody=Guest.at(s.place).is_none(), second=s.marks[1])
            s.marks[s.place] = 7

    evaluator = Evaluator(
        System("ladder", parts=[Ladder], configurations=[Configuration("two", sizes={"Guest": 2})]).instance()
    )
    [mark] = evaluator.model.actions
    for place in (-1, 0, 1, 2):
        inside = 0 <= place < 2
        marks = tuple(7 if i == place else i + 1 for i in range(2))
        state = ((1, 2), place)
        shown = {"read": place + 1 if inside else 0, "nobody": not inside, "second": 2}
        assert (evaluator.observed(mark, (), state), evaluator.apply(mark, (), state)) == (shown, (marks, place))


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (lambda s: s.plain[0], ".at() needs an order; declare class Plain(Index, ordered=True)"),
        (lambda s: s.likes[-1], "Guest has no member of rank -1; the first one has rank 0"),
    ],
)
def test_a_number_is_a_rank_of_an_ordered_set(read: Callable[[Any], Number], message: str) -> None:
    class Wrong(Part):
        """Reads by number."""

        plain = per(Plain, number(0, 1))
        likes = per(Guest, number(0, 1))

        @action
        def go(s) -> None:
            """It reads."""
            observe(read=read(s))

    with pytest.raises(SpecError) as error:
        System("wrong", parts=[Wrong], configurations=[]).model()
    assert message in str(error.value)


class Plain(Index):
    """Without an order."""
