"""What is said of some or every element of a sequence."""

from collections.abc import Callable
from itertools import product

import pytest
from tests.model.systems.readers import READERS

from genstamp_model.errors import SpecError
from genstamp_model.evaluate import Evaluator
from genstamp_model.explore import explore
from genstamp_model.language import Bool, Configuration, Part, System, action, number, observe, sequence
from genstamp_model.language.containers import Sequence
from genstamp_model.language.values import Number

CAPACITY = 3


class Line(Part):
    """Who waits."""

    line = sequence(number(0, 2), capacity=CAPACITY)
    long = sequence(number(0, 2), limit="long")

    @action
    def look(s) -> None:
        """What is said before and after one more is there."""
        observe(some=s.line.some(one), every=s.line.every(one), has=s.line.has(2))
        s.line.append(1)
        observe(
            where=s.line.where(one).size(),
            index=s.line.index(2),
            without=s.line.without(1),
            appended=s.line.appended(2),
        )
        observe(some_more=s.line.some(one), every_more=s.line.every(one))
        s.line.drop_first()


def one(number: Number) -> Bool:
    """The claim."""
    return number == 1


LINE = System("line", parts=[Line], configurations=[Configuration("one", sizes={}, limits={"long": 2})])


def test_some_and_every_are_those_of_python() -> None:
    evaluator = Evaluator(LINE.instance())
    [look] = evaluator.model.actions
    for line in (line for size in range(CAPACITY + 1) for line in product(range(3), repeat=size)):
        more = (*line, 1)
        assert evaluator.observed(look, (), (line, ())) == {
            "where": more.count(1),
            "index": more.index(2) if 2 in more else -1,
            "without": (*more[:1], *more[2:]),
            "appended": (*more, 2),
            "some": 1 in line,
            "every": all(number == 1 for number in line),
            "has": 2 in line,
            "some_more": 1 in more,
            "every_more": all(number == 1 for number in more),
        }


@pytest.mark.parametrize(
    ("actors", "states", "depth", "orbits"),
    [(2, 390, 8, (390 + 2) // 2), (3, 21527, 12, (21527 + 3 * 25 + 2 * 2) // 6)],
)
def test_readers_and_writers_have_the_published_states(actors: int, states: int, depth: int, orbits: int) -> None:
    """Orbits by Burnside's lemma: a swap of two keeps 25 states of three actors, in which at most the third waits."""
    found = explore(READERS.instance(f"a{actors}"))
    assert (found.states, found.depth) == (states, depth)
    assert explore(READERS.instance(f"a{actors}"), symmetry=True).states == orbits


@pytest.mark.parametrize(
    "form",
    [
        lambda line: line.some(one),
        lambda line: line.every(one),
        lambda line: line.has(1),
        lambda line: line.where(one),
        lambda line: line.index(1),
    ],
)
def test_a_sequence_without_a_capacity_has_no_quantifier(form: Callable[[Sequence[Number]], object]) -> None:
    class Wrong(Line):
        """Asks."""

        @action
        def ask(s) -> None:
            """What is not known."""
            observe(found=form(s.long))

    with pytest.raises(SpecError) as error:
        System("wrong", parts=[Wrong], configurations=[]).model()
    assert "declare sequence(..., capacity=4) instead of limit='long'" in str(error.value)
    assert str(error.value).startswith("test_elements.py:")
