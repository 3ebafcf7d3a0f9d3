"""The table of pairs of replicas at the end of collecting (syncBlock, facts G.4), computed from the specification.

Two datanodes have one replica each; both are asked, in the specification's own steps, and then the primary decides.
That is done for equal lengths, for a shorter first and for a shorter second replica, and a cell says what is common to
the three. Not here: more than two replicas, and calls that fail for want of a datanode.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from genstamp.tables.states import Change, calls, state_with
from genstamp_model.evaluate import Evaluator, State
from genstamp_model.language import Configuration, Instance, System
from genstamp_model.language.types import show

REPLICAS: Final[Mapping[str, Mapping[str, Change]]] = {
    "FINALIZED": {"state": "finalized", "stamp": 1},
    "RBW": {"state": "rbw", "stamp": 1},
    "RWR": {"state": "rwr", "stamp": 1},
    "none": {},
    "empty": {"state": "rbw", "stamp": 1, "num_bytes": 0},
    "older stamp": {"state": "finalized", "stamp": 0},
}
"""Places of a replica by what the datanode has; a length is added unless one is told."""

_LENGTHS: Final = ((2, 2), (1, 2), (2, 1))
_UNDER_RECOVERY: Final[Mapping[str, Change]] = {
    "file[file1]": "under_construction",
    "block[file1]": "under_recovery",
    "block_stamp[file1]": 1,
    "recovery_id[file1]": 2,
    "last_stamp": 2,
    "attempt[datanode1][file1].stage": "COLLECTING",
    "attempt[datanode1][file1].recovery_id": 2,
    "attempt[datanode1][file1].block_stamp": 1,
    "attempt[datanode1][file1].locations": {"datanode1", "datanode2"},
}
_PRIMARY: Final = {"primary": "datanode1"}
_LIMITS: Final = {"stamps": 2, "bytes": 3, "crashes": 0}


@dataclass(frozen=True)
class Decision:
    """The decision of the primary for two replicas of given lengths.

    Attributes:
        length: of the block; None where nothing is agreed.
        joins: whether the first and the second replica take part.
        deletes: the block is deleted.
    """

    length: int | None = None
    joins: tuple[bool, bool] = (False, False)
    deletes: bool = False


def rows(system: System, semantics: str) -> dict[str, tuple[str, ...]]:
    """The result for a first replica (row) and a second (column), in a system with the variables of hdfs.recovery."""
    configuration = Configuration("table", {"Client": 1, "File": 1, "Datanode": 2}, _LIMITS)
    evaluator = Evaluator(Instance(system.model(semantics), configuration))
    return {
        first: tuple(_in_words([_decided(evaluator, first, second, pair) for pair in _LENGTHS]) for second in REPLICAS)
        for first in REPLICAS
    }


def _decided(evaluator: Evaluator, first: str, second: str, lengths: tuple[int, int]) -> Decision:
    changes = dict(_UNDER_RECOVERY)
    for place, (kind, length) in enumerate(zip((first, second), lengths, strict=True)):
        told = REPLICAS[kind]
        fields = {"num_bytes": length, **told} if told else {}
        changes |= {f"replica[datanode{place + 1}][file1].{field}": value for field, value in fields.items()}
    state = state_with(evaluator, changes)
    for datanode in ("datanode1", "datanode2"):
        _, state = _step(evaluator, state, "init_replica_recovery", {**_PRIMARY, "datanode": datanode})
    taken, after = _step(evaluator, state, "sync_block", _PRIMARY)
    return Decision() if taken is None else _decision(evaluator, taken, state, after)


def _step(
    evaluator: Evaluator, state: State, event: str, arguments: Mapping[str, str]
) -> tuple[dict[str, str] | None, State]:
    """The observations of the only step of an event, and the state after it; None where there is no step."""
    for action, chosen in calls(evaluator, state, event, arguments):
        if evaluator.first_failing(action, chosen, state) is None:
            types = {name: expression.type for name, expression in action.observations}
            observed = evaluator.observed(action, chosen, state)
            shown = {name: show(value, types[name], evaluator.sizes) for name, value in observed.items()}
            return shown, evaluator.apply(action, chosen, state)
    return None, state


def _decision(evaluator: Evaluator, shown: Mapping[str, str], before: State, after: State) -> Decision:
    assert before != after, evaluator.named(after)
    if shown["delete"] == "true":
        return Decision(deletes=True)
    joins = ("datanode1" in shown["participants"], "datanode2" in shown["participants"])
    return Decision(int(shown["num_bytes"]), joins)


def _in_words(decisions: list[Decision]) -> str:
    """One cell: the length, and who of the two takes part."""
    if all(decision.deletes for decision in decisions):
        return "delete the block"
    equal, *others = decisions
    if equal.length is None:
        return "error"
    if all(decision.length is None for decision in others):
        return "A if A = B, else error"
    return "; ".join([_length(decisions), *_left_out(decisions)])


def _length(decisions: list[Decision]) -> str:
    lengths = [decision.length for decision in decisions]
    if lengths == [min(pair) for pair in _LENGTHS]:
        return "min(A, B)"
    return "A" if lengths == [first for first, _ in _LENGTHS] else "B"


def _left_out(decisions: list[Decision]) -> list[str]:
    words = []
    for place, name in enumerate(("first", "second")):
        joins = [decision.joins[place] for decision in decisions]
        if not any(joins):
            words.append(f"{name} left out")
        elif not all(joins):
            assert joins == [True, False, False], joins
            words.append(f"{name} joins if A = B")
    return words
