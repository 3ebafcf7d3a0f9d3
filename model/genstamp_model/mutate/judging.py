"""The judges that try to notice a mutant, in some configurations, the smallest ones first.

    ranges      a number leaves its range, or a step cannot be computed
    invariants, transitions, deadlock, liveness
                a property is violated, or its verdict changes
    coverage    an action, refusal or witness is no longer reached, or an action no longer changes anything, or there is
                no initial state
    effects     an action no longer changes one of its variables or takes an edge of a lifecycle, or one of its
                steps changes nothing, where before each step did
    lifecycles  an action moves an entity along no edge of its lifecycle
    answers     a call has two outcomes or none: see `answers`
    proofs      the action no longer preserves a property that is declared inductive: see `inductive`
    refinement  a system that refines this one takes a step that the mutant does not allow, or misses one: see `below`
    lock        the numbers of states, steps, levels or refusals differ from spec.lock

The lock notices every change of behaviour within the configurations; all other judges are claims of the specification.
So the lock counts for a mutant only if no claim notices it in any configuration.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from genstamp_model.errors import ConfigurationError, ModelError
from genstamp_model.explore import INTERRUPTED, Compiled, Result, Search, Verdict
from genstamp_model.explore.variants import Variants
from genstamp_model.language.model import Configuration, Instance, Model, Property
from genstamp_model.liveness import judge as judge_liveness
from genstamp_model.mutate.answers import contradictions
from genstamp_model.mutate.differences import begins_elsewhere
from genstamp_model.mutate.edges import OFF, edges, off_edges
from genstamp_model.mutate.moves import IDLE, SOMETHING, effects, idle, moves
from genstamp_model.mutate.mutants import Mutant
from genstamp_model.mutate.searching import searched
from genstamp_model.refinement import OtherBeginningError, refuse_other_beginnings

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
"""The search of a mutant ends at this many times the states of the model; the lock has noticed it then."""


@dataclass(frozen=True)
class Kept:
    """The claims about one action that hold in the unchanged model, in one configuration.

    Attributes:
        agreeing: the names of the witnesses against a claim that no state shows.
        moving: the names of the witnesses of a change by the action that some state shows.
    """

    agreeing: frozenset[str]
    moving: frozenset[str]


@dataclass(frozen=True)
class Baseline:
    """The unchanged model in one configuration, to compare mutants with.

    Attributes:
        configuration: the configuration.
        result: its search.
        variants: the model, compiled so that one action can be exchanged.
    """

    configuration: Configuration
    result: Result
    variants: Variants
    _kept: dict[str, Kept] = field(default_factory=dict, repr=False, compare=False)

    def kept(self, action: str) -> Kept:
        """The claims about an action that hold in the model.

        Raises:
            ModelError: the search does not end, for example because memory is used up.
        """
        if action not in self._kept:
            model = self.variants.instance.model
            calls, steps = _never(model, action), _sometimes(model, action)
            compiled = self.variants.compiled(model, None, [*calls, *steps])
            result = searched(Search(compiled, threads=1))
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
    """The result for one mutant.

    Attributes:
        mutant: the mutant.
        noticed: the judges that noticed it, each with the configuration and what it saw; claims come before the lock.
        same: whether its compiled program is the model's own in every configuration, so that no judge can notice it.
        proved: whether it is proved to change nothing, for numbers of any size.
        alike: whether no step of it differed in any reached state, which is not a proof.
    """

    mutant: Mutant
    noticed: Mapping[str, str]
    same: bool = False
    proved: bool = False
    alike: bool = False

    @property
    def claimed(self) -> bool:
        """Whether a claim of the specification noticed it, not only the lock."""
        return bool(set(self.noticed) - {LOCK})

    def with_noticed(self, noticed: Mapping[str, str]) -> Outcome:
        """The outcome with further judges that noticed the mutant."""
        found = {**noticed, **self.noticed}
        return replace(self, noticed={name: found[name] for name in JUDGES if name in found}, same=False)


def baseline(model: Model, configurations: Sequence[Configuration]) -> list[Baseline]:
    """Search the unchanged model in some configurations; returned in the order of their number of states.

    Raises:
        ModelError: the model does not hold in one of them, or the search does not end.
    """
    found = []
    for configuration in configurations:
        variants = Variants(Instance(model, configuration))
        result = searched(Search(variants.compiled(model)))
        if result.verdict is not Verdict.HOLDS:
            where = f"{model.system}:{configuration.name}"
            raise ModelError(f"{where} is {result.verdict.value} without any mutation; mutate a system that holds")
        found.append(Baseline(configuration, result, variants))
    return sorted(found, key=lambda one: one.result.states)


def judge(mutant: Mutant, baselines: Sequence[Baseline], *, every: bool = False, live: bool = True) -> Outcome:
    """Run the judges on a mutant.

    Args:
        mutant: the mutant.
        baselines: the unchanged model in each configuration, in the order in which they are tried.
        every: run every judge in every configuration; otherwise stop at the first claim that notices.
        live: judge liveness if no other claim notices.

    Raises:
        ModelError: a judge cannot decide, for example because memory is used up.
    """
    outcome = Outcome(mutant, {}, same=True)
    for base in baselines:
        if not is_another(base.variants, mutant):
            continue
        found = (_noticed_step if mutant.action else _noticed_beginning)(mutant, base, every=every, live=live)
        outcome = outcome.with_noticed({name: f"{base.configuration.name}: {seen}" for name, seen in found.items()})
        if (outcome.claimed and not every) or set(outcome.noticed) >= set(JUDGES):
            break
    return outcome


def is_another(variants: Variants, mutant: Mutant) -> bool:
    """Whether the program or the beginning of a mutant is not the model's own in a configuration."""
    if not mutant.action:
        return begins_elsewhere(variants.instance, mutant)
    return variants.changes(mutant.model.action(mutant.action))


def _noticed_step(mutant: Mutant, base: Baseline, *, every: bool, live: bool) -> dict[str, str]:
    """What the judges see of a mutant with another action."""
    kept = base.kept(mutant.action)
    calls = _never(mutant.model, mutant.action, base.variants.instance.model)
    further = [one for one in calls if one.name in kept.agreeing]
    further += [one for one in _sometimes(mutant.model, mutant.action) if one.name in kept.moving]
    compiled = base.variants.compiled(mutant.model, mutant.action, further)
    return _noticed(compiled, base, kept, every=every, live=live)


def _noticed_beginning(mutant: Mutant, base: Baseline, *, every: bool, live: bool) -> dict[str, str]:
    """What the judges see of a mutant that begins elsewhere."""
    try:
        instance = Instance(mutant.model, base.configuration)
        refuse_other_beginnings(instance)
    except OtherBeginningError as problem:
        return {REFINEMENT: str(problem)}
    except ConfigurationError as problem:
        return {COVERAGE: str(problem)}
    compiled = base.variants.compiled(mutant.model)
    return _noticed(compiled, base, Kept(frozenset(), frozenset()), every=every, live=live)


def _never(model: Model, action: str, before: Model | None = None) -> list[Property]:
    """The witnesses about an action that no state may show."""
    return [*contradictions(model, action, before), *off_edges(model, action), *idle(model, action)]


def _sometimes(model: Model, action: str) -> list[Property]:
    """The witnesses about an action that some state must show."""
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
    # With too many states, liveness cannot be judged.
    if result.verdict is Verdict.HOLDS and (every or (live and not set(noticed) - {LOCK})):
        noticed |= liveness_changed(compiled.instance, base)
    return noticed


def _search(compiled: Compiled, base: Baseline) -> Result:
    most = _ROOM * base.result.states
    result = searched(Search(compiled, most, threads=1))
    if result.verdict is Verdict.UNDETERMINED and result.states <= most:
        raise _undecided(compiled.instance, result.undetermined)
    return result


def _undecided(instance: Instance, reason: str) -> BaseException:
    """The exception for a judge that cannot decide: the mutant is neither noticed nor a survivor."""
    if reason == INTERRUPTED:
        return KeyboardInterrupt()
    return ModelError(f"a mutant of {instance.model.system}:{instance.configuration.name} is undetermined: {reason}")


def _broken(result: Result) -> str:
    assert result.violation is not None
    return f"{result.violation.name or result.violation.kind} in {len(result.violation.path)} steps"


def _each_kind(instance: Instance, base: Baseline) -> dict[str, str]:
    """The kinds of properties that are violated when each kind is judged alone."""
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
    """A variable that the action no longer changes."""
    lost = [name for name in _unmoved(result, kept) if not name.endswith(SOMETHING)]
    return {EFFECTS: f"no more: {lost[0]}"} if lost and result.verdict is Verdict.HOLDS else {}


def _unmoved(result: Result, kept: Kept) -> list[str]:
    """The changes by the mutated action that no state shows any more."""
    return sorted(name for name in kept.moving if result.witnesses.get(name) is None)


def _contradicted(result: Result, kept: Kept) -> dict[str, str]:
    """The claims about the action that held before and are now violated."""
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
    """A leads-to property whose verdict has changed, by the judge's name; none if the mutant has too many states."""
    now = _liveness(instance, _ROOM * base.result.states)
    for name, verdict in base.liveness.items():
        if now.get(name, verdict) != verdict:
            return {LIVENESS: f"{name} is {now[name]} instead of {verdict}"}
    return {}


def _liveness(instance: Instance, max_states: int | None) -> dict[str, str]:
    """The verdict of each leads-to property that can be judged within a number of states."""
    if not any(claim.kind == "leads_to" for claim in instance.model.properties):
        return {}
    verdicts = {}
    for found in judge_liveness(instance, max_states=max_states):
        # A property that is undetermined because of limits has a path to the cut.
        if found.verdict is not Verdict.UNDETERMINED or found.cut is not None:
            verdicts[found.claim.name] = found.verdict.value
        elif max_states is None or found.states <= max_states:
            raise _undecided(instance, found.reason)
    return verdicts
