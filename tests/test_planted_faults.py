"""The check of the checks: a fault put into each judge on purpose makes a comparison with another judge fail.

Each fault is one that a person could make: nothing crashes, and most systems are judged as before. It must show in a
comparison that a test makes anyway, and that comparison must pass on the same system once the fault is taken out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
import z3
from tests.conformance.track import test_model_runs
from tests.model import fuzz_liveness, fuzz_symmetry
from tests.model.fuzz_judges import Judges
from tests.model.fuzzing import Comparison
from tests.model.random_kinds import STANDARD, extended
from tests.model.systems.two_phase_proof import TWO_PHASE_PROOF
from tests.model.test_liveness_agreement import ForgetsWeakness

from genstamp.agree.compare import Outcome
from genstamp.agree.peer import Peer
from genstamp.agree.run import agreement
from genstamp.agree.spin import Spin
from genstamp.agree.tlc import Tlc
from genstamp_model import evaluate, simulate
from genstamp_model.errors import ConfigurationError
from genstamp_model.expand import steps as expansion
from genstamp_model.explore import explore, fingerprint, fingerprint_sizes, renumber, symmetry_facts, symmetry_sort
from genstamp_model.explore.scalar import Graph, Scalar
from genstamp_model.export import promela_expressions, tla_expressions
from genstamp_model.export.promela_text import infix
from genstamp_model.language import Bool, Configuration, Instance, Part, System, action, invariant, number, require
from genstamp_model.language.ir import Op
from genstamp_model.mutate import mutants
from genstamp_model.parametric import induction as parametric
from genstamp_model.prove import Verdict, bounded, counterexample, induction

pytestmark = pytest.mark.slow
ENOUGH_S = 300.0

Plant = Callable[[pytest.MonkeyPatch], None]


@dataclass(frozen=True)
class Fault:
    """A fault in a judge, and the comparison that is to notice it.

    Attributes:
        plant: puts it in.
        comparison: of the systems of a seed.
        seeds: of systems among which one shows it; they begin shortly before it, as a comparison takes a second.
    """

    plant: Plant
    comparison: Comparison
    seeds: range


def _judged(compare: Callable[[Judges], None], **profiles: Any) -> Comparison:
    def comparison(seed: int, counts: Counter[str]) -> None:
        compare(Judges(seed, profiles.get("profile", extended)(seed), counts))

    return comparison


def _searched(way: str) -> Comparison:
    return _judged(lambda judges: judges.compare_search(way))


def _proved(seed: int, counts: Counter[str]) -> None:
    Judges(seed, STANDARD, counts).compare_proofs("proof", lambda instance: induction.prove(instance, timeout_ms=2000))


def _proved_for_any_size(seed: int, counts: Counter[str]) -> None:
    """A proof of a mutant of two-phase commit against a search of it."""
    mutant = mutants(TWO_PHASE_PROOF.model())[seed].model
    violation = explore(Instance(mutant, TWO_PHASE_PROOF.configuration("three"))).violation
    report = parametric.prove_parametric(mutant, timeout_ms=2000)
    assert violation is None or report.proof(violation.name).verdict is not Verdict.PROVED, violation


def _followed(seed: int, counts: Counter[str]) -> None:
    system, members = test_model_runs.SYSTEMS["lock_service"]
    test_model_runs.walk(system, members, "default", seed, share=1.0, length=25)


def _evaluate(patch: pytest.MonkeyPatch) -> None:
    patch.setitem(evaluate._PLAIN, Op.SUBSET, lambda left, right: left < right)


def _expansion(patch: pytest.MonkeyPatch) -> None:
    def at(trees: Any, expr: Any, items: Any, position: Any) -> Any:
        a = trees.algebra
        found = trees.select(expr.type, items.elements, position)
        return trees.choose(expr.type, a.le(position, items.length), found, trees.default(expr.type))

    patch.setitem(expansion._OPERATIONS, Op.AT, at)


def _compiled(patch: pytest.MonkeyPatch) -> None:
    less = Graph.lt

    def by_range(self: Graph, a: Scalar, b: Scalar) -> Scalar:
        return self.true if a.high == b.low and a.low < a.high else less(self, a, b)

    patch.setattr(Graph, "lt", by_range)


def _decision(patch: pytest.MonkeyPatch) -> None:
    least = symmetry_facts.Facts.least_length
    patch.setattr(symmetry_facts.Facts, "least_length", lambda self, sequence: least(self, sequence) + 1)


def _no_decision(patch: pytest.MonkeyPatch) -> None:
    for module in ("symmetry_static", "search"):
        patch.setattr(f"genstamp_model.explore.{module}.refuse_asymmetry", lambda instance, groups: None)
    patch.setattr(fuzz_symmetry, "states_behave_alike", lambda instance, draw: 0)


def _representative(patch: pytest.MonkeyPatch) -> None:
    network = symmetry_sort.network
    patch.setattr(symmetry_sort, "network", lambda size: list(network(size))[:-1])
    # What compares states with themselves renamed would notice as well, and before.
    patch.setattr("genstamp_model.explore.search.refuse_differences", lambda program, native: None)


def _fingerprints(patch: pytest.MonkeyPatch) -> None:
    keys = fingerprint_sizes.keys

    def without_first_word(words: int, seed: int, bits: int) -> Any:
        found = keys(words, seed, bits)
        found[[1, 2, 2 * words + 2 - 1, 2 * words + 2]] = 0
        return found.astype(np.uint64)

    patch.setattr(fingerprint, "keys", without_first_word)


def _renumbering(patch: pytest.MonkeyPatch) -> None:
    ranks = renumber._ranks

    def from_one_too_low(numbers: set[int], fixed: int) -> dict[int, int]:
        return {number: rank - (rank > fixed) for number, rank in ranks(numbers, fixed).items()}

    patch.setattr(renumber, "_ranks", from_one_too_low)


def _bounded(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(bounded._Search, "_bad_step", property(lambda self: z3.BoolVal(False)))


def _induction(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(counterexample.Replay, "holds_initially", lambda self, declared: True)


def _any_size(patch: pytest.MonkeyPatch) -> None:
    question = parametric._Induction._question

    def of_members(self: Any, claim: Any, act: Any, given: Any) -> Any:
        return None if act is not None and not act.parameters else question(self, claim, act, given)

    patch.setattr(parametric._Induction, "_question", of_members)


def _liveness(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("genstamp_model.liveness.judging.Traps", ForgetsWeakness)


def _walks(patch: pytest.MonkeyPatch) -> None:
    def one_more(changed: Any, **changes: Any) -> Any:
        if "limits" in changes:
            changes["limits"] = {name: bound + 1 for name, bound in changes["limits"].items()}
        return replace(changed, **changes)

    patch.setattr(simulate, "replace", one_more)


def _tracker(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("genstamp.track.Tracker._close", lambda self: None)


FAULTS = {
    "evaluate: a set is no subset of itself": Fault(_evaluate, _searched("one thread"), range(60)),
    "expansion: there is an element just past the end": Fault(
        _expansion, _judged(Judges.compare_functions), range(27, 87)
    ),
    "compiled search: ranges that touch are in order": Fault(
        _compiled, _judged(Judges.compare_functions), range(27, 87)
    ),
    "symmetry: a sequence is taken to be one longer": Fault(_decision, fuzz_symmetry.compare_states, range(1, 400, 2)),
    "symmetry: nothing is refused": Fault(_no_decision, fuzz_symmetry.compare, range(3, 300, 6)),
    "symmetry: members are not put quite in order": Fault(_representative, fuzz_symmetry.compare, range(2, 100, 2)),
    "fingerprints: the first word is left out": Fault(_fingerprints, _searched("fingerprints"), range(60)),
    "renumbering: the first number loses its meaning": Fault(_renumbering, fuzz_liveness.compare, range(60)),
    "bmc: properties of steps are forgotten": Fault(_bounded, _judged(Judges.compare_bounded), range(10, 100)),
    "induction: the beginning is not looked at": Fault(_induction, _proved, range(100)),
    "proof for any size: a step of nobody is not asked about": Fault(_any_size, _proved_for_any_size, range(40)),
    "liveness: weak fairness is forgotten": Fault(_liveness, fuzz_liveness.compare, range(60)),
    "walks: limits are one too large": Fault(_walks, _judged(Judges.compare_walks), range(56, 200)),
    "tracker: what nobody sees does not happen": Fault(_tracker, _followed, range(60)),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fault = FAULTS[name]
    with monkeypatch.context() as patch:
        fault.plant(patch)
        seed = next((seed for seed in fault.seeds if _differs(fault.comparison, seed)), None)
    assert seed is not None, f"no seed of {fault.seeds} shows it"
    print(f"seed {seed} shows it")
    fault.comparison(seed, Counter())


def _differs(comparison: Comparison, seed: int) -> bool:
    try:
        comparison(seed, Counter())
    except AssertionError:
        return True
    except ConfigurationError:
        # Noticed before the comparison, by a check of states on random walks; not what is to be shown here.
        return False
    return False


class Count(Part):
    """A number that rises, with a check at the very end."""

    count = number(0, 5)

    @action
    def rise(s) -> None:
        require(s.count <= 3, "below four")
        s.count = s.count + 1

    @invariant
    def below_five(s) -> Bool:
        return s.count < 5


COUNT = System("count", parts=[Count], configurations=[Configuration("one", sizes={})])


def _promela(patch: pytest.MonkeyPatch) -> None:
    patch.setitem(promela_expressions._TEXTS, Op.LE, infix("<"))


def _tla(patch: pytest.MonkeyPatch) -> None:
    patch.setitem(tla_expressions._COMPARISONS, Op.LE, "<")


@pytest.mark.parametrize(("peer", "plant"), [(Tlc(), _tla), (Spin(), _promela)], ids=["TLA+ export", "Promela export"])
def test_an_export_with_a_wrong_comparison_is_noticed(
    peer: Peer, plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1")
    if peer.version() is None:
        pytest.skip(f"{peer.name} is not installed")
    outcomes = []
    with monkeypatch.context() as patch:
        plant(patch)
        outcomes.append(_outcome(peer))
    outcomes.append(_outcome(peer))
    assert outcomes == [Outcome.DISAGREE, Outcome.AGREE]


def _outcome(peer: Peer) -> Outcome:
    [comparison] = agreement(COUNT.instance(), [peer], ENOUGH_S).comparisons
    return comparison.outcome
