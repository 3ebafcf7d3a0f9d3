"""What nobody can see until later: orders that a network or a scheduler may bring about, chosen by number.

A run asks for an order where it needs one, and gets the first unless another was chosen. Whoever drives the run may
choose another afterwards and make the same steps again: as long as nothing observable changes, it was that order all
along.
"""

from collections.abc import Iterator, Sequence
from itertools import islice, permutations
from math import factorial


class Orders:
    """The orders of one run.

    Attributes:
        chosen: the number of the order that was chosen, by what it is the order of; the first where none was.
        asked: how many orders there are, by what was asked for, in the order of the run.
        decided: those of which no other one is possible any more.
    """

    def __init__(self) -> None:
        self.chosen: dict[str, int] = {}
        self.asked: dict[str, int] = {}
        self.decided: set[str] = set()

    def of(self, what: str, members: Sequence[str]) -> tuple[str, ...]:
        """The members in the order that was chosen."""
        self.asked[what] = factorial(len(members))
        return next(islice(permutations(members), self.chosen.get(what, 0), None))

    def either(self, what: str) -> bool:
        """One of two: False unless the other one was chosen."""
        self.asked[what] = 2
        return bool(self.chosen.get(what, 0))

    def others(self) -> Iterator[dict[str, int]]:
        """What else could have been chosen, one thing changed at a time, what was asked for last first."""
        for what, number in reversed(tuple(self.asked.items())):
            for other in range(number):
                if what not in self.decided and other != self.chosen.get(what, 0):
                    yield {**self.chosen, what: other}
