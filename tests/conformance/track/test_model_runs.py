"""What a model does itself conforms to it, however little of it is shown: the tracker never loses the state that is."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conformance.track.lock_service import LOCK_SERVICE

from genstamp.events import Event
from genstamp.track import Conforms, Tracker
from genstamp_model.evaluate import State, Step
from genstamp_model.language import System
from genstamp_model.language.types import IndexSet
from genstamp_spec.hdfs.systems.recovery import RECOVERY

pytestmark = pytest.mark.slow

SYSTEMS = {
    "lock_service": (LOCK_SERVICE, {"Holder": ["alice", "bob"]}),
    "hdfs.recovery": (RECOVERY, {"Client": ["c1", "c2"], "File": ["/a"], "Datanode": ["dn1", "dn2"]}),
}


def shown(tracker: Tracker, state: State, step: Step, chance: random.Random, share: float) -> Event:
    """The step as an event that shows some of its arguments and observations."""
    fit, action = tracker.fit, step.action
    observed = fit.evaluator.observed(action, step.arguments, state)
    words = {
        name: fit.names.text(observed[name], expression.type, name)
        for name, expression in action.observations
        if chance.random() < share
    }
    arguments = {
        parameter.name: fit.names.text(value, parameter.type)
        for parameter, value in zip(action.parameters, step.arguments, strict=True)
        if isinstance(parameter.domain, IndexSet) and chance.random() < share
    }
    columns = {name: int(words.pop(name)) for name in ("generation_stamp", "recovery_id", "num_bytes") if name in words}
    return Event(
        source="model",
        node="model",
        node_sequence=1,
        kind="node",
        namespace="model",
        entity="",
        event=action.event,
        refused_with=action.refuses,
        generation_stamp=columns.get("generation_stamp"),
        recovery_id=columns.get("recovery_id"),
        num_bytes=columns.get("num_bytes"),
        arguments=arguments,
        observed=words,
    )


def walk(system: System, members: dict[str, list[str]], semantics: str, seed: int, share: float, length: int) -> None:
    """A walk of the model, hidden steps included, fed to a tracker."""
    chance = random.Random(seed)
    tracker = Tracker(system.model(semantics), members, first_stamp=1001, max_states=3_000)
    [state] = tracker.fit.initials()
    for _ in range(length):
        steps = list(tracker.fit.evaluator.steps(state))
        if not steps:
            return
        step = chance.choice(steps)
        if not step.action.hidden:
            answer = tracker.feed(shown(tracker, state, step, chance, share))
            if tracker.is_undetermined:
                return
            assert isinstance(answer, Conforms), answer
        state = step.after
        assert state in tracker.states


@pytest.mark.parametrize("name", SYSTEMS)
@settings(max_examples=15)
@given(seed=st.integers(0, 2**32), share=st.sampled_from([1.0, 0.8, 0.5]), data=st.data())
def test_a_walk_of_the_model_conforms(name: str, seed: int, share: float, data: st.DataObject) -> None:
    system, members = SYSTEMS[name]
    semantics = data.draw(st.sampled_from(sorted(system.semantics)))
    walk(system, members, semantics, seed, share, length=25)
