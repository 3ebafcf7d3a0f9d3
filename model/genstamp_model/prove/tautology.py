"""What no state could break: claims that are true of all values of the variables they read, reachable or not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import z3

from genstamp_model.language.ir import Expr
from genstamp_model.language.model import Instance
from genstamp_model.prove.algebra import Term, known, lift
from genstamp_model.prove.encoding import Encoding

_EFFORT = 20_000_000
"""Z3's own unit of work, after which a claim is not called true."""


class Tautologies:
    """Decides of claims about states of an instance, or about steps, whether any state or step could break them.

    Numbers have the range of their type, without the limits of the configuration. A step is any pair of states.
    """

    def __init__(self, instance: Instance) -> None:
        self._encoding = Encoding(instance)
        self._solver = z3.Solver()
        self._solver.set("rlimit", _EFFORT)
        self._has_next = False
        self._solver.add(self._typed())

    def _typed(self) -> list[Term]:
        return [conjunct.term for conjunct in self._encoding.well_formed("typed").conjuncts]

    def always(self, claim: Expr, *, two_states: bool) -> bool:
        """Whether a closed claim holds in every state; False if that could not be decided."""
        encoding = self._encoding
        term = encoding.expansion.condition(claim, encoding.after if two_states else None)
        if known(term):
            return bool(term)
        if two_states and not self._has_next:
            self._has_next = True
            pairs = list(zip(encoding.before, encoding.after, strict=True))
            self._solver.add([z3.substitute(one, *pairs) for one in self._typed()])
        return bool(self._solver.check(z3.Not(lift(term))) == z3.unsat)


def always_true(instances: Sequence[Instance], claims: Iterable[tuple[Expr, bool]]) -> list[Expr]:
    """Those of some claims that no state of any instance could break.

    Args:
        instances: of one model.
        claims: closed, each with whether it is about a state and its successor.
    """
    left = list(claims)
    for instance in instances:
        if left:
            judge = Tautologies(instance)
            left = [(claim, two_states) for claim, two_states in left if judge.always(claim, two_states=two_states)]
    return [claim for claim, _ in left]
