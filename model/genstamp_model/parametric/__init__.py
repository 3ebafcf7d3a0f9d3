"""Proofs for any size: systems whose index sets are left open, in first-order logic over uninterpreted sorts.

`prove_parametric` translates a model, with its parameters and quantifiers, and asks Z3 for each action whether it keeps
each property, however many members there are. It leaves out what counts members, sequences, and leads-to properties.
"""

from genstamp_model.parametric.induction import prove_parametric
from genstamp_model.parametric.report import Break, Obligation, Proof, Report

__all__ = ["Break", "Obligation", "Proof", "Report", "prove_parametric"]
