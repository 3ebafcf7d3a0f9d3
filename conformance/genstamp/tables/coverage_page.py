"""The page of coverage: each place of the notes on Hadoop's source, what states it, and where that is reached.

Not here: how much of a system one search reaches: `genstamp.coverage`.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from genstamp.lock import Lock, SystemEntry
from genstamp.tables import since_2_7
from genstamp.tables.citations import cited_by_action, cited_by_helpers, promised_by
from genstamp_model.language import System
from genstamp_model.language.model import Action, Model, Property
from genstamp_spec.hdfs.places import SECTIONS, Place

_SHOWN = 6


@dataclass
class Stated:
    """What states one place.

    Attributes:
        actions: with the configuration in which each is taken first; those that cite it themselves.
        helpers: likewise; those whose methods cite it.
        properties: with how each is known to hold, or to be seen.
    """

    actions: list[str] = field(default_factory=list)
    helpers: list[str] = field(default_factory=list)
    properties: list[str] = field(default_factory=list)

    @property
    def is_stated(self) -> bool:
        """Whether anything states it."""
        return bool(self.actions or self.helpers or self.properties)


def page(systems: Sequence[System], lock: Lock) -> str:
    """The page as Markdown."""
    stated = by_place(systems, lock)
    lines = [
        "# What of HDFS is specified",
        "",
        "Made by `genstamp tables` from the docstrings of the specification and from spec.lock;",
        "[spec/README.md](../spec/README.md) explains the letters. For an action the first configuration that takes it",
        "is given. For a property the evidence is given: *proved* for any stamps and lengths, *checked* in this number",
        "of configurations, *seen* in one. `+n` counts further actions or properties that are not shown.",
        "",
    ]
    for title, places in SECTIONS:
        lines += [f"## {title}", "", "| place | what it says | stated by |", "| --- | --- | --- |"]
        lines += [f"| {place.name} | {place.says} | {_cell(place, stated[place.name])} |" for place in places]
        lines.append("")
    lines += since_2_7.lines(systems)
    left_out = [place for _, places in SECTIONS for place in places if place.left_out]
    lines += ["## What is left out", "", *(f"- {place.name}: {place.left_out}" for place in left_out), ""]
    return "\n".join(lines)


def gaps(systems: Sequence[System], lock: Lock) -> list[str]:
    """Places that nothing states and for which no reason is given."""
    stated = by_place(systems, lock)
    return [
        place.name
        for _, places in SECTIONS
        for place in places
        if not place.left_out and not stated[place.name].is_stated
    ]


def by_place(systems: Sequence[System], lock: Lock) -> Mapping[str, Stated]:
    """What states each place, by its name."""
    known = [place.name for _, places in SECTIONS for place in places]
    stated: defaultdict[str, Stated] = defaultdict(Stated)
    for system in systems:
        model, entry = system.model(), lock.get(system.name, SystemEntry())
        for action in model.actions:
            where = _taken(system, entry, action)
            if where is None:
                continue
            text = f"`{action.name}` ({where})"
            own = cited_by_action(action, known)
            for name in own:
                stated[name].actions.append(text)
            for name in cited_by_helpers(action, known):
                if name not in own:
                    stated[name].helpers.append(text)
        for claim in model.properties:
            for name in promised_by(claim, known):
                stated[name].properties.append(f"`{claim.name}` ({_known(model, entry, claim)})")
    return stated


def _taken(system: System, entry: SystemEntry, action: Action) -> str | None:
    """The first configuration in which the lock knows an action to be taken, with the system's name."""
    semantics = entry.semantics.get(system.default_semantics)
    for configuration in system.configurations:
        search = semantics.searches.get(configuration.name) if semantics else None
        if search is not None and f"action {action.name}" not in search.missing:
            return f"{system.name}:{configuration.name}"
    return None


def _known(model: Model, entry: SystemEntry, claim: Property) -> str:
    """How a property is known to hold, with the system's name."""
    if claim.name in entry.proved:
        return f"{model.system}, proved"
    semantics = entry.semantics.get(model.semantics)
    verdicts = [one.properties.get(claim.name, "") for one in semantics.searches.values()] if semantics else []
    if claim.kind == "witness":
        seen = [verdict for verdict in verdicts if verdict.startswith("seen")]
        return f"{model.system}, {seen[0]}" if seen else f"{model.system}, never seen"
    holds = sum(verdict == "holds" for verdict in verdicts)
    return f"{model.system}, checked in {holds}"


def _cell(place: Place, stated: Stated) -> str:
    parts = [_first(stated.actions or stated.helpers), _first(stated.properties)]
    if place.left_out:
        parts.append(f"left out: {place.left_out}")
    return "; ".join(part for part in parts if part) or "**nothing**"


def _first(names: Sequence[str]) -> str:
    shown = list(_shortened(names[:_SHOWN]))
    more = [f"+{len(names) - _SHOWN}"] if len(names) > _SHOWN else []
    return ", ".join([*shown, *more])


def _shortened(names: Sequence[str]) -> Iterator[str]:
    """Without `hdfs.`, which every system's name begins with."""
    return (name.replace("(hdfs.", "(") for name in names)
