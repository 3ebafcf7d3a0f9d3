"""Leases that clients believe in and leases that the NameNode has granted, each by a clock of its own.

One file, and its writers. Ticks are quarters of the soft limit: a client renews after two, the soft limit is four and
the hard limit eight (Hadoop's is 20 or 60 soft limits, which changes nothing). Ages stop counting one tick past the
hard limit. Blocks are left out, and so is the time that a call takes.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.state import Client

RENEW_AFTER, SOFT_LIMIT, HARD_LIMIT = 2, 4, 8
STOP_COUNTING = HARD_LIMIT + 1


class Clocks(Part):
    """What clients and the NameNode know of time and of leases."""

    writing = members(Client)  # clients that have the file open, as far as they know
    since = per(Client, number(0, STOP_COUNTING))  # ticks of the client's clock since it last knew that it had renewed
    tried = per(Client, flag())  # the renewer has tried in this tick
    failed = per(Client, flag())  # history: a renewal has failed since the file was opened
    overdue = per(Client, flag())  # history: time has passed for a writer that was past its hard limit
    owner = optional(Client)  # for whom the file is open at the NameNode
    age = number(0, STOP_COUNTING)  # of the owner's lease, by the NameNode's clock
    ahead = per(Client, number(limit="skew"))  # history: ticks by which the client's clock is before the NameNode's
    behind = per(Client, number(limit="skew"))  # history: ticks by which it is behind


class LeaseRenewer(Clocks, lane=Client):
    """LeaseRenewer of each client, and the expiry at the NameNode."""

    @action
    def open_file(s, client: Client) -> None:
        """A client creates or appends to the file, which nobody else has open (facts D.2, D.6)."""
        require(s.owner.is_none(), "nobody has the file open")
        s.own(client)

    @action
    def take_over(s, client: Client) -> None:
        """Another client gets the file when the owner's lease is past the soft limit (facts F.1 row 5)."""
        require(~s.owner.is_none() & (s.owner != client), "another client has the file open")
        require(s.age > SOFT_LIMIT, "the owner's lease is past its soft limit", "AlreadyBeingCreatedException")
        s.own(client)

    def own(s, client: Client) -> None:
        """The client has the file and a fresh lease."""
        s.owner = client
        s.age = 0
        s.writing.add(client)
        s.since[client] = 0
        s.tried[client] = False
        s.failed[client] = False

    @action(hidden=True)
    def monitor_takes_over(s) -> None:
        """The lease is past the hard limit: the NameNode closes the file (facts D.3)."""
        require(~s.owner.is_none(), "somebody has the file open")
        require(s.age > HARD_LIMIT, "the lease is past its hard limit")
        s.owner = none
        s.age = 0

    @action(hidden=True)
    def namenode_clock_ticks(s) -> None:
        """Time passes at the NameNode. Clocks only differ where somebody writes."""
        s.age = when(s.owner.is_none(), 0, smallest(s.age + 1, STOP_COUNTING))
        was_ahead = those(Client, lambda client: s.ahead[client] > 0)
        s.behind.update(lambda client: when(s.writing.has(client) & ~was_ahead.has(client), s.behind[client] + 1, 0))
        s.ahead.update(lambda client: when(s.writing.has(client) & was_ahead.has(client), s.ahead[client] - 1, 0))

    @action(hidden=True)
    def client_clock_ticks(s, client: Client) -> None:
        """Time passes at a client, whose renewer has done its work for this tick."""
        require(s.writing.has(client), "the client has the file open")
        require((s.since[client] < RENEW_AFTER) | s.tried[client], "the renewer has tried")
        require(~s.gives_up(client), "the client goes on")
        s.overdue[client] = s.since[client] > HARD_LIMIT
        s.since[client] = smallest(s.since[client] + 1, STOP_COUNTING)
        was_behind = s.behind[client] > 0
        s.ahead[client] = s.ahead[client] + when(was_behind, 0, 1)
        s.behind[client] = s.behind[client] - when(was_behind, 1, 0)
        s.tried[client] = False

    def gives_up(s, client: Client) -> Bool:
        """The client could not renew for the hard limit (DFSClient#renewLease)."""
        return s.since[client] > HARD_LIMIT

    def is_due(s, client: Client) -> None:
        """Checks: it is time to renew (LeaseRenewer#run, facts D.6)."""
        require(s.writing.has(client), "the client has the file open")
        require(s.since[client] >= RENEW_AFTER, "half of the soft limit has passed")
        require(~s.tried[client], "the renewer has not tried in this tick")

    @action
    def renew_lease(s, client: Client) -> None:
        """The lease is renewed, if there is one, and the client believes so in any case (facts D.5, D.6).

        A renewer that hears nothing tries again in the next tick.
        """
        s.is_due(client)
        if either("fails", "the call does not reach the NameNode"):
            s.hears_nothing(client)
            return
        s.age = when(s.owner == client, 0, s.age)
        if either("unanswered", "the answer is lost"):
            s.hears_nothing(client)
            return
        s.since[client] = 0

    def hears_nothing(s, client: Client) -> None:
        """The renewer does not know whether the lease was renewed."""
        s.tried[client] = True
        s.failed[client] = True

    @action
    def abort(s, client: Client) -> None:
        """Past the hard limit by its own clock a client gives its streams up.

        Source  DFSClient#renewLease, #closeAllFilesBeingWritten, Hadoop 3.4.1; facts D.6.
        """
        require(s.writing.has(client), "the client has the file open")
        require(s.gives_up(client), "the client could not renew for the hard limit")
        s.writing.remove(client)
        s.since[client] = 0
        s.tried[client] = False
        s.failed[client] = False

    @action
    def complete(s, client: Client) -> None:
        """The owner closes the file; another client is told that it does not own it (facts E.0)."""
        require(s.writing.has(client), "the client has the file open")
        require(s.owner == client, "the caller owns the file", "LeaseExpiredException")
        s.owner = none
        s.age = 0
        s.writing.remove(client)
        s.since[client] = 0
        s.tried[client] = False
        s.failed[client] = False
