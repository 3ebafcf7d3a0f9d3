"""What a decorator makes of a function of a part: a step, a claim, a limit and so on, not traced yet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Final, NoReturn

from genstamp_model.errors import Source
from genstamp_model.language.author import is_specification
from genstamp_model.language.rebound import plain_names, refuse_rebound
from genstamp_model.language.refusing import Inert
from genstamp_model.language.trace import misuse
from genstamp_model.language.values import Number, Value

BY_PART: Final = ""
"""The caller of a step whose action does not name it: what its part says."""


class Declaration(Inert):
    """Base of what a decorator makes of a function."""

    source: Source
    function: Callable[..., Any]
    name: Any

    def __post_init__(self) -> None:
        names = {} if is_specification(self.function) else plain_names(self.function)
        object.__setattr__(self, "_names", names)

    def refuse_rebound(self) -> None:
        """Refuse a function that reads a name with another value than where it was declared.

        Raises:
            SpecError: it does.
        """
        if names := getattr(self, "_names", {}):
            refuse_rebound(self.name, self.function, names, self.source)

    def _instead(self) -> str:
        kind = getattr(self, "kind", "function")
        what = f"'{self.name}' is the {kind} at {self.source}, and no value"
        return f"{what}; move what both need into a method without a decorator, and call it"

    def __call__(self, *_: object, **__: object) -> NoReturn:
        name = getattr(self, "name", "it")
        raise misuse(
            f"'{name}' is declared with a decorator at {self.source} and cannot be called; move what both need into a "
            "method without a decorator"
        )


@dataclass(frozen=True, eq=False)
class ActionDeclaration(Declaration):
    """A step of one actor, not traced yet."""

    function: Callable[..., object]
    event: str
    hidden: bool
    refuses: str | None
    unchanged: str
    source: Source
    caller: str | None = BY_PART
    kind: ClassVar[str] = "action"

    @property
    def name(self) -> str:
        """The action's name: that of its function."""
        return self.function.__name__


@dataclass(frozen=True, eq=False)
class PropertyDeclaration(Declaration):
    """A claim, not traced yet.

    `kind` is invariant, transition, witness or leads_to; `form` is what it is declared as, which for a leads-to may
    also be always_eventually or eventually_always.
    """

    function: Callable[..., Any]
    kind: str
    inductive: bool
    given: tuple[str, ...]
    fair: tuple[str, ...]
    strongly_fair: tuple[str, ...]
    vacuous: str
    source: Source
    form: str

    @property
    def name(self) -> str:
        """The property's name: that of its function."""
        return self.function.__name__


@dataclass(frozen=True, eq=False)
class LimitDeclaration(Declaration):
    """A number that a configuration limits, not traced yet."""

    function: Callable[..., Number]
    name: str
    source: Source
    kind: ClassVar[str] = "limit"


@dataclass(frozen=True, eq=False)
class BeginningDeclaration(Declaration):
    """A condition on initial states, not traced yet."""

    function: Callable[..., object]
    source: Source
    kind: ClassVar[str] = "condition on initial states"

    @property
    def name(self) -> str:
        """The condition's name: that of its function."""
        return self.function.__name__


@dataclass(frozen=True, eq=False)
class ObservationDeclaration(Declaration):
    """Something that a node can show about one entity at any time, not traced yet."""

    function: Callable[..., Value]
    source: Source
    kind: ClassVar[str] = "observation"

    @property
    def name(self) -> str:
        """The observation's name: that of its function."""
        return self.function.__name__
