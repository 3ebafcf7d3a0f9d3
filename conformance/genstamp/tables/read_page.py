"""A page for each system: what a committer reads of it, with Hadoop's source beside it.

A call is one numbered text in the order of checks of HDFS. Not here: the stories of faults and holes: `museum_page`,
`holes_page`.
"""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from genstamp.lock import Lock, SystemEntry
from genstamp.tables import holes_page
from genstamp.tables.citations import cited
from genstamp.tables.markdown import cell, table
from genstamp.tables.reading import call_text, state_table
from genstamp.tables.reading.differences import Differences, by_call
from genstamp.tables.reading.effects import LONG, SHORT, Effects
from genstamp.tables.reading.names import watched_actions, watched_model
from genstamp.tables.reading.wording import Wording
from genstamp.tables.searched import agreed, configurations, properties, releases
from genstamp_model.language import System, Variation
from genstamp_model.language.model import Action
from genstamp_model.language.trace import ActionParameter, MessageOf, OptionalMember, Range, Subset
from genstamp_model.language.types import EnumType, IndexSet
from genstamp_spec.hdfs.places import SECTIONS

FOLDER: Final = "read"
SCREEN: Final = 60
_CURRENT: Final = "hadoop-3."
"""How the names of releases begin that are maintained."""
_COLUMNS: Final = 120
_LINK: Final = re.compile(r"\[([^]]*)\]\([^)]*\)")
_PLACES: Final = frozenset(place.name for _, places in SECTIONS for place in places)
_ACTORS: Final = {
    "namenode": "The NameNode",
    "standby": "The standby NameNode",
    "master": "The master",
    "client": "Clients",
    "Client": "Clients",
    "Datanode": "Datanodes",
    "Chunkserver": "Chunkservers",
    "": "Faults, time and the rest",
}
_LEGEND: Final = """\
How to read a call: the checks are listed in order. Each has the exception that the caller gets if this check is the
first that fails; if a check without an exception fails, the call is not possible. If the words are ambiguous, the
formula follows in parentheses. `if` begins a separate way, which ends with `=>` and the way's name in traces; if its
condition does not hold, the text continues below. `perhaps` leaves the choice open. The effects follow. All of them
refer to the state before the call; `lease[client]: grant (released -> held)` is an event of a lifecycle, and `by
release()` names the function of the specification that has the formula. A name such as `file_0` stands for each file.
Variables that only properties read (*history*) are not shown."""
_OF_HADOOP: Final = """\
`--` names the method of Hadoop that makes the next checks, if it differs from the call's method. The right column has
the row of the [facts](../../spec/facts/README.md) or the specification's own remark, and the holes or faults that lack
the line."""


def pages(systems: Sequence[System], lock: Lock, repository: Path) -> dict[str, str]:
    """The pages by file name."""
    linked = {hole.name for _, hole in holes_page.holes(systems)}
    stories = {path.stem for path in (repository / "diagrams").glob("*.svg")}
    return {
        f"{system.name}.md": "\n".join(_Page(system, lock.get(system.name, SystemEntry()), linked, stories).lines())
        for system in systems
    }


class _Page:
    """The page of one system."""

    def __init__(self, system: System, entry: SystemEntry, linked: set[str], stories: set[str]) -> None:
        self._system, self._entry, self._linked, self._stories = system, entry, linked, stories
        self._model, self._default = watched_model(system)
        self._differences = Differences(system, self._default.actions)
        default = {system.default_semantics: by_call(self._default.actions)}
        others = [name for name in system.semantics if name != system.default_semantics]
        self._ways = default | {name: by_call(system.actions(None, name)) for name in others}
        self._owner = self._owners()
        self._traced = {system.default_semantics: self._default}
        for name in dict.fromkeys(self._owner.values()):
            if name != system.default_semantics:
                own = {call for call, owner in self._owner.items() if owner == name}
                self._traced[name] = watched_actions(system, name, own, self._default.history)
        self._wordings = {name: Wording(one.names) for name, one in self._traced.items()}

    def _owners(self) -> dict[str, str]:
        """Every call with the semantics under which it is told: the default one, or the first that has it."""
        owners: dict[str, str] = {}
        for name, calls in self._ways.items():
            for call in calls:
                owners.setdefault(call, name)
        return owners

    def lines(self) -> Iterator[str]:
        system, model = self._system, self._model
        yield from (f"# {system.name}", "", system.doc, "")
        yield "Made by `genstamp tables` from the specification. [All systems](../systems.md)."
        yield ""
        if system.omits:
            yield from ("Left out:", "", *(f"- {sentence}" for sentence in system.omits), "")
        yield from _coarser(system)
        yield from ("## Configurations", "", *configurations(system, model, self._entry), "")
        yield from agreed(model, self._entry)
        yield from ("## State", "", *state_table.rows(model, self._default.history), "")
        drawn = [name for name in state_table.lifecycles(model) if name in self._stories]
        if drawn:
            links = ", ".join(f"[{name.replace('_', ' ')}](../../diagrams/{name}.svg)" for name in drawn)
            yield from (f"Lifecycles: {links}.", "")
        yield from ("## Calls", "", _LEGEND, *((_OF_HADOOP,) if system.name.startswith("hdfs.") else ()), "")
        actors = self._by_actor()
        for actor, calls in actors.items():
            yield f"- {actor}: {', '.join(f'[{name}](#{_anchor(_head(ways))})' for name, ways in calls.items())}"
        yield ""
        told: list[str] = []
        for actor, calls in actors.items():
            told += [f"## {actor}", ""]
            for name, ways in calls.items():
                told += self._call(name, ways)
        yield from (*told, *self._functions("\n".join(told)))
        yield from ("## Properties", "", *properties(model, self._entry), "")
        yield from releases(system, self._entry)

    def _by_actor(self) -> dict[str, dict[str, list[Action]]]:
        """The ways of each call by actor."""
        found: dict[str, dict[str, list[Action]]] = {}
        for call, semantics in self._owner.items():
            ways = by_call(self._traced[semantics].actions)[call]
            lane = ways[-1].lane
            actor = _ACTORS[lane.name if isinstance(lane, IndexSet) else lane or ""]
            found.setdefault(actor, {})[call] = ways
        rank = list(_ACTORS.values())
        return {actor: found[actor] for actor in sorted(found, key=rank.index)}

    def _call(self, name: str, ways: Sequence[Action]) -> Iterator[str]:
        semantics = self._owner[name]
        beginning = [f"### {_head(ways)}", "", *self._told(ways, semantics), "", "```text"]
        changes = list(self._changes(name))
        ending = ["```", "", *changes, *([""] if changes else [])]
        near = partial(_near, facts=set(cited(ways[-1].doc, _PLACES)))
        lines: list[str] = []
        for longest, is_brief in ((LONG, False), (SHORT, False), (SHORT, True)):
            traced, wording = self._traced[semantics], self._wordings[semantics]
            effects = Effects(traced, wording, longest=longest, is_brief=is_brief)
            text = call_text.text(ways, effects, self._differences.marks(name), near)
            lines = [*beginning, *text, *ending]
            if on_screen(lines) <= SCREEN:
                break
        yield from lines

    def _told(self, ways: Sequence[Action], semantics: str) -> Iterator[str]:
        last = ways[-1]
        *paragraphs, cites = [" ".join(one.split()) for one in re.split(r"\n\n|\n(?=Source  )", last.doc)]
        if not cites.startswith("Source "):
            paragraphs, cites = [*paragraphs, cites], ""
        notes = [cites.replace("Source ", "Source: ", 1)] if cites else []
        notes += [f"In [{Path(last.source.file).name}]({_relative(last.source.file)}).", *_choices(ways)]
        if last.event != last.declared:
            notes.append(f"Its event is `{last.event}`.")
        if last.hidden:
            notes.append("No caller sees it happen.")
        if semantics != self._system.default_semantics:
            having = [name for name, calls in self._ways.items() if last.declared in calls]
            notes.append(f"Only under {', '.join(having)}.")
        for paragraph in paragraphs:
            yield from (paragraph, "")
        yield " ".join(notes)

    def _changes(self, call: str) -> Iterator[str]:
        """The differences of releases and historic faults in a call, one line each."""
        past: list[str] = []
        for variation in self._differences.of(call):
            having = [name for name, has in self._system.semantics.items() if variation in has]
            said = f"{self._link(variation)}: {variation.title}"
            if any(name.startswith(_CURRENT) for name in having):
                yield f"- {', '.join(having)}: {said}"
            else:
                past.append(said)
        if past:
            yield f"- {'History' if self._system.name.startswith('hdfs.') else 'Faults'}: {'; '.join(past)}"
        told = {way.name for way in by_call(self._traced[self._owner[call]].actions)[call]}
        further: dict[str, list[str]] = {}
        for semantics, calls in self._ways.items():
            for way in calls.get(call, ()):
                if way.name not in told:
                    further.setdefault(way.name, []).append(semantics)
        for name, having in further.items():
            yield f"- {', '.join(having)}: one way more, `{name}`"

    def _link(self, variation: Variation) -> str:
        if variation.name in self._linked:
            return f"[{variation.name}](../holes/{variation.name}.md)"
        story = f" ([story](../../diagrams/{variation.name}.svg))" if variation.name in self._stories else ""
        page = f"[{variation.name}](../museum.md)" if variation.kind == "bug" else variation.name
        return f"{page}{story}"

    def _functions(self, calls: str) -> Iterator[str]:
        named = set(re.findall(r"(\w+)\(", calls))
        said: dict[str, tuple[str, str]] = {}
        for wording in self._wordings.values():
            for name, says in wording.used.items():
                if name in named:
                    said[f"`{name}`"] = cell(says), ", ".join(wording.sets.get(name, ()))
        if said:
            yield from ("## Functions of the specification that are named here", "")
            yield from table("function", ("what it says", "sets"), dict(sorted(said.items())))
            yield ""


def on_screen(lines: Sequence[str]) -> int:
    """How many lines a text takes on a screen, once links are shown by their words."""
    return sum(max(1, -(-len(_LINK.sub(r"\1", line)) // _COLUMNS)) for line in lines)


def _coarser(system: System) -> Iterator[str]:
    """What the modules of a system's parts simplify, each with a link to its module."""
    modules = dict.fromkeys(part.__module__ for part in system.parts)
    found = []
    for name in modules:
        module = sys.modules[name]
        assert module.__file__ is not None, "parts stand in files"
        link = f"[{Path(module.__file__).name}]({_relative(module.__file__)})"
        coarser = (one for one in (module.__doc__ or "").split("\n\n") if one.startswith("Coarser"))
        found += [f"- {link}: {' '.join(paragraph.split())}" for paragraph in coarser]
    if found:
        yield from ("Simplified:", "", *found, "")


def _near(text: str, facts: set[str]) -> list[str]:
    """The places that a function near a check cites, but those of the call and those that are too many to help."""
    found = [place for place in cited(text, _PLACES) if place not in facts]
    return found if len(found) <= 2 else []


def _relative(file: str) -> str:
    """A file of the specification, from a page."""
    return f"../../spec/genstamp_spec{file.rpartition('genstamp_spec')[2]}"


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-")


def _head(ways: Sequence[Action]) -> str:
    common = [one for one in _common(ways) if not isinstance(one.domain, MessageOf | Range | Subset)]
    return f"{ways[-1].declared}({', '.join(one.name for one in common)})"


def _common(ways: Sequence[Action]) -> list[ActionParameter]:
    return [one for one in ways[-1].parameters if all(one in way.parameters for way in ways)]


def _choices(ways: Sequence[Action]) -> Iterator[str]:
    common = _common(ways)
    every: Mapping[str, ActionParameter] = {one.name: one for way in ways for one in way.parameters}
    for one in every.values():
        match one.domain:
            case MessageOf(bag=bag):
                yield f"`{one.name}` is a message in `{bag}`."
            case Range() if isinstance(one.type, EnumType):
                yield f"`{one.name}` is one of {', '.join(one.type.labels)}."
            case Subset(index=index):
                yield f"`{one.name}` is a set of {index.name}."
            case Range(low=low, high=high):
                yield f"`{one.name}` is a number from {low} to {high}."
            case OptionalMember(index=index):
                yield f"`{one.name}` is a {index.name} or none."
            case IndexSet(name=name) if one not in common:
                yield f"`{one.name}` is a {name} that the call chooses."
