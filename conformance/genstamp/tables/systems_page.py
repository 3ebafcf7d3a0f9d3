"""The page of systems: what each is about, what it promises, how much was searched, and what it leaves out.

Leaves out the stories of faults and holes: `museum_page`, `holes_page`.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from genstamp.lock import VIOLATED, Lock, SearchEntry, SystemEntry
from genstamp.tables.citations import PROMISED, promised_by
from genstamp_model.language import System, Variation
from genstamp_model.language.model import Model, Property

_KINDS: Final = {"invariant": "in every state", "transition": "in every step", "leads_to": "in the end"}


def page(systems: Sequence[System], lock: Lock) -> str:
    """The page as Markdown."""
    lines = [
        "# Systems",
        "",
        "Made by `genstamp tables` from the specification and spec.lock. A property is *proved* for any stamps and",
        "lengths by induction, or *checked* in every state within the limits of each configuration; a witness is what",
        "has to be possible, or else the guards are too strict. What releases do otherwise is listed with what breaks",
        "by it, or with what shows it where nothing breaks. A release is searched in a system's first configuration,",
        "and in those where something that it does otherwise shows by itself; what would come of it in the others is",
        "not judged, unless `genstamp check SYSTEM --semantics NAME` is asked for it.",
        "",
        "Two other checkers, TLC and Spin, are asked about the smallest configuration of each system",
        "once, and [again](verify.md) when the text that they are given changes. Each system's part names the",
        "configurations in which they found the same.",
        "TLC takes minutes for some hundred thousand states, so that not every one was asked about.",
        "Of properties in the end Spin says nothing, and TLC nothing of those that rest on very many fair steps.",
        "",
        "| system | what it is about |",
        "| --- | --- |",
        *(f"| [{system.name}](#{system.name.replace('.', '')}) | {system.doc} |" for system in systems),
        "",
    ]
    for system in systems:
        lines += _system(system, lock.get(system.name, SystemEntry()))
    return "\n".join(lines)


def _system(system: System, entry: SystemEntry) -> Iterator[str]:
    model = system.model()
    yield from (f"## {system.name}", "", system.doc, "", "| promise | property | holds | |", "| --- " * 4 + "|")
    for claim in sorted(model.properties, key=_order):
        if claim.kind != "witness":
            known = "proved" if claim.name in entry.proved else "checked"
            yield f"| {', '.join(promised_by(claim))} | {_said(claim)} | {_KINDS[claim.kind]} | {known} |"
    yield from (f"| | refines {one.upper.system} | in every step | checked |" for one in model.refinements)
    yield from ("", "Possible, too:", "")
    yield from (f"- {_said(claim)}" for claim in model.properties if claim.kind == "witness")
    yield from ("", "| configuration | what it is good for | sizes | limits | states | deep |", "| --- " * 6 + "|")
    yield from _configurations(system, model, entry)
    yield ""
    yield from _agreed(model, entry)
    yield from _releases(system, entry)
    if system.omits:
        yield from ("Left out:", "", *(f"- {sentence}" for sentence in system.omits), "")


def _agreed(model: Model, entry: SystemEntry) -> Iterator[str]:
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


def _releases(system: System, entry: SystemEntry) -> Iterator[str]:
    """What each semantics but the default one does otherwise, and in which configurations it was searched."""
    others = [name for name in system.semantics if name != system.default_semantics]
    if not others:
        return
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
    """What is known of a variation by itself."""
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


def _configurations(system: System, model: Model, entry: SystemEntry) -> Iterator[str]:
    semantics = entry.semantics.get(model.semantics)
    for one in system.configurations:
        search: SearchEntry | None = semantics.searches.get(one.name) if semantics else None
        found = f"{search.distinct:,} | {search.depth}" if search else "not in the lock | "
        sizes = ", ".join(f"{size} {name}" for name, size in one.sizes.items())
        limits = ", ".join(f"{name} {bound}" for name, bound in one.limits.items() if bound)
        demand = " (on demand)" if one.on_demand else ""
        yield f"| {one.name}{demand} | {one.doc} | {sizes} | {limits} | {found} |"
