"""Rules, stages and test cases for the properties and the paths of a model."""

from collections.abc import Iterable

from genstamp.report.case import Case, Outcome, Place, Rule, Stage
from genstamp.report.places import place
from genstamp_model.evaluate import Evaluator
from genstamp_model.explore import Violation
from genstamp_model.language.model import Instance, Model, Property
from genstamp_model.path import Path, changes

SEARCHED = ("invariant", "transition")
"""Kinds of properties that every search judges."""


def group_of(verb: str, model: Model) -> str:
    """The group of a model's test cases."""
    return ".".join(["genstamp", verb, model.system, model.semantics, *model.bugs])


def claim_rule(model: Model, claim: Property) -> Rule:
    """The rule of a property."""
    doc = " ".join(claim.doc.split("\n\n")[0].split())
    return Rule(f"{model.system}/{claim.name}", doc or f"{claim.kind} {claim.name}", place(claim.source))


def rule_named(model: Model, name: str) -> Rule:
    """The rule of a property by its name, or of another claim: deadlock, errors, the ranges of the variables."""
    for claim in model.properties:
        if claim.name == name:
            return claim_rule(model, claim)
    return Rule(f"{model.system}/{name}", f"{name} of {model.system}", beginning(model))


def rules(model: Model, kinds: Iterable[str] = SEARCHED) -> tuple[Rule, ...]:
    """The rules of all properties of some kinds."""
    return tuple(claim_rule(model, claim) for claim in model.properties if claim.kind in kinds)


def search_rule(model: Model) -> Rule:
    """The rule that a judge decides all claims of a system, which is not declared anywhere."""
    return Rule(f"{model.system}/all", f"everything that {model.system} claims is decided", beginning(model))


def beginning(model: Model) -> Place | None:
    """The first variable of a model, or its first action, as the line of a finding about the whole system."""
    sources = [one.source for one in model.variables] or [one.source for one in model.actions]
    return place(sources[0]) if sources else None


def left_out(group: str, name: str, model: Model) -> tuple[Case, ...]:
    """A skipped case for deadlock if the search does not look for it, as TLC does by default; otherwise none."""
    if model.says_where_it_may_stop:
        return ()
    why = f"deadlock is {model.looks_for_deadlock}, as {model.system} does not say where it may stop"
    return (Case(group, f"{name} deadlock", 0.0, "skipped", "deadlock", why, rule=rule_named(model, "deadlock")),)


def unkept(kind: str) -> tuple[Outcome, str]:
    """The outcome and the kind of the case for a claim that a proof refutes.

    Args:
        kind: the kind of the claim; "range" for the ranges of numbers, whose violation is an error, as in a search.
    """
    return ("error", "error") if kind == "range" else ("failure", "violated")


def stages(path: Path) -> tuple[Stage, ...]:
    """The steps of a path, each with its changes, at the lines of their actions."""
    evaluator = Evaluator(path.instance)
    found = []
    for step, before in zip(path.steps, path.states, strict=False):
        changed = "; ".join(map(str, changes(path.instance, before, step.after)))
        call = evaluator.call(step.action, step.arguments)
        found.append(Stage(f"{call}: {changed}" if changed else call, place(step.action.source)))
    return tuple(found)


def broken_case(group: str, name: str, seconds: float, instance: Instance, found: Violation) -> Case:
    """The case for a violation, at the line of its property; at the last action for an error or a deadlock.

    Args:
        group, name, seconds: as in `Case`.
        instance: the instance that was searched.
        found: the violation.
    """
    model, path = instance.model, found.path
    outcome: Outcome = "error" if found.kind == "error" else "failure"
    message = f"{found.kind} {found.name}".rstrip() + f" in {len(path)} steps"
    rule = rule_named(model, found.name if found.kind in SEARCHED else found.kind)
    at = rule.place
    if found.kind == "error":
        at = place(model.action(found.name).source)
    elif found.kind == "deadlock" and path.steps:
        at = place(path.steps[-1].action.source)
    return Case(
        group=group,
        name=name,
        seconds=seconds,
        outcome=outcome,
        kind=found.kind,
        message=f"{message}: {found.why}" if found.why else message,
        text="\n".join(found.run()),
        rule=rule,
        judged=rules(model),
        place=at,
        steps=stages(path),
    )
