"""hdfs.renewal: how a client keeps its lease, with clocks that differ: what it believes and what was granted."""

from typing import Self

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.renewal import RENEWAL_BUGS
from genstamp_spec.hdfs.parts.lease_renewer import HARD_LIMIT, SOFT_LIMIT, LeaseRenewer
from genstamp_spec.hdfs.parts.state import Client


class RenewalProperties(LeaseRenewer):
    """What renewing promises; S, L and J as in the facts."""

    @invariant
    def renewing_client_keeps_its_lease(s, client: Client) -> Bool:
        """L9: while all renewals succeed, the lease does not pass its soft limit, and the client is the owner."""
        renews = s.writing.has(client) & ~s.failed[client]
        return renews.implies((s.owner == client) & (s.age <= SOFT_LIMIT))

    @invariant(inductive=True)
    def writer_stops_past_its_hard_limit(s, client: Client) -> Bool:
        """S11: a client that could not renew for the hard limit lets no more time pass before it gives up."""
        return ~s.overdue[client]

    @invariant(inductive=True)
    def only_a_writer_has_something_to_renew(s, client: Client) -> Bool:
        """D.6: the renewer works for clients that have the file open, and for no others."""
        return (~s.writing.has(client)).implies((s.since[client] == 0) & ~s.tried[client])

    @invariant(inductive=True)
    def closed_file_has_no_lease(s) -> Bool:
        """D.2: a lease that covers nothing is gone, and does not age."""
        return s.owner.is_none().implies(s.age == 0)

    @transition(inductive=True)
    def new_owner_starts_afresh(s, t: Self, client: Client) -> Bool:
        """D.2, D.6: who gets the file has a lease that is young by both clocks, and has not failed to renew it."""
        gets = (s.owner != client) & (t.owner == client)
        return gets.implies((t.age == 0) & (t.since[client] == 0) & ~t.failed[client])

    @transition(inductive=True)
    def only_the_hard_limit_stops_a_writer(s, t: Self, client: Client) -> Bool:
        """L9: a client that still owns its file gives it up only past the hard limit."""
        aborted = s.writing.has(client) & ~t.writing.has(client) & (t.owner == client)
        return aborted.implies(s.since[client] > HARD_LIMIT)

    @transition(inductive=True)
    def young_lease_is_not_taken_over(s, t: Self) -> Bool:
        """S10: the file changes hands only past the soft limit, or by way of its owner."""
        taken = ~s.owner.is_none() & (t.owner != s.owner)
        return taken.implies((s.age > SOFT_LIMIT) | ~t.writing.has(s.owner))

    @witness
    def both_believe_they_may_write(s, first: Client, second: Client) -> Bool:
        """J.3: two clients have the file open as far as they know."""
        return (first != second) & s.writing.has(first) & s.writing.has(second)

    @witness
    def renews_a_lease_that_it_has_lost(s, client: Client) -> Bool:
        """J.3: a client has renewed, and believes in its lease, but another one owns the file."""
        return s.writing.has(client) & (s.since[client] == 0) & ~s.owner.is_none() & (s.owner != client)


RENEWAL = System(
    "hdfs.renewal",
    parts=[RenewalProperties],
    doc="How a client keeps its lease, with clocks that differ: what it believes, and what was granted.",
    semantics={"repaired": (), "hadoop-3.4": (), "hadoop-2.7": ()},
    rows="""
        one_client: Client=1 skew=1; a client and the NameNode, whose clocks differ by a tick at most
        two_clients: Client=2 skew=1;
            two clients; with clocks that differ by two ticks, half of the soft limit, L9 does not hold any more
    """,
    bugs=RENEWAL_BUGS,
    omits=(
        "blocks, and what a recovery does: in hdfs.lease",
        "one renewer for several clients of a process, and its grace period",
        "pauses of a client, in which its clock stands still: a skew without bound",
        "the hard limit's ratio to the soft one, 20 or 60: here it is 2",
    ),
)
