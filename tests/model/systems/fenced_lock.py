"""A lock service with fencing, small enough to be read whole in any language that it is exported to.

"two" has 201 states and 11 levels; without fencing a late client overwrites what a later one has written.
"""

from typing import Self

from genstamp_model.language import *


class Client(Index, symmetric=True):
    """Whoever may hold the lock."""


class Write(Record):
    """A write on its way to the store."""

    client = reference(Client)
    token = ordered(limit="tokens")


class Lock(Part):
    """A lock, its clients, and the store that they write to by messages."""

    holder = optional(Client)
    token = ordered(limit="tokens")
    known = per(Client, ordered(limit="tokens"))
    written = ordered(limit="tokens")
    refused = flag()
    writes = bag(Write, limit="writes")

    @action
    def acquire(s, client: Client) -> None:
        """A client asks for the lock."""
        require(s.holder.is_none(), "the lock is free", refuses="LockedException")
        s.holder = client
        s.token = s.token + 1
        s.known[client] = s.token

    @action(hidden=True)
    def time_out(s) -> None:
        """The lock is taken back; its holder does not know."""
        require(~s.holder.is_none(), "somebody holds the lock")
        s.holder = none

    @action
    def send(s, client: Client) -> None:
        """A client writes, believing that it holds the lock."""
        require(s.known[client] > 0, "the client was given a token")
        s.writes.send(Write(client=client, token=s.known[client]))

    @action
    def store(s) -> None:
        """A write arrives."""
        write = s.writes.receive()
        require(write.token >= s.written, "no later token was seen")
        s.writes.take(write)
        s.written = write.token

    @action
    def refuse(s) -> None:
        """A write comes too late."""
        write = s.writes.receive()
        require(write.token < s.written, "a later token was seen")
        s.writes.take(write)
        s.refused = True

    @transition
    def written_never_goes_back(s, t: Self) -> Bool:
        """The store's order of writers is that of the lock."""
        return s.written <= t.written

    @invariant
    def tokens_are_drawn(s) -> Bool:
        """Nobody knows a token that was not given out."""
        return forall(Client, lambda client: s.known[client] <= s.token) & s.writes.every(
            lambda write: write.token <= s.token
        )

    @witness
    def somebody_is_fenced(s) -> Bool:
        """A client can come too late."""
        return s.refused


FENCED_LOCK = System(
    "fenced_lock",
    parts=[Lock],
    configurations=[Configuration("two", sizes={"Client": 2}, limits={"tokens": 2, "writes": 2}, doc="two clients")],
    bugs=[
        Bug(
            "no-fencing",
            "the store takes every write",
            drops=(("store", "no later token was seen"),),
            breaks=("written_never_goes_back",),
            configuration="two",
            depth=7,
        )
    ],
)
