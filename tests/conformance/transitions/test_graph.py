"""The graph of a small instance, held against `evaluate`, one state after the other."""

import pytest

from genstamp.systems import system_named
from genstamp.transitions import Abstraction, Graph, Transition
from genstamp_model.evaluate import Evaluator
from genstamp_model.language import Configuration, Instance
from genstamp_spec.hdfs.systems.lease import OFF


def _instance(system: str) -> Instance:
    declared = system_named(system)
    model = declared.model(None)
    match system:
        case "hdfs.lease":
            one = {"Client": 1, "File": 1, "Datanode": 1}
            return Instance(model, Configuration("no_block", one, {**OFF, "stamps": 0}))
        case "hdfs.recovery":
            one = {"Client": 1, "File": 1, "Datanode": 1}
            return Instance(model, Configuration("no_crash", one, {"stamps": 2, "bytes": 1, "crashes": 0}))
        case _:
            return Instance(model, declared.configuration("upgrade"))


@pytest.mark.slow
@pytest.mark.parametrize("system", ["hdfs.lease", "hdfs.recovery", "hdfs.pipeline"])
def test_a_graph_has_the_states_and_steps_that_evaluate_has(system: str) -> None:
    instance = _instance(system)
    graph, evaluator = Graph(instance), Evaluator(instance)
    abstraction = Abstraction(evaluator, ())
    found: set[Transition] = set()
    moves = 0
    for place in range(len(graph)):
        state = graph.state(place)
        assert graph.place(state) == place
        for step in evaluator.steps(state):
            if not evaluator.beyond(step.after):
                assert graph.place(step.after) is not None
                moves += step.after != state
                if not step.action.hidden:
                    found.add(abstraction.of(step.action, step.arguments, None, state, step.after))
        for action, arguments, check in evaluator.refusals(state):
            if not action.hidden:
                found.add(abstraction.of(action, arguments, check, state, state))
    assert len(graph) > 10
    assert moves == int((graph.sources != graph.targets).sum())
    assert found == graph.abstract
