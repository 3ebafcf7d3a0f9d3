"""Checks leads-to properties: is each obligation always met, if the named actions are fair?

`judge` searches all states, finds those with an open obligation (`kernel`, compiled by `emit`), and searches them for a
strongly connected component in which a fair behaviour can stay for ever (`components`, `graph`). A counterexample is a
lasso. Not here: symmetry, and other temporal formulas.
"""

from genstamp_model.liveness.judging import Liveness, judge
from genstamp_model.liveness.lasso import Lasso

__all__ = ["Lasso", "Liveness", "judge"]
