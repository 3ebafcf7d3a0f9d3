"""Mutation: is what a specification claims strong enough to notice a change of what it does?

`mutants` changes every check, effect, constant and comparison of a model's actions once; `judge` lets the judges try to
notice one of them; a `Report` counts. A mutant that nobody notices is a claim that is missing, or a change that changes
nothing.
"""

from genstamp_model.mutate.judging import JUDGES, Baseline, Outcome, baseline, judge
from genstamp_model.mutate.mutants import Mutant, mutants
from genstamp_model.mutate.report import Report

__all__ = ["JUDGES", "Baseline", "Mutant", "Outcome", "Report", "baseline", "judge", "mutants"]
