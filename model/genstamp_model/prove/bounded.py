"""Bounded model checking: is anything wrong within this many steps of the initial state?

Within the configuration's limits the states are those of `explore`, so that a shortest violation has the same length. A
result is a path that `evaluate` has taken; if none is found, that holds only for the steps that were searched. Not
here: leads-to.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TypeVar

import z3

from genstamp_model.errors import ConfigurationError, EvaluationError
from genstamp_model.evaluate import Evaluator, State
from genstamp_model.explore.result import INTERRUPTED, nothing_searched
from genstamp_model.explore.violation import Violation, deadlock, ending, of_property
from genstamp_model.language.model import Instance, Property
from genstamp_model.language.types import with_article
from genstamp_model.path import Path, follow
from genstamp_model.prove.algebra import Term
from genstamp_model.prove.finite import Finite, is_open
from genstamp_model.prove.within import Bounded, Reached, Within
from genstamp_model.refinement import refuse_other_beginnings


def bmc(
    instance: Instance,
    steps: int,
    *,
    properties: Sequence[str] | None = None,
    limits: Mapping[str, int] | None = None,
    max_seconds: float | None = None,
) -> Bounded:
    """Look for a violation within some number of steps, the shortest first.

    Args:
        steps: at most this many.
        properties: names of the invariants and transition properties to judge, and nothing else; by default all of
            them, and errors and deadlock as well.
        limits: limits other than those of the configuration.
        max_seconds: give up after so long.

    Returns:
        The result; interrupted from the keyboard, it is undetermined beyond what was settled.

    Raises:
        ConfigurationError: a property is neither an invariant nor a transition property.
        ConfigurationError: there is no such limit, or it is out of range.
        SpecError: a refinement takes the initial state elsewhere than where the upper system begins.
    """
    return _Search(_limited(instance, limits), steps, properties, max_seconds).bounded()


def reach(
    instance: Instance,
    witness: str,
    steps: int,
    *,
    limits: Mapping[str, int] | None = None,
    max_seconds: float | None = None,
) -> Reached:
    """Look for a shortest path to a state that shows a witness; see `bmc` for the arguments.

    Raises:
        ConfigurationError: the property is not a witness.
    """
    declared = named_property(instance, witness, ("witness",), "only a witness can be reached")
    return _Search(_limited(instance, limits), steps, (), max_seconds).reached(declared)


def _limited(instance: Instance, limits: Mapping[str, int] | None) -> Instance:
    if not limits:
        return instance
    configuration = instance.configuration
    return Instance(instance.model, replace(configuration, limits={**configuration.limits, **limits}))


_Found = TypeVar("_Found")


class _OutOfTimeError(Exception):
    """The time is used up, or the solver has given up."""


class _Search:
    """One unrolling in one solver, a step longer each time."""

    def __init__(
        self, instance: Instance, steps: int, properties: Sequence[str] | None, max_seconds: float | None
    ) -> None:
        refuse_other_beginnings(instance)
        self.instance, self.steps = instance, steps
        self._begun, self._max_seconds = time.perf_counter(), max_seconds
        self._claims = _judged(instance, properties)
        self._everything = properties is None
        self._finite = Finite(instance)
        self._evaluator = Evaluator(instance)
        # Measured faster than QF_BV and integers: all is finite, and is turned into clauses once.
        self._solver = z3.SolverFor("QF_FD")
        # One term, so that what its parts share is renamed once.
        self._relation = z3.simplify(z3.And(list(self._finite.relation())))
        self._begin()

    def _begin(self) -> None:
        """The path of no step."""
        self._at = [self._finite.named(self._finite.before, "@0")]
        self._solver.add(list(self._finite.beginning(self._at[0])))

    def bounded(self) -> Bounded:
        """The first violation."""
        looked_at = [claim.name for claim in self._claims] + ["errors"] * self._everything
        if self._everything and self.instance.model.may_stop is not None:
            looked_at.append("deadlock")
        milliseconds = []

        def violation_at(depth: int) -> Violation | None:
            began = time.perf_counter()
            try:
                return self._violation(depth)
            finally:
                milliseconds.append((time.perf_counter() - began) * 1000)

        violation, settled, why, deepest = self._searched(violation_at)
        verdict = Within.VIOLATED if violation else Within.UNDETERMINED if why else Within.NO_VIOLATION
        return Bounded(
            self.instance, verdict, self.steps, settled, violation, tuple(looked_at), why, tuple(milliseconds), deepest
        )

    def reached(self, witness: Property) -> Reached:
        """The first state that shows a witness."""
        goal = self._finite.condition(witness.closed)

        def shown_at(depth: int) -> Path | None:
            if depth:
                self._advance()
            if not self._possible(self._over_state(goal)):
                return None
            path = follow(self.instance, self._states())
            assert self._evaluator.holds(witness, path.states[-1]), "evaluate does not see the witness"
            return path

        path, settled, why, deepest = self._searched(shown_at)
        return Reached(self.instance, witness.name, self.steps, settled, path, why, deepest)

    def _searched(self, found_at: Callable[[int], _Found | None]) -> tuple[_Found | None, int, str, int | None]:
        """What is found in paths of the fewest steps, how many steps are settled, why no more are, and `deepest`."""
        settled = -1
        try:
            for depth in range(self.steps + 1):
                if (found := found_at(depth)) is not None:
                    return found, settled, "", None
                settled = depth
                if depth == 1 and not self._possible(z3.BoolVal(True)):
                    return None, self.steps, nothing_searched(self.instance.model.limit_names), 0
            return None, settled, "", self.deepest()
        except _OutOfTimeError:
            return None, settled, self._why(settled), None
        except KeyboardInterrupt:
            return None, settled, INTERRUPTED, None

    def deepest(self) -> int | None:
        """How many steps a path has at most whose steps all change the state; None if as many as were asked about.

        Where there are fewer, no state is beyond them: what is said of the paths looked at is said of all.
        None too where the time does not suffice, for then nothing is said.
        """
        try:
            if not self.steps or self._possible(z3.And(list(map(self._moved, range(1, len(self._at)))))):
                return None
            self._solver.reset()
            self._begin()
            while self._possible(z3.BoolVal(True)):
                self._advance()
                self._solver.add(self._moved(len(self._at) - 1))
        except _OutOfTimeError:
            return None
        return len(self._at) - 2

    def _moved(self, number: int) -> Term:
        """The condition that a step changes the state."""
        pairs = zip(self._at[number - 1], self._at[number], strict=True)
        return z3.Or([before != after for before, after in pairs if is_open(before)])

    def _violation(self, depth: int) -> Violation | None:
        """The violation in paths of this length, given that shorter paths have none."""
        if depth:
            # Before the step is asserted: where every step goes wrong there is none.
            if self._everything and self._possible(self._over_state(self._wrong)):
                return self._error(follow(self.instance, self._states()))
            self._advance()
        bad = [self._over_state(self._bad_state)]
        if depth:
            bad.append(self._over_step(self._bad_step))
        return self._broken(follow(self.instance, self._states())) if self._possible(z3.Or(bad)) else None

    @cached_property
    def _wrong(self) -> Term:
        return self._finite.somewhere_wrong()

    @cached_property
    def _bad_state(self) -> Term:
        """An invariant fails, or the state is a deadlock."""
        invariants = [claim for claim in self._claims if claim.kind == "invariant"]
        failing = [z3.Not(self._finite.condition(claim.closed)) for claim in invariants]
        return z3.Or([*failing, self._finite.stuck()] if self._everything else failing)

    @cached_property
    def _bad_step(self) -> Term:
        """A transition property fails."""
        claims = [claim for claim in self._claims if claim.kind == "transition"]
        return z3.Or([z3.Not(self._finite.condition(claim.closed, two_states=True)) for claim in claims])

    def _advance(self) -> None:
        """Make all paths a step longer."""
        self._at.append(self._finite.named(self._finite.before, f"@{len(self._at)}"))
        self._solver.add(self._over_step(self._relation))

    def _over_state(self, term: Term) -> Term:
        """A condition on a state, of the last one."""
        return _renamed(term, self._finite.before, self._at[-1])

    def _over_step(self, term: Term) -> Term:
        """A condition on a step, of the last one."""
        choice = self._finite.choice
        old = [*self._finite.before, *self._finite.after, choice]
        return _renamed(term, old, [*self._at[-2], *self._at[-1], z3.Const(f"{choice}@{len(self._at)}", choice.sort())])

    def _possible(self, term: Term) -> bool:
        """Whether some path ends so; if none does, that is remembered."""
        if z3.is_false(z3.simplify(term)):
            return False
        if self._max_seconds is not None:
            left = self._max_seconds - (time.perf_counter() - self._begun)
            if left <= 0:
                raise _OutOfTimeError
            self._solver.set("timeout", max(1, int(left * 1000)))
        wish = z3.FreshBool("wish")
        self._solver.add(z3.Implies(wish, term))
        answer = self._solver.check(wish)
        if answer == z3.unknown:
            raise _OutOfTimeError
        if answer == z3.unsat:
            self._solver.add(z3.Not(term))
        return bool(answer == z3.sat)

    def _why(self, settled: int) -> str:
        seconds = "the solver's time" if self._max_seconds is None else f"{self._max_seconds:g} seconds"
        return f"{seconds} did not suffice for {settled + 1} steps"

    def _states(self) -> list[State]:
        """The states of the path that was found possible."""
        model = self._solver.model()
        return [self._finite.state(model, terms) for terms in self._at]

    def _broken(self, path: Path) -> Violation:
        """The violation that `evaluate` finds at the end of a path."""
        for claim in self._claims:
            is_judged = claim.kind == "invariant" or (claim.kind == "transition" and path.steps)
            if is_judged and not self._evaluator.holds(claim, *ending(claim, path)):
                return of_property(self._evaluator, claim, path)
        assert self._everything, "evaluate finds nothing broken"
        return deadlock(self._evaluator, path)

    def _error(self, path: Path) -> Violation:
        """The step from the end of a path that evaluate cannot take."""
        last = path.states[-1]
        for action in self.instance.model.actions:
            for arguments in self._evaluator.choices(action, last):
                if self._evaluator.first_failing(action, arguments, last) is None:
                    try:
                        self._evaluator.apply(action, arguments, last)
                    except EvaluationError as error:
                        message = f"{self._evaluator.call(action, arguments)}: {error}"
                        return Violation("error", action.name, message, path)
        raise AssertionError("evaluate can take every step")


def named_property(instance: Instance, name: str, kinds: Sequence[str], demand: str) -> Property:
    """A property by its name, of one of some kinds; `demand` says why it must be.

    Raises:
        ConfigurationError: there is no such property, or it is of another kind.
    """
    known = {claim.name: claim for claim in instance.model.properties}
    if name not in known:
        raise ConfigurationError(f"there is no property '{name}'; there is {', '.join(known) or 'none'}")
    if known[name].kind not in kinds:
        raise ConfigurationError(f"'{name}' is {with_article(known[name].kind)}; {demand}")
    return known[name]


def _judged(instance: Instance, names: Sequence[str] | None) -> list[Property]:
    """The properties to judge, in the order of the model."""
    kinds = ("invariant", "transition")
    if names is None:
        return [claim for claim in instance.model.properties if claim.kind in kinds]
    demand = "bounded model checking judges invariants and transition properties"
    return [named_property(instance, name, kinds, demand) for name in names]


def _renamed(term: Term, old: Sequence[Term], new: Sequence[Term]) -> Term:
    """A term over other variables; constants among the old ones stay."""
    return z3.substitute(term, *((x, y) for x, y in zip(old, new, strict=True) if is_open(x)))
