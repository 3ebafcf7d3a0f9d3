"""Many mutants together: who is noticed is out, and what is dear is searched for what nobody can prove."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import pytest
from tests.model.mutate.test_equivalence import CELLAR

from genstamp_model.language import Configuration
from genstamp_model.mutate import Mutant, Outcome, baseline, judge, judged, mutants

T = TypeVar("T")

SMALL, LARGE = (Configuration(f"up_to_{most}", sizes={}, limits={"bottles": most}) for most in (1, 3))


class Watched:
    """Does the work and remembers who was worked on, for what."""

    def __init__(self) -> None:
        self.told: dict[str, set[str]] = {}

    def __call__(self, task: Callable[[Mutant], T], of: Sequence[Mutant], told: str) -> Iterable[T]:
        self.told[told] = {one.name for one in of}
        return map(task, of)


@pytest.mark.slow
def test_the_dear_is_searched_for_what_is_neither_noticed_nor_proved() -> None:
    model, share = CELLAR.model(), Watched()
    outcomes = judged(model, mutants(model), [SMALL], [LARGE], share=share)
    noticed = {one.mutant.name for one in outcomes if "up_to_1: " in "".join(one.noticed.values())}
    proved = {one.mutant.name for one in outcomes if one.proved}
    assert noticed and proved
    assert share.told["up_to_1"] >= noticed
    assert not share.told.get("up_to_3", set()) & (noticed | proved)
    assert not share.told["proofs that nothing is changed"] & noticed


@pytest.mark.slow
@pytest.mark.parametrize("every", [False, True])
def test_what_is_noticed_does_not_depend_on_who_is_judged_with_it(every: bool) -> None:
    model, configurations = CELLAR.model(), [SMALL, LARGE]
    bases = baseline(model, configurations)
    together = judged(model, mutants(model), [SMALL], [LARGE], every=every)
    alone = [judge(one, bases, every=every) for one in mutants(model)]
    assert [(_searched(one), one.same) for one in together] == [(_searched(one), one.same) for one in alone]


def _searched(outcome: Outcome) -> dict[str, str]:
    """What was noticed by searching: proofs are no part of `judge`."""
    return {name: seen for name, seen in outcome.noticed.items() if name != "proofs"}


def test_what_is_no_other_program_anywhere_is_not_proved() -> None:
    model = CELLAR.model()
    unchanged = Mutant("lay_down", "nowhere", "nothing", "", mutants(model)[0].source, model)
    share = Watched()
    [outcome] = judged(model, [unchanged], [SMALL], [LARGE], share=share)
    assert (outcome.same, outcome.proved, outcome.noticed) == (True, False, {})
    assert share.told["programs of up_to_1, up_to_3"] == {unchanged.name}
    assert "proofs that nothing is changed" not in share.told
