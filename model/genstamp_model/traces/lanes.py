"""Lays a path out for swim lanes and sequence diagrams: the node and the caller of each step, and the messages.

A part declares where its steps happen: with `class Datanodes(Part, lane=Datanode)` at the datanode that is the step's
last argument of that index set, with `class Namenode(Part, lane="namenode")` at the single node of that name. Parts and
actions also declare the caller (see `Action.caller`). Without a declaration a step happens at the member that is its
first argument, or else at the system as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from genstamp_model.evaluate import Step
from genstamp_model.language.model import Action, Instance, Model
from genstamp_model.language.trace import MessageOf
from genstamp_model.language.types import BagType, IndexSet, RecordType, RefType, Sizes, show
from genstamp_model.path import Change, Path, beginning, changes

SYSTEM = "system"


@dataclass(frozen=True)
class Row:
    """One step of the path.

    Attributes:
        number: the number of the step, from 1.
        lane, caller: where the step happens, and the lane of its caller, if that is another one.
        label: the action and its arguments, as shown.
        refuses: the exception that the caller gets; None if the step does not refuse.
        changes: the changes of the state, or other notes on the step.
    """

    number: int
    lane: str
    caller: str | None
    label: str
    refuses: str | None
    changes: tuple[Change | str, ...]


@dataclass(frozen=True)
class Message:
    """A message, with the numbers of the steps that send and receive it; `received` is None if no step receives it."""

    sent: int
    received: int | None
    label: str


@dataclass(frozen=True)
class Chart:
    """A path laid out for a picture.

    Attributes:
        title: the title.
        lanes: the lanes in the order in which they are drawn.
        rows: the steps.
        messages: the messages.
        end: what happens after the last row, in a sentence; may be empty.
        broken: the number of the step that breaks what the title names; it is marked.
    """

    title: str
    lanes: tuple[str, ...]
    rows: tuple[Row, ...]
    messages: tuple[Message, ...]
    end: str = ""
    broken: int | None = None


def chart(path: Path, shows: str = "", loop: int | None = None, *, broken: int | None = None) -> Chart:
    """Lay a path out in lanes.

    Args:
        path: the path.
        shows: what the path shows, for the title: a violated property, or a reached witness.
        loop: the number of the state that a lasso loops back to.
        broken: the number of the step that breaks a property.
    """
    instance = path.instance
    model, sizes = instance.model, instance.sizes
    rows = tuple(_row(instance, number, step, path) for number, step in enumerate(path.steps, 1))
    lanes = tuple(_in_order(rows, _siblings(model, sizes)))
    return Chart(_title(path, shows), lanes, rows, tuple(_messages(path)), _end(len(path), loop), broken)


def _title(path: Path, shows: str) -> str:
    instance, model = path.instance, path.instance.model
    bugs = f" with {', '.join(model.bugs)}" if model.bugs else ""
    about = f": {shows}" if shows else ""
    begins = f", begins with {', '.join(beginning(instance, path.initial))}" if model.chooses else ""
    return f"{model.system}:{instance.configuration.name} ({model.semantics}{bugs}){about}{begins}"


def _end(steps: int, loop: int | None) -> str:
    if loop is None:
        return ""
    return "and nothing more, for ever" if loop >= steps else f"and again from step {loop + 1}, for ever"


def _in_order(rows: Sequence[Row], siblings: Sequence[list[str]]) -> Iterator[str]:
    """The used lanes by first use, callers before the lanes that they call; members of one set are side by side."""
    used = dict.fromkeys(lane for row in rows for lane in (row.caller, row.lane) if lane is not None)
    while used:
        first = next(iter(used))
        group = next((names for names in siblings if first in names), [first])
        for lane in group:
            if lane in used:
                del used[lane]
                yield lane


def _siblings(model: Model, sizes: Sizes) -> list[list[str]]:
    """The names of the members of each index set that is not a subset of another one."""
    return [
        [sizes.member_name(index, i) for i in range(sizes.of(index))]
        for index in model.index_sets
        if index.root is None
    ]


def _row(instance: Instance, number: int, step: Step, path: Path) -> Row:
    lane, caller = places(step, instance.sizes)
    # Arguments that the lanes show already are left out.
    shown = [
        show(value, parameter.type, instance.sizes)
        for parameter, value in zip(step.action.parameters, step.arguments, strict=True)
    ]
    label = f"{step.action.name}({', '.join(text for text in shown if text not in (lane, caller))})"
    changed = changes(instance, path.states[number - 1], step.after)
    return Row(number, lane, caller, label, step.action.refuses, tuple(changed))


def places(step: Step, sizes: Sizes) -> tuple[str, str | None]:
    """The lane of a step, and that of its caller."""
    declared = step.action.lane
    arguments = list(_members(step))
    if declared is None:
        here = next((sizes.member_name(index, position) for index, position in arguments), SYSTEM)
    elif isinstance(declared, str):
        here = declared
    else:
        own = [position for index, position in arguments if index.name == declared.name]
        here = sizes.member_name(declared, own[-1]) if own else SYSTEM
    caller = _caller(step, sizes)
    return here, caller if caller != here else None


def _caller(step: Step, sizes: Sizes) -> str | None:
    """The member that calls; None if no caller is declared."""
    for parameter, value in zip(step.action.parameters, step.arguments, strict=True):
        if parameter.name == step.action.caller and isinstance(parameter.type, RefType) and isinstance(value, int):
            return sizes.member_name(parameter.type.index, value)
    return None


def _members(step: Step) -> Iterator[tuple[IndexSet, int]]:
    """The members of index sets among a step's arguments, those in its messages last."""
    later: list[tuple[IndexSet, int]] = []
    for parameter, value in zip(step.action.parameters, step.arguments, strict=True):
        match parameter.type:
            case RefType(index=index) if value is not None:
                assert isinstance(value, int)
                yield index, value
            case RecordType() as kind:
                later += _in_record(kind, value)
    yield from later


def _in_record(kind: RecordType, value: Any) -> Iterator[tuple[IndexSet, int]]:
    for (_, field), part in zip(kind.fields, value, strict=True):
        if isinstance(field, RefType) and part is not None:
            yield field.index, part


def _messages(path: Path) -> Iterator[Message]:
    """Each message that a step sends, with the step that receives it; the oldest copy is received first."""
    instance = path.instance
    bags = [(i, v.name, v.type) for i, v in enumerate(instance.model.variables) if isinstance(v.type, BagType)]
    waiting: dict[tuple[str, Any], list[int]] = {}
    for number, step in enumerate(path.steps, 1):
        for bag, message in _received(step.action, step.arguments):
            sent = waiting.get((bag, message))
            if sent:
                yield Message(sent.pop(0), number, _label(instance, bag, message))
        before = path.states[number - 1]
        for position, name, _ in bags:
            for message in _added(before[position], step.after[position]):
                waiting.setdefault((name, message), []).append(number)
    for (bag, message), sent in waiting.items():
        for number in sent:
            yield Message(number, None, _label(instance, bag, message))


def _received(action: Action, arguments: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    for parameter, value in zip(action.parameters, arguments, strict=True):
        if isinstance(parameter.domain, MessageOf):
            yield parameter.domain.bag, value


def _added(before: Any, after: Any) -> list[Any]:
    left = list(before)
    added = []
    for message in after:
        if message in left:
            left.remove(message)
        else:
            added.append(message)
    return added


def _label(instance: Instance, bag: str, message: Any) -> str:
    kind = instance.model.types[bag]
    assert isinstance(kind, BagType)
    return f"{kind.message.name}{show(message, kind.message, instance.sizes)}"
