"""The scalar graph simplifies without changing what is computed, and knows the interval that every number lies in."""

import random
from collections.abc import Callable, Sequence
from itertools import product

import pytest

from genstamp_model.errors import ConfigurationError
from genstamp_model.explore.assume import Assumption
from genstamp_model.explore.scalar import Graph, Op, Scalar

# Cells of a small state: three flags, and numbers with these ranges.
RANGES = ((0, 2), (-1, 1), (1, 3))
FLAGS = 3
STATES = list(product(*([(0, 1)] * FLAGS), *(range(low, high + 1) for low, high in RANGES)))


def cells(graph: Graph) -> tuple[list[Scalar], list[Scalar]]:
    flags = [graph.cell(i, True, 0, 1) for i in range(FLAGS)]
    return flags, [graph.cell(FLAGS + i, False, low, high) for i, (low, high) in enumerate(RANGES)]


def value(node: Scalar, state: Sequence[int], known: dict[Scalar, int] | None = None) -> int:
    """What a node is in a state, by the plain meaning of its operation."""
    known = {} if known is None else known
    if node not in known:
        known[node] = meaning(node, [value(arg, state, known) for arg in node.args], state)
    return known[node]


def meaning(node: Scalar, args: list[int], state: Sequence[int]) -> int:
    if node.op is Op.CONST:
        return node.value
    if node.op is Op.CELL:
        return state[node.value]
    return int(MEANINGS[node.op](*args))


MEANINGS: dict[Op, Callable[..., int]] = {
    Op.NOT: lambda x: not x,
    Op.AND: lambda *flags: all(flags),
    Op.OR: lambda *flags: any(flags),
    Op.EQ: lambda x, y: x == y,
    Op.LT: lambda x, y: x < y,
    Op.LE: lambda x, y: x <= y,
    Op.ADD: lambda x, y: x + y,
    Op.SUB: lambda x, y: x - y,
    Op.MUL: lambda x, y: x * y,
    Op.DIV: lambda x, y: x // y,
    Op.MOD: lambda x, y: x % y,
    Op.MIN: min,
    Op.MAX: max,
    Op.ITE: lambda condition, x, y: x if condition else y,
}


class Twin:
    """A node, and what it should be in every state: computed beside the graph, from the operands' own values."""

    def __init__(self, node: Scalar, wanted: Sequence[int]) -> None:
        self.node = node
        self.wanted = list(wanted)


def grown(graph: Graph, draw: random.Random, rounds: int) -> tuple[list[Twin], list[Twin]]:
    """Random flags and numbers over the cells, each with its wanted values."""
    flag_cells, number_cells = cells(graph)
    flags = [Twin(cell, [state[cell.value] for state in STATES]) for cell in flag_cells]
    numbers = [Twin(cell, [state[cell.value] for state in STATES]) for cell in number_cells]
    numbers += [Twin(graph.constant(c), [c] * len(STATES)) for c in (-1, 0, 1, 2)]
    for _ in range(rounds):
        a, b = draw.choices(numbers, k=2)
        p, q, r = draw.choices(flags, k=3)
        pairs = list(zip(a.wanted, b.wanted, strict=True))
        triples = list(zip(p.wanted, q.wanted, r.wanted, strict=True))
        flags += [
            Twin(graph.not_(p.node), [1 - x for x in p.wanted]),
            Twin(graph.and_([p.node, q.node, r.node]), [min(x) for x in triples]),
            Twin(graph.or_([p.node, q.node, r.node]), [max(x) for x in triples]),
            Twin(graph.eq(a.node, b.node), [int(x == y) for x, y in pairs]),
            Twin(graph.eq(p.node, q.node), [int(x == y) for x, y in zip(p.wanted, q.wanted, strict=True)]),
            Twin(graph.lt(a.node, b.node), [int(x < y) for x, y in pairs]),
            Twin(graph.le(a.node, b.node), [int(x <= y) for x, y in pairs]),
            Twin(graph.ite(p.node, q.node, r.node), chosen(p, q, r)),
        ]
        numbers += [
            Twin(graph.add(a.node, b.node), [x + y for x, y in pairs]),
            Twin(graph.sub(a.node, b.node), [x - y for x, y in pairs]),
            Twin(graph.minimum(a.node, b.node), [min(pair) for pair in pairs]),
            Twin(graph.maximum(a.node, b.node), [max(pair) for pair in pairs]),
            *(Twin(graph.div(a.node, by), [x // by for x in a.wanted]) for by in (1, 3)),
            *(Twin(graph.mod(a.node, by), [x % by for x in a.wanted]) for by in (2, 4)),
            Twin(
                graph.quotient(graph.maximum(a.node, graph.constant(0)), graph.maximum(b.node, graph.constant(1))),
                [max(x, 0) // max(y, 1) for x, y in pairs],
            ),
            Twin(graph.ite(p.node, a.node, b.node), chosen(p, a, b)),
        ]
        if max(abs(a.node.low), a.node.high, abs(b.node.low), b.node.high) < 100:
            numbers.append(Twin(graph.mul(a.node, b.node), [x * y for x, y in pairs]))
    return flags, numbers


def chosen(condition: Twin, then: Twin, otherwise: Twin) -> list[int]:
    return [x if p else y for p, x, y in zip(condition.wanted, then.wanted, otherwise.wanted, strict=True)]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_simplified_nodes_compute_the_same(seed: int) -> None:
    flags, numbers = grown(Graph(), random.Random(seed), 12)
    for twin in flags + numbers:
        assert [value(twin.node, state) for state in STATES] == twin.wanted, twin.node


@pytest.mark.parametrize("seed", range(6))
def test_values_lie_in_the_interval(seed: int) -> None:
    flags, numbers = grown(Graph(), random.Random(seed), 12)
    for twin in flags + numbers:
        assert twin.node.low <= min(twin.wanted), twin.node
        assert max(twin.wanted) <= twin.node.high, twin.node


@pytest.mark.parametrize("seed", range(6))
def test_under_an_assumption_nodes_compute_the_same_where_it_holds(seed: int) -> None:
    graph, draw = Graph(), random.Random(seed)
    flags, numbers = grown(graph, draw, 8)
    for _ in range(10):
        facts = [twin for twin in draw.choices(flags, k=3) if any(twin.wanted)]
        assumption = Assumption(graph, [fact.node for fact in facts])
        for twin in draw.choices(flags + numbers, k=20):
            simple = assumption.simplify(twin.node)
            for i, state in enumerate(STATES):
                if all(fact.wanted[i] for fact in facts):
                    assert value(simple, state) == twin.wanted[i], (twin.node, simple, facts)


def test_a_comparison_with_a_constant_narrows_a_cell() -> None:
    graph = Graph()
    cell = graph.cell(0, False, 0, 5)
    for bound in map(graph.constant, range(6)):
        for fact in (graph.lt(cell, bound), graph.le(cell, bound), graph.lt(bound, cell), graph.eq(cell, bound)):
            for known in (fact, graph.not_(fact)):
                allowed = [i for i in range(6) if value(known, [i])]
                if allowed and known.op is not Op.NOT:
                    narrowed = Assumption(graph, [known]).simplify(cell)
                    assert (narrowed.low, narrowed.high) == (min(allowed), max(allowed)), known


def test_equal_nodes_are_one_object() -> None:
    graph = Graph()
    _, (a, b, _) = cells(graph)
    assert graph.add(a, b) is graph.add(b, a)
    assert graph.eq(a, b) is graph.eq(b, a)
    assert graph.not_(graph.not_(graph.lt(a, b))) is graph.lt(a, b)


def test_intervals_decide_comparisons() -> None:
    graph = Graph()
    a = graph.cell(0, False, 0, 2)
    assert graph.lt(graph.constant(2), a) is graph.false
    assert graph.lt(a, graph.add(a, graph.constant(1))) is graph.true
    assert graph.lt(graph.constant(-1), a) is graph.true
    assert graph.eq(a, graph.constant(7)) is graph.false


def test_one_cell_is_not_two_labels_at_once() -> None:
    graph = Graph()
    a = graph.cell(0, False, 0, 2)
    zero, one = graph.eq(a, graph.constant(0)), graph.eq(a, graph.constant(1))
    assert graph.and_([zero, one]) is graph.false
    assert graph.and_([zero, graph.not_(graph.or_([zero, one]))]) is graph.false
    assert graph.or_([graph.not_(zero), graph.not_(one)]) is graph.true


def test_an_event_of_a_known_label_leads_to_a_known_label() -> None:
    graph = Graph()
    a = graph.cell(0, False, 0, 2)
    here = graph.eq(a, graph.constant(0))
    after = graph.ite(here, graph.constant(1), a)
    assert Assumption(graph, [here]).simplify(after) is graph.constant(1)
    assert Assumption(graph, [graph.not_(here)]).simplify(after) is a


def test_a_checked_number_cannot_leave_its_range() -> None:
    graph = Graph()
    a = graph.cell(0, False, 0, 5)
    above = graph.lt(graph.constant(5), graph.add(a, graph.constant(1)))
    assert above is not graph.false
    assert Assumption(graph, [graph.lt(a, graph.constant(5))]).simplify(above) is graph.false


def test_numbers_beyond_the_machine_word_are_refused() -> None:
    graph = Graph()
    number = graph.cell(0, False, 0, 2**31 - 1)
    square = graph.mul(number, number)
    with pytest.raises(ConfigurationError, match="lower the limits"):
        graph.mul(square, number)
