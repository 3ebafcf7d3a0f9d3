"""Declarations of parts: the actions of one actor, and what is claimed, limited and observed.

A part is a class. Its attributes declare variables, its methods decorated with `action` are the steps of one actor,
those decorated with `invariant`, `transition`, `witness`, `leads_to` are claims, `limit` methods count what a
configuration may cut off, `initially` methods choose among combinations of initial values. A part inherits
from the classes that declare the variables it needs.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Final, NoReturn, TypeAlias, TypeVar, overload

from genstamp_model.language import ir
from genstamp_model.language.author import caller as called_from
from genstamp_model.language.author import is_called_by_author, suggested
from genstamp_model.language.declarations import (
    BY_PART,
    ActionDeclaration,
    BeginningDeclaration,
    Declaration,
    LimitDeclaration,
    ObservationDeclaration,
    PropertyDeclaration,
)
from genstamp_model.language.lifecycles import refuse_lifecycle
from genstamp_model.language.lost import refuse_lost
from genstamp_model.language.members import Index
from genstamp_model.language.mismatch import shown
from genstamp_model.language.symbolic import Traced
from genstamp_model.language.trace import current, is_open, misuse
from genstamp_model.language.types import IndexSet, Type, with_article
from genstamp_model.language.values import Number, Place, Value, at_place, coerce, wrap
from genstamp_model.language.variables import Declared, declared_in

V = TypeVar("V")


class _Names(dict[str, Any]):
    """The names of a class body: what is declared under one of them is not replaced without a word."""

    def __setitem__(self, name: str, value: Any) -> None:
        before = self.get(name)
        if isinstance(before, Declared | Declaration):
            raise misuse(f"'{name}' is declared here and at {before.source}; give one of them another name")
        super().__setitem__(name, value)


class _PartType(type):
    """The class of parts."""

    @classmethod
    def __prepare__(cls, name: str, bases: tuple[type, ...], /, **named: Any) -> _Names:
        return _Names()

    def __setattr__(cls, name: str, value: Any) -> None:
        if isinstance(getattr(cls, name, None), Declared | Declaration):
            raise misuse(
                f"'{name}' is assigned on the class {cls.__name__}; write s.{name} for the variable of the state"
            )
        super().__setattr__(name, value)


class Part(Traced, metaclass=_PartType):
    """Base of parts: the variables and actions of one actor, or the properties of a system.

    An instance exists only while something is traced: the state `s` (or the next state `t`) of a traced function.

    `class Datanodes(Part, lane=Datanode)` says for pictures of traces that its steps happen at a datanode, the last one
    among their arguments; `lane="namenode"` says that they happen at the one node of that name. `callers=(Client,)`
    says who calls: in each step that is not hidden, the first argument if it is of one of these sets.
    """

    _next: bool = False
    _lane: str | type[Index] | None = None
    _callers: tuple[type[Index], ...] = ()

    def __init_subclass__(
        cls, lane: str | type[Index] | None = None, callers: tuple[type[Index], ...] | None = None, **kwargs: Any
    ) -> None:
        super().__init_subclass__(**kwargs)
        # Not inherited: a part that builds on another one's variables is another actor.
        cls._lane = lane
        if callers is not None:
            cls._callers = callers
        refuse_lost(cls)

    def __setattr__(self, name: str, value: object) -> None:
        if name != "_next" and not isinstance(getattr(type(self), name, None), Declared):
            known = suggested(name, (declared.name for declared in self.variables()))
            raise misuse(f"no variable '{name}' is declared; {known}")
        super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        known = (one for one in dir(type(self)) if not one.startswith("_") and one not in _OF_PARTS)
        raise misuse(f"there is no '{name}' in the state; {suggested(name, known)}")

    def __eq__(self, other: object) -> NoReturn:
        raise misuse("states are not compared as wholes; compare their variables, as t.count == s.count")

    __ne__ = __eq__

    def __hash__(self) -> NoReturn:
        raise misuse(
            "the state cannot be a key or stand in a Python set, and what is cached of it would not show later "
            "assignments; leave out functools.cache"
        )

    def __bool__(self) -> NoReturn:
        raise misuse("the state is no condition; write one on its variables")

    def __repr__(self) -> str:
        if is_open() and is_called_by_author():
            raise misuse("the state has no text during tracing; look at values with simulate")
        return with_article(type(self).__name__)

    def __copy__(self) -> NoReturn:
        raise misuse("the state cannot be copied; read the variables that are needed into names")

    def __deepcopy__(self, memory: object) -> NoReturn:
        self.__copy__()

    def _member(self, name: str) -> Value:
        trace = current()
        if self._next:
            variable = trace.values[name]
            return wrap(ir.make(ir.Op.NEXT, (), variable.type, name))
        return at_place(
            Place(lambda: trace.read(name), lambda change: trace.write(name, change(trace.read(name))), name)
        )

    def _set_member(self, name: str, type_: Type, value: object) -> None:
        refuse_lifecycle(name, type_)
        current().write(name, coerce(value, type_))

    @classmethod
    def variables(cls) -> list[Declared[Any]]:
        """The declared variables, those of base parts first."""
        return declared_in(cls)

    @classmethod
    def _all(cls, kind: type[V]) -> list[V]:
        found: dict[str, V] = {}
        for base in reversed(cls.__mro__):
            for name, value in vars(base).items():
                if isinstance(value, kind):
                    found[name] = value
        return list(found.values())

    @classmethod
    def actions(cls) -> list[ActionDeclaration]:
        """The declared actions, those of base parts first; one of the same name replaces that of a base."""
        return cls._all(ActionDeclaration)

    @classmethod
    def lane_of(cls, declaration: ActionDeclaration) -> str | IndexSet | None:
        """Where a step happens, as the part in which it stands says; or else the part whose step it replaces."""
        parts = (base for base in cls.__mro__ if isinstance(vars(base).get(declaration.name), ActionDeclaration))
        lanes = (vars(part).get("_lane") for part in parts)
        lane: str | type[Index] | None = next((lane for lane in lanes if lane is not None), None)
        return lane if lane is None or isinstance(lane, str) else lane.set

    @classmethod
    def caller_of(cls, declaration: ActionDeclaration) -> str | None:
        """The parameter whose member calls, as the action says, or else the one that it replaces."""
        declared = (vars(base).get(declaration.name) for base in cls.__mro__)
        named = (one.caller for one in declared if isinstance(one, ActionDeclaration))
        return next((name for name in named if name != BY_PART), BY_PART)

    @classmethod
    def callers_of(cls, declaration: ActionDeclaration) -> frozenset[IndexSet]:
        """Sets whose members may call a step, as its part or a base part declares."""
        parts = (base for base in cls.__mro__ if isinstance(vars(base).get(declaration.name), ActionDeclaration))
        callers: tuple[type[Index], ...] = getattr(next(parts, cls), "_callers", ())
        return frozenset(index.set for index in callers)

    @classmethod
    def properties(cls) -> list[PropertyDeclaration]:
        """The declared properties, likewise."""
        return cls._all(PropertyDeclaration)

    @classmethod
    def limits(cls) -> list[LimitDeclaration]:
        """The declared limits, likewise."""
        return cls._all(LimitDeclaration)

    @classmethod
    def beginnings(cls) -> list[BeginningDeclaration]:
        """The declared conditions on initial states, likewise."""
        return cls._all(BeginningDeclaration)

    @classmethod
    def observations(cls) -> list[ObservationDeclaration]:
        """The observations of nodes, likewise."""
        return cls._all(ObservationDeclaration)


_OF_PARTS: Final = frozenset(
    {
        "actions",
        "beginnings",
        "properties",
        "limits",
        "observations",
        "variables",
        "lane_of",
        "caller_of",
        "callers_of",
        "mro",
    }
)
"""The declarations in a part's own class."""


def _plain(function: object, decorator: str) -> None:
    """Refuse what is no plain function: it could not be traced, or means something else."""
    if isinstance(function, Declaration):
        raise misuse(
            f"@{decorator} is applied to a function with another decorator of the language; write two functions"
        )
    if not inspect.isfunction(function):
        raise misuse(f"@{decorator} decorates a function of the class, not {shown(function)}")
    if inspect.isgeneratorfunction(function) or inspect.iscoroutinefunction(function):
        raise misuse(f"{function.__name__} is a generator or coroutine; a function that is traced is a plain one")


@overload
def action(function: Callable[..., None], /) -> ActionDeclaration: ...
@overload
def action(
    *,
    event: str | None = None,
    hidden: bool = False,
    refuses: str | None = None,
    unchanged: str = "",
    caller: str | None = BY_PART,
) -> Callable[[Callable[..., None]], ActionDeclaration]: ...
def action(
    function: Callable[..., None] | None = None,
    /,
    *,
    event: str | None = None,
    hidden: bool = False,
    refuses: str | None = None,
    unchanged: str = "",
    caller: str | None = BY_PART,
) -> Any:
    """Declare a step.

    Args:
        event: name under which a run shows the step; by default the function's name. So several actions can be outcomes
            of one event.
        hidden: the step is unobservable.
        refuses: the caller is answered with this exception although the step changes the state.
        unchanged: why the step has no effects; coverage asks of every other action that it changes something, unless
            the system declares it `idle`.
        caller: for pictures of traces, the parameter that is the caller; None for no caller; by default as the part
            declares.
    """
    source = called_from()

    def declare(step: Callable[..., None]) -> ActionDeclaration:
        _plain(step, "action")
        return ActionDeclaration(step, event or step.__name__, hidden, refuses, unchanged, source, caller)

    return declare(function) if function is not None else declare


Claim: TypeAlias = Callable[..., Any]


def _names(names: object, decorator: str) -> None:
    if not isinstance(names, tuple | list) or not all(isinstance(name, str) for name in names):
        raise misuse(f"@{decorator} takes names as a tuple of texts, such as ('one',), not {shown(names)}")


def _property(
    kind: str,
    inductive: bool = False,
    given: tuple[str, ...] = (),
    fair: tuple[str, ...] = (),
    strongly_fair: tuple[str, ...] = (),
    vacuous: str = "",
    form: str = "",
) -> Callable[[Claim], PropertyDeclaration]:
    source = called_from()
    for names in (given, fair, strongly_fair):
        _names(names, form or kind)

    def declare(claim: Claim) -> PropertyDeclaration:
        _plain(claim, form or kind)
        named = tuple(given), tuple(fair), tuple(strongly_fair)
        return PropertyDeclaration(claim, kind, inductive, *named, vacuous, source, form or kind)

    return declare


@overload
def invariant(function: Claim, /) -> PropertyDeclaration: ...
@overload
def invariant(
    *, inductive: bool = False, given: tuple[str, ...] = (), vacuous: str = ""
) -> Callable[[Claim], PropertyDeclaration]: ...
def invariant(
    function: Claim | None = None, /, *, inductive: bool = False, given: tuple[str, ...] = (), vacuous: str = ""
) -> Any:
    """Declare what holds in every state; index parameters mean "for all".

    Args:
        inductive: `prove` must prove it,
        given: relative to these other properties by name, which are proved too.
        vacuous: why some part of it cannot fail in any reached state, where that is meant; otherwise a search warns of
            it. It is not believed: there must be such a part.
    """
    declare = _property("invariant", inductive, given, vacuous=vacuous)
    return declare if function is None else declare(function)


@overload
def transition(function: Claim, /) -> PropertyDeclaration: ...
@overload
def transition(
    *, inductive: bool = False, given: tuple[str, ...] = (), vacuous: str = ""
) -> Callable[[Claim], PropertyDeclaration]: ...
def transition(
    function: Claim | None = None, /, *, inductive: bool = False, given: tuple[str, ...] = (), vacuous: str = ""
) -> Any:
    """Declare what holds of every state `s` and its successor `t: Self`; otherwise as `invariant`."""
    declare = _property("transition", inductive, given, vacuous=vacuous)
    return declare if function is None else declare(function)


def witness(function: Claim, /) -> PropertyDeclaration:
    """Declare what must hold in some reachable state; index parameters mean "for some"."""
    return _property("witness")(function)


def leads_to(
    *, fair: tuple[str, ...] = (), strongly_fair: tuple[str, ...] = (), vacuous: str = ""
) -> Callable[[Claim], PropertyDeclaration]:
    """Declare that one condition is always followed by another: return both, `(here, there)`.

    What follows is assumed: `(here, there, crowd, calm)` says so of behaviours in which each of `crowd` and `calm`
    holds again and again.

    Fairness is of each choice of the members that an action's arguments range over: every datanode gets its turn. It is
    not of each message and each picked number: some message is received. A step that would change nothing does not
    count, neither as enabled nor as taken.

    Args:
        fair: names of the actions that are weakly fair: not enabled for ever without being taken.
        strongly_fair: names of those that are strongly fair: not enabled again and again without being taken.
        vacuous: why nothing is ever owed, as of an invariant.
    """
    return _property("leads_to", fair=fair, strongly_fair=strongly_fair, vacuous=vacuous)


def always_eventually(
    *, fair: tuple[str, ...] = (), strongly_fair: tuple[str, ...] = (), vacuous: str = ""
) -> Callable[[Claim], PropertyDeclaration]:
    """Declare that a condition holds again and again: from every state on it holds at some time.

    Args:
        fair, strongly_fair, vacuous: as of a leads-to.
    """
    return _property("leads_to", fair=fair, strongly_fair=strongly_fair, vacuous=vacuous, form="always_eventually")


def eventually_always(
    *, fair: tuple[str, ...] = (), strongly_fair: tuple[str, ...] = (), vacuous: str = ""
) -> Callable[[Claim], PropertyDeclaration]:
    """Declare that a condition holds from some time on, for ever.

    Args:
        fair, strongly_fair, vacuous: as of a leads-to.
    """
    return _property("leads_to", fair=fair, strongly_fair=strongly_fair, vacuous=vacuous, form="eventually_always")


def limit(name: str) -> Callable[[Callable[..., Number]], LimitDeclaration]:
    """Declare a number that a configuration limits under this name; steps beyond are cut off and counted."""
    source = called_from()
    if not isinstance(name, str):
        raise misuse("@limit takes the name of a limit; write @limit('messages') over the function")

    def declare(function: Callable[..., Number]) -> LimitDeclaration:
        _plain(function, "limit")
        return LimitDeclaration(function, name, source)

    return declare


def initially(function: Callable[..., object], /) -> BeginningDeclaration:
    """Declare a condition on initial states: of all combinations of what variables begin with, where it holds."""
    _plain(function, "initially")
    return BeginningDeclaration(function, called_from())


def observation(function: Callable[..., Any], /) -> ObservationDeclaration:
    """Declare what a node can show about one entity at any time, as a value."""
    _plain(function, "observation")
    return ObservationDeclaration(function, called_from())
