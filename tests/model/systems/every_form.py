"""A parcel office that uses every form of the modelling language at least once, for the tests of all judges.

It has no meaning beyond that. Reads and writes go through nobody, sets and sequences are combined, numbers begin below
and above 0. "tiny" has 49 320 states and 18 levels, "small" 192 960 and 18 levels with steps beyond every limit; "wide"
has too many for a test but room for everything, and every refusal that is not defensive is reachable in it.
"""

import enum
from typing import Self

from statemachine import State, StateMachine

from genstamp_model.language import *


class Person(Index, unnamed="Clerk"):
    """Clerks, and the office itself."""

    OFFICE = named()


class Clerk(Person):
    """A clerk: a person, but not the office."""


class Shelf(Index, symmetric=True):
    """A place for one parcel."""


class ParcelLifecycle(StateMachine):
    """The life of the parcel on one shelf."""

    absent = State("absent", initial=True)
    stored = State("stored")
    on_the_way = State("on the way")

    accept = absent.to(stored)
    dispatch = stored.to(on_the_way)
    come_back = on_the_way.to(stored) | stored.to(stored)
    arrive = on_the_way.to(absent)


class Weather(enum.Enum):
    """What it is like outside."""

    FAIR = enum.auto()
    RAIN = enum.auto()
    STORM = enum.auto()


class Label(Record):
    """What is written on a parcel."""

    addressee = optional(Person)
    weight = number(1, 3)
    fragile = flag()


class Order(Record):
    """A message that asks for the parcel on a shelf, or for any."""

    clerk = reference(Clerk)
    shelf = optional(Shelf)
    weight = number(1, 2)
    urgent = flag()


class Tally(Part):
    """How many parcels were delivered: what the office refines."""

    count = number(limit="deliveries")

    @action
    def deliver(s) -> None:
        """One more."""
        s.count = s.count + 1


TALLY = System("tally", parts=[Tally], configurations=[Configuration("one", sizes={}, limits={"deliveries": 1})])


class Counter(Part):
    """The counter: who serves, and in what order people wait."""

    weather = enumeration(Weather, initially=Weather.RAIN)
    closed = flag()
    balance = number(-1, 1, initially=0)
    ticket = ordered(limit="tickets", initially=1)
    serving = reference(Clerk)
    manager = optional(Person)
    present = members(Person, initially_all=True)
    trained = members(Clerk)
    queue = sequence(reference(Clerk), capacity=2)

    @action(hidden=True)
    def weather_changes(s) -> None:
        """Rain comes and goes."""
        s.weather = when(
            s.weather.at(Weather.FAIR), Weather.RAIN, when(s.weather == Weather.RAIN, Weather.FAIR, s.weather)
        )

    @action
    def draw_ticket(s, clerk: Clerk) -> None:
        """A clerk draws a ticket and waits."""
        require(~s.closed, "the office is open")
        require(s.queue.size() < 2, "there is room to wait", refuses="QueueFullException")
        require(s.queue.size() != 3, "nobody waits in a third place", refuses="QueueBrokenException", defensive=True)
        s.queue.append(clerk)
        s.ticket = s.ticket + 1
        observe(ticket=s.ticket, waiting=s.queue.size(), first=s.queue.first())

    @action
    def call_next(s) -> None:
        """The first one waiting is served."""
        require(s.queue.size() > 0, "somebody waits")
        s.serving = s.queue.first()
        s.queue.drop_first()

    @action
    def elect(s) -> None:
        """The first trained clerk present, or else nobody, becomes manager."""
        s.manager = choose(Clerk, lambda c: s.trained.has(c) & s.present.has(c))
        s.present = (s.present | those(Person, lambda p: p == s.manager)) - those(Person, lambda p: p == s.serving)

    @action
    def train(s, clerk: Clerk) -> None:
        """A clerk is trained, and everybody else forgets all but what the manager knows."""
        require(~s.trained.has(clerk), "the clerk is not trained", refuses="AlreadyTrainedException")
        s.trained = s.trained & those(Clerk, lambda c: s.manager == c)
        s.trained.add(clerk)
        s.trained.remove(s.serving)
        s.present.add(s.manager)

    @action(event="go_home", refuses="TooEarlyException")
    def go_home_early(s, person: Maybe[Person]) -> None:
        """Somebody, or nobody, leaves although the office is open."""
        require(~s.closed & s.present.has(person), "the office is open, and the person is there")
        s.present.remove(person)

    @action(event="go_home")
    def close_down(s) -> None:
        """Everybody leaves."""
        require(s.queue.size() == 0, "nobody waits")
        require(s.present.size() >= 2, "somebody but the office is there")
        s.closed = True
        s.present.clear()
        s.queue.clear()
        s.manager = when(s.manager.is_none(), Person.OFFICE, none)

    @action
    def settle(s) -> None:
        """The balance moves by the difference of two counts; it may leave its range, which is an error."""
        step = pick("step", -1, 1)
        require(s.closed & (step != 0), "something is paid at the end of the day")
        require(s.balance + step <= 1, "the balance is not too high")
        require(s.balance + step >= smallest(s.balance, -1), "the balance is not too low")
        s.balance = s.balance + 2 * step - step * 1

    @invariant
    def manager_is_trained_or_the_office(s, clerk: Clerk) -> Bool:
        """A clerk who manages was trained."""
        return (s.manager == clerk).implies(s.trained.has(clerk) | ~s.trained.is_empty() | ~s.manager.is_none() | False)

    @transition
    def tickets_rise(s, t: Self) -> Bool:
        """Ticket numbers never fall."""
        return s.ticket <= t.ticket

    @witness
    def served_while_managing(s, clerk: Clerk) -> Bool:
        """The manager is served."""
        return (s.serving == clerk) & (s.manager == clerk)

    @observation
    def waiting(s) -> Number:
        """How many wait."""
        return s.queue.size()


class Storage(Counter):
    """The shelves: parcels, what clerks think of them, and orders on their way."""

    parcel = per(Shelf, lifecycle(ParcelLifecycle))
    label = per(Shelf, record(Label))
    grade = per(Clerk, per(Shelf, number(0, 1)))
    journal = sequence(record(Label), limit="journal")
    orders = bag(Order, limit="orders")
    deliveries = number(limit="deliveries")

    def _stored(s, shelf: Shelf) -> Bool:
        return s.parcel[shelf].at(ParcelLifecycle.stored)

    @action
    def accept(s, clerk: Clerk, shelf: Shelf) -> None:
        """A clerk takes a parcel in."""
        weight = pick("weight", 1, 3)
        require(~s.closed, "the office is open", refuses="ClosedException")
        require(s.present.has(clerk), "the clerk is there", refuses="NobodyThereException")
        require(weight < 3 - count(Shelf, s._stored), "the shelves can bear it")
        s.parcel[shelf].fire(ParcelLifecycle.accept)
        s.label[shelf] = Label(
            addressee=when(weight == 1, s.manager, none), weight=weight, fragile=s.weather != Weather.FAIR
        )

    @action
    def order(s, clerk: Clerk, shelf: Maybe[Shelf]) -> None:
        """A clerk orders a parcel, or any."""
        require(s.serving == clerk, "the clerk is served")
        s.orders.send(Order(clerk=clerk, shelf=shelf, weight=smallest(s.label[shelf].weight, 2), urgent=s.closed))

    @action
    def dispatch(s) -> None:
        """An order is met; one for any parcel, or one whose parcel is not there, is only taken off."""
        order = s.orders.receive()
        require(s.trained.has(order.clerk) | ~order.urgent, "urgent orders need training", refuses="UntrainedException")
        there = s.parcel[order.shelf].at(ParcelLifecycle.stored)
        s.parcel[order.shelf].fire(ParcelLifecycle.dispatch, where=there)
        s.label[order.shelf].weight = largest(order.weight, s.label[order.shelf].weight)
        s.grade[order.clerk][order.shelf] = smallest(s.grade[order.clerk][order.shelf] + 1, 1)
        s.orders.take(order)

    @action
    def exchange_orders(s) -> None:
        """Of two orders, the other one becomes urgent."""
        first, other = s.orders.receive(), s.orders.receive()
        require(~other.urgent & (first != other), "there are two, and the other is not urgent")
        require(
            ~s.orders.has(Order(clerk=other.clerk, shelf=other.shelf, weight=other.weight, urgent=True)),
            "there is no such order yet",
        )
        s.orders.take(other)
        s.orders.send(Order(clerk=first.clerk, shelf=other.shelf, weight=other.weight, urgent=True))

    @action
    def deliver(s, shelf: Shelf) -> None:
        """A parcel comes back once more, goes out again and arrives, all in one step."""
        s.parcel[shelf].fire(ParcelLifecycle.come_back, ParcelLifecycle.dispatch, ParcelLifecycle.arrive)
        s.journal.append(s.label[shelf])
        s.label[shelf].weight = 1
        s.label[shelf].addressee = none
        s.label[shelf].fragile = False
        s.deliveries = s.deliveries + 1

    @action
    def think_again(s, clerk: Clerk) -> None:
        """A clerk takes over another one's view, and all views move towards the heaviest parcel."""
        best = maximum(Shelf, lambda shelf: s.grade[s.serving][shelf], where=s._stored, default=0)
        worst = minimum(Shelf, lambda shelf: s.grade[clerk][shelf], where=lambda shelf: ~s._stored(shelf), default=0)
        require(best > worst, "there is something to learn")
        s.grade[clerk] = s.grade[s.serving]
        s.grade.update(lambda c: each(Shelf, lambda shelf: when(c == clerk, s.grade[c][shelf], worst)))

    @action
    def file_journal(s) -> None:
        """The journal is put away, oldest entry first."""
        require(s.journal.size() >= 1, "there is something to put away")
        require(~s.journal.first().fragile | s.journal.at(1).addressee.is_none(), "it can be put away")
        s.journal.drop_first()

    @invariant
    def way_is_short(s) -> Bool:
        """Not all parcels are on the way while the journal is full of fragile ones."""
        return ~(
            forall(Shelf, lambda shelf: s.parcel[shelf].at(ParcelLifecycle.on_the_way))
            & (s.journal.size() == 9)
            & s.journal.first().fragile
        )

    @invariant
    def orders_are_sound(s) -> Bool:
        """Every order weighs something, and none of them names a clerk who is not one."""
        return s.orders.every(lambda o: (o.weight >= 1) & (o.clerk != Person.OFFICE)) & (s.orders.size() >= 0)

    @transition
    def journal_grows_with_deliveries(s, t: Self) -> Bool:
        """What is delivered was on a shelf before."""
        return (t.deliveries == s.deliveries) | exists(Shelf, lambda shelf: s.parcel[shelf] != t.parcel[shelf])

    @witness
    def urgent_order_for_any_parcel(s) -> Bool:
        """Somebody is in a hurry."""
        return s.orders.some(lambda o: o.urgent & o.shelf.is_none())

    @leads_to(fair=("dispatch",))
    def orders_are_met(s, shelf: Shelf) -> tuple[Bool, Bool]:
        """Every order for a shelf is taken off some time."""
        wanted = s.orders.some(lambda o: o.shelf == shelf)
        return wanted, ~wanted

    @limit("parcels")
    def parcels(s) -> Number:
        """How many parcels there are."""
        return count(Shelf, lambda shelf: ~s.parcel[shelf].at(ParcelLifecycle.absent))

    @observation
    def parcel_state(s, shelf: Shelf) -> object:
        """What is on a shelf."""
        return s.parcel[shelf]


class Strict(Storage):
    """The office with a journal that is put away whatever stands in it."""

    @action
    def file_journal(s) -> None:
        """The journal is put away at once."""
        s.journal.clear()


OVERPAID = Bug(
    "overpaid",
    "a balance that is too high is not noticed",
    drops=(("settle", "the balance is not too high"),),
    configuration="tiny",
    depth=2,
)

EVERY_FORM = System(
    "every_form",
    parts=[Storage],
    doc="A parcel office.",
    semantics={"plain": (), "strict": (Hole("strict", "the journal is put away at once", parts=(Strict,)),)},
    default_semantics="plain",
    bugs=[OVERPAID],
    refines=[RefinementDeclaration(TALLY, {"count": lambda s: s.deliveries})],
    may_stop=lambda s: s.closed,
    configurations=[
        Configuration(
            "tiny",
            sizes={"Clerk": 1, "Shelf": 1},
            limits={"tickets": 3, "journal": 1, "orders": 1, "deliveries": 1, "parcels": 1},
        ),
        Configuration(
            "small",
            sizes={"Clerk": 1, "Shelf": 2},
            limits={"tickets": 2, "journal": 1, "orders": 1, "deliveries": 1, "parcels": 1},
        ),
        Configuration(
            "wide",
            sizes={"Clerk": 2, "Shelf": 2},
            limits={"tickets": 3, "journal": 1, "orders": 2, "deliveries": 1, "parcels": 1},
        ),
    ],
)
