"""The lifecycles of the specification as plain graphs, which the checker of logs turns into automata.

Not here: every rule of its own: states and edges are read from the `StateMachine` classes of
`genstamp_spec.lifecycles`, and what an edge does to stamps and lengths is in `genstamp.logs.rules`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from statemachine import StateMachine

from genstamp.events import Kind
from genstamp_spec.lifecycles import BlockLifecycle, FileLifecycle, LeaseLifecycle, ReplicaLifecycle

LIFECYCLES: Mapping[Kind, type[StateMachine]] = {
    "file": FileLifecycle,
    "block": BlockLifecycle,
    "replica": ReplicaLifecycle,
    "lease": LeaseLifecycle,
}

DELETED = "deleted"
"""State of a file whose life is over, where a key is never used for a second file."""

_ENDS: Mapping[Kind, frozenset[str]] = {
    "file": frozenset({"closed", DELETED}),
    "block": frozenset({"complete", "removed"}),
    "replica": frozenset({"finalized", "absent"}),
    "lease": frozenset({"released"}),
    "node": frozenset(),
}

_GONE = frozenset({DELETED, "removed", "absent"})


@dataclass(frozen=True)
class Graph:
    """The states and edges of one kind of entity.

    Attributes:
        kind: which entity.
        states: ids of the states; a set of states is a number with bit i for `states[i]`.
        names: the same states as HDFS calls them, for messages.
        initial: index of the state in which a life begins.
        ends: the set of states in which nothing more is owed.
        gone: the set of states in which the entity is not there.
        edges: event to the index of its target from each state, -1 where the event is illegal.
    """

    kind: Kind
    states: tuple[str, ...]
    names: tuple[str, ...]
    initial: int
    ends: int
    gone: int
    edges: Mapping[str, tuple[int, ...]]

    def set_of(self, states: frozenset[str]) -> int:
        """The set of the states with these ids."""
        unknown = states - set(self.states)
        assert not unknown, f"{self.kind} has no states {sorted(unknown)}, but {self.states}"
        return sum(1 << index for index, state in enumerate(self.states) if state in states)

    def members(self, states: int) -> tuple[str, ...]:
        """The names of the states in a set, in the order of the lifecycle."""
        return tuple(name for index, name in enumerate(self.names) if states >> index & 1)

    def image(self, states: int, event: str) -> int:
        """Where an event leads from a set of states; states in which it is illegal drop out."""
        targets = self.edges[event]
        image = 0
        for index, target in enumerate(targets):
            if states >> index & 1 and target >= 0:
                image |= 1 << target
        return image


@cache
def graph(kind: Kind) -> Graph:
    """The graph of one kind of entity.

    A file is keyed by inode id or by path and create epoch, and neither comes again. So the edges that lead back to the
    initial state of `FileLifecycle`, which mentions paths, lead to a state `deleted` with no way out. A node has no
    lifecycle: one state.
    """
    if kind == "node":
        return Graph("node", ("running",), ("running",), 0, 0, 0, {})
    machine = LIFECYCLES[kind]
    states = [state.id for state in machine.states]
    names = [str(state.name) for state in machine.states]
    initial = next(index for index, state in enumerate(machine.states) if state.initial)
    once = kind == "file"
    if once:
        states.append(DELETED)
        names.append(DELETED)
    edges: dict[str, list[int]] = {}
    for source, state in enumerate(machine.states):
        for transition in state.transitions:
            target = states.index(transition.target.id)
            if once and target == initial:
                target = len(states) - 1
            edges.setdefault(transition.event, [-1] * len(states))[source] = target
    ends, gone = (
        sum(1 << index for index, state in enumerate(states) if state in those) for those in (_ENDS[kind], _GONE)
    )
    frozen = {event: tuple(targets) for event, targets in edges.items()}
    return Graph(kind, tuple(states), tuple(names), initial, ends, gone, frozen)
