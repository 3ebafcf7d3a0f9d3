"""Systems that ask for the order of members: an election on a ring, a table at which every form stands, philosophers.

"n3" of the election has 31 states and 6 levels, "n4" 92 states and 8 levels. The philosophers begin unlike each other;
five of them have 67 states, as published of the specification by Chandy and Misra in the TLA+ Examples.
"""

import enum
from typing import Self

from genstamp_model.language import *


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
        return s.leader.is_none() | (s.leader == Node.last())

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

    dish = reference(Seat, initially=Seat.first())
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
        s.rounds = when(s.dish == Seat.first(), when(s.rounds < 2, s.rounds + 1, 0), s.rounds)

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
        s.asked = when(guest == Guest.last(), s.asked.successor(), guest.next())
        s.likes[guest.successor()] = s.asked.predecessor()
        s.likes.update(lambda g: when(g.rank() == s.rounds, s.likes[g].previous(), s.likes[g]))

    @invariant(inductive=True)
    def neighbours(s, seat: Seat) -> Bool:
        """There and back again; first and last are the ends."""
        host: Seat = Seat.HOST
        ends = (seat.next().is_none() == (seat == Seat.last())) & (seat.previous().is_none() == (seat == Seat.first()))
        return (seat.successor().predecessor() == seat) & ends & (Seat.last() == host)

    @invariant(inductive=True)
    def order(s, a: Guest, b: Seat) -> Bool:
        """One of two is before the other, or they are the same; nobody is before anybody."""
        return (a.before(b) | b.before(a) | (a == b)) & ~s.toast.before(none) & (s.asked.rank() >= 0)

    @transition
    def toasts_go_round(s, t: Self) -> Bool:
        """They may start again."""
        ranks = each(Guest, lambda g: g.rank())
        return s.toast.rank() <= t.toast.rank() + 9 + ranks[Guest.first()]

    @witness
    def somebody_likes_the_host(s) -> Bool:
        """It can be said of the last seat that nobody comes after it."""
        host: Seat = Seat.HOST
        return exists(Guest, lambda g: s.likes[g].successor() == Seat.first()) & (s.toast == host)

    @witness
    def all_before_the_toast(s) -> Bool:
        """Every guest sits before the one whom the toast is for."""
        return forall(Guest, lambda g: g.before(s.toast))


TABLE = System("table", parts=[Table], configurations=[Configuration(f"g{n}", sizes={"Guest": n}) for n in (1, 2, 3)])


class Phil(Index, ordered=True):
    """Philosophers around a table; each one's fork is the one to the left."""


class Pc(enum.Enum):
    """What a philosopher does."""

    LOOP = enum.auto()
    EAT = enum.auto()
    THINK = enum.auto()


class Fork(Record):
    """A fork in somebody's hand."""

    holder = optional(Phil)
    clean = flag()


class Dining(Part):
    """Chandy and Misra's philosophers: the first one begins with two forks."""

    forks = per(
        Phil,
        record(Fork),
        initially=lambda f: Fork(holder=when(f == Phil.first().successor(), Phil.first(), f), clean=False),
    )
    pc = per(Phil, enumeration(Pc))
    hungry = per(Phil, flag(initially=True))

    @action
    def loop(s, p: Phil) -> None:
        """Dirty forks are cleaned and handed over; with two clean ones one eats."""
        require(s.pc[p] == Pc.LOOP, "it is at loop")
        right = p.successor()
        left_dirty = (s.forks[p].holder == p) & ~s.forks[p].clean
        right_dirty = ~left_dirty & (s.forks[right].holder == p) & ~s.forks[right].clean
        s.forks[when(left_dirty, p, none)] = Fork(holder=p.predecessor(), clean=True)
        s.forks[when(right_dirty, right, none)] = Fork(holder=right, clean=True)
        can_eat = forall(Phil, lambda f: ((f != p) & (f != right)) | ((s.forks[f].holder == p) & s.forks[f].clean))
        s.pc[p] = when(s.hungry[p], when(can_eat, Pc.EAT, s.pc[p]), Pc.THINK)

    @action
    def think(s, p: Phil) -> None:
        """One becomes hungry."""
        require(s.pc[p] == Pc.THINK, "it is at think")
        s.hungry[p] = True
        s.pc[p] = Pc.LOOP

    @action
    def eat(s, p: Phil) -> None:
        """One is satisfied, and the forks are dirty."""
        require(s.pc[p] == Pc.EAT, "it is at eat")
        s.hungry[p] = False
        s.forks[p].clean = False
        s.forks[p.successor()].clean = False
        s.pc[p] = Pc.LOOP

    @invariant
    def exclusive(s, p: Phil) -> Bool:
        """Neighbours do not eat at once."""
        return ~((s.pc[p] == Pc.EAT) & (s.pc[p.successor()] == Pc.EAT))

    @leads_to(fair=("loop", "think", "eat"))
    def nobody_starves(s, p: Phil) -> tuple[Bool, Bool]:
        """Whoever is hungry eats."""
        return s.hungry[p], ~s.hungry[p]


DINING = System("dining", parts=[Dining], configurations=[Configuration(f"p{n}", sizes={"Phil": n}) for n in (3, 5)])


class Privileges(Part):
    """Dijkstra's ring, which stabilises itself: it begins in disorder, each node with the number of its rank."""

    value = per(Node, number(0, 3), initially=lambda node: node.rank())
    moved = per(Node, flag(), initially=lambda node: node != Node.last())
    seen = members(Node, initially=lambda node: node.before(Node.last()))
    last = optional(Node, initially=Node.last())

    @action
    def move(s, node: Node) -> None:
        """A node with the privilege moves: the first one counts on, another one copies."""
        before = s.value[node.predecessor()]
        is_first = node == Node.first()
        require(when(is_first, before == s.value[node], before != s.value[node]), "it has the privilege")
        s.value[node] = when(is_first, when(before < 3, before + 1, 0), before)
        s.moved[node] = ~s.moved[node]
        s.seen.remove(node)
        s.last = node

    @transition
    def privileges_do_not_grow(s, t: Self) -> Bool:
        """There are never more of them than before."""
        return count(Node, lambda n: t.has_privilege(n)) <= count(Node, lambda n: s.has_privilege(n))

    @witness
    def one_is_left(s) -> Bool:
        """The ring becomes stable."""
        return count(Node, s.has_privilege) == 1

    def has_privilege(s, node: Node) -> Bool:
        """Whether a node may move."""
        same = s.value[node.predecessor()] == s.value[node]
        return when(node == Node.first(), same, ~same)


PRIVILEGES = System("privileges", parts=[Privileges], configurations=[Configuration("n4", sizes={"Node": 4})])
