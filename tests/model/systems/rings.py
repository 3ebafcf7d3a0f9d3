"""Systems that ask for the order of members: an election on a ring, and a table at which every form stands.

"n3" of the election has 31 states and 6 levels, "n4" 92 states and 8 levels.
"""

from typing import Self

from genstamp_model.language import (
    Bool,
    Bug,
    Configuration,
    Index,
    Maybe,
    Part,
    System,
    action,
    each,
    exists,
    first,
    forall,
    invariant,
    last,
    members,
    named,
    none,
    number,
    optional,
    per,
    reference,
    require,
    transition,
    when,
    witness,
)


class Node(Index, ordered=True):
    """A node of the ring; its identity is its rank."""


class Ring(Part):
    """Chang and Roberts' election: a node sends an identity on, unless its own is higher."""

    asleep = members(Node, initially_all=True)
    inbox = per(Node, members(Node))
    leader = optional(Node)

    @action
    def start(s, node: Node) -> None:
        """A node sends its identity to its neighbour."""
        require(s.asleep.has(node), "it has not started")
        s.asleep.remove(node)
        s.inbox[node.successor()].add(node)

    @action
    def receive(s, node: Node, who: Node) -> None:
        """A node gets an identity: a higher one goes on, its own one makes it the leader."""
        require(s.inbox[node].has(who), "the identity is on its way to it")
        s.inbox[node].remove(who)
        s.asleep.remove(node)
        s.inbox[when(node.before(who), node.successor(), none)].add(who)
        s.leader = when(who == node, node, s.leader)

    @invariant
    def the_highest_leads(s) -> Bool:
        """Nobody else becomes the leader."""
        return s.leader.is_none() | (s.leader == last(Node))

    @witness
    def elected(s) -> Bool:
        """There can be a leader."""
        return ~s.leader.is_none()


class Backwards(Ring):
    """A lower identity is sent on too."""

    @action
    def receive(s, node: Node, who: Node) -> None:
        """Whatever a node gets goes on."""
        require(s.inbox[node].has(who), "the identity is on its way to it")
        s.inbox[node].remove(who)
        s.asleep.remove(node)
        s.inbox[when(node == who, none, node.successor())].add(who)
        s.leader = when(who == node, node, s.leader)


RING = System(
    "ring",
    parts=[Ring],
    configurations=[Configuration(f"n{n}", sizes={"Node": n}) for n in (3, 4)],
    bugs=[
        Bug(
            "lower",
            "lower identities go on",
            parts=(Backwards,),
            breaks=("the_highest_leads",),
            configuration="n3",
            depth=4,
        )
    ],
)


class Seat(Index, unnamed="Guest", ordered=True):
    """The seats around a table; the host's is the last one."""

    HOST = named()


class Guest(Seat):
    """A seat that is not the host's."""


class Table(Part):
    """What goes around, to whom, and who is asked."""

    dish = reference(Seat)
    toast = optional(Seat)
    asked = optional(Guest)
    rounds = number(0, 2)
    served = members(Seat)
    likes = per(Guest, optional(Seat))

    @action
    def pass_on(s) -> None:
        """The dish goes to the next seat."""
        s.served.add(s.dish)
        s.dish = s.dish.successor()
        s.rounds = when(s.dish == first(Seat), when(s.rounds < 2, s.rounds + 1, 0), s.rounds)

    @action
    def give_back(s) -> None:
        """The dish goes back, where there is a seat before."""
        require(~s.dish.previous().is_none(), "it is not the first seat")
        s.dish = s.dish.predecessor()
        s.served.remove(s.dish.predecessor())

    @action
    def drink(s, to: Maybe[Seat]) -> None:
        """To somebody whose seat is later than that of the last one, or to the neighbour of nobody."""
        require(to.is_none() | s.toast.is_none() | s.toast.before(to), "later ones only")
        require(to.rank() <= s.toast.rank() + 2, "not too far away")
        s.toast = when(to.is_none(), s.toast.next(), to)

    @action
    def ask(s, guest: Guest) -> None:
        """A guest asks the neighbours."""
        require(guest.before(s.dish) | (s.asked == guest.predecessor()), "the dish was there")
        s.asked = when(guest == last(Guest), s.asked.successor(), guest.next())
        s.likes[guest.successor()] = s.asked.predecessor()
        s.likes.update(lambda g: when(g.rank() == s.rounds, s.likes[g].previous(), s.likes[g]))

    @invariant(inductive=True)
    def neighbours(s, seat: Seat) -> Bool:
        """There and back again; first and last are the ends."""
        host: Seat = Seat.HOST
        ends = (seat.next().is_none() == (seat == last(Seat))) & (seat.previous().is_none() == (seat == first(Seat)))
        return (seat.successor().predecessor() == seat) & ends & (last(Seat) == host)

    @invariant(inductive=True)
    def order(s, a: Guest, b: Seat) -> Bool:
        """One of two is before the other, or they are the same; nobody is before anybody."""
        return (a.before(b) | b.before(a) | (a == b)) & ~s.toast.before(none) & (s.asked.rank() >= 0)

    @transition
    def toasts_go_round(s, t: Self) -> Bool:
        """They may start again."""
        ranks = each(Guest, lambda g: g.rank())
        return s.toast.rank() <= t.toast.rank() + 9 + ranks[first(Guest)]

    @witness
    def somebody_likes_the_host(s) -> Bool:
        """It can be said of the last seat that nobody comes after it."""
        host: Seat = Seat.HOST
        return exists(Guest, lambda g: s.likes[g].successor() == first(Seat)) & (s.toast == host)

    @witness
    def all_before_the_toast(s) -> Bool:
        """Every guest sits before the one whom the toast is for."""
        return forall(Guest, lambda g: g.before(s.toast))


TABLE = System("table", parts=[Table], configurations=[Configuration(f"g{n}", sizes={"Guest": n}) for n in (1, 2, 3)])
