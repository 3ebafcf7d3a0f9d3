--------------------------------------- MODULE BlockRecovery ---------------------------------------
(* One file of one block: a writer with its pipeline of datanodes, the NameNode, and recoveries of the block by a
   primary datanode, one after the other. Written by hand for these tests, in the way TLA+ is written, with no
   knowledge of what genstamp exports. It is as coarse as the system small_recovery of these tests, whose number of
   distinct states it must have: a call and its answer are one step, and a datanode's replica and disk are one thing.

   A generation stamp counts the lives of the block: whoever is not of the present life is fenced off. The writer
   raises it when it goes on without a datanode, the NameNode when it starts a recovery, whose id the new stamp is. *)
EXTENDS Naturals, FiniteSets

CONSTANTS
    Datanode,
    Nobody,      \* no datanode
    MaxStamp,    \* stamps are 1..MaxStamp
    MaxBytes,    \* length of a replica
    MaxCrashes   \* crashes of datanodes

VARIABLES
    \* The NameNode.
    block,        \* the block as stored: [state, stamp, bytes]
    lastStamp,    \* the last stamp given out
    recoveryId,   \* that of the last recovery started, 0 before
    primary,      \* the datanode to which the recovery was given and which has not begun it
    holder,       \* who holds the lease
    leaseExpired,
    \* The writer.
    writer,       \* [up, stamp, acked, closing, pipeline]
    \* The datanodes.
    up,
    replica,      \* [state, stamp, bytes, original, recovery]: the last two of a replica under recovery
    crashes,
    \* The recovery that is going on at its primary.
    attempt       \* [stage, id, leader, answered, updated, best, bytes]

namenodeVars == <<block, lastStamp, recoveryId, primary, holder, leaseExpired>>
datanodeVars == <<up, replica, crashes>>
vars == <<namenodeVars, writer, datanodeVars, attempt>>

----------------------------------------------------------------------------------------------------
\* States of a replica, and which of them a recovery prefers: the earlier one. "-" comes before all, as the state of a
\* replica that has been recovered, or whose datanode has crashed, since it answered.
Originals == {"-", "FINALIZED", "RBW", "RWR"}
Preference == [o \in Originals |-> CASE o = "-" -> 0 [] o = "FINALIZED" -> 1 [] o = "RBW" -> 2 [] o = "RWR" -> 3]
NoReplica == [state |-> "NONE", stamp |-> 0, bytes |-> 0, original |-> "-", recovery |-> 0]

Min(S) == CHOOSE n \in S : \A m \in S : n <= m

TypeOK ==
    /\ block \in [state : {"UNDER_CONSTRUCTION", "UNDER_RECOVERY", "COMMITTED", "COMPLETE"},
                  stamp : 1..MaxStamp, bytes : 0..MaxBytes]
    /\ lastStamp \in 1..MaxStamp
    /\ recoveryId \in 0..MaxStamp
    /\ primary \in Datanode \cup {Nobody}
    /\ holder \in {"writer", "namenode", "nobody"}
    /\ leaseExpired \in BOOLEAN
    /\ writer \in [up : BOOLEAN, stamp : 0..MaxStamp, acked : 0..MaxBytes, closing : BOOLEAN,
                   pipeline : SUBSET Datanode]
    /\ up \subseteq Datanode
    /\ replica \in [Datanode -> [state : {"NONE", "FINALIZED", "RBW", "RWR", "RUR"}, stamp : 0..MaxStamp,
                                 bytes : 0..MaxBytes, original : Originals, recovery : 0..MaxStamp]]
    /\ crashes \in 0..MaxCrashes
    /\ attempt \in [stage : {"idle", "collecting", "syncing"}, id : 0..MaxStamp,
                    leader : Datanode \cup {Nobody}, answered : SUBSET Datanode, updated : SUBSET Datanode,
                    best : Originals, bytes : 0..MaxBytes]

\* The attempt is over; its id is remembered, so that an older command is not taken for a new one.
Ended(a) == [a EXCEPT !.stage = "idle", !.leader = Nobody, !.answered = {}, !.updated = {}, !.best = "-", !.bytes = 0]

Init ==
    /\ block = [state |-> "UNDER_CONSTRUCTION", stamp |-> 1, bytes |-> 0]
    /\ lastStamp = 1
    /\ recoveryId = 0
    /\ primary = Nobody
    /\ holder = "writer"
    /\ leaseExpired = FALSE
    /\ writer = [up |-> TRUE, stamp |-> 1, acked |-> 0, closing |-> FALSE, pipeline |-> Datanode]
    /\ up = Datanode
    /\ replica = [d \in Datanode |-> [state |-> "RBW", stamp |-> 1, bytes |-> 0, original |-> "-", recovery |-> 0]]
    /\ crashes = 0
    /\ attempt = [stage |-> "idle", id |-> 0, leader |-> Nobody, answered |-> {}, updated |-> {},
                  best |-> "-", bytes |-> 0]

----------------------------------------------------------------------------------------------------
\* Writing.

Intact(d) == d \in up /\ replica[d].state = "RBW" /\ replica[d].stamp = writer.stamp
Streaming == writer.up /\ ~writer.closing
OwnsBlock == holder = "writer" /\ block.state = "UNDER_CONSTRUCTION"
IsOpen == block.state \in {"UNDER_CONSTRUCTION", "UNDER_RECOVERY"}

ReceivePacket(d) ==
    /\ Streaming
    /\ d \in writer.pipeline /\ Intact(d)
    /\ replica[d].bytes <= writer.acked /\ replica[d].bytes < MaxBytes
    /\ replica' = [replica EXCEPT ![d].bytes = @ + 1]
    /\ UNCHANGED <<namenodeVars, writer, up, crashes, attempt>>

ReceiveAck ==
    /\ Streaming
    /\ writer.pipeline # {}
    /\ \A d \in writer.pipeline : Intact(d) /\ replica[d].bytes > writer.acked
    /\ writer' = [writer EXCEPT !.acked = @ + 1]
    /\ UNCHANGED <<namenodeVars, datanodeVars, attempt>>

CloseStream ==
    /\ Streaming
    /\ writer.pipeline # {}
    /\ block.stamp = writer.stamp
    /\ \A d \in writer.pipeline : replica[d].bytes = writer.acked
    /\ writer' = [writer EXCEPT !.closing = TRUE]
    /\ UNCHANGED <<namenodeVars, datanodeVars, attempt>>

Finalize(d) ==
    /\ writer.up /\ writer.closing
    /\ d \in writer.pipeline /\ Intact(d)
    /\ replica[d].bytes = writer.acked
    /\ replica' = [replica EXCEPT ![d].state = "FINALIZED"]
    /\ UNCHANGED <<namenodeVars, writer, up, crashes, attempt>>

CommitBlock ==
    /\ writer.up /\ writer.closing
    /\ OwnsBlock
    /\ block.stamp = writer.stamp
    /\ \A d \in writer.pipeline : replica[d].state = "FINALIZED"
    /\ block' = [block EXCEPT !.state = "COMMITTED", !.bytes = writer.acked]
    /\ UNCHANGED <<lastStamp, recoveryId, primary, holder, leaseExpired, writer, datanodeVars, attempt>>

IsReported(d) ==
    /\ d \in up
    /\ replica[d].state = "FINALIZED"
    /\ replica[d].stamp = block.stamp
    /\ replica[d].bytes = block.bytes

CompleteFile ==
    /\ block.state = "COMMITTED"
    /\ \E d \in Datanode : IsReported(d)
    /\ block' = [block EXCEPT !.state = "COMPLETE"]
    /\ holder' = "nobody"
    /\ leaseExpired' = FALSE
    /\ UNCHANGED <<lastStamp, recoveryId, primary, writer, datanodeVars, attempt>>

\* The writer goes on without a datanode, under a new stamp.
DropFromPipeline(d) ==
    /\ Streaming
    /\ d \in writer.pipeline
    /\ d \notin up \/ replica[d].state # "RBW"
    /\ OwnsBlock
    /\ lastStamp < MaxStamp
    /\ lastStamp' = lastStamp + 1
    /\ writer' = [writer EXCEPT !.pipeline = @ \ {d}, !.stamp = lastStamp + 1]
    /\ UNCHANGED <<block, recoveryId, primary, holder, leaseExpired, datanodeVars, attempt>>

RaiseStamp(d) ==
    /\ writer.up /\ d \in writer.pipeline
    /\ d \in up /\ replica[d].state = "RBW"
    /\ replica[d].stamp < writer.stamp
    /\ replica[d].bytes >= writer.acked
    /\ replica' = [replica EXCEPT ![d].stamp = writer.stamp]
    /\ UNCHANGED <<namenodeVars, writer, up, crashes, attempt>>

UpdatePipeline ==
    /\ writer.up
    /\ OwnsBlock
    /\ block.stamp < writer.stamp
    /\ \A d \in writer.pipeline : replica[d].stamp = writer.stamp
    /\ block' = [block EXCEPT !.stamp = writer.stamp]
    /\ UNCHANGED <<lastStamp, recoveryId, primary, holder, leaseExpired, writer, datanodeVars, attempt>>

----------------------------------------------------------------------------------------------------
\* Faults.

WriterCrashes ==
    /\ writer.up
    /\ writer' = [writer EXCEPT !.up = FALSE, !.closing = FALSE, !.stamp = 0, !.pipeline = {}]
    /\ UNCHANGED <<namenodeVars, datanodeVars, attempt>>

LeaseExpires ==
    /\ holder = "writer" /\ ~leaseExpired
    /\ IsOpen
    /\ leaseExpired' = TRUE
    /\ UNCHANGED <<block, lastStamp, recoveryId, primary, holder, writer, datanodeVars, attempt>>

DatanodeCrashes(d) ==
    /\ d \in up
    /\ crashes < MaxCrashes
    /\ up' = up \ {d}
    /\ crashes' = crashes + 1
    /\ attempt' = IF attempt.leader = d THEN Ended(attempt) ELSE attempt
    /\ UNCHANGED <<namenodeVars, writer, replica>>

\* What was being written waits to be recovered, and so does what was being recovered, unless it was finalized before.
DatanodeRestarts(d) ==
    /\ d \notin up
    /\ up' = up \cup {d}
    /\ LET before == replica[d]
           state == CASE before.state = "RUR" /\ before.original = "FINALIZED" -> "FINALIZED"
                      [] before.state = "RUR" /\ before.original # "FINALIZED" -> "RWR"
                      [] before.state = "RBW" -> "RWR"
                      [] OTHER -> before.state
       IN  replica' = [replica EXCEPT ![d] = [before EXCEPT !.state = state, !.original = "-", !.recovery = 0]]
    /\ UNCHANGED <<namenodeVars, writer, crashes, attempt>>

----------------------------------------------------------------------------------------------------
\* Recovering.

\* The NameNode takes the lease over and gives the recovery to a datanode that has a replica.
RecoverLease(d) ==
    /\ leaseExpired /\ IsOpen
    /\ d \in up /\ replica[d].state # "NONE"
    /\ lastStamp < MaxStamp
    /\ lastStamp' = lastStamp + 1
    /\ recoveryId' = lastStamp + 1
    /\ primary' = d
    /\ holder' = "namenode"
    /\ block' = [block EXCEPT !.state = "UNDER_RECOVERY"]
    /\ UNCHANGED <<leaseExpired, writer, datanodeVars, attempt>>

BeginRecovery(d) ==
    /\ primary = d /\ d \in up
    /\ attempt.id < recoveryId
    /\ block.state = "UNDER_RECOVERY"
    /\ primary' = Nobody
    /\ attempt' = [Ended(attempt) EXCEPT !.stage = "collecting", !.id = recoveryId, !.leader = d]
    /\ UNCHANGED <<block, lastStamp, recoveryId, holder, leaseExpired, writer, datanodeVars>>

\* Nothing younger than the attempt has been at the replica.
IsOlder(r) == r.recovery < attempt.id /\ r.stamp < attempt.id

InitReplicaRecovery(d) ==
    /\ attempt.stage = "collecting"
    /\ d \in up \ attempt.answered
    /\ replica[d].state # "NONE"
    /\ IsOlder(replica[d])
    /\ replica' = [replica EXCEPT ![d].state = "RUR",
                                  ![d].original = IF replica[d].state = "RUR" THEN @ ELSE replica[d].state,
                                  ![d].recovery = attempt.id]
    /\ attempt' = [attempt EXCEPT !.answered = @ \cup {d}]
    /\ UNCHANGED <<namenodeVars, writer, up, crashes>>

\* Everybody who can answer has: the best state wins, and of its replicas the shortest.
SyncBlock ==
    /\ attempt.stage = "collecting"
    /\ attempt.answered # {}
    /\ \A d \in up \ attempt.answered : replica[d].state = "NONE" \/ ~IsOlder(replica[d])
    /\ LET best == CHOOSE o \in {replica[d].original : d \in attempt.answered} :
                       \A d \in attempt.answered : Preference[o] <= Preference[replica[d].original]
           chosen == {d \in attempt.answered : replica[d].original = best}
       IN  attempt' = [attempt EXCEPT !.stage = "syncing", !.best = best,
                                      !.bytes = Min({replica[d].bytes : d \in chosen})]
    /\ UNCHANGED <<namenodeVars, writer, datanodeVars>>

UpdateReplica(d) ==
    /\ attempt.stage = "syncing"
    /\ d \in attempt.answered \ attempt.updated
    /\ d \in up /\ replica[d].state = "RUR"
    /\ replica[d].recovery = attempt.id
    /\ replica[d].original = attempt.best
    /\ replica[d].bytes >= attempt.bytes
    /\ replica' = [replica EXCEPT ![d] = [state |-> "FINALIZED", stamp |-> attempt.id, bytes |-> attempt.bytes,
                                          original |-> "-", recovery |-> 0]]
    /\ attempt' = [attempt EXCEPT !.updated = @ \cup {d}]
    /\ UNCHANGED <<namenodeVars, writer, up, crashes>>

IsSynced ==
    /\ attempt.stage = "syncing"
    /\ attempt.updated # {}
    /\ \A d \in (attempt.answered \cap up) \ attempt.updated : replica[d].original # attempt.best

IsCurrent == recoveryId = attempt.id /\ block.state = "UNDER_RECOVERY"

CommitBlockSynchronization ==
    /\ IsSynced
    /\ IsCurrent
    /\ block' = [state |-> "COMPLETE", stamp |-> attempt.id, bytes |-> attempt.bytes]
    /\ holder' = "nobody"
    /\ leaseExpired' = FALSE
    /\ attempt' = Ended(attempt)
    /\ UNCHANGED <<lastStamp, recoveryId, primary, writer, datanodeVars>>

\* Another recovery has overtaken this one.
CommitBlockSynchronizationRefused ==
    /\ IsSynced
    /\ ~IsCurrent
    /\ attempt' = Ended(attempt)
    /\ UNCHANGED <<namenodeVars, writer, datanodeVars>>

InvalidateReplica(d) ==
    /\ block.state = "COMPLETE" /\ attempt.stage = "idle"
    /\ d \in up
    /\ replica[d].state \notin {"NONE", "RBW"}
    /\ replica[d].stamp # block.stamp
    /\ replica' = [replica EXCEPT ![d] = NoReplica]
    /\ UNCHANGED <<namenodeVars, writer, up, crashes, attempt>>

----------------------------------------------------------------------------------------------------
Writing ==
    \/ ReceiveAck \/ CloseStream \/ CommitBlock \/ CompleteFile \/ UpdatePipeline
    \/ \E d \in Datanode : ReceivePacket(d) \/ Finalize(d) \/ DropFromPipeline(d) \/ RaiseStamp(d)

Faults ==
    \/ WriterCrashes \/ LeaseExpires
    \/ \E d \in Datanode : DatanodeCrashes(d) \/ DatanodeRestarts(d)

Recovering ==
    \/ SyncBlock \/ CommitBlockSynchronization \/ CommitBlockSynchronizationRefused
    \/ \E d \in Datanode : \/ RecoverLease(d) \/ BeginRecovery(d) \/ InitReplicaRecovery(d)
                           \/ UpdateReplica(d) \/ InvalidateReplica(d)

Next == Writing \/ Faults \/ Recovering

Spec == Init /\ [][Next]_vars

----------------------------------------------------------------------------------------------------
\* Once the block is complete, every live finalized replica of its stamp has its length.
CompleteMeansMatching ==
    block.state = "COMPLETE" =>
        \A d \in up : (replica[d].state = "FINALIZED" /\ replica[d].stamp = block.stamp)
                          => replica[d].bytes = block.bytes

StampsRise == [][lastStamp <= lastStamp' /\ recoveryId <= recoveryId' /\ block.stamp <= block'.stamp]_vars
====================================================================================================
