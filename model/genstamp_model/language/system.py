"""Systems: a choice of parts, with variations and configurations; tracing turns one into a `Model`.

A variation drops labelled checks or replaces actions by those of further parts, and names the property that it must
break. A `Bug` is a historic fault; a `Hole` is what a released version lacks; a `Difference` breaks nothing, and names
what shows it. A semantics is a list of them: what a release does otherwise.

Not here: tracing (`building`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final, Self, TypeVar

from genstamp_model.errors import ConfigurationError, Source, SpecError
from genstamp_model.language.author import caller
from genstamp_model.language.building import Builder, refuse_unlike
from genstamp_model.language.declare import Part
from genstamp_model.language.given import a, by_name, is_count, is_name, is_text, refuse_others, several
from genstamp_model.language.model import Action, Configuration, Instance, Model
from genstamp_model.language.refinement import RefinementDeclaration
from genstamp_model.language.rows import table_of

T = TypeVar("T")
_MODELS_KEPT: Final = 4


@dataclass(frozen=True)
class Variation:
    """A named change of a system.

    Attributes:
        name: as on the command line.
        title: what changes, in a sentence; else the first sentence of its first part.
        drops: checks left out, as (action, label).
        parts: parts whose actions replace those of the same name, or are added.
        breaks: names of the properties of which at least one must break.
        configuration: where it must be found.
        depth: length in steps of the shortest counterexample there.
        source: issue and versions, or where it is argued.
        kind: what it is, in a word.
    """

    kind: ClassVar[str] = "variation"

    name: str
    title: str = ""
    drops: tuple[tuple[str, str], ...] = ()
    parts: tuple[type[Part], ...] = ()
    breaks: tuple[str, ...] = ()
    configuration: str = ""
    depth: int = 0
    source: str = ""

    def __post_init__(self) -> None:
        refuse_others("a variation", self, name=(is_name, "its name in one line without a colon"))
        refuse_others(
            f"{self.kind} {self.name}",
            self,
            title=(is_text, "a text"),
            drops=(several(_is_pair), "a tuple of (action, label), such as (('write', 'the lock is held'),)"),
            parts=(several(_is_part), "a tuple of classes derived from Part"),
            breaks=(several(is_text), "a tuple of names of properties, such as ('mutual_exclusion',)"),
            configuration=(is_text, "the name of a configuration"),
            depth=(is_count, "a number of steps"),
        )
        if not self.title and self.parts:
            object.__setattr__(self, "title", _title(self.parts[0]))

    def at(self, configuration: str, *breaks: str) -> Self:
        """The same where it shows: in this configuration; one of these properties, if any is named, must break."""
        return replace(self, configuration=configuration, breaks=breaks or self.breaks)


@dataclass(frozen=True)
class Bug(Variation):
    """A historic fault."""

    kind: ClassVar[str] = "bug"


@dataclass(frozen=True)
class Hole(Variation):
    """What a released version lacks: the text states the repaired protocol, and a hole takes the repair out."""

    kind: ClassVar[str] = "hole"


OTHER_STATES = "other states"
"""What a difference shows where nothing in particular tells it from the text."""


@dataclass(frozen=True)
class Difference(Variation):
    """A difference of a released version by which no promise breaks: `breaks` is empty.

    Attributes:
        shows: what tells it from the text: `witness NAME` of one of its parts, `action NAME`, or `refusal ACTION,
            EXCEPTION: LABEL`, which must be reached in the configuration, and which the system does not have without;
            or `OTHER_STATES`, where there are more states in the configuration, or fewer, than without.
    """

    kind: ClassVar[str] = "difference"

    shows: str = ""

    def seen(self, configuration: str, shows: str) -> Self:
        """The same where it is seen: in this configuration, by what it shows there."""
        return replace(self, configuration=configuration, shows=shows)


@dataclass(frozen=True)
class System:
    """A system: parts, semantics, bugs, configurations.

    Attributes:
        name: as on the command line.
        parts: the chosen parts; later ones may replace actions of earlier ones.
        configurations: the first is the default.
        rows: further ones as a table, one a row, `NAME: NUMBERS; DOC`; the row `*` has what others do not give:

                *: Node=2 crashes=0
                crash: crashes=1; a node stops

        limits: those of a configuration that gives no others.
        semantics: by name, what a released version does otherwise: the holes that it has still, the historic faults
            that it has not got rid of, and differences that break nothing.
        default_semantics: the one used by default; else the first.
        may_stop: where no further step is fine, so that it is no deadlock: a condition, `ANYWHERE` or `NOWHERE`. By
            default nothing is said of it: then deadlock is not looked for, and verdicts say so.
        meets: refusals that are defensive elsewhere and given here, as (action, label): coverage asks for them.
        idle: what its parts have and what does nothing here, by name, with the reason why: actions that change nothing,
            variables that no action sets or that nothing reads, labels that no step sets (`ReplicaState.RUR`), and
            properties of which some part cannot fail.
        omits: what the system leaves out, a sentence each.
        source: the line of its declaration.

    Raises:
        SpecError: a part or a configuration is none.
    """

    name: str
    parts: Sequence[type[Part]]
    configurations: Sequence[Configuration] = ()
    rows: str = ""
    limits: Mapping[str, int] = field(default_factory=dict)
    doc: str = ""
    semantics: Mapping[str, tuple[Variation, ...]] = field(default_factory=lambda: {"default": ()})
    default_semantics: str = ""
    bugs: Sequence[Bug] = ()
    refines: Sequence[RefinementDeclaration] = ()
    may_stop: Callable[[Any], Any] | None = None
    meets: Sequence[tuple[str, str]] = ()
    idle: Mapping[str, str] = field(default_factory=dict)
    omits: Sequence[str] = ()
    source: Source = field(init=False, repr=False, compare=False)
    _models: dict[tuple[str, tuple[str, ...]], Model] = field(
        init=False, repr=False, compare=False, default_factory=dict
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "source", caller())
        self._refuse_what_is_none()
        object.__setattr__(self, "default_semantics", self.default_semantics or next(iter(self.semantics), ""))
        shared, written = table_of(self.rows)
        limits = {**shared, **self.limits}
        whole = tuple(replace(one, limits={**limits, **one.limits}) for one in (*self.configurations, *written))
        object.__setattr__(self, "configurations", whole)
        object.__setattr__(self, "limits", limits)
        object.__setattr__(self, "rows", "")

    def _refuse_what_is_none(self) -> None:
        refuse_others("a system", self, name=(is_name, "the system's name in one line without a colon"))
        of_variations = several(a(Variation))
        refuse_others(
            f"system {self.name}",
            self,
            parts=(several(_is_part), "a list of classes derived from Part"),
            configurations=(several(a(Configuration)), "a list of Configuration(...)"),
            rows=(lambda value: isinstance(value, str), "a text"),
            limits=(by_name(a(int)), "{'messages': 3}, a number by name"),
            doc=(is_text, "a text"),
            semantics=(by_name(of_variations), "{'name': (Hole(...), ...)}"),
            default_semantics=(is_text, "the name of one of the semantics"),
            bugs=(of_variations, "a list of Bug(...)"),
            refines=(several(a(RefinementDeclaration)), "a list of RefinementDeclaration(...)"),
            may_stop=(lambda value: value is None or callable(value), "a function of the state, ANYWHERE or NOWHERE"),
            meets=(several(_is_pair), "a list of (action, label)"),
            idle=(by_name(is_text), "{'action': 'why'}"),
            omits=(several(is_text), "a list of sentences"),
        )

    def configuration(self, name: str | None = None) -> Configuration:
        """A configuration by name, or the default one.

        Raises:
            ConfigurationError: there is none of this name, there are two, or none at all.
        """
        self._refuse_configurations()
        if name is None:
            return self.configurations[0]
        return _named("configuration", name, {c.name: c for c in self.configurations}, self.name)

    @property
    def every_time(self) -> Sequence[Configuration]:
        """The configurations that are searched where none is named.

        Raises:
            ConfigurationError: there is none, so that nothing would be searched, or there are two of one name.
        """
        self._refuse_configurations()
        found = [one for one in self.configurations if not one.on_demand]
        if not found:
            names = ", ".join(one.name for one in self.configurations)
            message = f"every configuration of {self.name} is on demand, so nothing is searched; name one of {names}"
            raise ConfigurationError(message, self.source)
        return found

    def _refuse_configurations(self) -> None:
        if not self.configurations:
            message = (
                f"system {self.name} has no configuration, so nothing is searched; write Configuration('small', ...)"
            )
            raise ConfigurationError(message, self.source)
        names = [one.name for one in self.configurations]
        twice = next((one for i, one in enumerate(self.configurations) if one.name in names[:i]), None)
        if twice is not None:
            message = f"two configurations of system {self.name} are named '{twice.name}'; give each its own name"
            raise ConfigurationError(message, twice.source)

    @property
    def variations(self) -> tuple[Variation, ...]:
        """Every bug, and everything that some semantics does otherwise."""
        holes = (hole for holes in self.semantics.values() for hole in holes)
        return tuple(dict.fromkeys([*self.bugs, *holes]))

    def bug(self, name: str) -> Variation:
        """A bug or hole by name.

        Raises:
            ConfigurationError: there is none of this name.
        """
        return _named("bug", name, {variation.name: variation for variation in self.variations}, self.name)

    def model(self, semantics: str | None = None, bugs: Sequence[str] = ()) -> Model:
        """Trace the system; the last few models are kept, as tracing takes a tenth of a second.

        Raises:
            SpecError: the text misuses the language.
            ConfigurationError: the semantics or a bug is unknown.
        """
        key = (semantics or self.default_semantics, tuple(bugs))
        model = self._models.pop(key, None) or self.trace(semantics, bugs)
        self._models[key] = model  # The latest one is last.
        if len(self._models) > _MODELS_KEPT:
            del self._models[next(iter(self._models))]
        return model

    def trace(self, semantics: str | None = None, bugs: Sequence[str] = ()) -> Model:
        """Trace the system anew, whatever is kept; otherwise like `model`."""
        try:
            builder = self._builder(semantics, bugs)
            model = builder.build()
            if builder.is_of_others:
                refuse_unlike(model, self._builder(semantics, bugs, again=True).build())
            return model
        except RecursionError as problem:
            message = (
                f"an expression of system {self.name} is too deep; write forall, exists or count in place of loops"
            )
            raise SpecError(message, self.source) from problem

    def actions(
        self, only: Container[str] | None, semantics: str | None = None, bugs: Sequence[str] = ()
    ) -> tuple[Action, ...]:
        """Trace actions, and nothing else of the system.

        Args:
            only: names of their declarations; None for all.
            semantics: as of a model.
            bugs: likewise.

        Raises:
            SpecError: the text misuses the language.
            ConfigurationError: the semantics or a bug is unknown.
        """
        return self._builder(semantics, bugs).actions(only)

    def _builder(self, semantics: str | None, bugs: Sequence[str], *, again: bool = False) -> Builder:
        chosen = semantics or self.default_semantics
        holes = _named("semantics", chosen, self.semantics, self.name)
        variations = [*holes, *(self.bug(name) for name in bugs)]
        return Builder(self, chosen, variations, tuple(bugs), again=again)

    def instance(
        self, configuration: str | None = None, semantics: str | None = None, bugs: Sequence[str] = ()
    ) -> Instance:
        """The traced system in one configuration."""
        return Instance(self.model(semantics, bugs), self.configuration(configuration))


def _title(part: type[Part]) -> str:
    """The first paragraph of a part's docstring as a title: without the full stop, and in lower case but for names."""
    told = " ".join((inspect.getdoc(part) or "").partition("\n\n")[0].split()).removesuffix(".")
    first, _, _ = told.partition(" ")
    return told[:1].lower() + told[1:] if first[1:].islower() or len(first) == 1 else told


def _is_part(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, Part)


def _is_pair(value: object) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and all(map(is_text, value))


def _named(what: str, name: str, known: Mapping[str, T], system: str) -> T:
    if name not in known:
        raise ConfigurationError(f"{system} has no {what} '{name}'; it has {', '.join(known) or 'none'}")
    return known[name]
