"""The state as cards: one a member of an index set, one for what belongs to no member.

An array over an index set is dealt out to the cards of its members, and so is a set of members. What is on a card is a
row; records and inner arrays are taken apart. A row says what it was before the last step, if that changed it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from genstamp_model.evaluate import Evaluator, State
from genstamp_model.language.types import (
    ArrayType,
    BagType,
    BoolType,
    IndexSet,
    RecordType,
    RefType,
    SetType,
    Sizes,
    Type,
    show,
)

SHARED: Final = "shared"
"""The title of the card for what belongs to no member."""


@dataclass(frozen=True)
class _Row:
    """A part of the state: its card, its name there, and its value."""

    card: str
    name: str
    type: Type
    value: Any


def cards(evaluator: Evaluator, state: State, before: State | None) -> list[dict[str, Any]]:
    """The cards of a state, as JSON.

    Args:
        before: the state before the last step; None for an initial one.
    """
    rows = list(_rows(evaluator, state))
    former = rows if before is None else list(_rows(evaluator, before))
    beginning = _rows(evaluator, evaluator.initial())
    kinds = _kinds(evaluator)
    dealt: dict[str, list[dict[str, Any]]] = {title: [] for title in kinds}
    for row, old, first in zip(rows, former, beginning, strict=True):
        told = _told(row, old, evaluator.sizes)
        dealt[row.card].append({**told, "initial": row.value == first.value})
    return [{"title": title, "kind": kinds[title], "rows": rows} for title, rows in dealt.items() if rows]


def _kinds(evaluator: Evaluator) -> dict[str, str]:
    """The kind of each card by its title, in order: first who calls, then where steps happen, then the rest."""
    sizes, actions = evaluator.sizes, evaluator.model.actions
    calling = {
        one.type.index.base
        for action in actions
        for one in action.parameters
        if one.name == action.caller and isinstance(one.type, RefType)
    }
    acting = {action.lane.base for action in actions if isinstance(action.lane, IndexSet)}

    def order(index: IndexSet) -> tuple[bool, bool, bool]:
        # A set that is part of another one gives its members their kind.
        return index.base not in calling, index.base not in acting, index.root is None

    kinds: dict[str, str] = {}
    for index in sorted(evaluator.model.index_sets, key=order):
        for position in range(sizes.of(index)):
            kinds.setdefault(sizes.member_name(index, position), index.name)
    return {**kinds, SHARED: ""}


def _rows(evaluator: Evaluator, state: State) -> Iterator[_Row]:
    """All rows of a state, in the order of the variables."""
    sizes = evaluator.sizes
    for variable, value in zip(evaluator.model.variables, state, strict=True):
        match variable.type:
            case ArrayType(index=index, element=element):
                for position, part in enumerate(value):  # type: ignore[arg-type]
                    yield from _parts(sizes.member_name(index, position), variable.name, element, part, sizes)
            case SetType(index=index):
                for position in range(sizes.of(index)):
                    yield _Row(sizes.member_name(index, position), variable.name, BoolType(), position in value)  # type: ignore[operator]
            case kind:
                yield from _parts(SHARED, variable.name, kind, value, sizes)


def _parts(card: str, name: str, type_: Type, value: Any, sizes: Sizes) -> Iterator[_Row]:
    match type_:
        case RecordType(fields=fields):
            for (field, kind), part in zip(fields, value, strict=True):
                yield from _parts(card, f"{name}.{field}", kind, part, sizes)
        case ArrayType(index=index, element=element):
            for position, part in enumerate(value):
                yield from _parts(card, f"{name}[{sizes.member_name(index, position)}]", element, part, sizes)
        case _:
            yield _Row(card, name, type_, value)


def _told(row: _Row, old: _Row, sizes: Sizes) -> dict[str, Any]:
    text = show(row.value, row.type, sizes)
    told: dict[str, Any] = {"name": row.name, "value": text}
    if row.value != old.value:
        told["before"] = show(old.value, row.type, sizes)
    if isinstance(row.type, BagType):
        told["messages"] = list(_messages(row.type, row.value, old.value, sizes))
    return told


def _messages(type_: BagType, now: Any, before: Any, sizes: Sizes) -> Iterator[dict[str, str]]:
    """The messages of a bag, with those that the last step added, and those that it took."""
    left = list(before)
    for message in now:
        mark = "" if message in left else "added"
        if not mark:
            left.remove(message)
        yield {"text": f"{type_.message.name}{show(message, type_.message, sizes)}", "mark": mark}
    for message in left:
        yield {"text": f"{type_.message.name}{show(message, type_.message, sizes)}", "mark": "taken"}
