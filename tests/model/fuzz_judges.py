"""Judges against a plain search with `evaluate`: the compiled search in all its ways, bounded checks, proofs, walks.

Run as `python -m tests.model.fuzz_judges FIRST --seconds 3600 --profile extended`; see `tests/model/fuzzing.py`.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice

from tests.model import test_explore_agreement as functions
from tests.model.fuzzing import run
from tests.model.machine import Machine
from tests.model.random_kinds import STANDARD, Profile, choosing, extended, in_order
from tests.model.random_systems import RandomSystem
from tests.model.random_values import random_state
from tests.model.test_random_systems import agree_on_all, agree_on_the_verdict, search, without_claims

from genstamp_model.errors import ConfigurationError, SpecError
from genstamp_model.evaluate import Evaluator
from genstamp_model.explore import Verdict, explore
from genstamp_model.language import Instance
from genstamp_model.parametric import prove_parametric
from genstamp_model.parametric.report import Report as ReportForAnySize
from genstamp_model.prove import Report, Within, bmc, prove, reach
from genstamp_model.prove import Verdict as Proved
from genstamp_model.simulate import simulate

STATES = 10
STEPS = 3
SECONDS_A_BOUNDED_CHECK = 20
MILLISECONDS_A_QUESTION = 2000
WALKS, STEPS_A_WALK = 30, 20

# What a search can be asked to do otherwise, with what it must not change.
WAYS: dict[str, dict[str, object]] = {
    "one thread": {"threads": 1},
    "two threads": {"threads": 2},
    "fingerprints": {"fingerprints": True},
    "little memory": {"memory_bytes": 1 << 20},
}


def begins_beyond(instance: Instance) -> bool:
    """Whether an initial state exceeds a limit, so that nothing can be searched."""
    evaluator = Evaluator(instance)
    return any(map(evaluator.beyond, evaluator.initials))


class Judges:
    """The judges on one system, each compared with the plain search.

    Attributes:
        instance: the system.
        plain: what a plain search of it finds.
        bare, plain_bare: the same without what could end a search early.
    """

    def __init__(self, seed: int, profile: Profile, counts: Counter[str]) -> None:
        self.seed = seed
        self.counts = counts
        self.instance = RandomSystem(seed, profile).instance()
        self.plain = search(self.instance)
        self.bare = without_claims(self.instance)
        self.plain_bare = search(self.bare) if self.plain.broken else self.plain
        counts["systems"] += 1
        counts["systems with something broken"] += bool(self.plain.broken)
        counts["systems searched whole"] += self.plain.finished

    def compare(self) -> None:
        """Every judge; the dear ones on some systems only, as the seed says."""
        if begins_beyond(self.instance):
            self.counts["systems that begin beyond a limit"] += 1
            return
        self.compare_functions()
        for name in WAYS:
            if name != "little memory" or self.seed % 5 == 0:
                self.compare_search(name)
        self.compare_bounded()
        if self.seed % 3 == 0:
            self.compare_reach()
        if self.seed % 3 == 1:
            self.compare_walks()
        if self.seed % 2 == 0:
            self.compare_proofs("proof", lambda instance: prove(instance, timeout_ms=MILLISECONDS_A_QUESTION))
        if self.seed % 4 == 0:
            self.compare_proofs("2-proof", lambda instance: prove(instance, k=2, timeout_ms=MILLISECONDS_A_QUESTION))
        if self.seed % 4 == 2:
            self.compare_proofs(
                "proof for any size",
                lambda instance: prove_parametric(instance.model, timeout_ms=MILLISECONDS_A_QUESTION),
            )

    def compare_functions(self) -> None:
        """The compiled functions on arbitrary states, reached or not: most of what is computed changes no verdict."""
        with self._accepted("functions"):
            machine, draw, evaluator = Machine(self.instance), random.Random(self.seed), Evaluator(self.instance)
            drawn = (random_state(self.instance, draw) for _ in range(10 * STATES))
            states = list(islice((state for state in drawn if not evaluator.beyond(state)), STATES))
            functions.test_successors_cuts_and_alarms_are_those_of_evaluate(machine, states)
            functions.test_invariants_fail_where_evaluate_says(machine, states)
            functions.test_coverage_sees_what_evaluate_sees(machine, states)
            functions.test_may_stop_where_evaluate_says(machine, states)
            self.counts["functions: states"] += len(states)

    def compare_search(self, way: str) -> None:
        """One way of searching: the verdict, and where nothing breaks every count."""
        with self._accepted(way):
            if self.plain.finished:
                agree_on_the_verdict(explore(self.instance, **WAYS[way]), self.plain)  # type: ignore[arg-type]
                self.counts[f"{way}: verdicts"] += 1
            if self.plain_bare.finished and not self.plain_bare.broken:
                result = explore(self.bare, **WAYS[way])  # type: ignore[arg-type]
                if way == "fingerprints":
                    assert (result.verdict, result.states) == (Verdict.HOLDS, len(self.plain_bare.depths))
                else:
                    agree_on_all(result, self.plain_bare)
                self.counts[f"{way}: all counts"] += 1

    def compare_bounded(self) -> None:
        """Bounded model checking: a shortest violation, or none within the bound."""
        if not (self.plain.finished or self.plain.broken):
            return
        # A step that goes wrong is a step too.
        shortest = min((steps + (kind == "error") for (kind, _), steps in self.plain.broken.items()), default=None)
        with self._accepted("bmc"):
            found = bmc(self.instance, steps=STEPS, max_seconds=SECONDS_A_BOUNDED_CHECK)
            self.counts[f"bmc: {found.verdict.value}"] += 1
            if found.verdict is Within.VIOLATED:
                assert found.violation is not None
                what = (found.violation.kind, found.violation.name)
                assert what in self.plain.broken or not self.plain.finished, (what, self.plain.broken)
                assert what not in self.plain.broken or found.violation.steps == shortest, (what, self.plain.broken)
            elif found.verdict is not Within.UNDETERMINED:
                assert shortest is None or shortest > STEPS, self.plain.broken

    def compare_reach(self) -> None:
        """Witnesses by bounded model checking: as far as the plain search finds them."""
        if not self.plain_bare.finished or self.plain_bare.broken:
            return
        for claim in self.bare.model.properties:
            with self._accepted("reach"):
                found = reach(self.bare, claim.name, steps=STEPS, max_seconds=SECONDS_A_BOUNDED_CHECK)
                if found.path is None and found.undetermined:
                    continue
                depth = self.plain_bare.witnesses.get(claim.name)
                expected = depth if depth is not None and depth <= STEPS else None
                assert (None if found.path is None else len(found.path)) == expected, (claim.name, expected)
                self.counts[f"reach: {'nothing' if expected is None else 'a path'}"] += 1

    def compare_proofs(self, name: str, judge: Callable[[Instance], Report | ReportForAnySize]) -> None:
        """Proofs of every invariant and transition property: what is proved is not seen broken."""
        claims = tuple(
            replace(claim, inductive=claim.kind in ("invariant", "transition"))
            for claim in self.instance.model.properties
        )
        instance = Instance(replace(self.instance.model, properties=claims), self.instance.configuration)
        with self._accepted(name):
            report = judge(instance)
            for claim in claims:
                if claim.inductive:
                    verdict = report.proof(claim.name).verdict
                    self.counts[f"{name}: {verdict.value}"] += 1
                    broken = verdict is Proved.PROVED and (claim.kind, claim.name) in self.plain.broken
                    assert not broken, f"{name} of {claim.name}, which is violated: {self.plain.broken}"

    def compare_walks(self) -> None:
        """Random walks within the limits: what one finds broken is broken, and its path is one of steps."""
        with self._accepted("walks"):
            found = simulate(self.instance, runs=WALKS, steps=STEPS_A_WALK, seed=self.seed, stretch=1)
            self.counts["walks: systems"] += 1
            violation = found.violation
            if violation is None:
                return
            self.counts["walks: violated"] += 1
            evaluator = Evaluator(self.instance)
            for before, step in zip(violation.path.states, violation.path.steps, strict=False):
                assert evaluator.first_failing(step.action, step.arguments, before) is None
                assert evaluator.apply(step.action, step.arguments, before) == step.after
            assert not any(map(evaluator.beyond, violation.path.states)), "a walk stays within the limits"
            if self.plain.finished:
                what = (violation.kind, violation.name)
                assert len(violation.path) >= self.plain.broken.get(what, 1 << 30), (what, self.plain.broken)

    @contextmanager
    def _accepted(self, judge: str) -> Iterator[None]:
        """Count what a judge refuses to judge."""
        try:
            yield
        except (ConfigurationError, SpecError):
            self.counts[f"{judge}: refused"] += 1


def standard(seed: int, counts: Counter[str]) -> None:
    """The systems that other tests compare judges on."""
    Judges(seed, STANDARD, counts).compare()


def extended_kinds(seed: int, counts: Counter[str]) -> None:
    """Systems with more kinds of variables, other sizes and tight limits."""
    Judges(seed, extended(seed), counts).compare()


def members_in_order(seed: int, counts: Counter[str]) -> None:
    """Systems that ask for the rank and the neighbours of members."""
    Judges(seed, in_order(seed), counts).compare()


def several_beginnings(seed: int, counts: Counter[str]) -> None:
    """Systems with several initial states."""
    Judges(seed, choosing(seed), counts).compare()


PROFILES = {
    "choosing": several_beginnings,
    "extended": extended_kinds,
    "ordered": members_in_order,
    "standard": standard,
}

if __name__ == "__main__":
    sys.exit(run(PROFILES, __doc__))
