"""Two-phase commit with what its proof by induction needs: the consistency of `two_phase`, and why it holds."""

from tests.model.systems.two_phase import Rm, RmState, TmState, TwoPhase

from genstamp_model.language import *


class Proof(TwoPhase):
    """Supporting invariants, each of one message or one decision."""

    @invariant(
        inductive=True,
        given=("committed_when_told", "nobody_aborts_after_commit", "prepared_do_not_give_up", "one_decision"),
    )
    def consistent(s) -> Bool:
        """No manager commits while another aborts."""
        committed = exists(Rm, lambda rm: s.rm[rm].at(RmState.COMMITTED))
        return ~(committed & exists(Rm, lambda rm: s.rm[rm].at(RmState.ABORTED)))

    @invariant(inductive=True)
    def one_decision(s) -> Bool:
        """Commit and Abort are sent only as the transaction manager has decided."""
        return (s.commit_sent == s.tm.at(TmState.COMMITTED)) & (s.abort_sent == s.tm.at(TmState.ABORTED))

    @invariant(inductive=True)
    def committed_when_told(s, rm: Rm) -> Bool:
        """A manager commits only after Commit."""
        return s.rm[rm].at(RmState.COMMITTED).implies(s.commit_sent)

    @invariant(inductive=True)
    def prepared_are_heard_of(s, rm: Rm) -> Bool:
        """The transaction manager hears only of managers that have said so."""
        return s.tm_prepared.has(rm).implies(s.prepared_sent.has(rm))

    @invariant(inductive=True)
    def prepared_do_not_give_up(s, rm: Rm) -> Bool:
        """A manager that has said Prepared neither works nor aborts by itself."""
        return s.prepared_sent.has(rm).implies(
            ~s.rm[rm].at(RmState.WORKING) & (s.abort_sent | ~s.rm[rm].at(RmState.ABORTED))
        )

    @invariant(inductive=True, given=("prepared_are_heard_of", "prepared_do_not_give_up", "one_decision"))
    def nobody_aborts_after_commit(s) -> Bool:
        """After Commit nobody aborts, for everybody had prepared."""
        return s.commit_sent.implies(forall(Rm, lambda rm: s.prepared_sent.has(rm) & ~s.rm[rm].at(RmState.ABORTED)))


TWO_PHASE_PROOF = System(
    "two_phase_proof",
    parts=[Proof],
    configurations=[Configuration(name, sizes={"Rm": n}) for name, n in (("three", 3), ("nine", 9))],
)
