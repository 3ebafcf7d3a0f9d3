"""The steps that an entity may have taken between two observed events.

Not here: which steps can go unseen: a source declares that (`genstamp.logs.sources`), and by default any can.
"""

from functools import cache
from itertools import product

from genstamp.events import Kind
from genstamp.logs.graphs import graph
from genstamp.logs.rules import BOOKS
from genstamp.logs.rules.shape import Effect, Move

Moves = tuple[int, int, int]
"""How each register moved, in the order of `Register`: members of `Move` as plain numbers, which are combined much
faster.
"""

STILL: Moves = (int(Move.SAME),) * 3

ANYHOW: Moves = (int(Move.ANY),) * 3


def all_steps(kind: Kind) -> frozenset[str]:
    """Every step that an entity of this kind can take without being seen."""
    return frozenset(graph(kind).edges) | {drift.name for drift in BOOKS[kind].drifts}


def compose(first: Move, second: Move) -> Move:
    """The possible values of a register after two moves.

    >>> compose(Move.HIGHER, Move.SAME), compose(Move.HIGHER, Move.LOWER) == Move.ANY
    (<Move.HIGHER: 4>, True)
    """
    moved = Move(0)
    for one, other in product(first, second):
        if one is Move.SAME or other is Move.SAME or one is other:
            moved |= other if one is Move.SAME else one
        else:
            moved |= Move.ANY
    return moved


class Closure:
    """The states that an entity can have come to, and how its registers have moved on the way; made by `closure`.

    Attributes:
        kind: which entity.
        unseen: events of its lifecycle, and drifts, that can have happened without being seen.
    """

    def __init__(self, kind: Kind, unseen: frozenset[str]) -> None:
        self.kind = kind
        self.unseen = unseen
        self._graph = graph(kind)
        self._steps = [self._steps_from(state) for state in range(len(self._graph.states))]
        self._ways = [self._from(state) for state in range(len(self._graph.states))]
        self._masks: dict[tuple[int, Moves], int] = {}

    def after(self, states: int, needed: Moves) -> int:
        """States that can be reached from a set of states on a way on which each register moves as needed.

        Args:
            states: a set, as in `Graph`.
            needed: for each register, the moves that will do.
        """
        reached = self._masks.get((states, needed))
        if reached is None:
            reached = 0
            for state, ways in enumerate(self._ways):
                if states >> state & 1:
                    for target, (stamp, recovery_id, length) in ways:
                        if stamp & needed[0] and recovery_id & needed[1] and length & needed[2]:
                            reached |= 1 << target
            self._masks[states, needed] = reached
        return reached

    def _from(self, state: int) -> frozenset[tuple[int, Moves]]:
        """Every state that can be reached from one, each with single moves of the registers."""
        reached = {(state, STILL)}
        frontier = [(state, STILL)]
        while frontier:
            here, moves = frontier.pop()
            for target, more in self._steps[here]:
                stamp, recovery_id, length = map(_single_moves, moves, more)
                for single in product(stamp, recovery_id, length):
                    if (target, single) not in reached:
                        reached.add((target, single))
                        frontier.append((target, single))
        return frozenset(reached)

    def _steps_from(self, state: int) -> list[tuple[int, Moves]]:
        book = BOOKS[self.kind]
        steps = [
            (targets[state], effect)
            for event, targets in self._graph.edges.items()
            if event in self.unseen and targets[state] >= 0
            for effect in book.effects[event].each()
        ]
        here = self._graph.states[state]
        steps += [(state, drift.effect) for drift in book.drifts if drift.name in self.unseen and here in drift.states]
        return [(target, _plain(effect)) for target, effect in steps]


def _plain(effect: Effect) -> Moves:
    stamp, recovery_id, length = map(int, effect.moves())
    return stamp, recovery_id, length


@cache
def _single_moves(first: int, second: int) -> tuple[int, ...]:
    """The result of `compose`, as separate moves."""
    return tuple(int(move) for move in compose(Move(first), Move(second)))


@cache
def closure(kind: Kind, unseen: frozenset[str]) -> Closure:
    """The closure of a kind of entity under steps that can have gone unseen, made once for each choice of them."""
    return Closure(kind, unseen)
