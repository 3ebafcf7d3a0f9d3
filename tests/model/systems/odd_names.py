"""Names that mean something in TLA+, or that the export would give out itself; a small system without sense."""

import enum

from genstamp_model.language import *


class Client(Index):
    """Its members are called client1 and client2, as is a parameter, and a variable."""


class Nat(Index):
    """Called like the set of numbers; one member like a value."""

    TRUE = named()
    None_ = named()


class Kind(enum.Enum):
    """Labels that are words of the language, and the name of a variable."""

    IF = enum.auto()
    a = enum.auto()


class Message(Record):
    """A field that is a word of the language."""

    LET = flag()
    to = reference(Client)
    kind = enumeration(Kind)


class Odd(Part):
    """Variables called like what the module's own operators bind and define."""

    line = sequence(number(0, 1), capacity=1)
    a = number(0, 2)
    b = number(0, 2)
    S = number(0, 2)
    otherwise = flag()
    sequence = members(Client)
    place = optional(Client)
    Places = optional(Nat)
    vars = flag()
    client2 = flag()
    m = flag()
    post = bag(Message, limit="m")

    @action
    def Init(s, client1: Client, c: Client) -> None:
        """Called like the initial states *) (* and more."""
        require((s.a < 1) & (client1 == c), "one\ntwo *) (*", refuses="Bad\nThing")
        s.a = smallest(s.a + 1, 2)
        s.b = largest(s.b, s.a)
        s.place = client1

    @action
    def Next(s, root: Nat) -> None:
        """Called like all steps."""
        require(~s.otherwise, "once")
        s.Places = root
        s.otherwise = True
        s.S = minimum(
            Client,
            lambda c: when(s.sequence.has(c), s.a, 2),
            where=lambda c: s.sequence.has(c),
            default=0,
        )

    @action
    def choice(s) -> None:
        """The first member is called by its name only after it was a parameter's."""
        s.place = choose(Client, lambda c: ~s.sequence.has(c))
        s.sequence.add(choose(Client, lambda c: ~s.sequence.has(c)))
        s.Places = Nat.TRUE

    @action
    def put(s, c: Client) -> None:
        """A field that is a word of the language is written, and read."""
        s.post.send(Message(LET=s.m, to=c, kind=Kind.IF))
        s.m = s.post.some(lambda m: m.LET)

    @action
    def get(s) -> None:
        """The same of a message that is received."""
        m = s.post.receive()
        s.post.take(m)
        s.client2 = m.LET | m.kind.at(Kind.a)
        s.line.drop_first()

    @action
    def never_w(s) -> None:
        """Called like an operator that the export makes of the witness."""
        require(s.line.size() < 1, "there is room")
        s.line.append(when(s.line.at(s.b) == 0, 1, 0))

    @invariant
    def TypeOK(s, client1: Client) -> Bool:
        """Called like the export's own."""
        return (s.place == client1) | (s.a <= 2)

    @witness
    def w(s) -> Bool:
        """It is seen."""
        return s.otherwise & (s.S == 0)

    @leads_to(fair=("choice",))
    def WithinLimits(s) -> tuple[Bool, Bool]:
        """Called like the limits."""
        return s.a == 0, ~s.place.is_none()


class Nothing(Part):
    """No variable at all."""

    @action
    def go(s) -> None:
        """Nothing changes."""


ODD_NAMES = System(
    "Naturals", parts=[Odd], configurations=[Configuration("small", sizes={"Client": 2, "Nat": 1}, limits={"m": 1})]
)
NO_VARIABLES = System("no_variables", parts=[Nothing], configurations=[Configuration("only", sizes={})])
