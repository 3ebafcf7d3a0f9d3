"""Judges that try to notice a mutant, in some configurations, the smallest ones first.

    ranges      a number leaves its range, or a step cannot be computed
    invariants, transitions, deadlock, liveness
                a property breaks, or is no longer known to hold
    coverage    an action, refusal or witness is no longer reached, or an action changes nothing any more
    effects     an action changes a variable no more that it changes, takes an edge of a lifecycle no more,
                or a step of it changes nothing where each one did
    lifecycles  an action moves an entity as its lifecycle does not
    answers     a call has two outcomes or none: see `answers`
    proofs      a property that is declared inductive is no longer kept by the action: see `inductive`
    refinement  a system that refines this one takes a step that is none of the mutant's, or not all that it took
    lock        there are other states, steps, levels or refusals than spec.lock has

The lock notices every mutant that behaves in another way within the configurations; all others are claims of the
specification itself. So the lock counts for a mutant only where no claim notices it in any of the configurations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from genstamp_model.errors import ModelError
from genstamp_model.explore import INTERRUPTED, Compiled, Result, Search, Verdict
from genstamp_model.explore.variants import Variants
from genstamp_model.language.model import Configuration, Instance, Model, Property
from genstamp_model.liveness import judge as judge_liveness
from genstamp_model.mutate.answers import contradictions
from genstamp_model.mutate.edges import OFF, edges, off_edges
from genstamp_model.mutate.moves import IDLE, SOMETHING, effects, idle, moves
from genstamp_model.mutate.mutants import Mutant

RANGES, INVARIANTS, TRANSITIONS, DEADLOCK = "ranges", "invariants", "transitions", "deadlock"
LIVENESS, COVERAGE, EFFECTS, LIFECYCLES, ANSWERS = "liveness", "coverage", "effects", "lifecycles", "answers"
PROOFS, REFINEMENT, LOCK = "proofs", "refinement", "lock"
JUDGES: Final = (
    RANGES,
    INVARIANTS,
    TRANSITIONS,
    DEADLOCK,
    LIVENESS,
    COVERAGE,
    EFFECTS,
    LIFECYCLES,
    ANSWERS,
    PROOFS,
    REFINEMENT,
    LOCK,
)

_BY_KIND: Final = {"error": RANGES, "invariant": INVARIANTS, "transition": TRANSITIONS, "deadlock": DEADLOCK}
_ROOM: Final = 2
"""How many times as many states as the model itself a mutant may have before the lock is said to notice it."""


@dataclass(frozen=True)
class Kept:
    """What a model keeps, in one configuration, of what is claimed about one action.

    Attributes:
        agreeing: names of the contradictions about its call that no state shows.
        moving: names of the witnesses that it changes something, or some variable, that some state shows.
    """

    agreeing: frozenset[str]
    moving: frozenset[str]


@dataclass(frozen=True)
class Baseline:
    """What is found of the model itself in one configuration.

    Attributes:
        variants: the model, compiled so that one action can be exchanged.
    """

    configuration: Configuration
    result: Result
    variants: Variants
    _kept: dict[str, Kept] = field(default_factory=dict, repr=False, compare=False)

    def kept(self, action: str) -> Kept:
        """What the model keeps of what is claimed about an action.

        Raises:
            ModelError: there is no memory to decide.
        """
        if action not in self._kept:
            model = self.variants.instance.model
            calls, steps = _never(model, action), _sometimes(model, action)
            compiled = self.variants.compiled(model, None, [*calls, *steps])
            result = Search(compiled, threads=1).run()
            if result.verdict is not Verdict.HOLDS:
                raise _undecided(compiled.instance, result.undetermined)
            found = result.witnesses
            self._kept[action] = Kept(
                agreeing=frozenset(claim.name for claim in calls if found[claim.name] is None),
                moving=frozenset(claim.name for claim in steps if found[claim.name] is not None),
            )
        return self._kept[action]

    @cached_property
    def liveness(self) -> Mapping[str, str]:
        """The verdict of each leads-to property."""
        return _liveness(self.variants.instance, None)


@dataclass(frozen=True)
class Outcome:
    """What the judges made of a mutant.

    Attributes:
        noticed: judges that noticed it, each with the configuration and what it saw, claims before the lock; empty if
            none did.
        same: no judge could notice: in every configuration the compiled program is the model's own.
        proved: it is proved to change nothing, for numbers of any size.
    """

    mutant: Mutant
    noticed: Mapping[str, str]
    same: bool = False
    proved: bool = False

    @property
    def claimed(self) -> bool:
        """Whether a claim of the specification notices it, and not only the lock."""
        return bool(set(self.noticed) - {LOCK})

    def with_noticed(self, noticed: Mapping[str, str]) -> Outcome:
        """The outcome with what further judges saw, or the same ones in another configuration."""
        found = {**noticed, **self.noticed}
        return replace(self, noticed={name: found[name] for name in JUDGES if name in found}, same=False)


def baseline(model: Model, configurations: Sequence[Configuration]) -> list[Baseline]:
    """Judge the model itself, and put the configurations in order of their states.

    Raises:
        ModelError: the model does not hold in one of them, or that cannot be decided.
    """
    found = []
    for configuration in configurations:
        variants = Variants(Instance(model, configuration))
        result = Search(variants.compiled(model)).run()
        if result.verdict is not Verdict.HOLDS:
            where = f"{model.system}:{configuration.name}"
            raise ModelError(f"{where} is {result.verdict.value} without any mutation; mutate what holds")
        found.append(Baseline(configuration, result, variants))
    return sorted(found, key=lambda one: one.result.states)


def judge(mutant: Mutant, baselines: Sequence[Baseline], *, every: bool = False, live: bool = True) -> Outcome:
    """Let the judges try to notice a mutant.

    Args:
        baselines: what is found of the model itself, in the order in which the configurations are tried.
        every: ask every judge in every configuration; otherwise the first claim that notices ends it.
        live: judge liveness, where no other claim notices.

    Raises:
        ModelError: a judge has no memory to decide.
    """
    outcome = Outcome(mutant, {}, same=True)
    for base in baselines:
        if not base.variants.changes(mutant.model.action(mutant.action)):
            continue
        kept = base.kept(mutant.action)
        calls = _never(mutant.model, mutant.action, base.variants.instance.model)
        further = [one for one in calls if one.name in kept.agreeing]
        further += [one for one in _sometimes(mutant.model, mutant.action) if one.name in kept.moving]
        compiled = base.variants.compiled(mutant.model, mutant.action, further)
        found = _noticed(compiled, base, kept, every=every, live=live)
        outcome = outcome.with_noticed({name: f"{base.configuration.name}: {seen}" for name, seen in found.items()})
        if (outcome.claimed and not every) or set(outcome.noticed) >= set(JUDGES):
            break
    return outcome


def _never(model: Model, action: str, before: Model | None = None) -> list[Property]:
    """What no state is to show of an action."""
    return [*contradictions(model, action, before), *off_edges(model, action), *idle(model, action)]


def _sometimes(model: Model, action: str) -> list[Property]:
    """What some state is to show of it."""
    return [*moves(model, action), *effects(model, action), *edges(model, action)]


def _noticed(compiled: Compiled, base: Baseline, kept: Kept, *, every: bool, live: bool) -> dict[str, str]:
    result = _search(compiled, base)
    noticed: dict[str, str] = {}
    if result.violation is not None:
        noticed[_BY_KIND[result.violation.kind]] = _broken(result)
        if not every:
            return noticed
        noticed |= _each_kind(compiled.instance, base)
        result = _search(_bare(compiled.instance, ()), base)
        if result.violation is not None:
            return noticed
    noticed |= _contradicted(result, kept) | _still(result, kept) | _coverage(result, base.result, kept)
    noticed |= _counts(result, base.result)
    # Where there are too many states, what became of the liveness properties is not known.
    if result.verdict is Verdict.HOLDS and (every or (live and not set(noticed) - {LOCK})):
        noticed |= liveness_changed(compiled.instance, base)
    return noticed


def _search(compiled: Compiled, base: Baseline) -> Result:
    most = _ROOM * base.result.states
    result = Search(compiled, most, threads=1).run()
    if result.verdict is Verdict.UNDETERMINED and result.states <= most:
        raise _undecided(compiled.instance, result.undetermined)
    return result


def _undecided(instance: Instance, reason: str) -> BaseException:
    """What is raised where a judge was stopped: the mutant was neither noticed nor has it survived."""
    if reason == INTERRUPTED:
        return KeyboardInterrupt()
    return ModelError(f"a mutant of {instance.model.system}:{instance.configuration.name} is not decided: {reason}")


def _broken(result: Result) -> str:
    assert result.violation is not None
    return f"{result.violation.name or result.violation.kind} in {len(result.violation.path)} steps"


def _each_kind(instance: Instance, base: Baseline) -> dict[str, str]:
    """Which kinds of properties break when each is judged alone."""
    found = {}
    for kind in ("invariant", "transition"):
        result = _search(_bare(instance, (kind,)), base)
        if result.violation is not None:
            found[_BY_KIND[result.violation.kind]] = _broken(result)
    return found


def _bare(instance: Instance, kinds: Sequence[str]) -> Compiled:
    """The instance with witnesses and only some kinds of properties."""
    kept = tuple(claim for claim in instance.model.properties if claim.kind in ("witness", *kinds))
    return Compiled(Instance(replace(instance.model, properties=kept, may_stop=None), instance.configuration))


def _coverage(result: Result, base: Result, kept: Kept) -> dict[str, str]:
    if result.verdict is not Verdict.HOLDS:
        return {}
    lost = [name for name, times in base.taken.items() if times and not result.taken[name]]
    lost += [name for name, steps in base.witnesses.items() if steps is not None and result.witnesses[name] is None]
    seen = {(refusal.action, refusal.label) for refusal in result.refusals if refusal.seen}
    lost += [
        f"{refusal.action} refused unless {refusal.label}"
        for refusal in base.refusals
        if refusal.seen and (refusal.action, refusal.label) not in seen
    ]
    lost += [name for name in _unmoved(result, kept) if name.endswith(SOMETHING)]
    return {COVERAGE: f"never reached: {lost[0]}"} if lost else {}


def _still(result: Result, kept: Kept) -> dict[str, str]:
    """Which variable the action changes no more."""
    lost = [name for name in _unmoved(result, kept) if not name.endswith(SOMETHING)]
    return {EFFECTS: f"no more: {lost[0]}"} if lost and result.verdict is Verdict.HOLDS else {}


def _unmoved(result: Result, kept: Kept) -> list[str]:
    """Only the mutated action is asked whether it changes something, and only where it did."""
    return sorted(name for name in kept.moving if result.witnesses.get(name) is None)


def _contradicted(result: Result, kept: Kept) -> dict[str, str]:
    """What is answered and refused that was not before."""
    found = [name for name, steps in result.witnesses.items() if name in kept.agreeing and steps is not None]
    return {_judge_of(name): name for name in reversed(found)}


def _judge_of(contradiction: str) -> str:
    return LIFECYCLES if contradiction.endswith(OFF) else EFFECTS if contradiction.endswith(IDLE) else ANSWERS


def _counts(result: Result, base: Result) -> dict[str, str]:
    if result.verdict is Verdict.UNDETERMINED:
        return {LOCK: f"more than {_ROOM * base.states} states instead of {base.states}"}
    for what, now, before in (
        ("distinct states", result.states, base.states),
        ("steps", result.generated, base.generated),
        ("depth", result.depth, base.depth),
        ("steps cut off", dict(result.cuts), dict(base.cuts)),
    ):
        if now != before:
            return {LOCK: f"{what} {now} instead of {before}"}
    for refusal in result.refusals:
        if refusal.seen and not refusal.defensive and refusal not in base.refusals:
            return {LOCK: f"{refusal.action} refused unless {refusal.label}, which it never was"}
    return {}


def liveness_changed(instance: Instance, base: Baseline) -> dict[str, str]:
    """Which leads-to property got another verdict, by the judge's name; none where the mutant has too many states."""
    now = _liveness(instance, _ROOM * base.result.states)
    for name, verdict in base.liveness.items():
        if now.get(name, verdict) != verdict:
            return {LIVENESS: f"{name} is {now[name]} instead of {verdict}"}
    return {}


def _liveness(instance: Instance, max_states: int | None) -> dict[str, str]:
    """The verdict of each leads-to property that is judged in so many states."""
    if not any(claim.kind == "leads_to" for claim in instance.model.properties):
        return {}
    verdicts = {}
    for found in judge_liveness(instance, max_states=max_states):
        # With limits comes a path to where they cut; without one it was stopped by something else.
        if found.verdict is not Verdict.UNDETERMINED or found.cut is not None:
            verdicts[found.claim.name] = found.verdict.value
        elif max_states is None or found.states <= max_states:
            raise _undecided(instance, found.reason)
    return verdicts
