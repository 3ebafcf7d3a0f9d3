"""Writers with fencing tokens, for ordered numbers that never end and for index sets whose members are alike.

Writers get the lock and a token, again and again; writes travel as messages, are queued at a store and refused where a
younger token was seen. Tokens stand in arrays, a message bag, records in a sequence and alone; so do references to
writers and stores, who are interchangeable, but for the administrator.
"""

from typing import Self

from genstamp_model.language import *


class Party(Index, symmetric=True, unnamed="Writer"):
    """Whoever can hold the lock: writers, and the administrator."""

    ADMINISTRATOR = named()


class Writer(Party):
    """A writer."""


class Store(Index, symmetric=True):
    """A place that is written to."""


class Write(Record):
    """A write on its way."""

    store = reference(Store)
    token = ordered(limit="tokens")


class Entry(Record):
    """A write that waits at a store."""

    store = reference(Store)
    token = ordered(limit="tokens")


class Fencing(Part):
    """The lock, the writers, the stores."""

    holder = optional(Party)
    last = ordered(limit="tokens")
    token = per(Writer, ordered(limit="tokens"))
    post = bag(Write, limit="posts")
    waiting = sequence(record(Entry), capacity=1)
    seen = per(Store, ordered(limit="tokens"))
    open = members(Store, initially_all=True)

    @action
    def acquire(s, writer: Writer) -> None:
        """A writer gets the lock and a token."""
        require(s.holder.is_none(), "the lock is free", refuses="LockedException")
        s.holder = writer
        s.last = s.last + 1
        s.token[writer] = s.last

    @action(hidden=True)
    def time_out(s) -> None:
        """The administrator takes the lock, and gives it back."""
        require(~s.holder.is_none(), "somebody holds the lock")
        s.holder = when(s.holder == Party.ADMINISTRATOR, none, Party.ADMINISTRATOR)

    @action
    def send(s, writer: Writer, store: Store) -> None:
        """A writer writes."""
        require(s.token[writer] > 0, "the writer was given a token")
        require(s.open.has(store), "the store is open")
        s.post.send(Write(store=store, token=s.token[writer]))

    @action
    def give_up(s, writer: Writer) -> None:
        """A writer forgets its token."""
        s.token[writer] = 0

    @action
    def receive(s) -> None:
        """A write reaches its store."""
        write = s.post.receive()
        require(s.waiting.size() < 1, "nothing waits")
        require(write.token >= s.seen[write.store], "no younger token was seen", refuses="FencedException")
        s.post.take(write)
        s.waiting.append(Entry(store=write.store, token=write.token))

    @action
    def lose(s) -> None:
        """A write is lost."""
        s.post.take(s.post.receive())

    @action
    def write(s) -> None:
        """A store does what waits, and is closed."""
        require(s.waiting.size() > 0, "something waits")
        first = s.waiting.first()
        s.seen[first.store] = first.token
        s.open.remove(first.store)
        s.waiting.drop_first()

    @action
    def reopen(s, store: Store) -> None:
        """A store opens again."""
        s.open.add(store)

    @invariant
    def tokens_are_drawn(s, writer: Writer) -> Bool:
        """Nobody knows a token that was not given out."""
        return s.token[writer] <= s.last

    @transition
    def seen_never_goes_back(s, t: Self, store: Store) -> Bool:
        """A store's order of writers is that of the lock."""
        return s.seen[store] <= t.seen[store]

    @witness
    def somebody_is_late(s, writer: Writer) -> Bool:
        """A younger token than a writer's can be on its way."""
        return (s.token[writer] > 0) & s.post.some(lambda write: write.token > s.token[writer])

    @witness
    def two_stores_differ(s, one: Store, other: Store) -> Bool:
        """Stores can have seen different tokens."""
        return s.seen[one] < s.seen[other]


class Counted(Fencing):
    """Fencing with a count of the tokens given out, so that they end by another limit than their own."""

    rounds = number(limit="rounds")

    @action
    def acquire(s, writer: Writer) -> None:
        """A writer gets the lock and a token."""
        require(s.holder.is_none(), "the lock is free", refuses="LockedException")
        s.holder = writer
        s.last = s.last + 1
        s.token[writer] = s.last
        s.rounds = s.rounds + 1


class Unfenced(Fencing):
    """The store takes a write however old."""

    @action
    def receive(s) -> None:
        """A write reaches its store."""
        write = s.post.receive()
        require(s.waiting.size() < 1, "nothing waits")
        s.post.take(write)
        s.waiting.append(Entry(store=write.store, token=write.token))


class OwnCounter(Fencing):
    """A writer raises its own token, which need not be the largest one."""

    @action
    def acquire(s, writer: Writer) -> None:
        """A writer makes a token of its last one."""
        require(s.holder.is_none(), "the lock is free")
        s.holder = writer
        s.last = s.last + 1
        s.token[writer] = s.token[writer] + 1


class Preferred(Fencing):
    """The administrator gives the lock on to the first writer without a token."""

    @action
    def time_out(s) -> None:
        """The lock goes to the administrator and from there to a writer."""
        require(~s.holder.is_none(), "somebody holds the lock")
        first = choose(Writer, lambda writer: s.token[writer] == 0)
        s.holder = when(s.holder != Party.ADMINISTRATOR, Party.ADMINISTRATOR, first)


class Partial(Fencing):
    """A property that looks at the first store where nothing waits."""

    @invariant
    def first_is_open(s) -> Bool:
        """Where nothing waits, that is the first store."""
        return s.open.has(s.waiting.first().store)


class Careless(Fencing):
    """A store does what waits without looking whether anything waits."""

    done = flag()

    @action
    def write(s) -> None:
        """Nothing waits for nobody: that is the first store."""
        require(s.last > 0, "a token was given out")
        s.open.remove(s.waiting.first().store)
        s.waiting.drop_first()


class Differences(Fencing):
    """A property that looks at more than the order of tokens."""

    @invariant
    def tokens_are_close(s, writer: Writer) -> Bool:
        """A writer has the last token or the one before."""
        return (s.token[writer] == 0) | (s.token[writer] + 1 >= s.last)


class Sums(Fencing):
    """A token that is counted with."""

    given = number(limit="posts")

    @action
    def give_up(s, writer: Writer) -> None:
        """A writer forgets its token, which is taken for a number."""
        s.given = smallest(s.token[writer], 1)
        s.token[writer] = 0


LIMITS = {"tokens": 3, "posts": 1}

FENCING = System(
    "fencing",
    parts=[Fencing],
    configurations=[
        Configuration("small", sizes={"Writer": 2, "Store": 1}, limits=LIMITS),
        Configuration("stores", sizes={"Writer": 1, "Store": 2}, limits=LIMITS),
        Configuration("endless", sizes={"Writer": 2, "Store": 1}, limits={"tokens": 5, "posts": 1}),
        Configuration("both", sizes={"Writer": 2, "Store": 2}, limits=LIMITS),
    ],
    bugs=[
        Bug(name, doc, parts=(part,))
        for name, doc, part in (
            ("unfenced", "the store takes every write", Unfenced),
            ("own-counter", "writers raise their own tokens", OwnCounter),
            ("differences", "a property compares a raised token", Differences),
            ("sums", "tokens are mixed with numbers", Sums),
            ("preferred", "the first writer is preferred", Preferred),
            ("partial", "a property prefers the first store", Partial),
            ("careless", "an entry is read that need not be there", Careless),
        )
    ],
)
COUNTED = System(
    "counted_fencing",
    parts=[Counted],
    configurations=[
        Configuration("small", sizes={"Writer": 1, "Store": 1}, limits={"tokens": 9, "posts": 1, "rounds": 4})
    ],
)
