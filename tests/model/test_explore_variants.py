"""A model of which one action was exchanged is searched as if all of it had been compiled."""

import pytest
from tests.model.mutate.test_judging import PUMP
from tests.model.systems.two_phase import TWO_PHASE

from genstamp_model.explore import Compiled, Result, Search
from genstamp_model.explore.variants import Variants
from genstamp_model.language import Configuration, Instance, System
from genstamp_model.mutate import mutants

MOST_STATES = 2_000


def found(result: Result) -> tuple[object, ...]:
    """All that a result says but for times and sizes."""
    broken = result.violation and (result.violation.kind, result.violation.name, len(result.violation.path))
    counts = (result.verdict, result.states, result.generated, result.depth, result.cuts, result.taken)
    return (*counts, result.refusals, result.witnesses, result.refined, broken)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("system", "configuration"),
    [(PUMP, PUMP.configuration()), (TWO_PHASE, TWO_PHASE.configuration("three"))],
    ids=["pump", "two_phase"],
)
def test_an_exchanged_action_is_searched_as_the_whole_model(system: System, configuration: Configuration) -> None:
    model = system.model()
    variants = Variants(Instance(model, configuration))
    own = Search(Compiled(Instance(model, configuration))).run()
    assert found(Search(variants.compiled(model)).run()) == found(own)
    others = mutants(model)[::3]
    for mutant in others:
        whole = Compiled(Instance(mutant.model, configuration))
        exchanged = variants.compiled(mutant.model, mutant.action)
        assert found(Search(exchanged, MOST_STATES).run()) == found(Search(whole, MOST_STATES).run()), str(mutant)
    assert any(variants.changes(one.model.action(one.action)) for one in others)
    assert not variants.changes(model.actions[0])
