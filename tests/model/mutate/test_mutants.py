"""Mutants differ from the model in one place, keep every type, and have names of their own."""

import random

import pytest
from tests.model.random_values import random_state
from tests.model.systems.every_form import EVERY_FORM
from tests.model.systems.two_phase import TWO_PHASE

from genstamp_model.errors import EvaluationError
from genstamp_model.evaluate import Evaluator
from genstamp_model.language import Instance, ir
from genstamp_model.language.ir import Op
from genstamp_model.language.types import BOOL, INTEGER
from genstamp_model.mutate import mutants
from genstamp_model.mutate.changes import changes, replaced


def test_every_check_is_dropped_and_every_effect_left_out_once() -> None:
    model = TWO_PHASE.model()
    found = mutants(model)
    checks = sum(len(action.checks) for action in model.actions)
    effects = sum(len(action.effects) for action in model.actions)
    assert sum(mutant.change == "dropped" for mutant in found) == checks
    assert sum(mutant.change == "left out" for mutant in found) == effects


def test_a_mutant_differs_in_one_action_and_says_where() -> None:
    model = EVERY_FORM.model()
    lines = list(model.text())
    for mutant in mutants(model):
        others = list(mutant.model.text())
        assert others != lines, str(mutant)
        changed = {
            action.name for action, old in zip(mutant.model.actions, model.actions, strict=True) if action != old
        }
        assert changed == {mutant.action}
        assert mutant.source.file.endswith("every_form.py")


def test_names_are_their_own_and_stay() -> None:
    for system in (TWO_PHASE, EVERY_FORM):
        names = [mutant.name for mutant in mutants(system.model())]
        assert len(set(names)) == len(names)
        assert names == [mutant.name for mutant in mutants(system.model())]


def test_all_changes_of_an_expression_are_single_ones() -> None:
    a, b = (ir.make(Op.VARIABLE, (), INTEGER, name) for name in "ab")
    condition = ir.conjunction([ir.make(Op.LT, (a, ir.number(3)), BOOL), ir.negation(ir.equal(a, b))])
    assert [ir.text(changed) for _, changed in changes(condition)] == [
        "((a < 4) & ~(a == b))",
        "((a <= 3) & ~(a == b))",
        "((a < 3) & (a == b))",
        "((a < 3) | ~(a == b))",
    ]


@pytest.mark.slow
def test_an_expression_of_many_shared_parts_is_changed_in_no_time() -> None:
    shared = ir.make(Op.VARIABLE, (), INTEGER, "a")
    for _ in range(200):
        shared = ir.make(Op.ADD, (shared, shared), INTEGER)
    # Written out it has 2^200 parts.
    said = [what for what, _ in changes(ir.equal(shared, ir.number(1)))]
    assert len(said) == 202
    assert said[0] == "(a + a) becomes (a - a)"
    assert all(len(what) < 200 for what in said)


@pytest.mark.parametrize("most", [1, 5, 12, 1000])
def test_the_beginning_of_a_text_is_that_of_the_whole(most: int) -> None:
    for action in EVERY_FORM.model().actions:
        known: dict[int, str] = {}
        for root in [*(check.condition for check in action.checks), *(effect.value for effect in action.effects)]:
            for node in ir.walk(root):
                assert ir.beginning(node, most, known) == ir.text(node)[:most]


def test_a_shared_node_is_replaced_wherever_it_occurs() -> None:
    a, b = (ir.make(Op.VARIABLE, (), INTEGER, name) for name in "ab")
    root = ir.equal(ir.make(Op.ADD, (a, a), INTEGER), a)
    assert ir.text(replaced(root, a, b)) == "((b + b) == b)"
    assert replaced(root, b, a) is root


@pytest.mark.slow
def test_evaluate_computes_with_every_mutant() -> None:
    """No change makes an expression that has no value: any state has steps, or an error that says where."""
    draw = random.Random(4)
    instance = EVERY_FORM.instance("tiny")
    for mutant in mutants(instance.model):
        evaluator = Evaluator(Instance(mutant.model, instance.configuration))
        for _ in range(3):
            state = random_state(instance, draw)
            try:
                list(evaluator.steps(state))
            except EvaluationError as problem:
                assert "makes" in str(problem)
