"""A call that one action answers and another one refuses gives a mutant away that lets nothing else happen."""

from dataclasses import replace

import pytest

from genstamp_model.explore import explore
from genstamp_model.language import (
    Configuration,
    Index,
    Instance,
    Part,
    Record,
    System,
    action,
    bag,
    flag,
    forall,
    members,
    number,
    pick,
    require,
)
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


class Key(Index):
    """What a guest gets."""


class Keys(Part):
    """A guest is given a free key, or is told that none is left."""

    taken = members(Key)

    @action
    def ask(s, key: Key) -> None:
        """A guest gets a key."""
        require(~s.taken.has(key), "the key is free")
        s.taken.add(key)

    @action(event="ask")
    def ask_in_vain(s) -> None:
        """All keys are given."""
        require(forall(Key, lambda key: s.taken.has(key)), "no key is left")


class Wish(Record):
    """So many keys are asked for."""

    keys = number(0, 2)


class Post(Part):
    """Wishes come by letter, and the desk has any number of keys up to two on that day."""

    wishes = bag(Wish, limit="wishes")
    given = number(0, 2)

    @action
    def write(s) -> None:
        """Somebody asks."""
        s.wishes.send(Wish(keys=pick("keys", 0, 2)))

    @action
    def serve(s) -> None:
        """There are enough."""
        wish, there = s.wishes.receive(), pick("there", 0, 2)
        require(wish.keys < there, "there are keys enough")
        s.wishes.take(wish)
        s.given = wish.keys

    @action(event="serve")
    def serve_in_vain(s) -> None:
        """There are not."""
        wish, there = s.wishes.receive(), pick("there", 0, 2)
        require(wish.keys >= there, "there are too few keys")
        s.wishes.take(wish)


def _desk(part: type[Part]) -> System:
    return System("desk", parts=[part], configurations=[Configuration("two", sizes={"Guest": 2})])


LETTERS = System("letters", parts=[Post], configurations=[Configuration("two", sizes={}, limits={"wishes": 2})])
ROOM = System("room", parts=[Keys], configurations=[Configuration("two", sizes={"Key": 2})])


@pytest.mark.parametrize(("part", "reached_in"), [(Desk, None), (RudeDesk, 2)])
def test_who_refuses_what_another_one_answers_is_found(part: type[Part], reached_in: int | None) -> None:
    model = _desk(part).model()
    claims = contradictions(model)
    assert [claim.name for claim in claims] == [
        "ask and ask_again answer one call",
        "ask refuses what ask_again answers",
        "ask has no outcome",
    ]
    found = explore(Instance(replace(model, properties=claims), _desk(part).configuration()))
    assert list(found.witnesses.values()) == [None, reached_in, None]


def test_only_pairs_with_the_action_that_is_asked_for_are_looked_at() -> None:
    assert len(contradictions(_desk(Desk).model(), "ask_again")) == 3
    assert contradictions(_desk(Desk).model(), "close") == ()


def test_a_mutant_that_refuses_what_is_answered_is_noticed() -> None:
    model = _desk(Desk).model()
    [mutant] = [
        one for one in mutants(model) if str(one).startswith("ask: ") and "given, guest) becomes ~" in str(one)
    ][:1]
    assert judge(mutant, baseline(model, _desk(Desk).configurations)).noticed["answers"] == (
        "two: ask refuses what ask_again answers"
    )


@pytest.mark.slow
def test_what_the_model_itself_answers_and_refuses_gives_nobody_away() -> None:
    model = _desk(RudeDesk).model()
    for mutant in mutants(model):
        found = judge(mutant, baseline(model, _desk(RudeDesk).configurations), every=True).noticed
        assert "refuses" not in found.get("answers", "")


@pytest.mark.parametrize(
    ("system", "change", "seen"),
    [
        (_desk(Desk), "ask: check 'the guest has no key yet': dropped", "two: ask and ask_again answer one call"),
        (ROOM, "ask: check 'the key is free': member(taken, key) becomes", "two: ask has no outcome"),
        (LETTERS, "serve: check 'there are keys enough': dropped", "two: serve and serve_in_vain answer one call"),
        (LETTERS, "serve_in_vain: check 'there are too few keys': (there <= wishes", "two: serve has no outcome"),
    ],
)
def test_a_mutant_that_gives_a_call_two_outcomes_or_none_is_noticed(system: System, change: str, seen: str) -> None:
    """Nobody is refused by it: only what the other action of the call says shows it."""
    model = system.model()
    [mutant] = [one for one in mutants(model) if str(one).startswith(change)]
    assert judge(mutant, baseline(model, system.configurations), every=True).noticed["answers"] == seen


def test_an_argument_that_only_one_action_has_belongs_to_its_outcome() -> None:
    """Whoever asks may be given any of the keys: that is one call, with as many outcomes as there are keys."""
    claims = contradictions(ROOM.model())
    assert {one.parameters for one in claims} == {()}
    found = explore(Instance(replace(ROOM.model(), properties=claims), ROOM.configuration()))
    assert found.witnesses == {"ask and ask_in_vain answer one call": None, "ask has no outcome": None}
