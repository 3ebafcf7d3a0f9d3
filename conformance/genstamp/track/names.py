"""The words of one run for the values of a model: members by name, stamps as the run counts them.

A model knows positions and counts stamps from 1; a run has names ("/a", "datanode2") and starts at some stamp. All
translation between the two is here. Not here: what the values mean.
"""

from collections.abc import Mapping, Sequence

from genstamp.errors import MembersError
from genstamp_model.language.model import Model
from genstamp_model.language.types import (
    ArrayType,
    BagType,
    BoolType,
    EnumType,
    IndexSet,
    NumberType,
    RecordType,
    RefType,
    SequenceType,
    SetType,
    Type,
    Value,
)

STAMPS = frozenset({"generation_stamp", "recovery_id"})
"""Names under which an event shows a stamp; a model may compute one, so that its type says "number" only."""


class Names:
    """Translates between a model's values and a run's words.

    Args:
        model: the model.
        members: names of the unnamed members, by the name of the index set that fixes the positions. A named member,
            `Holder.NAMENODE`, is called by its name in lower case.
        first_stamp: the first stamp that the run hands out; stamp 1 of the model.

    Raises:
        MembersError: an index set has no names, a set is unknown, or a name occurs twice.
    """

    def __init__(self, model: Model, members: Mapping[str, Sequence[str]], first_stamp: int) -> None:
        named: dict[str, tuple[str, ...]] = {}
        for index in model.index_sets:
            named[index.base] = named.get(index.base, ()) or index.named
        for base in sorted(set(members) - model.sized):
            raise MembersError(base, f"the model has no such index set; it has {', '.join(sorted(model.sized))}")
        for base in sorted(model.sized - set(members)):
            raise MembersError(base, "no member is named; name at least one")
        self.first_stamp = first_stamp
        self.unnamed = {base: len(names) for base, names in members.items()}
        self._names = {base: (*members.get(base, ()), *(name.lower() for name in named[base])) for base in named}
        self._positions: dict[str, dict[str, int]] = {}
        for base, names in self._names.items():
            if not members.get(base, names) or len(set(names)) < len(names):
                raise MembersError(base, f"({', '.join(names)}) must be one name or more, each once")
            self._positions[base] = {name: position for position, name in enumerate(names)}

    def position(self, index: IndexSet, name: str) -> int | None:
        """Position of a member by its name, in the set or the one that it is a part of; None if it has no such name."""
        return self._positions[index.base].get(name)

    def member(self, index: IndexSet, position: int) -> str:
        """Name of a member."""
        return self._names[index.base][position]

    def members(self, index: IndexSet) -> tuple[str, ...]:
        """Names of all members of a set, in order."""
        names = self._names[index.base]
        return names[: self.unnamed[index.base]] if index.root is not None else names

    def stamp(self, value: int) -> int:
        """A stamp of the model as the run counts; 0, "none yet", stays 0."""
        return value + self.first_stamp - 1 if value else 0

    def text(self, value: Value, type_: Type, name: str = "") -> str:
        """A value as an event shows it and as reports do.

        Args:
            value: a plain value of the model.
            type_: its type.
            name: under which an event shows it, if it does.
        """
        match type_:
            case BoolType():
                return "true" if value else "false"
            case NumberType(ordered=ordered):
                assert isinstance(value, int)
                return str(self.stamp(value) if ordered or name in STAMPS else value)
            case EnumType(labels=labels):
                assert isinstance(value, int)
                return labels[value]
            case RefType(index=index):
                assert value is None or isinstance(value, int)
                return "none" if value is None else self.member(index, value)
            case SetType(index=index):
                assert isinstance(value, frozenset)
                return ",".join(sorted(self.member(index, position) for position in value))
            case _:
                assert isinstance(value, tuple)
                return self._composite(value, type_)

    def _composite(self, value: tuple[Value, ...], type_: Type) -> str:
        match type_:
            case RecordType(fields=fields):
                parts = (f"{name} {self.text(p, kind, name)}" for p, (name, kind) in zip(value, fields, strict=True))
                return f"({', '.join(parts)})"
            case ArrayType(index=index, element=element):
                parts = (f"{self.member(index, i)}: {self.text(part, element)}" for i, part in enumerate(value))
                return f"{{{', '.join(parts)}}}"
            case SequenceType(element=element) | BagType(message=element):
                return f"[{', '.join(self.text(part, element) for part in value)}]"
            case _:
                raise AssertionError(f"{type_} has no parts")
