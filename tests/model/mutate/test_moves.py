"""An action that changes nothing any more gives a mutant away that has as many states and steps as before."""

from dataclasses import replace

import pytest

from genstamp_model.explore import explore
from genstamp_model.language import Configuration, Index, Instance, Part, System, action, flag, members, require
from genstamp_model.mutate import baseline, judge, mutants
from genstamp_model.mutate.moves import moves


class Caller(Index):
    """Whoever waits for an answer."""


class Line(Part):
    """A caller waits until it is answered or hangs up: what comes of both is the same."""

    waiting = members(Caller)
    cut = flag()

    @action
    def call(s, caller: Caller) -> None:
        """A caller waits."""
        require(~s.waiting.has(caller), "the caller does not wait")
        s.waiting.add(caller)

    @action
    def answer(s, caller: Caller) -> None:
        """The caller waits no more."""
        require(s.waiting.has(caller), "the caller waits")
        s.waiting.remove(caller)

    @action
    def hang_up(s, caller: Caller) -> None:
        """The caller waits no more either."""
        require(s.waiting.has(caller), "the caller waits")
        s.waiting.remove(caller)


class DeafLine(Line):
    """Whoever is answered hears nothing."""

    @action
    def answer(s, caller: Caller) -> None:
        """The caller goes on waiting."""
        require(s.waiting.has(caller), "the caller waits")


class MuteLine(Line):
    """A line that was never cut is not cut."""

    @action
    def answer(s, caller: Caller) -> None:
        """The caller goes on waiting."""
        require(s.waiting.has(caller), "the caller waits")
        s.cut = False


def _line(part: type[Part]) -> System:
    return System("line", parts=[part], configurations=[Configuration("two", sizes={"Caller": 2})])


@pytest.mark.parametrize(("part", "steps"), [(Line, 1), (DeafLine, None), (MuteLine, None)])
def test_it_is_found_whether_an_action_changes_something(part: type[Part], steps: int | None) -> None:
    model = _line(part).model()
    claims = moves(model)
    assert [claim.name for claim in claims] == [
        "call changes something",
        "answer changes something",
        "hang_up changes something",
    ]
    found = explore(Instance(replace(model, properties=claims), _line(part).configuration()))
    assert found.taken["answer"] > 0
    assert found.witnesses["answer changes something"] == steps


def test_only_the_action_that_is_asked_for_is_looked_at() -> None:
    assert [claim.name for claim in moves(_line(Line).model(), "call")] == ["call changes something"]


def test_a_mutant_whose_action_changes_nothing_any_more_is_noticed() -> None:
    """There are as many states, steps and levels as before, and every action is taken."""
    model = _line(Line).model()
    left_out = [one for one in mutants(model) if str(one).startswith("answer: effect on waiting: left out")]
    (mutant,) = left_out
    assert judge(mutant, baseline(model, _line(Line).configurations), every=True).noticed == {
        "coverage": "two: never reached: answer changes something",
        "effects": "two: no more: answer changes waiting",
    }
