"""Proof by induction with Z3: what holds initially and is kept by every step holds always.

Integers are unbounded and the limits of a configuration are ignored; its sizes are not. Out of scope here: bounded
model checking, k-induction, the search for strengthening conjuncts, index sets of open size, leads-to.
"""

from genstamp_model.prove.induction import prove
from genstamp_model.prove.report import Break, Obligation, Proof, Report, Verdict

__all__ = ["Break", "Obligation", "Proof", "Report", "Verdict", "prove"]
