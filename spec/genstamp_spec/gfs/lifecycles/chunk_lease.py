"""The life of the lease of one chunk, as the master knows it.

Leaves out: who holds it, under which version and for how long, and what the primary believes.

Events: grant, extend, revoke, give_up, expire, restart.
"""

from statemachine import State, StateMachine


class ChunkLeaseLifecycle(StateMachine):
    """The lease of one chunk at the master.

    `unknown` is not in the paper, which says nothing of leases over a crash: leases are not logged, so a master that
    starts again has to take it that somebody may hold one.
    """

    none = State("none", initial=True)
    granted = State("granted")
    extended = State("extended")
    revoking = State("revoking")
    expired = State("expired")
    unknown = State("unknown")

    grant = granted.from_(none, expired)  # section 3.1: nobody holds one; section 4.5: under a new version
    extend = extended.from_(granted, extended)  # section 3.1: asked for and answered with heartbeats
    revoke = revoking.from_(granted, extended)  # section 3.1, section 3.4: before a rename or a snapshot
    give_up = revoking.to(none)  # section 3.4: the primary has agreed
    expire = expired.from_(granted, extended, revoking, unknown)  # section 3.1: safe without a word from the primary
    restart = unknown.from_(none, granted, extended, revoking, expired, unknown)  # section 2.6
