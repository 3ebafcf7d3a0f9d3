"""Two-phase commit: resource managers commit a transaction together, or none of them does.

After TwoPhase of the TLA+ Examples: 288 distinct states for three resource managers, 50,816 for six.
"""

import enum

from genstamp_model.language import *


class Rm(Index, symmetric=True):
    """A resource manager."""


class RmState(enum.Enum):
    """What a resource manager has done."""

    WORKING = enum.auto()
    PREPARED = enum.auto()
    COMMITTED = enum.auto()
    ABORTED = enum.auto()


class Kind(enum.Enum):
    """What a message says, or what the transaction manager has decided: nothing while managers prepare."""

    PREPARED = enum.auto()
    COMMIT = enum.auto()
    ABORT = enum.auto()


class Message(Record):
    """A message; only `PREPARED` is from a resource manager."""

    kind = enumeration(Kind)
    rm = optional(Rm)


class TwoPhase(Part):
    """The resource managers, the transaction manager, and all messages that were ever sent."""

    state = per(Rm, enumeration(RmState))
    decided = enumeration(Kind)
    prepared = members(Rm)
    messages = bag(Message, limit="messages", distinct=True)

    @action
    def receive_prepared(s, rm: Rm) -> None:
        """The transaction manager hears that a resource manager is prepared."""
        require(s.decided == Kind.PREPARED, "it is undecided")
        require(s.messages.has(Message(kind=Kind.PREPARED, rm=rm)), "the manager has sent it")
        s.prepared.add(rm)

    @action
    def decide_commit(s) -> None:
        """All are prepared, so the transaction is committed."""
        require(s.decided == Kind.PREPARED, "it is undecided")
        require(forall(Rm, lambda rm: s.prepared.has(rm)), "all are prepared")
        s.decided = Kind.COMMIT
        s.messages.send(Message(kind=Kind.COMMIT, rm=none))

    @action
    def decide_abort(s) -> None:
        """The transaction manager may abort at any time before."""
        require(s.decided == Kind.PREPARED, "it is undecided")
        s.decided = Kind.ABORT
        s.messages.send(Message(kind=Kind.ABORT, rm=none))

    @action
    def prepare(s, rm: Rm) -> None:
        """A resource manager is ready to commit."""
        require(s.state[rm] == RmState.WORKING, "it works")
        s.state[rm] = RmState.PREPARED
        s.messages.send(Message(kind=Kind.PREPARED, rm=rm))

    @action
    def choose_to_abort(s, rm: Rm) -> None:
        """A resource manager aborts by itself; it need not say so."""
        require(s.state[rm] == RmState.WORKING, "it works")
        s.state[rm] = RmState.ABORTED

    @action
    def commit(s, rm: Rm) -> None:
        """It is told to commit."""
        require(s.messages.has(Message(kind=Kind.COMMIT, rm=none)), "commit was sent")
        s.state[rm] = RmState.COMMITTED

    @action
    def abort(s, rm: Rm) -> None:
        """It is told to abort."""
        require(s.messages.has(Message(kind=Kind.ABORT, rm=none)), "abort was sent")
        s.state[rm] = RmState.ABORTED

    @invariant
    def managers_agree(s, one: Rm, other: Rm) -> Bool:
        """No manager has committed where another one has aborted."""
        return ~((s.state[one] == RmState.COMMITTED) & (s.state[other] == RmState.ABORTED))

    @eventually_always(fair=("decide_abort", "commit", "abort"))
    def is_settled(s, rm: Rm) -> Bool:
        """Each manager ends as is decided, for good."""
        committed = (s.decided == Kind.COMMIT) & (s.state[rm] == RmState.COMMITTED)
        return committed | ((s.decided == Kind.ABORT) & (s.state[rm] == RmState.ABORTED))

    @witness
    def all_commit(s) -> Bool:
        """The transaction can succeed."""
        return forall(Rm, lambda rm: s.state[rm] == RmState.COMMITTED)


TWO_PHASE = System(
    "two_phase",
    parts=[TwoPhase],
    configurations=[
        Configuration("three", sizes={"Rm": 3}, limits={"messages": 4}),
        Configuration("six", sizes={"Rm": 6}, limits={"messages": 7}, on_demand=True),
    ],
)
