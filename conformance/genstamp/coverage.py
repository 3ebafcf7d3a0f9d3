"""What searches have covered: actions taken, refusals given, witnesses seen, steps of upper systems taken.

One search alone need not reach it all.

Refusals that the specification declares defensive are not asked for.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from genstamp.report.case import Place
from genstamp.report.places import place
from genstamp_model.explore import Result
from genstamp_model.language.model import Model

Coverage = Mapping[str, Mapping[str, Any]]
"""Steps `taken` by action, `refused` by refusal, length of a shortest path to what was `witnessed`, and steps that are
one of an upper system, `refined` by its action."""


@dataclass(frozen=True)
class Reached:
    """How much of one kind was reached."""

    number: int
    asked: int

    def __str__(self) -> str:
        return f"{self.number} of {self.asked}"


def of(result: Result) -> dict[str, dict[str, Any]]:
    """What one search has covered, in words of JSON."""
    return {
        "taken": dict(result.taken),
        "refused": {
            f"{refusal.action}, {refusal.refuses}: {refusal.label}": refusal.seen
            for refusal in result.refusals
            if not refusal.defensive
        },
        "witnessed": dict(result.witnesses),
        "refined": dict(result.refined),
    }


def reached(found: Coverage) -> dict[str, bool]:
    """Everything that is asked for, and whether one search has reached it."""
    parts = {f"action {name}": steps > 0 for name, steps in found["taken"].items()}
    parts |= {f"refusal {name}": bool(given) for name, given in found["refused"].items()}
    parts |= {f"witness {name}": length is not None for name, length in found["witnessed"].items()}
    return parts | {f"step {name}": steps > 0 for name, steps in found.get("refined", {}).items()}


def has(model: Model, name: str) -> bool:
    """Whether a model has something of a name in `reached`, seen or not."""
    kind, _, rest = name.partition(" ")
    if kind != "refusal":
        named: Iterable[str] = (
            (action.name for action in model.actions)
            if kind == "action"
            else (claim.name for claim in model.properties if claim.kind == kind)
        )
        return rest in named
    return any(
        f"{action.name}, {check.refuses}: {check.label}" == rest
        for action in model.actions
        for check in action.checks
        if check.refuses is not None
    )


def together(found: Iterable[Coverage]) -> dict[str, bool]:
    """Everything that is asked for, and whether any of some searches has reached it."""
    all_: dict[str, bool] = {}
    for one in found:
        for name, is_reached in reached(one).items():
            all_[name] = all_.get(name, False) or is_reached
    return all_


def missing(found: Mapping[str, bool]) -> list[str]:
    """The names of what was not reached, sorted."""
    return sorted(name for name, is_reached in found.items() if not is_reached)


def counts(result: Result) -> tuple[Reached, Reached, Reached, Reached]:
    """How many actions, refusals, witnesses and steps of upper systems one search has reached."""
    found = reached(of(result))
    parts = ([done for name, done in found.items() if name.startswith(f"{kind} ")] for kind in _KINDS)
    actions, refusals, witnesses, steps = (Reached(sum(part), len(part)) for part in parts)
    return actions, refusals, witnesses, steps


_KINDS = ("action", "refusal", "witness", "step")


def place_of(model: Model, name: str) -> Place | None:
    """Where something that is asked for is declared, by its name in `reached`."""
    kind, _, rest = name.partition(" ")
    if kind == "witness":
        return place(model.property(rest).source)
    if kind == "step":
        steps = (claim for refinement in model.refinements for claim in refinement.taken)
        return place(next(claim.source for claim in steps if claim.name == rest))
    action, _, refusal = rest.partition(", ")
    declared = model.action(action)
    checks = (check.source for check in declared.checks if f"{check.refuses}: {check.label}" == refusal)
    return place(next(checks, declared.source))
