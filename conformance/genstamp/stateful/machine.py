"""The Hypothesis machine: each request is one that the model suggests, and every answer is checked.

Each run draws from a generator that Hypothesis seeds, rather than choice by choice: Hypothesis likes to repeat itself
with small changes, which walks few long ways. Making a failing run shorter is left to `shorten.py`, which knows what
can be left out of it; so the first run that fails ends the search.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from random import Random
from typing import Final

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from genstamp.adapters import Cluster
from genstamp.stateful.chooser import Chooser
from genstamp.stateful.run import Run

_SEEDS: Final = 4
"""How many ways of what the implementation leaves to chance are tried at least; all settings of a run are."""

_BITS: Final = st.tuples(*[st.booleans()] * 64)
"""What a run's generator begins with, bit by bit: among numbers Hypothesis prefers the constants of the modules that
are loaded, and so a seed would not replay in another program."""


REQUESTS_AT_ONCE: Final = 10
"""Requests of one rule: between two rules Hypothesis spends more time than the model on a request."""


class EndOfSearch(BaseException):
    """A run failed; Hypothesis lets this pass, and so does not look for a shorter run itself.

    Attributes:
        error: why the run ended.
    """

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


def machine_class(
    begin: Callable[[Cluster], Run], cluster: Cluster, choose: Callable[[Random], Chooser], steps: int, settings: int
) -> type[RuleBasedStateMachine]:
    """The machine that makes runs.

    Args:
        begin: begins a run.
        cluster: the largest that a run has.
        choose: begins to choose the requests of a run.
        steps: requests of a run.
        settings: how many seeds in a row set up a run otherwise.
    """

    class Conformance(RuleBasedStateMachine):
        _run: Run
        _chooser: Chooser
        _left: int = steps

        @initialize(bits=_BITS)
        def start(self, bits: tuple[bool, ...]) -> None:
            """A run begins."""
            chance = Random(sum(bit << place for place, bit in enumerate(bits)))
            self._chooser = choose(chance)
            with _no_second_try():
                self._run = begin(_part_of(cluster, chance, max(_SEEDS, settings)))

        @rule()
        def request(self) -> None:
            """Ask for some things, one after the other, and hold all that comes."""
            with _no_second_try():
                for _ in range(min(REQUESTS_AT_ONCE, self._left)):
                    self._left -= 1
                    request = None if self._run.tracker.is_undetermined else self._chooser.next_request(self._run)
                    if request is not None:
                        self._run.request(request)

    return Conformance


def _part_of(cluster: Cluster, chance: Random, seeds: int) -> Cluster:
    """A cluster of as many clients, but perhaps fewer files and datanodes, on which some ways are shorter."""
    return replace(
        cluster,
        files=cluster.files[: chance.randint(1, len(cluster.files))],
        datanodes=cluster.datanodes[: chance.randint(1, len(cluster.datanodes))],
        seed=chance.randrange(seeds),
    )


@contextmanager
def _no_second_try() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        raise EndOfSearch(error) from error
