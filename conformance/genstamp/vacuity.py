"""Vacuity: properties that hold and could not have failed, and variables that nothing sets or reads.

A part of a property is of interest in a configuration where some reached state, or step, could have broken it
(`genstamp_model.interest`), and where its variables have values that do (`genstamp_model.prove.tautology`). Like
coverage it is a claim about some configurations together: one of them is enough. An intended exception is declared,
with its reason, at the property (`vacuous=`) or at the system (`idle=`), and the declaration is checked too.

A witness that an initial state shows says nothing either: no step is needed to reach it.

Not here: actions, refusals and witnesses that are never met (`genstamp.coverage`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from genstamp.report.case import Place
from genstamp.report.places import place
from genstamp_model.explore import Critical, Result
from genstamp_model.language import ir
from genstamp_model.language.model import Action, Model, Property, Variable
from genstamp_model.unused import never_read, never_set

Vacuity = Mapping[str, Mapping[str, Any]]
"""Of one search, in words of JSON: `properties`, `variables`, `witnesses`, idle `actions` and `labels`, by name."""

_SHOWN: Final = 200


@dataclass(frozen=True)
class Finding:
    """Properties that are vacuous, and those that are declared vacuous and are not.

    Attributes:
        name: of the property or variable.
        message: in a sentence.
    """

    name: str
    message: str

    def __str__(self) -> str:
        return self.message


def of(result: Result) -> dict[str, dict[str, Any]]:
    """The result of one search for it, as JSON."""
    # Z3 takes longer to load than a small search takes.
    from genstamp_model.prove.tautology import always_true

    model = result.instance.model
    claims = [(part, one.interest.two_states) for one in result.critical for part in one.interest.parts]
    always = set(always_true([result.instance], claims))
    properties: dict[str, Any] = {}
    for one in result.critical:
        claim, parts = one.interest.claim, one.interest.parts
        declared = claim.vacuous or model.idle.get(claim.name, "")
        found = properties.setdefault(claim.name, {"kind": claim.kind, "declared": declared, "parts": []})
        found["parts"].append({**part(one), "always": bool(parts) and always.issuperset(parts)})
    actions = {
        action.name: {
            "declared": model.idle[action.name],
            "changed": result.taken[action.name] - result.idle[action.name],
        }
        for action in model.actions
        if action.name in model.idle
    }
    return {
        "properties": properties,
        "variables": _variables(model),
        "actions": actions,
        "labels": {name: {"declared": reason} for name, reason in model.idle.items() if "." in name},
        "witnesses": dict(result.witnesses),
    }


def part(one: Critical) -> dict[str, Any]:
    """Where a part of a property could have failed: steps to the first such state, or how many such steps there are."""
    text = ir.beginning(one.interest.where, _SHOWN + 1, {})
    where = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
    return {"where": where, "first_after": one.after, "steps": one.times if one.interest.two_states else None}


def _variables(model: Model) -> dict[str, Any]:
    """The variables that are not used, and those that are declared so."""
    unset, unread = ({variable.name for variable in some} for some in (never_set(model), never_read(model)))
    return {
        variable.name: {
            "set": variable.name not in unset,
            "read": variable.name not in unread,
            "declared": model.idle.get(variable.name, ""),
        }
        for variable in model.variables
        if variable.name in unset | unread | model.idle.keys()
    }


def counted(all_: Iterable[Vacuity]) -> tuple[int, int]:
    """In how many parts properties could have failed in any of some searches, and how many parts there are."""
    parts = [is_met for name, found in _together(all_).items() for is_met in found["met"]]
    return sum(parts), len(parts)


def findings(all_: Sequence[Vacuity]) -> list[Finding]:
    """All that says nothing in any of some searches, and declarations of it that are not true."""
    return [*_of_properties(all_), *_of_witnesses(all_), *_of_actions(all_), *_of_variables(all_)]


def declared(all_: Sequence[Vacuity]) -> list[str]:
    """The properties that are declared vacuous, with reasons, one line each."""
    others = [item for kind in ("actions", "variables", "labels") for item in (all_[0][kind].items() if all_ else ())]
    named = [*_together(all_).items(), *others]
    return [f"{name}: {found['declared']}" for name, found in named if found["declared"]]


def _together(all_: Iterable[Vacuity]) -> dict[str, dict[str, Any]]:
    """The properties, each part with whether it could have failed in any of the searches."""
    merged: dict[str, dict[str, Any]] = {}
    for one in all_:
        for name, found in one["properties"].items():
            known = merged.setdefault(name, {**found, "met": [False] * len(found["parts"]), "open": set()})
            for i, some in enumerate(found["parts"]):
                if not some["always"]:
                    known["open"].add(i)
                    known["met"][i] |= some["first_after"] is not None or bool(some["steps"])
    return merged


def _of_properties(all_: Sequence[Vacuity]) -> Iterator[Finding]:
    for name, found in _together(all_).items():
        kind, reason, parts = found["kind"].replace("_", "-"), found["declared"], found["parts"]
        if reason:
            if all(found["met"]):
                yield Finding(name, f"{kind} {name} is declared vacuous ('{reason}'), and could have failed everywhere")
            continue
        for i, (some, is_met) in enumerate(zip(parts, found["met"], strict=True)):
            if is_met:
                continue
            which = name if len(parts) == 1 else f"{name}, part {i + 1} of {len(parts)},"
            if i not in found["open"]:
                why = "no value of its variables could break it"
            elif kind == "leads-to" and not i:
                why = f"nothing is ever owed, as no reached state has {some['where']}"
            else:
                why = f"no reached {'state' if some['steps'] is None else 'step'} has {some['where']}"
            yield Finding(name, f"{kind} {which} is vacuous: {why}")


def _of_witnesses(all_: Sequence[Vacuity]) -> Iterator[Finding]:
    for name in all_[0]["witnesses"] if all_ else ():
        lengths = {one["witnesses"][name] for one in all_} - {None}
        if lengths == {0}:
            yield Finding(name, f"witness {name} is vacuous: an initial state shows it, before any step")


def _of_actions(all_: Sequence[Vacuity]) -> Iterator[Finding]:
    for name, found in all_[0]["actions"].items() if all_ else ():
        if any(one["actions"][name]["changed"] for one in all_):
            yield Finding(name, f"action {name} is declared idle ('{found['declared']}'), and changes something")


def _of_variables(all_: Sequence[Vacuity]) -> Iterator[Finding]:
    for name, found in all_[0]["variables"].items() if all_ else ():
        reason, is_set, is_read = found["declared"], found["set"], found["read"]
        if reason:
            if is_set and is_read:
                yield Finding(name, f"variable {name} is declared idle ('{reason}'), and is set and read")
        elif not is_set:
            yield Finding(
                name, f"variable {name} is never set to another value" + ("" if is_read else ", and never read")
            )
        else:
            yield Finding(name, f"variable {name} is never read")


def witnesses(named: Sequence[tuple[str, Vacuity]]) -> Iterator[str]:
    """For each property where it could have failed first, a line each.

    Args:
        named: what searches know, each with the name of its configuration.
    """
    first: dict[str, tuple[int, str]] = {}
    steps: dict[str, tuple[int, str]] = {}
    for configuration, one in named:
        for name, found in one["properties"].items():
            for some in found["parts"]:
                after = some["first_after"]
                if after is not None and (name not in first or after < first[name][0]):
                    first[name] = after, configuration
                elif some["steps"]:
                    steps.setdefault(name, (some["steps"], configuration))
    for name in named[0][1]["properties"] if named else ():
        if name in first:
            yield f"{name}: {_steps(first[name][0], 'after')} in {first[name][1]}"
        elif name in steps:
            yield f"{name}: {_steps(steps[name][0], 'in')} of {steps[name][1]}"


def _steps(number: int, how: str) -> str:
    return f"{how} {number:,} step{'' if number == 1 else 's'}"


def place_of(model: Model, name: str) -> Place | None:
    """Where a property, an action or a variable is declared."""
    known: list[Property | Action | Variable] = [*model.properties, *model.actions, *model.variables]
    return place(next(one.source for one in known if one.name == name))
