"""How the primary of a block recovery decides, repaired: what Hadoop 3.4.1 lacks here is a hole each.

Three rules beside those of facts G.4. A location that gave no answer may have what nobody else has: unless a FINALIZED
or RBW replica was found, the primary gives up. Stale locations are asked, only dead ones are not (see
`datanode_contact.py`). And where recoveries that died half-way have left FINALIZED replicas of several lengths, the
longest ones decide: readers may have seen all of them, and the shorter ones are beginnings of them.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.block_recovery import BlockRecovery
from genstamp_spec.hdfs.parts.state import Attempt, Datanode, OriginalState
from genstamp_spec.hdfs.state.messages import Holding


class CarefulAgreement(Holding, BlockRecovery, lane=Datanode):
    """The rules by which the primary agrees or gives up."""

    def chosen(
        s, attempt: Attempt, finalized: Members[Datanode], rbw: Members[Datanode], rwr: Members[Datanode]
    ) -> tuple[Members[Datanode], Number]:
        """Who takes part, and the length: of FINALIZED replicas the longest."""
        length = maximum(Datanode, lambda d: attempt.found[d].num_bytes, where=lambda d: finalized.has(d), default=0)
        longest = those(Datanode, lambda d: finalized.has(d) & (attempt.found[d].num_bytes == length))
        return super().chosen(attempt, longest, rbw, rwr)

    def can_agree(s, attempt: Attempt, finalized: Members[Datanode]) -> Bool:
        """Whatever the lengths: that finalized ones have answered is all."""
        return finalized <= attempt.answered

    def may_decide(s, attempt: Attempt) -> None:
        """Checks: RWR replicas decide only if nobody else may have more."""
        require(~s.waiting_are_unsure(attempt), "a better replica was found than RWR, or no location has failed")

    def is_unsure(s, attempt: Attempt) -> Bool:
        """A location that failed may have what nobody else has."""
        return s.nothing_is_unsure(attempt) | s.waiting_are_unsure(attempt)

    def nothing_is_unsure(s, attempt: Attempt) -> Bool:
        """No replica that counts was found, and some location has failed."""
        found = s.in_state(attempt, OriginalState.FINALIZED, OriginalState.RBW, OriginalState.RWR)
        return found.is_empty() & ~attempt.failed.is_empty()

    def waiting_are_unsure(s, attempt: Attempt) -> Bool:
        """RWR replicas alone were found, which may have lost bytes, and some location has failed."""
        better = s.in_state(attempt, OriginalState.FINALIZED, OriginalState.RBW)
        waiting = s.in_state(attempt, OriginalState.RWR)
        return better.is_empty() & ~waiting.is_empty() & ~attempt.failed.is_empty()
