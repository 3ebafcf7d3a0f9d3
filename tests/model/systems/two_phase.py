"""Two-phase commit in the modelling language: the smallest system that the judges are tried on.

The states and steps are those of the published TLA+ module TwoPhase (Gray and Lamport, "Consensus on Transaction
Commit", ACM TODS 31(1), 2006, section 3), with the set of messages ever sent kept as flags. Its counts are known:
288, 8 832, 50 816, 296 448, 1 745 408, 10 340 352 distinct states for 3, 5, 6, 7, 8, 9 managers.
"""

import enum

from genstamp_model.language import *


class Rm(Index, symmetric=True):
    """A resource manager."""


class RmState(enum.Enum):
    """What a resource manager has decided."""

    WORKING = enum.auto()
    PREPARED = enum.auto()
    COMMITTED = enum.auto()
    ABORTED = enum.auto()


class TmState(enum.Enum):
    """What the transaction manager has decided."""

    INIT = enum.auto()
    COMMITTED = enum.auto()
    ABORTED = enum.auto()


class TwoPhase(Part):
    """One transaction manager and some resource managers."""

    rm = per(Rm, enumeration(RmState))
    tm = enumeration(TmState)
    tm_prepared = members(Rm)
    prepared_sent = members(Rm)
    commit_sent = flag()
    abort_sent = flag()

    @action
    def tm_commit(s) -> None:
        """The transaction manager commits once everybody has prepared."""
        require(s.tm.at(TmState.INIT), "nothing is decided")
        require(forall(Rm, lambda rm: s.tm_prepared.has(rm)), "every manager has prepared")
        s.tm = TmState.COMMITTED
        s.commit_sent = True

    @action
    def tm_abort(s) -> None:
        """The transaction manager gives up."""
        require(s.tm.at(TmState.INIT), "nothing is decided")
        s.tm = TmState.ABORTED
        s.abort_sent = True

    @action
    def tm_receive_prepared(s, rm: Rm) -> None:
        """The transaction manager learns that a resource manager has prepared."""
        require(s.tm.at(TmState.INIT), "nothing is decided")
        require(s.prepared_sent.has(rm), "the manager has sent Prepared")
        s.tm_prepared.add(rm)

    @action
    def rm_prepare(s, rm: Rm) -> None:
        """A resource manager prepares."""
        require(s.rm[rm].at(RmState.WORKING), "the manager is working")
        s.rm[rm] = RmState.PREPARED
        s.prepared_sent.add(rm)

    @action
    def rm_choose_to_abort(s, rm: Rm) -> None:
        """A resource manager aborts by itself."""
        require(s.rm[rm].at(RmState.WORKING), "the manager is working")
        s.rm[rm] = RmState.ABORTED

    @action
    def rm_receive_commit(s, rm: Rm) -> None:
        """A resource manager is told to commit."""
        require(s.commit_sent, "Commit was sent")
        s.rm[rm] = RmState.COMMITTED

    @action
    def rm_receive_abort(s, rm: Rm) -> None:
        """A resource manager is told to abort."""
        require(s.abort_sent, "Abort was sent")
        s.rm[rm] = RmState.ABORTED

    @invariant
    def consistent(s) -> Bool:
        """No manager commits while another aborts."""
        return ~(
            exists(Rm, lambda rm: s.rm[rm].at(RmState.COMMITTED)) & exists(Rm, lambda rm: s.rm[rm].at(RmState.ABORTED))
        )

    @witness
    def everybody_commits(s) -> Bool:
        """The transaction can succeed."""
        return forall(Rm, lambda rm: s.rm[rm].at(RmState.COMMITTED))


EAGER_COMMIT = Bug(
    "eager-commit",
    "the transaction manager commits without waiting for everybody",
    drops=(("tm_commit", "every manager has prepared"),),
    breaks=("consistent",),
    configuration="three",
    depth=3,
)

TWO_PHASE = System(
    "two_phase",
    parts=[TwoPhase],
    configurations=[Configuration(name, sizes={"Rm": n}) for name, n in (("three", 3), ("five", 5), ("nine", 9))],
    bugs=[EAGER_COMMIT],
)
