"""The known facts about a system: its properties, how much was searched, and what releases do otherwise.

Not here: the stories of faults and holes: `museum_page`, `holes_page`.
"""

from collections.abc import Iterator
from typing import Final

from genstamp.lock import VIOLATED, SearchEntry, SystemEntry
from genstamp.tables.citations import PROMISED, promised_by
from genstamp_model.language import System, Variation
from genstamp_model.language.model import Model, Property

_KINDS: Final = {"invariant": "in every state", "transition": "in every step", "leads_to": "eventually"}


def properties(model: Model, entry: SystemEntry) -> Iterator[str]:
    """A line for each property: what it says, how long it holds, and how that is known."""
    yield from ("| promise | property | holds | |", "| --- " * 4 + "|")
    for claim in sorted(model.properties, key=_order):
        if claim.kind != "witness":
            known = "proved" if claim.name in entry.proved else "checked"
            yield f"| {', '.join(promised_by(claim))} | {_said(claim)} | {_KINDS[claim.kind]} | {known} |"
    possible = [f"- {_said(claim)}" for claim in model.properties if claim.kind == "witness"]
    if possible:
        yield from ("", "Possible, too:", "", *possible)


def agreed(model: Model, entry: SystemEntry) -> Iterator[str]:
    """In which configurations other checkers found the same, as the lock keeps it."""
    semantics = entry.semantics.get(model.semantics)
    told = []
    for name, one in (semantics.agreed if semantics else {}).items():
        limits = ", ".join(f"{limit} {most}" for limit, most in one.limits.items())
        told.append(
            f"{name} with {limits} ({one.distinct:,} states)" if limits else f"{name} ({one.distinct:,} states)"
        )
    if told:
        yield from (f"Asked once, TLC and Spin found the same in {', '.join(told)}.", "")


def releases(system: System, entry: SystemEntry) -> Iterator[str]:
    """The differences of each semantics from the default, and the configurations in which it was searched."""
    others = [name for name in system.semantics if name != system.default_semantics]
    if not others:
        return
    yield from ("## What releases do otherwise", "")
    yield from ("| done otherwise | what | " + " | ".join(others) + " | shown by |", "| --- " * (len(others) + 3) + "|")
    for one in dict.fromkeys(one for name in others for one in system.semantics[name]):
        marks = " | ".join("yes" if one in system.semantics[name] else "" for name in others)
        yield f"| {one.name} | {one.title} | {marks} | {_shown(one, entry)} |"
    yield ""
    for name in others:
        searches = entry.semantics[name].searches if name in entry.semantics else {}
        left = [one.name for one in system.configurations if one.name not in searches]
        broken = {claim for search in searches.values() for claim, said in search.properties.items() if _breaks(said)}
        told = ", ".join(f"`{claim}`" for claim in sorted(broken)) or "nothing"
        where = f"searched in {', '.join(searches) or 'none'}" + (f", and not in {', '.join(left)}" if left else "")
        yield f"- {name}: {where}; breaks {told}"
    yield ""


def _shown(one: Variation, entry: SystemEntry) -> str:
    """The known facts about a variation by itself."""
    found = entry.variations.get(one.name)
    if found is None:
        return "not in the lock"
    return f"`{found.breaks}` breaks" if found.breaks else f"{found.shows}, and nothing breaks"


def _breaks(said: str) -> bool:
    return said.startswith(VIOLATED)


def _order(claim: Property) -> tuple[int, int]:
    """In the order of the promises; what supports others comes last."""
    places = [list(PROMISED).index(name) for name in promised_by(claim)]
    return (0, min(places)) if places else (1, 0)


def _said(claim: Property) -> str:
    """The property's name and the first sentence of its docstring, without the promises that it names."""
    first = claim.doc.split("\n\n")[0].replace("\n", " ")
    _, colon, rest = first.partition(": ")
    return f"`{claim.name}`: {rest if colon and promised_by(claim) else first}"


def configurations(system: System, model: Model, entry: SystemEntry) -> Iterator[str]:
    """A line for each configuration, with what its search found."""
    yield from ("| configuration | what it is good for | sizes | limits | states | deep |", "| --- " * 6 + "|")
    semantics = entry.semantics.get(model.semantics)
    for one in system.configurations:
        search: SearchEntry | None = semantics.searches.get(one.name) if semantics else None
        found = f"{search.distinct:,} | {search.depth}" if search else "not in the lock | "
        sizes = ", ".join(f"{size} {name}" for name, size in one.sizes.items())
        limits = ", ".join(f"{name} {bound}" for name, bound in one.limits.items() if bound)
        demand = " (on demand)" if one.on_demand else ""
        yield f"| {one.name}{demand} | {one.doc} | {sizes} | {limits} | {found} |"
