"""Mutation testing of a specification: do its claims notice a change of its actions?

`mutants` changes every check, effect, constant and comparison of a model's actions once. `judge` runs the judges on one
mutant, `Equivalence` tries to prove that it changes nothing, and `judged` does both with many mutants, in the cheapest
order. `Report` counts the results. If no judge notices a mutant, a claim is missing or the mutant changes nothing.
"""

from genstamp_model.mutate.below import Below, below
from genstamp_model.mutate.equivalence import Equivalence, equivalences
from genstamp_model.mutate.judging import JUDGES, Baseline, Outcome, baseline, judge
from genstamp_model.mutate.mutants import Mutant, mutants
from genstamp_model.mutate.report import Report
from genstamp_model.mutate.rounds import Interrupted, judged

__all__ = [
    "JUDGES",
    "Baseline",
    "Below",
    "Equivalence",
    "Interrupted",
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
