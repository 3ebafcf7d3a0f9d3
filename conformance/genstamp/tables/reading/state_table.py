"""The variables of a system as a table: what they range over, and what the specification says beside them."""

import inspect
import re
from collections.abc import Collection, Iterator
from pathlib import Path

from genstamp.tables.markdown import cell, table
from genstamp_model.errors import Source
from genstamp_model.language import ir
from genstamp_model.language.model import Model
from genstamp_model.language.types import (
    ArrayType,
    BagType,
    EnumType,
    IndexSet,
    NumberType,
    RecordType,
    SequenceType,
    Type,
    describe,
)
from genstamp_model.language.values import wrap


def rows(model: Model, history: Collection[str]) -> Iterator[str]:
    """The table, and the enumerations and records that it mentions."""
    shown = {}
    types: dict[str, Type] = {}
    for variable in model.variables:
        over, element = _apart(variable.type)
        index = "".join(f"[{one.name}]" for one in over)
        says = comment(variable.source) or _said(element)
        if variable.name in history and not says.startswith("history"):
            says = f"history; {says}" if says else "history"
        shown[f"`{variable.name}{index}`"] = (_kind(element, types), cell(says))
    yield from table("variable", ("type", "what it is"), shown)
    if types:
        yield from ("", *table("type", ("has",), _parts(types)))


def lifecycles(model: Model) -> list[str]:
    """The lifecycles of a system, by the names of their diagrams."""
    found: dict[str, None] = {}
    for variable in model.variables:
        for name in _lifecycles(variable.type):
            found[re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.removesuffix("Lifecycle")).lower()] = None
    return list(found)


def comment(source: Source) -> str:
    """The comment at the end of a line of the specification."""
    path = Path(source.file)
    if not path.is_file():
        return ""
    _, mark, said = path.read_text(encoding="utf-8").splitlines()[source.line - 1].rpartition("  # ")
    return said if mark else ""


def _apart(type_: Type) -> tuple[list[IndexSet], Type]:
    over = []
    while isinstance(type_, ArrayType):
        over.append(type_.index)
        type_ = type_.element
    return over, type_


def _said(type_: Type) -> str:
    """The declaration of a record in its class."""
    if not isinstance(type_, RecordType):
        return ""
    record = type(wrap(ir.make(ir.Op.VARIABLE, (), type_, "")))
    return " ".join((inspect.getdoc(record) or "").split("\n\n")[0].split())


def _kind(type_: Type, types: dict[str, Type]) -> str:
    """A type in a few words; what needs more is added to the types."""
    match type_:
        case NumberType(high=int(high), low=low):
            return f"{low} to {high}"
        case EnumType(name=name) | RecordType(name=name):
            types.setdefault(name, type_)
            return name
        case ArrayType(index=index, element=element):
            return f"for each {index.name} {_kind(element, types)}"
        case SequenceType(element=element):
            return f"a sequence of {_kind(element, types)}"
        case BagType(message=message):
            return f"messages: {_kind(message, types)}"
        case _:
            return describe(type_)


def _parts(types: dict[str, Type]) -> dict[str, tuple[str]]:
    found: dict[str, tuple[str]] = {}
    while left := [name for name in types if name not in found]:
        match types[left[0]]:
            case EnumType(labels=labels):
                found[left[0]] = (", ".join(labels),)
            case RecordType(fields=fields):
                found[left[0]] = ("; ".join(f"`{name}`: {_kind(type_, types)}" for name, type_ in fields),)
    return found


def _lifecycles(type_: Type) -> Iterator[str]:
    _, element = _apart(type_)
    match element:
        case EnumType(name=name, lifecycle=lifecycle) if lifecycle:
            yield name
        case RecordType(fields=fields):
            for _, field in fields:
                yield from _lifecycles(field)
