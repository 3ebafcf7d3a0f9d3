"""A call that one action answers and another one refuses gives a mutant away that lets nothing else happen."""

from dataclasses import replace

import pytest

from genstamp_model.explore import explore
from genstamp_model.language import Configuration, Index, Instance, Part, System, action, flag, members, require
from genstamp_model.mutate import baseline, judge, mutants
from genstamp_model.mutate.answers import contradictions


class Guest(Index):
    """Whoever asks."""


class Desk(Part):
    """A guest gets a key once, and whoever asks again is told so; a closed desk gives out none."""

    given = members(Guest)
    closed = flag()

    @action
    def close(s) -> None:
        """The desk closes for good."""
        require(~s.closed, "the desk is open")
        s.closed = True

    @action
    def ask(s, guest: Guest) -> None:
        """A guest gets a key."""
        require(s.given.has(guest) | ~s.closed, "the desk is open, or the guest has a key", "ClosedException")
        require(~s.given.has(guest), "the guest has no key yet")
        s.given.add(guest)

    @action(event="ask")
    def ask_again(s, guest: Guest) -> None:
        """The guest has a key already."""
        require(s.given.has(guest), "the guest has a key")


class RudeDesk(Desk):
    """The same, but a closed desk refuses also those who have a key."""

    @action
    def ask(s, guest: Guest) -> None:
        """A guest gets a key."""
        require(~s.closed, "the desk is open", "ClosedException")
        require(~s.given.has(guest), "the guest has no key yet")
        s.given.add(guest)


def _desk(part: type[Part]) -> System:
    return System("desk", parts=[part], configurations=[Configuration("two", sizes={"Guest": 2})])


@pytest.mark.parametrize(("part", "reached_in"), [(Desk, None), (RudeDesk, 2)])
def test_who_refuses_what_another_one_answers_is_found(part: type[Part], reached_in: int | None) -> None:
    model = _desk(part).model()
    claims = contradictions(model)
    assert [claim.name for claim in claims] == ["ask refuses what ask_again answers"]
    found = explore(Instance(replace(model, properties=claims), _desk(part).configuration()))
    assert found.witnesses[claims[0].name] == reached_in


def test_only_pairs_with_the_action_that_is_asked_for_are_looked_at() -> None:
    assert len(contradictions(_desk(Desk).model(), "ask_again")) == 1
    assert contradictions(_desk(Desk).model(), "close") == ()


def test_a_mutant_that_refuses_what_is_answered_is_noticed() -> None:
    model = _desk(Desk).model()
    [mutant] = [
        one for one in mutants(model) if str(one).startswith("ask: ") and "given, guest) becomes ~" in str(one)
    ][:1]
    assert judge(mutant, baseline(model, _desk(Desk).configurations)).noticed["answers"] == (
        "two: ask refuses what ask_again answers"
    )


def test_what_the_model_itself_answers_and_refuses_gives_nobody_away() -> None:
    model = _desk(RudeDesk).model()
    for mutant in mutants(model):
        assert "answers" not in judge(mutant, baseline(model, _desk(RudeDesk).configurations), every=True).noticed
