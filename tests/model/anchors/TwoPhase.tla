------------------------------------------ MODULE TwoPhase -----------------------------------------
(* Two-phase commit (Gray and Lamport, "Consensus on Transaction Commit", ACM TODS 31(1), 2006, section 3), written by
   hand for these tests. The network is the set of all messages ever sent: one that is lost is one that nobody
   receives, and one that comes twice does no harm. *)
CONSTANT RM  \* resource managers

VARIABLES
    rmState,     \* what each resource manager has decided
    tmState,     \* what the transaction manager has decided
    tmPrepared,  \* whom the transaction manager knows to have prepared
    msgs         \* all messages sent so far

vars == <<rmState, tmState, tmPrepared, msgs>>

Message == [type : {"Prepared"}, rm : RM] \cup [type : {"Commit", "Abort"}]

TypeOK ==
    /\ rmState \in [RM -> {"working", "prepared", "committed", "aborted"}]
    /\ tmState \in {"init", "done"}
    /\ tmPrepared \subseteq RM
    /\ msgs \subseteq Message

Init ==
    /\ rmState = [r \in RM |-> "working"]
    /\ tmState = "init"
    /\ tmPrepared = {}
    /\ msgs = {}

----------------------------------------------------------------------------------------------------
\* The transaction manager.

TMRcvPrepared(r) ==
    /\ tmState = "init"
    /\ [type |-> "Prepared", rm |-> r] \in msgs
    /\ tmPrepared' = tmPrepared \cup {r}
    /\ UNCHANGED <<rmState, tmState, msgs>>

TMCommit ==
    /\ tmState = "init"
    /\ tmPrepared = RM
    /\ tmState' = "done"
    /\ msgs' = msgs \cup {[type |-> "Commit"]}
    /\ UNCHANGED <<rmState, tmPrepared>>

TMAbort ==
    /\ tmState = "init"
    /\ tmState' = "done"
    /\ msgs' = msgs \cup {[type |-> "Abort"]}
    /\ UNCHANGED <<rmState, tmPrepared>>

----------------------------------------------------------------------------------------------------
\* A resource manager.

RMPrepare(r) ==
    /\ rmState[r] = "working"
    /\ rmState' = [rmState EXCEPT ![r] = "prepared"]
    /\ msgs' = msgs \cup {[type |-> "Prepared", rm |-> r]}
    /\ UNCHANGED <<tmState, tmPrepared>>

RMChooseToAbort(r) ==
    /\ rmState[r] = "working"
    /\ rmState' = [rmState EXCEPT ![r] = "aborted"]
    /\ UNCHANGED <<tmState, tmPrepared, msgs>>

RMRcvCommit(r) ==
    /\ [type |-> "Commit"] \in msgs
    /\ rmState' = [rmState EXCEPT ![r] = "committed"]
    /\ UNCHANGED <<tmState, tmPrepared, msgs>>

RMRcvAbort(r) ==
    /\ [type |-> "Abort"] \in msgs
    /\ rmState' = [rmState EXCEPT ![r] = "aborted"]
    /\ UNCHANGED <<tmState, tmPrepared, msgs>>

----------------------------------------------------------------------------------------------------
Next ==
    \/ TMCommit \/ TMAbort
    \/ \E r \in RM : \/ TMRcvPrepared(r)
                     \/ RMPrepare(r) \/ RMChooseToAbort(r)
                     \/ RMRcvCommit(r) \/ RMRcvAbort(r)

Spec == Init /\ [][Next]_vars

Consistent == \A r1, r2 \in RM : ~(rmState[r1] = "committed" /\ rmState[r2] = "aborted")
====================================================================================================
