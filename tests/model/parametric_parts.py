"""Index sets, and how parts are tried, for the tests of proofs for any size."""

import re

from genstamp_model.evaluate import Evaluator
from genstamp_model.language import (
    Index,
    Model,
    Part,
    Record,
    System,
    named,
    ordered,
    reference,
)
from genstamp_model.parametric import Proof, Report, prove_parametric
from genstamp_model.prove.reliance import RANGES


class Node(Index):
    """A node."""


class Owner(Index, unnamed="User"):
    """Users, and the root."""

    ROOT = named()


class User(Owner):
    """A user."""


ROOT: Owner = Owner.ROOT


def model_of(part: type[Part]) -> Model:
    """One part as a system."""
    return System("tried", parts=[part], configurations=[]).model()


def prove_part(part: type[Part]) -> Report:
    return prove_parametric(model_of(part))


def verdicts(report: Report) -> dict[str, str]:
    return {proof.name: proof.verdict.value for proof in report.proofs if proof.name != RANGES}


def row(proof: Proof, action: str | None) -> str:
    """An obligation as shown, without its time."""
    found = next(row for row in proof.obligations if row.action == action)
    return re.sub(r" +[0-9.]+ ms +", ": ", str(found))


def assert_breaks(model: Model, proof: Proof) -> None:
    """That evaluate takes the step at the sizes shown, and the property holds before it and not after it."""
    broken, claim = proof.broken_by, model.property(proof.name)
    assert broken is not None
    assert broken.action is not None
    evaluator = Evaluator(broken.instance)
    assert evaluator.first_failing(broken.action, broken.arguments, broken.before) is None
    after = evaluator.apply(broken.action, broken.arguments, broken.before)
    assert after == broken.after
    if claim.kind == "transition":
        assert not evaluator.holds(claim, broken.before, after)
    else:
        assert evaluator.holds(claim, broken.before)
        assert not evaluator.holds(claim, after)


class Grant(Record):
    """A message: this node may work, under this stamp."""

    node = reference(Node)
    stamp = ordered(limit="stamps")
