"""A trace in the Informal Trace Format is followed by name or by state, and rejected with a reason."""

import json
from typing import Any

import pytest
from tests.model.systems.every_form import EVERY_FORM
from tests.model.systems.two_phase import TWO_PHASE

from genstamp_model.errors import ModelError, TraceError
from genstamp_model.explore import Compiled, Search, explore
from genstamp_model.language import (
    Configuration,
    Index,
    Instance,
    Part,
    System,
    action,
    members,
    optional,
    require,
)
from genstamp_model.path import ACTION_TAKEN, NONDET_PICKS, Path
from genstamp_model.simulate import simulate
from genstamp_model.traces import Replay, pytest_file, read, replay, steps
from genstamp_model.traces.regression import called

SYSTEM = "tests.model.systems.two_phase:TWO_PHASE"


def broken_path() -> Path:
    (bug,) = TWO_PHASE.bugs
    violation = explore(TWO_PHASE.instance(bug.configuration, bugs=[bug.name])).violation
    assert violation is not None
    return violation.path


@pytest.fixture(scope="module")
def office() -> Path:
    """A long walk through every kind of value; one that breaks something."""
    violation = simulate(EVERY_FORM.instance("wide", bugs=["overpaid"]), seed=1, runs=500, steps=60).violation
    assert violation is not None and len(violation.path) > 3
    return violation.path


def again(path: Path, change: Any = None, instance: Instance | None = None) -> Replay:
    document = json.loads(json.dumps(path.to_itf()))
    if change is not None:
        change(document)
    return replay(instance or path.instance, read(json.dumps(document).encode()))


def without(*names: str) -> Any:
    def change(document: dict[str, Any]) -> None:
        for state in document["states"]:
            for name in names:
                del state[name]

    return change


@pytest.mark.slow
def test_what_was_written_is_read_back(office: Path) -> None:
    found = again(office)
    assert found.rejection is None
    assert found.path == office


@pytest.mark.slow
def test_a_trace_of_states_alone_is_followed_by_what_they_are(office: Path) -> None:
    found = again(office, without(ACTION_TAKEN, NONDET_PICKS))
    assert found.rejection is None
    assert found.path.states == office.states


def test_a_trace_of_names_alone_is_followed_by_name(office: Path) -> None:
    variables = [variable.name for variable in office.instance.model.variables]
    assert again(office, without(*variables)).path == office
    assert replay(office.instance, steps(called(office))).path == office


def test_what_a_path_breaks_is_told() -> None:
    path = broken_path()
    [(name, number)] = again(path).broken
    assert (name, number) == ("consistent", len(path))


def test_a_step_that_is_not_possible_is_rejected_with_the_check_that_fails() -> None:
    path = broken_path()
    found = again(path, instance=TWO_PHASE.instance(path.instance.configuration.name))
    assert found.rejection is not None
    assert found.rejection.call.startswith(path.steps[found.rejection.number - 1].action.name)
    assert "it needs that" in found.rejection.reasons[0]
    assert found.path.steps == path.steps[: found.rejection.number - 1]


def test_a_state_that_is_not_the_steps_outcome_is_rejected_with_what_differs() -> None:
    def change(document: dict[str, Any]) -> None:
        [rm, *_] = document["states"][1]["rm"]["#map"]
        rm[1] = "COMMITTED"

    found = again(broken_path(), change)
    assert found.rejection is not None
    assert found.rejection.number == 1
    assert "and the trace says {rm1: COMMITTED" in found.rejection.reasons[0]


def test_another_initial_state_is_rejected() -> None:
    def change(document: dict[str, Any]) -> None:
        document["states"] = document["states"][1:]

    found = again(broken_path(), change)
    assert found.rejection is not None
    assert found.rejection.number == 0


def test_a_state_that_no_step_leads_to_is_told_from_what_comes_nearest() -> None:
    def change(document: dict[str, Any]) -> None:
        without(ACTION_TAKEN, NONDET_PICKS)(document)
        del document["states"][1]

    found = again(broken_path(), change)
    assert found.rejection is not None
    assert found.rejection.call == ""
    assert "which comes nearest" in found.rejection.reasons[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "the trace is not a JSON object"),
        (b"[1]", "the trace is not a JSON object"),
        (b"{}", "not in the Informal Trace Format: KeyError 'vars'"),
        (b'{"vars": [], "states": []}', "the trace has no state"),
        (b'{"vars": [], "states": 5}', "not in the Informal Trace Format"),
        (b'{"vars": [], "states": [{"x": {"#bigint": "abc"}}]}', "not in the Informal Trace Format"),
        (b'{"vars": [], "states": [{"x": {"import os": 1}}]}', "not in the Informal Trace Format"),
        (b'{"vars": [], "states": [{"mbt::actionTaken": 5}]}', "is not text but 5"),
        (b'{"vars": [], "states": [{"x": ' + b"[" * 5000 + b"]" * 5000 + b"}]}", "the trace is"),
    ],
)
def test_what_is_no_trace_is_an_error(text: bytes, message: str) -> None:
    with pytest.raises(TraceError, match=message):
        read(text)


@pytest.mark.parametrize(
    ("trace", "message"),
    [
        ([("explode", {})], "takes an action 'explode', which two_phase does not have; it has"),
        ([("rm_prepare", {"rn": "rm1"})], "gives rm_prepare an argument 'rn'; it has rm"),
    ],
)
def test_what_the_model_does_not_have_is_an_error(trace: list[Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        replay(TWO_PHASE.instance(), steps(trace))


def test_a_member_that_does_not_exist_is_a_rejection() -> None:
    found = replay(TWO_PHASE.instance(), steps([("rm_prepare", {"rm": "rm99"})]))
    assert found.rejection is not None
    assert found.rejection.reasons == ("rm_prepare has no choice of arguments that is named so: rm rm99",)


def test_a_variable_that_does_not_exist_is_an_error() -> None:
    text = b'{"vars": ["x"], "states": [{"x": 1}]}'
    with pytest.raises(TraceError, match="a variable 'x', which two_phase does not have"):
        replay(TWO_PHASE.instance(), read(text))


def test_the_pytest_file_passes_and_fails_once_the_trace_differs() -> None:
    text = pytest_file(broken_path(), SYSTEM)
    # The systems of the tests stand beside the package; a user's are installed.
    names: dict[str, Any] = {}
    compiled = compile(text, "test_trace.py", "exec")
    exec(compiled, names)
    (test,) = (value for name, value in names.items() if name.startswith("test_"))
    test()
    names["STEPS"].pop()
    with pytest.raises(AssertionError):
        test()


@pytest.mark.parametrize("system", ["two_phase", "a:b:c", "a b:C", ":X"])
def test_a_pytest_file_needs_to_know_where_the_system_is(system: str) -> None:
    with pytest.raises(TraceError, match="expected module:NAME"):
        pytest_file(broken_path(), system)


def test_a_witness_can_be_replayed() -> None:
    search = Search(Compiled(TWO_PHASE.instance()))
    result = search.run()
    for name, length in result.witnesses.items():
        path = search.witness(name)
        assert path is not None
        assert again(path).path == path and len(path) == length


class Taker(Index):
    """Somebody."""


class Hall(Part):
    """Who was taken is used; the trace may leave out who it was."""

    taken = optional(Taker)
    used = members(Taker)

    @action
    def take(s, taker: Taker) -> None:
        """Somebody is taken."""
        s.taken = taker

    @action
    def use(s, taker: Taker) -> None:
        """Whoever was taken is used."""
        require(s.taken == taker, "it was taken")
        require(~s.used.has(taker), "it was not used")
        s.used.add(taker)


HALL = System("hall", parts=[Hall], configurations=[Configuration("two", sizes={"Taker": 2})])


def taking(*steps: dict[str, Any], **loop: Any) -> Replay:
    document = {"vars": [], "states": [{}, *steps], **loop}
    return replay(HALL.instance(), read(json.dumps(document).encode()))


def step(name: str, **picks: str) -> dict[str, Any]:
    return {ACTION_TAKEN: name, NONDET_PICKS: picks}


def test_what_a_trace_leaves_out_may_be_anything_that_a_later_step_needs() -> None:
    found = taking(step("take"), step("use", taker="taker2"))
    assert found.rejection is None
    assert [called.arguments for called in found.path.steps] == [(1,), (1,)]
    refused = taking(step("take"), step("use", taker="taker2"), step("use"))
    assert refused.rejection is not None and refused.rejection.number == 3


@pytest.mark.parametrize("word", [{}, {"#meta": {"loop_closes": "so I say"}}])
def test_a_loop_closes_whatever_the_trace_says_of_it(word: dict[str, Any]) -> None:
    closed = taking(step("take", taker="taker1"), step("take", taker="taker2"), loop=1, **word)
    assert (closed.rejection, closed.loop) == (None, 1)
    open_loop = taking(step("take", taker="taker1"), step("use"), loop=1, **word)
    assert open_loop.rejection is not None and "no step leads" in open_loop.rejection.reasons[0]
