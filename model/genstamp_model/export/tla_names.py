"""Names in an exported TLA+ module: the author's own where TLA+ allows it, and no name twice where both can be seen.

TLA+ refuses to bind or define a name that is already declared, so that a parameter cannot be called like a variable.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import Final

from genstamp_model.language.model import Instance
from genstamp_model.language.types import EnumType, IndexSet, RecordType

NONE: Final = "None"
VARIABLES: Final = "vars"
MODULES: Final = ("Integers", "Sequences", "FiniteSets", "Bags")

_DEFINED: Final = """
    Nat Int Seq Len Append Head Tail SubSeq SelectSeq Cardinality IsFiniteSet IsABag BagToSet SetToBag BagIn EmptyBag
    CopiesIn BagUnion SqSubseteq SubBag BagOf BagCardinality BagOfAll
"""
_RESERVED: Final = """
    BOOLEAN STRING TRUE FALSE ACTION ASSUME ASSUMPTION AXIOM BY CASE CHOOSE CONSTANT CONSTANTS COROLLARY DEF DEFINE DEFS
    DOMAIN ELSE ENABLED EXCEPT EXTENDS HAVE HIDE IF IN INSTANCE LAMBDA LEMMA LET LOCAL MODULE NEW OBVIOUS OMITTED ONLY
    OTHER PICK PROOF PROPOSITION PROVE QED RECURSIVE SF STATE SUBSET SUFFICES TAKE TEMPORAL THEN THEOREM UNCHANGED UNION
    USE VARIABLE VARIABLES WF WITH WITNESS
"""
_OURS: Final = """
    Init Next Spec TypeOK MayStop NoDeadlock WithinLimits None vars Smaller Larger Smallest Largest First ElementAt
    DropFirst Without Quotient Remainder Rank Successor Predecessor
"""
_TAKEN: Final = frozenset(f"{_DEFINED} {_RESERVED} {_OURS}".split())
_WORDS: Final = frozenset(_RESERVED.split())
_STANDARD_MODULES: Final = frozenset(
    ("Bags", "FiniteSets", "Integers", "Json", "Naturals", "Noting", "Randomization", "Reals", "Sequences", "TLC")
)


class Names:
    """The names of one module, and those bound around the expression that is being written.

    Attributes:
        has_none: whether the module uses none.
        nothing: a variable that never changes, where the model has none: TLA+ demands one.
    """

    def __init__(self, instance: Instance) -> None:
        model = instance.model
        self.sizes = instance.sizes
        self._used = set(_TAKEN)
        self._once_bound: set[str] = set()
        self.variables = {variable.name: self._global(variable.name) for variable in model.variables}
        self.limits = {name: self._global(f"Max{camel(name)}") for name in sorted(model.limit_names)}
        self.actions = {action.name: self._global(action.name) for action in model.actions}
        self.claims = {claim.name: self._global(claim.name) for claim in model.properties}
        self._sets: dict[IndexSet, str] = {}
        for index in model.index_sets:
            self.set(index)
        self.nothing = "" if self.variables else self._global("nothing")
        self.has_none = False
        self._members: dict[tuple[str, int], str] = {}
        self._types: dict[EnumType | RecordType, str] = {}
        self._orders: dict[IndexSet, str] = {}
        self._bound: list[dict[str, str]] = [{}]
        self._fields: dict[RecordType, tuple[str, ...]] = {}
        self._values: dict[tuple[str, int], str] = {}

    @property
    def declared(self) -> list[str]:
        """The variables that the module declares."""
        return [*self.variables.values()] or [self.nothing]

    def operator(self, wanted: str) -> str:
        """A name for an operator that the module defines besides those of the model."""
        return self._global(wanted)

    def _global(self, wanted: str) -> str:
        # It is seen in the whole module, also where a name was bound before it was known to be needed.
        return self._taking(wanted, besides=self._once_bound)

    def _taking(self, *wanted: str, besides: Collection[str] = ()) -> str:
        name = next(free for free in _candidates(wanted) if free not in self._used and free not in besides)
        self._used.add(name)
        return name

    def fields(self, record: RecordType) -> tuple[str, ...]:
        """What the fields of a record are called: they may have the name of anything but a word of the language."""
        if record not in self._fields:
            found: list[str] = []
            for name, _ in record.fields:
                free = (one for one in _candidates([name]) if one not in _WORDS and one not in found)
                found.append(next(free))
            self._fields[record] = tuple(found)
        return self._fields[record]

    @property
    def sets(self) -> dict[IndexSet, str]:
        """Index sets that the module mentions."""
        return self._sets

    def set(self, index: IndexSet) -> str:
        """The constant that stands for an index set."""
        if index not in self._sets:
            self._sets[index] = self._global(index.name)
        return self._sets[index]

    @property
    def members(self) -> dict[tuple[str, int], str]:
        """Members that the module mentions, by root set and position."""
        return self._members

    def member(self, index: IndexSet, position: int) -> str:
        """The constant that stands for one member of an index set."""
        key = (index.root or index.name, position)
        if key not in self._members:
            self._members[key] = self._global(self.sizes.member_name(index, position))
        return self._members[key]

    def value(self, root: str, position: int, wanted: str) -> str:
        """The model value for a member of a set without a larger one; no two members are one value."""
        key = (root, position)
        if key not in self._values:
            taken = {*self._values.values(), *_WORDS, NONE}
            self._values[key] = next(free for free in _candidates([wanted]) if free not in taken)
        return self._values[key]

    def type(self, type_: EnumType | RecordType) -> str:
        """The name of the set of an enumeration's labels, or of a record's values."""
        if type_ not in self._types:
            self._types[type_] = self._global(type_.name)
        return self._types[type_]

    def none(self) -> str:
        """The constant that stands for no member."""
        self.has_none = True
        return NONE

    def order(self, index: IndexSet) -> str:
        """The sequence of an index set's members in their order."""
        if index not in self._orders:
            for position in range(self.sizes.of(index)):
                self.member(index, position)
            self._orders[index] = self._global(f"{index.name}InOrder")
        return self._orders[index]

    @property
    def ordered(self) -> dict[IndexSet, str]:
        """Index sets whose order matters, with the names of their sequences."""
        return self._orders

    @property
    def types(self) -> dict[EnumType | RecordType, str]:
        """Enumerations and records that the module mentions, in order of appearance."""
        return self._types

    def bound(self, name: str) -> str:
        """The name of a parameter, or of the variable of a quantifier, here."""
        return next(scope[name] for scope in reversed(self._bound) if name in scope)

    def is_bound(self, name: str) -> bool:
        """Whether a parameter or the variable of a quantifier can be spoken of here."""
        return any(name in scope for scope in self._bound)

    @contextmanager
    def binding(self, wanted: Iterable[tuple[str, tuple[str, ...]]]) -> Iterator[list[str]]:
        """Bind names for the time of a block.

        Args:
            wanted: each name in the model with what it may be called, the best first.

        Returns:
            Their names.
        """
        scope: dict[str, str] = {}
        self._bound.append(scope)
        try:
            for name, candidates in wanted:
                scope[name] = self._taking(*candidates)
            self._once_bound |= set(scope.values())
            yield list(scope.values())
        finally:
            self._bound.pop()
            self._used -= set(scope.values())


def parameter_names(name: str) -> tuple[str, ...]:
    """What an action's or a property's parameter may be called."""
    return name, "".join(word[0] for word in name.split("_") if word)


def binder_names(over: IndexSet | RecordType) -> tuple[str, ...]:
    """The name of a quantifier's variable: `d` of datanodes, `m` of messages."""
    return ("m",) if isinstance(over, RecordType) else (over.name[0].lower(),)


def module_name(system: str) -> str:
    """What the module of a system is called: not like one that it extends, or that TLC knows."""
    name = clean(system)
    return f"{name}_system" if name in _STANDARD_MODULES else name


def camel(name: str) -> str:
    """`wet_or_deep` as `WetOrDeep`."""
    return "".join(word[:1].upper() + word[1:] for word in re.split(r"\W|_", name))


def clean(name: str) -> str:
    """A name as TLA+ allows it: letters, digits and underscores, not all of them digits."""
    kept = re.sub(r"\W", "_", name, flags=re.ASCII)
    return kept if re.search(r"[A-Za-z]", kept) and not kept.startswith(("WF_", "SF_")) else f"the_{kept}"


def _candidates(wanted: Iterable[str]) -> Iterator[str]:
    last = ""
    for name in wanted:
        yield (last := clean(name))
    number = 2
    while True:
        yield f"{last}{number}" if not last[-1].isdigit() else f"{last}_{number}"
        number += 1
