"""A number that TLC does not have is refused with its line, wherever a specification has it."""

import inspect

import pytest

from genstamp_model.errors import ConfigurationError
from genstamp_model.export.tla import tla
from genstamp_model.export.tla_numbers import LARGEST
from genstamp_model.language import (
    Bool,
    Configuration,
    Index,
    Instance,
    Number,
    Part,
    Record,
    System,
    action,
    bag,
    flag,
    invariant,
    limit,
    number,
    per,
    pick,
    require,
)


class Node(Index):
    """A node."""


class Letter(Record):
    """A message with a number."""

    stamp = number(0, LARGEST + 1)


class Counter(Part):
    """Counts to the end of what TLC has."""

    count = number(-LARGEST, LARGEST)

    @action
    def raise_it(s) -> None:
        """By one."""
        require(s.count < LARGEST, "there is room")
        s.count = s.count + 1


class Ranged(Counter):
    """Has a range below 0."""

    each = per(Node, number(-LARGEST - 1, 0))  # here: the range of each has -2147483648


class Sending(Counter):
    """Has messages."""

    post = bag(Letter, limit="letters")  # here: the range of post has 2147483648


class Checking(Counter):
    """Compares."""

    seen = flag()

    @action
    def look(s) -> None:
        """In vain."""
        require(s.count > 5_000_000_000, "it is large")  # here: look has 5000000000
        s.seen = True


class Setting(Counter):
    """Sets."""

    @action
    def jump(s) -> None:
        """And back."""
        s.count = s.count + 5_000_000_000 - s.count  # here: jump has 5000000000


class Picking(Counter):
    """Picks."""

    seen = flag()

    @action  # here: the range of n in guess has 2147483648
    def guess(s) -> None:
        """One of two."""
        n = pick("n", LARGEST, LARGEST + 1)
        s.seen = n > 0


class Claiming(Counter):
    """Claims."""

    @invariant  # here: never has 5000000000
    def never(s) -> Bool:
        """It is."""
        return s.count != 5_000_000_000


class Limiting(Counter):
    """Limits."""

    @limit("letters")
    def busy(s) -> Number:
        """How far."""
        return s.count - 5_000_000_000


def instance(part: type[Part]) -> Instance:
    limits = {"letters": 2} if part in (Sending, Limiting) else {}
    sizes = {"Node": 2} if part is Ranged else {}
    return System(
        "counting", parts=[part], configurations=[Configuration("one", sizes=sizes, limits=limits)]
    ).instance()


@pytest.mark.parametrize("part", [Ranged, Sending, Checking, Setting, Picking, Claiming])
def test_a_number_that_tlc_does_not_have_is_refused_with_its_line(part: type[Part]) -> None:
    lines, first = inspect.getsourcelines(part)
    [(line, text)] = [(line, text) for line, text in enumerate(lines, first) if "# here: " in text]
    with pytest.raises(ConfigurationError) as refused:
        tla(instance(part))
    name = __file__.rpartition("/")[2]
    assert (
        str(refused.value) == f"{name}:{line}: TLC has no numbers above 2147483647; {text.split('# here: ')[1].strip()}"
    )


def test_a_limit_is_refused_too() -> None:
    with pytest.raises(ConfigurationError, match="limit letters has 5000000000"):
        tla(instance(Limiting))


def test_the_largest_numbers_that_tlc_has_are_exported() -> None:
    assert "-2147483647..2147483647" in tla(instance(Counter)).text
