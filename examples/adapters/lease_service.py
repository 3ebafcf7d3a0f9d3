"""A lease service: the server grants a lease with a stamp, and the store fences writes by their stamps.

A lease that is not renewed for a minute may be granted to another client. Its holder does not know that, and may write
late; so the store refuses a write with a stamp below one that it has seen. `LEASE_SERVICE` is the protocol, `DRIVING`
says how `genstamp conform` drives implementations of it. Two are beside this file, in Go and in Java:

    genstamp check examples/adapters/lease_service.py
    genstamp conform --system examples/adapters/lease_service.py:LEASE_SERVICE \\
        --driving examples/adapters/lease_service.py:DRIVING \\
        --command "go run examples/adapters/lease_service.go"
"""

from typing import Self

from genstamp.stateful import Driving
from genstamp.track import Timer
from genstamp_model.language import *

TERM_MS = 60_000


class Client(Index, symmetric=True):
    """A client of the server and of the store."""


class LeaseService(Part):
    """The server's lease, what each client knows of it, and the store."""

    holder = optional(Client)
    overdue = flag()
    granted = ordered(limit="stamps")
    known = per(Client, ordered(limit="stamps"))
    written = ordered(limit="stamps")

    @action
    def grant(s, client: Client) -> None:
        """A client gets the lease, and a stamp above all earlier ones."""
        require(s.holder.is_none() | s.overdue, "the lease is free or overdue", refuses="LeaseHeldException")
        s.holder, s.overdue = client, False
        s.granted = s.granted + 1
        s.known[client] = s.granted
        observe(generation_stamp=s.granted)

    @action
    def renew(s, client: Client) -> None:
        """The holder gets another minute, also if its lease is overdue but was not granted to another client."""
        require(s.holder == client, "the caller holds the lease", refuses="LeaseLostException")
        s.overdue = False

    @action(hidden=True)
    def fall_due(s, client: Client) -> None:
        """A minute has passed since the grant or the last renewal. No message says so: it is seen by what follows."""
        require(s.holder == client, "the client holds the lease")
        require(~s.overdue, "its minute has not passed yet")
        s.overdue = True

    @action
    def write(s, client: Client) -> None:
        """A client writes to the store with the stamp of its last grant, in the belief that it holds the lease."""
        require(s.known[client] > 0, "the client was granted a stamp")
        require(s.known[client] >= s.written, "the store has seen no later stamp", refuses="FencedException")
        s.written = s.known[client]
        observe(generation_stamp=s.written)

    @invariant
    def holder_has_last_stamp(s, client: Client) -> Bool:
        """No client has a later stamp than the holder."""
        return (s.holder == client).implies(s.known[client] == s.granted)

    @transition
    def written_never_goes_back(s, t: Self) -> Bool:
        """The store sees writers in the order of their grants."""
        return s.written <= t.written

    @witness
    def late_writer_is_fenced(s, client: Client) -> Bool:
        """A client can come too late: if none could, the store would need no stamps."""
        return (s.known[client] > 0) & (s.known[client] < s.written)


LEASE_SERVICE = System(
    "lease_service",
    parts=[LeaseService],
    configurations=[Configuration("two_clients", sizes={"Client": 2}, limits={"stamps": 3})],
    bugs=[
        Bug(
            "no-fencing",
            "the store takes every write",
            drops=(("write", "the store has seen no later stamp"),),
            breaks=("written_never_goes_back",),
            configuration="two_clients",
            depth=5,
        )
    ],
)

DRIVING = Driving(
    members=lambda cluster: {"Client": cluster.clients},
    # It is overdue once more than the term has passed since the holder was granted or has renewed it.
    clock={"fall_due": Timer(TERM_MS, TERM_MS, put_off_by={"grant": "client", "renew": "client"})},
    ticks_ms=(1_000, TERM_MS // 2, TERM_MS + 1),
)
