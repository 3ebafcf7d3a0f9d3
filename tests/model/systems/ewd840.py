"""Termination detection on a ring, after Dijkstra's EWD840: nodes begin active or not, in either colour.

The counts of states are those that are published for the TLA+ specification of Merz (tlaplus/Examples, ewd840).
"""

import enum

from genstamp_model.language import *


class Node(Index, ordered=True):
    """A node of the ring."""


class Color(enum.Enum):
    """Black is whoever may have woken a node that the token has passed."""

    WHITE = enum.auto()
    BLACK = enum.auto()


class Ring(Part):
    """The nodes, and the token that the first one sends around."""

    active = per(Node, flag(initially=any_of(False, True)))
    color = per(Node, enumeration(Color, initially=any_of(Color.WHITE, Color.BLACK)))
    token = reference(Node, initially=any_of(Node))
    token_color = enumeration(Color, initially=Color.BLACK)

    @action
    def initiate_probe(s) -> None:
        """The first node begins another round where the last one was inconclusive."""
        first = Node.first()
        require(s.token == first, "it has the token")
        require((s.token_color == Color.BLACK) | (s.color[first] == Color.BLACK), "the last round was inconclusive")
        s.token = Node.last()
        s.token_color = Color.WHITE
        s.color[first] = Color.WHITE

    @action
    def pass_token(s, node: Node) -> None:
        """A node that is done passes the token on, and is white from then on."""
        require((s.token == node) & (node != Node.first()), "it has the token")
        black = s.color[node] == Color.BLACK
        require(~s.active[node] | black | (s.token_color == Color.BLACK), "it is done, or the round is inconclusive")
        s.token = node.predecessor()
        s.token_color = when(black, Color.BLACK, s.token_color)
        s.color[node] = Color.WHITE

    @action
    def send(s, node: Node, other: Node) -> None:
        """An active node wakes another one."""
        require(s.active[node] & (node != other), "it is active")
        s.active[other] = True
        s.color[node] = when(node.before(other), Color.BLACK, s.color[node])

    @action
    def deactivate(s, node: Node) -> None:
        """A node is done."""
        require(s.active[node], "it is active")
        s.active[node] = False

    @invariant
    def detected_only_when_done(s, node: Node) -> Bool:
        """Where the first node concludes that all are done, they are."""
        first = Node.first()
        concludes = (s.token == first) & (s.token_color == Color.WHITE) & (s.color[first] == Color.WHITE)
        return (concludes & ~s.active[first]).implies(~s.active[node])

    @witness
    def detected(s) -> Bool:
        """The first node concludes so."""
        first = Node.first()
        white = (s.token_color == Color.WHITE) & (s.color[first] == Color.WHITE)
        return (s.token == first) & white & forall(Node, lambda node: ~s.active[node])


EWD840 = System(
    "ewd840",
    parts=[Ring],
    configurations=[Configuration(f"n{n}", sizes={"Node": n}) for n in (3, 4)],
)
