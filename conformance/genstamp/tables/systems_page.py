"""The page of systems: what each is about, what it promises, how much was searched, and what it leaves out.

Leaves out faults and holes: `museum_page`, `holes_page`.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from genstamp.lock import Lock, SearchEntry, SystemEntry
from genstamp.tables.citations import PROMISED, promised_by
from genstamp_model.language import System
from genstamp_model.language.model import Model, Property

_KINDS: Final = {"invariant": "in every state", "transition": "in every step", "leads_to": "in the end"}


def page(systems: Sequence[System], lock: Lock) -> str:
    """The page as Markdown."""
    lines = [
        "# Systems",
        "",
        "Made by `genstamp tables` from the specification and spec.lock. A property is *proved* for any stamps and",
        "lengths by induction, or *checked* in every state within the limits of each configuration; a witness is what",
        "has to be possible, or else the guards are too strict.",
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
    if system.omits:
        yield from ("Left out:", "", *(f"- {sentence}" for sentence in system.omits), "")


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
