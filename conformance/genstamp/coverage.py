"""Coverage of searches: actions taken and their effects, refusals given, witnesses seen, steps of upper systems.

All searches of a system together have to reach all of it, except refusals that the specification declares defensive and
effects of actions that it declares unchanged or idle.

Not here: properties that could not have failed (`genstamp.vacuity`).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from genstamp.report.case import Place
from genstamp.report.places import place
from genstamp_model.explore import Result
from genstamp_model.language.model import Model

Coverage = Mapping[str, Mapping[str, Any]]
"""The coverage of one search: the number of steps `taken` by action and of those that `changed` something, the number
of calls `refused` by refusal, the length of a shortest path by `witnessed` witness, and the number of steps `refined`
by step of an upper system.
"""


@dataclass(frozen=True)
class Reached:
    """How many of one kind of items were reached, and how many there are."""

    number: int
    asked: int

    def __str__(self) -> str:
        return f"{self.number} of {self.asked}"


def of(result: Result) -> dict[str, dict[str, Any]]:
    """The coverage of one search, as JSON."""
    return {
        "taken": dict(result.taken),
        "changed": {
            action.name: result.taken[action.name] - result.idle.get(action.name, 0)
            for action in result.instance.model.actions
            if not action.unchanged and action.name not in result.instance.model.idle
        },
        "refused": {
            f"{refusal.action}, {refusal.refuses}: {refusal.label}": refusal.seen
            for refusal in result.refusals
            if not refusal.defensive
        },
        "witnessed": dict(result.witnesses),
        "refined": dict(result.refined),
    }


def reached(found: Coverage) -> dict[str, bool]:
    """Whether one search has reached each item, by its name, as "action read" or "witness done"."""
    parts = {f"action {name}": steps > 0 for name, steps in found["taken"].items()}
    parts |= {f"effect {name}": steps > 0 for name, steps in found.get("changed", {}).items()}
    parts |= {f"refusal {name}": bool(given) for name, given in found["refused"].items()}
    parts |= {f"witness {name}": length is not None for name, length in found["witnessed"].items()}
    return parts | {f"step {name}": steps > 0 for name, steps in found.get("refined", {}).items()}


def has(model: Model, name: str) -> bool:
    """Whether a model has an item of this name."""
    kind, _, rest = name.partition(" ")
    if kind != "refusal":
        named: Iterable[str] = (
            (action.name for action in model.actions)
            if kind in ("action", "effect")
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
    """Whether any of some searches has reached each item, by its name."""
    all_: dict[str, bool] = {}
    for one in found:
        for name, is_reached in reached(one).items():
            all_[name] = all_.get(name, False) or is_reached
    return all_


def missing(found: Mapping[str, bool]) -> list[str]:
    """The names of the items that were not reached, sorted; effects only of actions that were taken."""
    return sorted(name for name, is_reached in found.items() if not is_reached and not _is_never_taken(found, name))


def _is_never_taken(found: Mapping[str, bool], name: str) -> bool:
    kind, _, action = name.partition(" ")
    return kind == "effect" and not found[f"action {action}"]


def worded(name: str) -> str:
    """An item that is not reached, as text.

    >>> worded("effect read")
    'effect read (every step of it leaves the state as it is)'
    """
    is_effect = name.startswith("effect ")
    return f"{name} (every step of it leaves the state as it is)" if is_effect else name


def counts(result: Result) -> tuple[Reached, Reached, Reached, Reached]:
    """The numbers of actions, refusals, witnesses and steps of upper systems that one search has reached."""
    found = reached(of(result))
    parts = ([done for name, done in found.items() if name.startswith(f"{kind} ")] for kind in _KINDS)
    actions, refusals, witnesses, steps = (Reached(sum(part), len(part)) for part in parts)
    return actions, refusals, witnesses, steps


_KINDS = ("action", "refusal", "witness", "step")


def place_of(model: Model, name: str) -> Place | None:
    """Where an item is declared, by its name; None if its file is unknown."""
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
