"""Reports the searches of the verb `check`: as text, as JSON, as test cases, and by the exit code."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from genstamp import coverage, leads_to, vacuity
from genstamp.cli.check.searches import Options, counted, search
from genstamp.report import Case
from genstamp.report import Verdict as Worst
from genstamp.report import verdict as worst
from genstamp.report.of_model import broken_case, group_of, left_out, rule_named, rules, search_rule
from genstamp.verify.breaking import breaks, differs
from genstamp_model.explore import INTERRUPTED, Result, Verdict, Violation
from genstamp_model.false_part import FalsePart
from genstamp_model.language import Variation
from genstamp_model.language.model import Instance, Model
from genstamp_model.language.types import has_ordered_number
from genstamp_model.liveness import Liveness


@dataclass(frozen=True)
class Searched:
    """One search, and what was found beside it.

    Attributes:
        result: the search.
        judged: the leads-to properties that were judged after it.
        fault: the bug, hole or difference that is searched as it is declared.
        new_states: as `counted` gives them.
    """

    result: Result
    judged: tuple[Liveness, ...] = ()
    fault: Variation | None = None
    new_states: Mapping[str, int] | None = None

    @property
    def differs(self) -> str:
        """What is not as the fault declares it; empty where all is, or nothing is known."""
        found = breaks(self.result.violation, self.judged)
        is_known = self.fault is not None and (found or self.verdict.holds)
        return differs(self.fault, found) if is_known and self.fault is not None else ""

    @property
    def instance(self) -> Instance:
        """The instance that was searched."""
        return self.result.instance

    @property
    def is_interrupted(self) -> bool:
        """Whether Ctrl-C ended the search, or the judgement of a leads-to property."""
        return INTERRUPTED in (self.result.undetermined, *(one.reason for one in self.judged))

    @property
    def left(self) -> list[str]:
        """The names of the properties that were not judged."""
        return leads_to.not_judged(self.result, self.judged)

    @property
    def owed(self) -> list[str]:
        """The names of the leads-to properties among them."""
        return [claim.name for claim in self.instance.model.properties if claim.name in self.left]

    @cached_property
    def cases(self) -> tuple[Case, ...]:
        """The search as a test case, and one for each leads-to property."""
        return tuple(cases(self))

    @property
    def verdict(self) -> Worst:
        """The verdict over all cases, including properties that were not judged."""
        return worst(self.cases)


def searched(instance: Instance, options: Options, fault: Variation | None = None) -> Searched:
    """Search an instance, and judge its leads-to properties if the search keeps its states."""
    result = search(instance, options)
    judged = leads_to.judged(result, options.max_states, options.renumber) if options.keeps_states else ()
    return Searched(result, judged, fault, counted(result, options))


def told(found: Searched) -> Iterator[str]:
    """The results of a search and of the leads-to properties in lines of text."""
    result = found.result
    model, configuration = result.instance.model, result.instance.configuration
    bugs = f" with {', '.join(model.bugs)}" if model.bugs else ""
    limits = ", ".join(f"{name} {bound}" for name, bound in sorted(configuration.limits.items()))
    within = f" within these limits: {limits}" if limits else ""
    probably = f" with probability at least 1 - {result.doubt:.1e}" if result.doubt else ""
    reach = f"{probably}{within}" if result.verdict is Verdict.HOLDS else ""
    verdict = found.verdict
    # TLC looks for deadlock by default, so the verdict says if this search did not.
    deadlock = "; deadlock is not looked for" if not model.says_where_it_may_stop else ""
    told = f"{verdict.word}{reach}{deadlock}" if verdict.holds else verdict.word
    yield f"{model.system}:{configuration.name} ({model.semantics}{bugs}): {told}"
    if result.verdict is Verdict.HOLDS and not verdict.holds:
        yield f"  invariants and transition properties hold{reach}{deadlock}"
    yield from _told_figures(result)
    if result.unsettled:
        yield f"  undetermined: {result.unsettled}"
    if found.left:
        yield f"  not judged: {', '.join(found.left)}"
    if result.violation is not None:
        yield from told_violation(result.violation)
    else:
        taken, given, seen, refined = coverage.counts(result)
        upper = f", {refined} steps of upper systems" if refined.asked else ""
        critical = [bool(one.times) for one in result.critical]
        parts = f", {sum(critical)} of {len(critical)} parts of properties could have failed" if critical else ""
        yield f"  covered here: {taken} actions, {given} refusals, {seen} witnesses{upper}{parts}"
    for one in found.judged:
        yield from leads_to.told(one)
    if found.differs:
        yield f"  warning: {found.differs}"
    yield from _told_actions(found)
    if could_be_renumbered(found):
        yield (
            "  try --renumber: of ordered numbers it keeps only the order, so that endless retries become cycles; "
            "renumber=True in the configuration says so for good; or bound what may go on for ever in the protocol: "
            "number(0, N) and a check"
        )


def _told_figures(result: Result) -> Iterator[str]:
    yield (
        f"  {result.states:,} distinct states, {result.generated:,} generated, depth {result.depth}, "
        f"{result.words} words and {result.bytes_a_state:.0f} bytes a state"
        + (f", {result.disk_bytes:,} bytes on disk" if result.disk_bytes else "")
    )
    yield (
        f"  {result.seconds:.2f} s, {result.states_a_second / 1e6:.2f} M states/s, "
        f"compiled in {result.compile_seconds:.2f} s"
    )
    if result.reductions:
        yield f"  one state for many: {', '.join(result.reductions)}"
    cuts = ", ".join(f"{name} {steps:,}" for name, steps in sorted(result.cuts.items()))
    if cuts:
        yield f"  steps cut off by limits: {cuts}"


def _told_actions(found: Searched) -> Iterator[str]:
    """How often each action was taken, if its new states were counted."""
    if found.new_states is None:
        return
    taken, idle = found.result.taken, found.result.idle
    width = max(map(len, (*taken, "action")))
    yield f"  {'action':<{width}} {'steps':>15} {'change nothing':>15} {'new states':>15}"
    for name, new in found.new_states.items():
        yield f"  {name:<{width}} {taken[name]:>15,} {idle[name]:>15,} {new:>15,}"


def told_violation(violation: Violation, what_path: str = "a shortest counterexample") -> Iterator[str]:
    """A violation, the path to it, and which part of the property is false, in lines of text."""
    what = f"{violation.kind} {violation.name}".rstrip()
    yield f"  violated: {what}{f': {violation.message}' if violation.message else ''}"
    yield f"  {what_path}, {len(violation.path)} steps:"
    for line in violation.lines():
        yield f"  {line}"


def could_be_renumbered(found: Searched) -> bool:
    """Whether limits left a leads-to undetermined that might be decided with renumbered ordered numbers."""
    return (
        any(one.cut is not None and not one.renumbered for one in found.judged)
        and not found.result.reductions
        and any(has_ordered_number(variable.type) for variable in found.instance.model.variables)
    )


def plain(found: Searched) -> dict[str, Any]:
    """The results of a search as JSON; the counterexample is in the Informal Trace Format."""
    result = found.result
    model, violation = result.instance.model, result.violation
    return {
        "system": model.system,
        "configuration": result.instance.configuration.name,
        "semantics": model.semantics,
        "bugs": list(model.bugs),
        "digest": model.digest,
        "verdict": found.verdict.word,
        "exit_code": found.verdict.exit_code,
        "safety": result.verdict.value,
        "deadlock": model.looks_for_deadlock,
        "undetermined": result.unsettled,
        "probability_missed_at_most": result.doubt,
        "reductions": list(result.reductions),
        "not_judged": found.left,
        "not_as_declared": found.differs,
        "states": result.states,
        "generated": result.generated,
        "depth": result.depth,
        "words_a_state": result.words,
        "bytes_a_state": round(result.bytes_a_state, 1),
        "bytes_on_disk": result.disk_bytes,
        "seconds": round(result.seconds, 3),
        "compile_seconds": round(result.compile_seconds, 3),
        "cuts": dict(result.cuts),
        "taken": dict(result.taken),
        "change_nothing": dict(result.idle),
        "new_states": None if found.new_states is None else dict(found.new_states),
        "refusals": [
            {"action": r.action, "check": r.label, "refuses": r.refuses, "defensive": r.defensive, "seen": r.seen}
            for r in result.refusals
        ],
        "witnesses": dict(result.witnesses),
        "refined": dict(result.refined),
        "could_have_failed": [{"property": c.interest.claim.name, **vacuity.part(c)} for c in result.critical],
        "leads_to": [leads_to.plain(one) for one in found.judged],
        "violation": plain_violation(violation),
    }


def plain_violation(violation: Violation | None) -> dict[str, Any] | None:
    """A violation as JSON, with the path to it in the Informal Trace Format; None if there is none."""
    if violation is None:
        return None
    return {
        "kind": violation.kind,
        "name": violation.name,
        "message": violation.message,
        "false_part": plain_part(violation.part),
        "steps": len(violation.path),
        "trace": violation.path.to_itf(violated=violation.name or violation.kind),
    }


def plain_part(part: FalsePart | None) -> dict[str, Any] | None:
    """The part of a property that is false, as JSON; None for what is no property, or a refinement."""
    return None if part is None else asdict(part)


def trace(all_: Sequence[Searched]) -> dict[str, Any] | None:
    """The first counterexample of some searches in the Informal Trace Format; None if there is none."""
    for one in all_:
        if one.result.violation is not None:
            violation = one.result.violation
            return violation.path.to_itf(violated=violation.name or violation.kind)
    for lasso, claim in ((judged.lasso, judged.claim) for one in all_ for judged in one.judged):
        if lasso is not None:
            return leads_to.itf(lasso, claim.name)
    return None


def cases(found: Searched) -> list[Case]:
    """The test case of a search, and one for each leads-to property."""
    result = found.result
    model, name = result.instance.model, result.instance.configuration.name
    group = group_of("check", model)
    others = [*(leads_to.case(one, group) for one in found.judged), *left_out(group, name, model)]
    if result.violation is not None:
        return [broken_case(group, name, result.seconds, result.instance, result.violation), *others]
    rule, judged = search_rule(model), rules(model)
    if why := result.unsettled:
        open_ = Case(group, name, result.seconds, "undetermined", "undetermined", why, rule=rule, judged=judged)
        return [open_, *others]
    return [
        Case(group, name, result.seconds, rule=rule, judged=judged),
        *others,
        *(_not_judged(group, name, model, owed) for owed in found.owed),
    ]


def _not_judged(group: str, name: str, model: Model, owed: str) -> Case:
    why = "not judged, as states were not kept as they are"
    rule = rule_named(model, owed)
    return Case(group, f"{name} {owed}", 0.0, "undetermined", "not judged", why, rule=rule)
