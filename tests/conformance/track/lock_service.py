"""A small system with everything that tracking must cope with: one lock, a lease that passes unseen, fencing stamps."""

import enum

from genstamp_model.language import (
    Bool,
    Configuration,
    Index,
    Part,
    Record,
    System,
    action,
    bag,
    enumeration,
    flag,
    invariant,
    members,
    named,
    observe,
    optional,
    ordered,
    reference,
    require,
    when,
)


class Holder(Index):
    """Who can hold the lock."""

    SERVER = named()


class Client(Holder):
    """A client."""


class LockState(enum.Enum):
    """State of the lock."""

    FREE = enum.auto()
    HELD = enum.auto()


class Notice(Record):
    """A message that tells a client of its stamp."""

    to = reference(Client)
    stamp = ordered(limit="stamps")


class LockService(Part):
    """One lock."""

    state = enumeration(LockState)
    holder = optional(Holder)
    stamp = ordered(limit="stamps")
    expired = flag()
    seen = members(Client)
    notices = bag(Notice, limit="notices")

    @action
    def acquire(s, client: Client) -> None:
        """A free lock is taken."""
        require(~s.seen.has(client), "the client has not given up", refuses="GoneException")
        require(s.state.at(LockState.FREE), "the lock is free", refuses="HeldException")
        s.state = LockState.HELD
        s.holder = client
        s.stamp = s.stamp + 1
        s.expired = False
        s.notices.send(Notice(to=client, stamp=s.stamp))
        observe(generation_stamp=s.stamp, state=s.state)

    @action(event="acquire", refuses="ExpiredException")
    def acquire_takes_over(s, client: Client) -> None:
        """An expired lock goes to the server by the very call that is refused."""
        require(~s.seen.has(client), "the client has not given up")
        require(s.state.at(LockState.HELD) & s.expired, "the lock is expired")
        s.holder = Holder.SERVER
        observe(holder=s.holder)

    @action(hidden=True)
    def expire(s) -> None:
        """Time passes."""
        require(s.state.at(LockState.HELD), "the lock is held")
        s.expired = True

    @action
    def told(s) -> None:
        """Some notice arrives."""
        notice = s.notices.receive()
        s.notices.take(notice)
        observe(generation_stamp=notice.stamp)

    @action
    def release(s, holder: Holder) -> None:
        """The holder lets go."""
        require(s.holder == holder, "the caller holds the lock", refuses="NotHolderException")
        s.state = LockState.FREE
        s.holder = Holder.SERVER
        observe(recovery_id=when(s.stamp > 1, s.stamp, 0))

    @action
    def give_up(s, client: Client) -> None:
        """The client will not ask again."""
        s.seen.add(client)
        observe(gone=s.seen)

    @invariant
    def held_by_somebody(s) -> Bool:
        """A held lock has a holder."""
        return ~s.state.at(LockState.HELD) | ~s.holder.is_none()


LOCK_SERVICE = System(
    "lock_service",
    parts=[LockService],
    configurations=[Configuration("two", sizes={"Holder": 2}, limits={"stamps": 2, "notices": 2})],
)
