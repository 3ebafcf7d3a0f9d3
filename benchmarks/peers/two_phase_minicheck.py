"""Two-phase commit as a user of minicheck writes it: tuples and a function of successors, by hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

State = tuple[Any, ...]


def successors(state: State) -> Iterator[tuple[str, State]]:
    """Every step: its name, and the state after it."""
    managers, decided, told_prepared, sent_prepared, sent = state
    count = len(managers)
    if decided == "init":
        if all(told_prepared):
            yield "commit", (managers, "committed", told_prepared, sent_prepared, sent | {"commit"})
        yield "abort", (managers, "aborted", told_prepared, sent_prepared, sent | {"abort"})
        for i in range(count):
            if sent_prepared[i]:
                yield f"prepared {i}", (managers, decided, changed(told_prepared, i, True), sent_prepared, sent)
    for i in range(count):
        if managers[i] == "working":
            prepared = changed(managers, i, "prepared")
            yield f"prepare {i}", (prepared, decided, told_prepared, changed(sent_prepared, i, True), sent)
            yield f"refuse {i}", (changed(managers, i, "aborted"), decided, told_prepared, sent_prepared, sent)
        if "commit" in sent:
            yield f"commit {i}", (changed(managers, i, "committed"), decided, told_prepared, sent_prepared, sent)
        if "abort" in sent:
            yield f"abort {i}", (changed(managers, i, "aborted"), decided, told_prepared, sent_prepared, sent)


def changed(row: State, i: int, value: object) -> State:
    """A tuple with one element replaced."""
    return (*row[:i], value, *row[i + 1 :])


def two_phase(count: int) -> tuple[State, Any, Any]:
    """Initial state, successors, and the invariant over the states as a record."""
    initial = (("working",) * count, "init", (False,) * count, (False,) * count, frozenset[str]())

    def consistent(record: dict[str, Any]) -> bool:
        return not {"aborted", "committed"} <= set(record["managers"])

    return initial, lambda state: list(successors(state)), consistent
