"""Parameters that range over subsets, labels and numbers: beyond what the judges' agreement shows."""

import json
import random

import pytest
from tests.model.systems.choices import CHOICES, Guest, Mood

from genstamp_model.errors import ConfigurationError, SpecError
from genstamp_model.evaluate import Evaluator, Step
from genstamp_model.explore import Verdict, explore
from genstamp_model.language import (
    Configuration,
    Enumerated,
    Members,
    Part,
    RefinementDeclaration,
    System,
    action,
    enumeration,
    members,
    none,
    optional,
    require,
    when,
)
from genstamp_model.path import Path
from genstamp_model.traces import read, replay

SIZES = [Configuration("two", sizes={"Guest": 2})]


class Group(Part):
    """What the lower system below is: a set that may be another one in each step, and a mood."""

    group = members(Guest)
    mood = enumeration(Mood)

    @action
    def change_group(s, group: Members[Guest]) -> None:
        """To any group but none."""
        require(~group.is_empty(), "somebody is in it")
        s.group = group

    @action
    def change_mood(s, mood: Enumerated[Mood]) -> None:
        """To another mood."""
        require(s.mood != mood, "it is another one")
        s.mood = mood


class Growing(Part):
    """One comes after the other."""

    came = members(Guest)
    is_loud = optional(Guest)

    @action
    def come(s, guest: Guest) -> None:
        """One more."""
        s.came.add(guest)

    @action
    def shout(s, guest: Guest) -> None:
        """Somebody is loud."""
        require(s.is_loud.is_none(), "it was quiet")
        s.is_loud = guest


class Leaving(Growing):
    """Where nobody may be left."""

    @action
    def come(s, guest: Guest) -> None:
        """The last one leaves too."""
        s.came.remove(guest)
        s.is_loud = none

    @action
    def shout(s, guest: Guest) -> None:
        """Somebody comes."""
        s.came.add(guest)


class Half(Part):
    """A step that does not show which group was picked."""

    group = members(Guest)
    mood = enumeration(Mood)

    @action
    def add(s, group: Members[Guest]) -> None:
        """Some more."""
        s.group = s.group | group


def refining(lower: type[Growing], upper: type[Part]) -> System:
    above = System("upper", parts=[upper], configurations=SIZES)
    mapping = {"group": lambda s: s.came, "mood": lambda s: when(s.is_loud.is_none(), Mood.QUIET, Mood.LOUD)}
    return System("lower", parts=[lower], configurations=SIZES, refines=[RefinementDeclaration(above, mapping)])


def test_a_refinement_finds_the_subset_and_the_label() -> None:
    found = explore(refining(Growing, Group).instance())
    assert (found.verdict, found.states) == (Verdict.HOLDS, 12)
    broken = explore(refining(Leaving, Group).instance()).violation
    assert broken is not None
    assert broken.name == "refines upper"
    assert any("change_group(group {guest1}): group would be {guest1}, not {}" in line for line in broken.story)


def test_a_refinement_does_not_try_all_subsets() -> None:
    with pytest.raises(SpecError, match="action add of upper picks 'group' from subsets"):
        refining(Growing, Half).model()


def test_an_index_set_of_many_members_has_too_many_subsets() -> None:
    many = System("many", parts=[Group], configurations=[Configuration("many", sizes={"Guest": 17})])
    with pytest.raises(ConfigurationError, match="ranges over the subsets of 17 members in configuration many"):
        many.instance()


def test_a_trace_with_subsets_and_labels_is_replayed() -> None:
    instance, draw = CHOICES.instance("g2"), random.Random(1)
    evaluator = Evaluator(instance)
    state, walked = evaluator.initial(), list[Step]()
    for _ in range(40):
        walked.append(draw.choice(list(evaluator.steps(state))))
        state = walked[-1].after
    path = Path(instance, evaluator.initial(), tuple(walked))
    assert {step.action.name for step in walked} == {"come", "dance", "turn"}
    assert replay(instance, read(json.dumps(path.to_itf()).encode())).path == path
