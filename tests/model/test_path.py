"""A path reads as numbered steps with what changed, and other tools can read it as ITF."""

import json

import pytest
from itf_py import trace_from_json
from tests.model.systems.every_form import EVERY_FORM
from tests.model.systems.two_phase import TWO_PHASE

from genstamp_model.evaluate import Evaluator
from genstamp_model.language import Instance
from genstamp_model.path import Path, changes, follow


def taken(instance: Instance, *calls: str) -> Path:
    """The path of steps given as `evaluate` shows them."""
    evaluator = Evaluator(instance)
    path = Path(instance, evaluator.initial())
    for call in calls:
        steps = evaluator.steps(path.states[-1])
        step = next(step for step in steps if evaluator.call(step.action, step.arguments) == call)
        path = Path(instance, path.initial, (*path.steps, step))
    return path


@pytest.fixture(scope="module")
def office() -> Path:
    return taken(
        EVERY_FORM.instance("tiny"),
        "accept(clerk clerk1, shelf shelf1, weight 1)",
        "order(clerk clerk1, shelf none)",
        "draw_ticket(clerk clerk1)",
        "deliver(shelf shelf1)",
        "dispatch(orders (clerk clerk1, shelf none, weight 1, urgent false))",
    )


def test_steps_are_shown_with_only_what_they_change(office: Path) -> None:
    assert str(office) == (
        "  1. accept(clerk clerk1, shelf shelf1, weight 1)\n"
        "       parcel[shelf1]: absent -> stored\n"
        "       label[shelf1].fragile: false -> true\n"
        "  2. order(clerk clerk1, shelf none)\n"
        "       orders: [] -> [(clerk clerk1, shelf none, weight 1, urgent false)]\n"
        "  3. draw_ticket(clerk clerk1)\n"
        "       ticket: 1 -> 2\n"
        "       queue: [] -> [clerk1]\n"
        "  4. deliver(shelf shelf1)\n"
        "       parcel[shelf1]: stored -> absent\n"
        "       label[shelf1].fragile: true -> false\n"
        "       journal: [] -> [(addressee none, weight 1, fragile true)]\n"
        "       deliveries: 0 -> 1\n"
        "  5. dispatch(orders (clerk clerk1, shelf none, weight 1, urgent false))\n"
        "       orders: [(clerk clerk1, shelf none, weight 1, urgent false)] -> []"
    )


def test_a_path_is_as_long_as_its_steps(office: Path) -> None:
    assert len(office) == 5
    assert len(office.states) == 6


def test_itf_names_actions_picks_and_values(office: Path) -> None:
    itf = json.loads(json.dumps(office.to_itf(source="a test")))
    assert itf["#meta"] == {
        "format": "ITF",
        "system": "every_form",
        "semantics": "plain",
        "configuration": "tiny",
        "source": "a test",
    }
    first, accepted, ordered = itf["states"][:3]
    assert first["mbt::actionTaken"] == "init"
    assert accepted["mbt::actionTaken"] == "accept"
    assert accepted["mbt::nondetPicks"]["weight"] == {"#bigint": "1"}
    assert accepted["mbt::nondetPicks"]["clerk"] == "clerk1"
    assert accepted["parcel"] == {"#map": [["shelf1", "stored"]]}
    assert accepted["present"] == {"#set": ["OFFICE", "clerk1"]}
    assert accepted["weather"] == "RAIN"
    assert accepted["manager"] == "none"
    assert ordered["orders"] == [{"clerk": "clerk1", "shelf": "none", "weight": {"#bigint": "1"}, "urgent": False}]
    assert ordered["grade"] == {"#map": [["clerk1", {"#map": [["shelf1", {"#bigint": "0"}]]}]]}
    assert "loop" not in itf
    assert [state["#meta"]["index"] for state in itf["states"]] == list(range(6))


def test_itf_is_read_by_others(office: Path) -> None:
    trace = trace_from_json(office.to_itf())
    assert [state.values["mbt::actionTaken"] for state in trace.states][1:] == [s.action.name for s in office.steps]
    assert set(trace.vars) == set(trace.states[0].values)


def test_changes_take_arrays_apart() -> None:
    path = taken(TWO_PHASE.instance("three"), "rm_prepare(rm rm2)")
    assert [str(change) for change in changes(path.instance, *path.states)] == [
        "rm[rm2]: WORKING -> PREPARED",
        "prepared_sent: {} -> {rm2}",
    ]


def test_a_path_is_found_through_its_states(office: Path) -> None:
    assert follow(office.instance, office.states) == office


def test_states_that_no_step_joins_are_our_bug(office: Path) -> None:
    with pytest.raises(AssertionError, match="evaluate has no step"):
        follow(office.instance, [office.states[0], office.states[3]])
