"""The pages of the steps that the adapter protocol asks for: how each is asked for, and what the model asks before it.

Not here: the protocol itself, which is in docs/adapter-protocol.md.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from genstamp.adapters import Cluster
from genstamp.stateful import DRIVINGS, Driving
from genstamp.systems import system_named
from genstamp.tables.markdown import table
from genstamp.track import Fit, Names
from genstamp_model.language.model import Action, Model
from genstamp_model.language.trace import Check

_ASKED = ("asked for by", "arguments", "may show", "may be refused with")
_DONE = ("what it is", "made if", "else refused with")


FOLDER: Final = "adapter-steps"


def page() -> str:
    """The first page as Markdown: how to read the others."""
    lines = [
        "# The steps of the adapter protocol",
        "",
        "Made by `genstamp tables` from the specification. A page for each system lists the steps that",
        "`genstamp conform` requests from an implementation in the [adapter protocol](adapter-protocol.md), under the",
        "system's default semantics. An adapter may answer that a step marked * is not possible although the model",
        "allows it; the reasons are below the table. The second table has a row for each way in which the model takes",
        "a step or refuses it as a whole. If a condition of the middle column fails, another way may apply. If a",
        "condition of the last column fails, the step is refused with that exception.",
        "",
        *(f"- [{name}]({FOLDER}/{name}.md): {system_named(name).doc}" for name in DRIVINGS),
    ]
    return "\n".join([*lines, ""])


def pages() -> dict[str, str]:
    """A page for each system that can be driven, as Markdown, by file name."""
    return {f"{name}.md": _page(name, driving) for name, driving in DRIVINGS.items()}


def _page(name: str, driving: Driving) -> str:
    model = system_named(name).model(None)
    lines = [
        f"# Steps of `{name}`",
        "",
        "Made by `genstamp tables`; how to read it is [here](../adapter-steps.md).",
        "",
    ]
    lines += [*table("event", _ASKED, asked_for(model, driving)), ""]
    lines += [*_without_event(model, driving), *_declined(driving)]
    lines += ["", f"## What `{name}` asks before each", "", *table("step", _DONE, dict(_ways(model, driving)))]
    return "\n".join([*lines, ""])


def asked_for(model: Model, driving: Driving) -> dict[str, tuple[str, ...]]:
    """By event, marked if it may be declined: who asks, with which arguments, what is shown, and the refusals."""
    members = driving.members(Cluster(("/a",), ("client1",), ("datanode1",), "repaired"))
    fit = Fit(model, Names(model, members, first_stamp=1), told_apart=driving.told_apart, chosen=driving.chosen)
    actions = _by_event(model, driving)
    found: dict[str, tuple[str, ...]] = {}
    for event in fit.events:
        by = "tick" if event in driving.spontaneous else "fault" if event in driving.faults else "call"
        said = [*fit.arguments(event), *(f"{name} (may be said)" for name in driving.chosen.get(event, ()))]
        refusals = {action.refuses for action in actions[event]} | {
            check.refuses for action in actions[event] for check in _asked(action)
        }
        shown = (", ".join(said), ", ".join(sorted(fit.shows(event))), ", ".join(sorted(filter(None, refusals))))
        found[f"`{event}`{' *' if event in driving.may_decline else ''}"] = (by, *shown)
    return found


def _by_event(model: Model, driving: Driving) -> Mapping[str, list[Action]]:
    """The actions of each event, as the driving distinguishes them."""
    found: dict[str, list[Action]] = {}
    for action in model.actions:
        if not action.hidden or action.name in driving.told_apart:
            found.setdefault(driving.told_apart.get(action.name, action.event), []).append(action)
    return found


def _asked(action: Action) -> list[Check]:
    """The checks that the table lists: not those that never fail, and not those of lifecycles."""
    return [check for check in action.checks if not check.defensive and not check.lifecycle]


def _ways(model: Model, driving: Driving) -> Iterator[tuple[str, tuple[str, str, str]]]:
    for event, actions in _by_event(model, driving).items():
        for action in actions:
            way = "" if action.name == event else f", {action.name.replace('_', ' ')}"
            refused = [f"{check.refuses}: {check.label}" for check in _asked(action) if check.refuses]
            ways = _cell(check.label for check in _asked(action) if not check.refuses)
            does = " ".join(action.doc.split("\n\n")[0].split())
            if action.refuses:
                does += f" Refused with {action.refuses}."
            yield f"`{event}`{way}", (_cell([does]), ways, _cell(refused))


def _cell(parts: Iterable[str]) -> str:
    return "; ".join(dict.fromkeys(parts)).replace("|", "\\|")


def _without_event(model: Model, driving: Driving) -> Iterator[str]:
    """The faults that leave no event, each with its arguments."""
    named = {
        name: ", ".join(one.name for one in model.action(name).parameters) for name in sorted(driving.brought_about)
    }
    if named:
        told = ", ".join(f"`{name}`{f' ({said})' if said else ''}" for name, said in named.items())
        yield f"Asked for as faults, and answered without an event: {told}."
        yield ""


def _declined(driving: Driving) -> Iterator[str]:
    yield from (f"- * `{event}`: {why}." for event, why in driving.may_decline.items())
