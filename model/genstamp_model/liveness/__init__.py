"""The judge of leads-to properties: does what is owed always follow, if the named actions are treated fairly?

`judge` searches every state, finds those in which something is owed (`kernel`, compiled by `emit`), and looks among
them for a strongly connected component in which a fair behaviour can stay for ever (`components`, `graph`). What it
finds is shown as a lasso. Left out: symmetry, and other temporal formulas.
"""

from genstamp_model.liveness.judging import Liveness, judge
from genstamp_model.liveness.lasso import Lasso

__all__ = ["Lasso", "Liveness", "judge"]
