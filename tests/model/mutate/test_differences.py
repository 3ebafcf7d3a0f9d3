"""Where a mutant differs: only states in which one of its steps is another one show it."""

from dataclasses import replace

import pytest
from tests.model.mutate.test_equivalence import CELLAR
from tests.model.mutate.test_rounds import LARGE, SMALL
from tests.model.systems.fenced_lock import FENCED_LOCK

from genstamp_model.language import Instance, System
from genstamp_model.mutate import Equivalence, Mutant, baseline, judge, judged, mutants
from genstamp_model.mutate.differences import differing
from genstamp_model.mutate.never import never_differ


def _of(system: System, said: str) -> Mutant:
    [found] = [one for one in mutants(system.model()) if str(one).startswith(said)]
    return found


@pytest.mark.parametrize(
    ("mutant", "differs"),
    [
        ("lay_down: check 'there is no debt': dropped", []),
        ("unlock: check 'it was locked for a reason': dropped", []),
        ("drink: check 'the door is open': dropped", [SMALL, LARGE]),
        ("drink: effect on bottles: left out", [SMALL, LARGE]),
        ("drink: check 'there is a bottle': 0 becomes 1", [SMALL, LARGE]),
    ],
)
def test_a_reached_state_shows_a_difference(mutant: str, differs: list[object]) -> None:
    one = _of(CELLAR, mutant)
    assert [where for where in (SMALL, LARGE) if differing(Instance(CELLAR.model(), where), [one])] == differs


def test_another_refusal_is_a_difference() -> None:
    model = CELLAR.model()
    lay_down = model.action("lay_down")
    silent = replace(lay_down, checks=tuple(replace(check, refuses=None) for check in lay_down.checks))
    actions = tuple(silent if one is lay_down else one for one in model.actions)
    mutant = Mutant("lay_down", "refuses", "nothing", "", lay_down.source, replace(model, actions=actions))
    assert differing(Instance(model, SMALL), [mutant]) == {mutant.name}


def test_what_differs_in_no_reached_state_is_no_survivor() -> None:
    """Without its invariant nothing is proved of the cellar."""
    model = replace(CELLAR.model(), properties=())
    [mutant] = [one for one in mutants(model) if one.place == "check 'it was locked for a reason'" and not one.digest]
    [outcome] = judged(model, [mutant], [SMALL], [LARGE], proofs=False)
    assert (outcome.alike, outcome.same, outcome.proved, outcome.noticed) == (True, False, False, {})


def test_it_is_proved_with_invariants_that_are_looked_for() -> None:
    model = replace(CELLAR.model(), properties=())
    equivalence = Equivalence(Instance(model, SMALL))
    [mutant] = [one for one in mutants(model) if one.place == "check 'it was locked for a reason'" and not one.digest]
    other = _of(CELLAR, "drink: check 'the door is open': dropped")
    assert not equivalence.proves(mutant)
    assert never_differ([equivalence, Equivalence(Instance(model, LARGE))], [mutant, other]) == {mutant.name}


@pytest.mark.slow
def test_what_a_judge_notices_differs() -> None:
    """With messages, picked numbers and records."""
    instance, model = FENCED_LOCK.instance(), FENCED_LOCK.model()
    some = mutants(model)[::3]
    bases = baseline(model, [instance.configuration])
    noticed = {one.mutant.name for one in (judge(mutant, bases) for mutant in some) if one.noticed}
    found = differing(instance, some)
    assert noticed and noticed <= found
