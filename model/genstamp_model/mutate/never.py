"""Proves that mutants never differ from the model, with invariants that are found automatically.

The condition that a mutant does not differ is an invariant of the model, but usually not an inductive one. So clauses
over conditions of the model that hold in reached states of the smallest instance are added, and each that some step
does not preserve is dropped (`prove.houdini`). In the other instances only the clauses that the proofs need are tried.
Numbers are unbounded and limits are ignored, as in `equivalence`.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from genstamp_model.language import ir
from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.model import Property
from genstamp_model.mutate.differences import difference
from genstamp_model.mutate.equivalence import Equivalence
from genstamp_model.mutate.mutants import Mutant
from genstamp_model.prove.atoms import atoms
from genstamp_model.prove.clauses import Clause, Clauses, Ground, reached, truth
from genstamp_model.prove.houdini import Candidate, Houdini, OutOfTimeError
from genstamp_model.prove.strengthen import closure

MOST: Final = 1_500
"""How many clauses of each width are tried."""
_STATES: Final = 4_000
_WIDTH: Final = 2
_TIMEOUT_MS: Final = 60_000


def never_differ(proofs: Sequence[Equivalence], mutants: Sequence[Mutant], max_seconds: float = 600.0) -> set[str]:
    """The names of the mutants that are proved never to differ.

    Args:
        proofs: the proved invariants of the model in each instance; clauses are found in the first one.
        mutants: mutants of that model.
        max_seconds: give up after this time.
    """
    model, deadline = proofs[0].instance.model, time.perf_counter() + max_seconds
    goals = {one.name: _claim(difference(model, one)) for one in mutants}
    try:
        conditions = atoms(model)
        clauses = _clauses(Ground.of(proofs[0].instance, conditions), goals.values())
        for proof in proofs:
            ground = Ground.of(proof.instance, conditions)
            houdini = Houdini(proof.encoding, ground, proof.facts, deadline, _TIMEOUT_MS)
            wanted = {name: Candidate(claim=proof.encoding.claim(goal)) for name, goal in goals.items()}
            kept = houdini.inductive([*(Candidate(clause=one) for one in clauses), *wanted.values()])
            goals = {name: goal for name, goal in goals.items() if wanted[name] in kept}
            if not goals:
                break
            support = [one for one in kept if one.clause is not None]
            few = closure(houdini, [wanted[name] for name in goals], support)
            clauses = [one.clause for one in few if one.clause is not None]
    except OutOfTimeError:
        return set()
    return {*goals}


def _claim(differs: Property) -> Property:
    return replace(differs, kind="invariant", condition=ir.negation(differs.condition))


def _clauses(ground: Ground, goals: Iterable[Property]) -> list[Clause]:
    """Clauses that hold in all reached states; first those over variables that the goals have."""
    own = {name for goal in goals for name in _variables(goal.condition)}
    found = Clauses(
        truth(ground, reached(ground.instance, _STATES)),
        [len(_variables(condition) - own) for condition in ground.conditions],
    )
    return [clause for width in range(1, _WIDTH + 1) for clause in found.of(width, MOST)]


def _variables(expr: Expr) -> set[str]:
    return {node.data for node in ir.walk(expr) if node.op is Op.VARIABLE}
