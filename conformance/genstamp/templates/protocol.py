"""A lock service with fencing, as a protocol to begin with: change it into your own.

genstamp check FILE        searches all states, and shows a shortest counterexample
genstamp verify FILE       everything: bugs that must be found, proofs, coverage
genstamp prove FILE        proves what is `inductive`, for numbers of any size
genstamp list FILE         what the file declares
"""

from typing import Self

from genstamp_model.language import (
    NOWHERE,
    Bool,
    Bug,
    Configuration,
    Index,
    Part,
    System,
    action,
    invariant,
    none,
    optional,
    ordered,
    per,
    require,
    transition,
    witness,
)


class Client(Index, symmetric=True):
    """A client; a configuration gives the number of clients."""


class LockService(Part):
    """A lock, its clients, and the store that they write to.

    A function under `@action` runs once, with symbolic state: `require` guards the step, and an assignment defines a
    value after it.
    """

    holder = optional(Client)
    token = ordered(limit="tokens")
    known = per(Client, ordered(limit="tokens"))
    written = ordered(limit="tokens")

    @action
    def acquire(s, client: Client) -> None:
        """A client gets the lock, and a token that is above all earlier ones."""
        require(s.holder.is_none(), "the lock is free", refuses="LockedException")
        s.holder = client
        s.token = s.token + 1
        s.known[client] = s.token

    @action(hidden=True)
    def time_out(s) -> None:
        """The lock is taken back; its holder does not know."""
        require(~s.holder.is_none(), "the lock is held")
        s.holder = none

    @action
    def write(s, client: Client) -> None:
        """A client writes, in the belief that it holds the lock."""
        require(s.known[client] > 0, "the client has a token")
        require(s.known[client] >= s.written, "no later token was seen", refuses="FencedException")
        s.written = s.known[client]

    @invariant(inductive=True, given=("known_is_granted",))
    def written_is_granted(s) -> Bool:
        """No client writes with a token that was not granted."""
        return s.written <= s.token

    @invariant(inductive=True)
    def known_is_granted(s, client: Client) -> Bool:
        """No client knows a token that was not granted."""
        return s.known[client] <= s.token

    @transition(inductive=True)
    def written_never_goes_back(s, t: Self) -> Bool:
        """The store sees writers in the order in which they got the lock."""
        return s.written <= t.written

    @witness
    def somebody_is_fenced(s, client: Client) -> Bool:
        """A client can come too late: `check` looks for a state that shows it."""
        return (s.known[client] > 0) & (s.known[client] < s.written)


LOCK = System(
    "lock",
    parts=[LockService],
    may_stop=NOWHERE,
    configurations=[
        Configuration("two", sizes={"Client": 2}, limits={"tokens": 3}, doc="two clients"),
        Configuration("three", sizes={"Client": 3}, limits={"tokens": 4}, doc="three clients"),
    ],
    bugs=[
        Bug(
            "no-fencing",
            "the store takes every write",
            drops=(("write", "no later token was seen"),),
            breaks=("written_never_goes_back",),
            configuration="two",
            depth=5,
        ),
    ],
)
