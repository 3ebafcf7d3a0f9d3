"""Mutation: is what a specification claims strong enough to notice a change of what it does?

`mutants` changes every check, effect, constant and comparison of a model's actions once; `judge` lets the judges try to
notice one of them; `Equivalence` tries to prove that it changes nothing; `judged` does both with many, in the order
that costs least; a `Report` counts. A mutant that nobody notices is a claim that is missing, or a change that changes
nothing.
"""

from genstamp_model.mutate.below import Below, below
from genstamp_model.mutate.equivalence import Equivalence, equivalences
from genstamp_model.mutate.judging import JUDGES, Baseline, Outcome, baseline, judge
from genstamp_model.mutate.mutants import Mutant, mutants
from genstamp_model.mutate.report import Report
from genstamp_model.mutate.rounds import judged

__all__ = [
    "JUDGES",
    "Baseline",
    "Below",
    "Equivalence",
    "Mutant",
    "Outcome",
    "Report",
    "baseline",
    "below",
    "equivalences",
    "judge",
    "judged",
    "mutants",
]
