"""The table of operations and replica states: what each request does to a replica of each state, or how it is refused.

Computed from hdfs.replica: each state is made by hand, with one byte under the stamp 1 and no writer, and each request
is made of it with stamps and lengths that fit; the one under recovery was finalized, and is recovered under the id 2.
Not here: requests whose stamps or lengths do not fit.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from genstamp.tables import markdown
from genstamp.tables.states import Change, shown_at, state_with
from genstamp_model.evaluate import Evaluator, State
from genstamp_model.language import Configuration, Instance
from genstamp_spec.hdfs.systems.replica import REPLICA

STATES: Final = ("finalized", "rbw", "rwr", "rur", "temporary", "absent")
"""Columns, in HDFS' order: a better replica comes first."""

_STATE: Final = "replica[datanode1].state"
_WRITTEN: Final = {"stamp": 1, "num_bytes": 1, "bytes_on_disk": 1, "file_bytes": 1}
_REPLICAS: Final[Mapping[str, Mapping[str, Change]]] = {
    "finalized": _WRITTEN,
    "rbw": _WRITTEN | {"bytes_acked": 1},
    "rwr": _WRITTEN,
    "rur": _WRITTEN | {"original": "FINALIZED", "recovery_id": 2},
    "temporary": _WRITTEN,
    "absent": {},
}
_LENGTHS: Final = dict.fromkeys(
    ("expected_bytes", "min_bytes", "max_bytes", "visible_bytes", "old_bytes", "new_bytes"), 1
)


@dataclass(frozen=True)
class Operation:
    """A row: a request.

    Attributes:
        name: Hadoop's method, and what is special about the request.
        actions: those of which one states what happens.
        stamps: those of the request, by the generation's name in these actions.
    """

    name: str
    actions: tuple[str, ...]
    stamps: Mapping[str, int]


_BOTH: Final = {"old": 1, "new": 2}
_CREATE: Final = ("serve_create_rbw",)
_CREATE_AGAIN: Final = ("serve_create_rbw", "serve_create_rbw_again")
_COPY: Final = ("serve_create_temporary", "serve_create_temporary_over_existing")
_TRANSFER: Final = ("serve_create_temporary", "serve_transfer")
_INIT: Final = ("serve_init_replica_recovery", "serve_init_replica_recovery_without_replica")

OPERATIONS: Final = (
    Operation("createRbw", _CREATE, {"generation": 1}),
    Operation("createRbw, again under a new stamp", _CREATE_AGAIN, {"generation": 2}),
    Operation("append", ("serve_append",), _BOTH),
    Operation("recoverAppend", ("serve_recover_append",), _BOTH),
    Operation("recoverClose", ("serve_recover_close",), _BOTH),
    Operation("recoverRbw", ("serve_recover_rbw",), _BOTH),
    Operation("createTemporary, same stamp", _COPY, {"generation": 1}),
    Operation("createTemporary, newer stamp, no transfer", _COPY, {"generation": 2}),
    Operation("createTemporary, newer stamp, transfer", _TRANSFER, {"generation": 2}),
    Operation("convertTemporaryToRbw", ("serve_convert_temporary_to_rbw",), {"generation": 1}),
    Operation("initReplicaRecovery, younger than any before", _INIT, {"old": 1, "new": 3}),
    Operation("initReplicaRecovery, with the id of the one before", _INIT, _BOTH),
    Operation("updateReplicaUnderRecovery", ("serve_update",), {"generation": 2}),
)
"""The rows."""


@dataclass(frozen=True)
class Outcome:
    """A cell.

    Attributes:
        after: the replica's state after the request; the one before if it is refused.
        refused: the exception, or None.
        unless: what would have to hold, as the check says; empty if it is not refused.
    """

    after: str
    refused: str | None = None
    unless: str = ""


def outcomes(semantics: str | None = None) -> dict[str, dict[str, Outcome]]:
    """Every cell, by the names of operation and state."""
    generations = Configuration("table", {"Datanode": 1, "Generation": 3}, dict.fromkeys(_limits(), 9))
    evaluator = Evaluator(Instance(REPLICA.model(semantics), generations))
    return {
        operation.name: {state: _outcome(evaluator, operation, _state(evaluator, state)) for state in STATES}
        for operation in OPERATIONS
    }


def table(semantics: str | None = None) -> Iterator[str]:
    """The table as lines of Markdown."""
    head = [state.upper() if state != "absent" else "none" for state in STATES]
    rows = {name: [_cell(cells[state]) for state in STATES] for name, cells in outcomes(semantics).items()}
    return markdown.table("request", head, rows)


def _cell(outcome: Outcome) -> str:
    if outcome.refused is None:
        return outcome.after.upper() if outcome.after != "absent" else "null"
    return f"{outcome.refused} unless {outcome.unless}"


def _limits() -> Sequence[str]:
    return list(REPLICA.configuration().limits)


def _state(evaluator: Evaluator, replica: str) -> State:
    """The initial state, except for three stamps that were given out and a replica in some state."""
    given = {f"given[generation{stamp}]": stamp for stamp in (1, 2, 3)}
    told = {"state": replica, **_REPLICAS[replica]}
    fields = {f"replica[datanode1].{name}": value for name, value in told.items()}
    return state_with(evaluator, {"last_stamp": 3, **given, **fields})


def _outcome(evaluator: Evaluator, operation: Operation, state: State) -> Outcome:
    refusals = []
    for name in operation.actions:
        action = evaluator.model.action(name)
        known = {"datanode": 0, **_LENGTHS, **{role: stamp - 1 for role, stamp in operation.stamps.items()}}
        arguments = tuple(known[parameter.name] for parameter in action.parameters)
        check = evaluator.first_failing(action, arguments, state)
        if check is None:
            return Outcome(shown_at(evaluator, evaluator.apply(action, arguments, state), _STATE))
        if check.refuses is not None:
            refusals.append(Outcome(shown_at(evaluator, state, _STATE), check.refuses, check.label))
    return refusals[-1]
