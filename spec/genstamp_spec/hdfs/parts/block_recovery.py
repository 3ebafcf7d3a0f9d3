"""The primary datanode of a block recovery, and the datanodes that take part.

Coarser than HDFS: a call between datanodes and its answer are one step; it fails only if the datanode called is down;
the bytes of a replica and its files always agree; a command names all locations, stale ones included; a datanode leads
one recovery of a block at a time, where HDFS runs the older one on until it is refused. A refused call changes nothing
at the datanode called, but the primary counts it as failed, or gives up where a younger recovery is under way.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.datanode_replicas import DatanodeReplicas
from genstamp_spec.hdfs.parts.state import (
    Attempt,
    AttemptStage,
    Datanode,
    File,
    OriginalState,
    Replica,
    forget,
    no_attempt,
)
from genstamp_spec.hdfs.state.messages import Holding
from genstamp_spec.lifecycles import BlockLifecycle, ReplicaLifecycle

YOUNGEST = "no recovery with this id or a later one has begun here"


class BlockRecovery(DatanodeReplicas, lane=Datanode):
    """The recovery command, initReplicaRecovery, syncBlock, updateReplicaUnderRecovery."""

    # The command (G.2).

    @action
    def receive_recovery_command(s, file: File, datanode: Datanode) -> None:
        """The answer to a heartbeat brings the command: the block as stored, its locations, the current recovery id.

        In Hadoop a command that waited through the start of a younger attempt is delivered too, with that one's id.

        Source  DatanodeManager#handleHeartbeat, #getBlockRecoveryCommand, Hadoop 3.4.1; facts G.2.
        """
        require(s.running.has(datanode), "the datanode is running")
        require(s.recovery_queue[datanode].has(file), "a command waits for the datanode")
        require(s.goes_out(file), "the block is not complete")
        require(s.primary[file] == datanode, "the datanode leads the current attempt")
        s.recovery_queue[datanode].remove(file)
        s.attempt[datanode][file] = no_attempt()
        attempt = s.attempt[datanode][file]
        attempt.stage = AttemptStage.COLLECTING
        attempt.recovery_id = s.recovery_id[file]
        attempt.block_stamp = s.stamp_to_recover(file)
        attempt.locations = s.locations_to_ask(file)
        s.recovery_begins(file)
        observe(recovery_id=s.recovery_id[file], generation_stamp=s.block_stamp[file])

    def goes_out(s, file: File) -> Bool:
        """The heartbeat brings the queued recovery of this block: it is not complete, and was not removed."""
        return s.block[file].at(*BlockLifecycle.not_complete)

    def stamp_to_recover(s, file: File) -> Ordered:
        """The stamp in the command: that of the block that is recovered."""
        return s.block_stamp[file]

    @action(hidden=True)
    def recovery_command_is_dropped(s, file: File, datanode: Datanode) -> None:
        """A queued recovery of a block that was completed or removed meanwhile, or is led by another datanode now.

        Coarser  than HDFS, where such a heartbeat fails if the block is complete (IOException, HDFS-13758; facts G.2).
        """
        require(s.running.has(datanode), "the datanode is running")
        require(s.recovery_queue[datanode].has(file), "a command waits for the datanode")
        require(~s.goes_out(file) | (s.primary[file] != datanode), "the command is out of date")
        s.recovery_queue[datanode].remove(file)

    # Collecting (G.3, B.4).

    def asks(s, primary: Datanode, file: File, datanode: Datanode, *, running: bool = True) -> Attempt:
        """Checks: the primary has not heard of this location yet."""
        attempt = s.attempt[primary][file]
        require(s.running.has(primary), "the primary is running")
        require(attempt.stage.at(AttemptStage.COLLECTING), "the primary is collecting")
        require(attempt.locations.has(datanode), "the datanode is a location of the block")
        require(~(attempt.answered | attempt.failed).has(datanode), "the datanode was not asked yet")
        require(s.running.has(datanode) if running else ~s.running.has(datanode), "the datanode is up or down")
        return attempt

    @action
    def init_replica_recovery(s, primary: Datanode, file: File, datanode: Datanode) -> None:
        """A datanode stops the writer and freezes its replica for the recovery.

        Source  FsDatasetImpl#initReplicaRecoveryImpl, Hadoop 3.4.1; facts B.4.
        """
        attempt, replica = s.asks(primary, file, datanode), s.replica[datanode][file]
        gone, there = "the datanode has no replica", "the datanode has a replica"
        if case("without_replica", replica.state.at(ReplicaLifecycle.absent), gone, there):  # step 1: null, no error
            attempt.answered.add(datanode)
            observe(replica_state=attempt.found[datanode].original)
            return
        older, not_newer = replica.stamp < attempt.block_stamp, replica.stamp >= attempt.recovery_id
        words = (
            "the replica's stamp does not lie between the block's and the recovery's",
            "the replica's stamp lies between",
        )
        if case("refused", older | not_newer, *words, refuses="IOException"):  # steps 3 and 4
            attempt.failed.add(datanode)
            return
        begun = "a recovery with this id or a later one has begun here", YOUNGEST
        preempted = "RecoveryInProgressException"
        if case("preempted", s.is_younger(replica, attempt.recovery_id), *begun, refuses=preempted):  # step 5, G.3
            attempt.stage = AttemptStage.PREEMPTED
            return
        original = s.original_state(replica)
        counts = replica.num_bytes > 0
        attempt.answered.add(datanode)
        attempt.found[datanode].original = when(counts, original, OriginalState.NONE)
        attempt.found[datanode].num_bytes = when(counts, replica.num_bytes, 0)
        observe(recovery_id=attempt.recovery_id, num_bytes=replica.num_bytes, replica_state=original)
        s.freeze(replica, attempt.recovery_id)

    def freeze(s, replica: Replica, recovery_id: Ordered) -> None:
        """The writer is stopped, and the replica is wrapped into a RUR (facts B9, B.4 steps 5 and 6)."""
        replica.original = s.original_state(replica)
        replica.state.fire(ReplicaLifecycle.init_recovery)
        replica.recovery_id = recovery_id
        replica.writer = none

    def original_state(s, replica: Replica) -> Enumerated[OriginalState]:
        """The replica's state; of a RUR, that of the replica inside."""
        state = replica.original
        state = when(~replica.state.at(ReplicaLifecycle.finalized), state, OriginalState.FINALIZED)
        state = when(~replica.state.at(ReplicaLifecycle.rbw), state, OriginalState.RBW)
        return when(~replica.state.at(ReplicaLifecycle.rwr), state, OriginalState.RWR)

    @action
    def init_replica_recovery_failed(s, primary: Datanode, file: File, datanode: Datanode) -> None:
        """A location is down and gives no answer: an error that is counted (facts G.3)."""
        attempt = s.asks(primary, file, datanode, running=False)
        attempt.failed.add(datanode)

    # Agreeing (G.4).

    def heard_of_all(s, attempt: Attempt) -> Bool:
        """Every location has answered or failed."""
        return attempt.stage.at(AttemptStage.COLLECTING) & (attempt.locations <= (attempt.answered | attempt.failed))

    def in_state(s, attempt: Attempt, *states: OriginalState) -> Members[Datanode]:
        """Datanodes whose answer counts and names one of these states."""
        return those(Datanode, lambda datanode: attempt.found[datanode].original.at(*states))

    def shortest(s, attempt: Attempt, chosen: Members[Datanode]) -> Number:
        """The smallest length that some datanodes have answered."""
        return minimum(Datanode, lambda d: attempt.found[d].num_bytes, where=lambda d: chosen.has(d), default=0)

    def agree_on_length(s, attempt: Attempt, chosen: Members[Datanode]) -> Bool:
        """Some datanodes have all answered the same length."""
        length = s.shortest(attempt, chosen)
        return forall(Datanode, lambda d: (~chosen.has(d)) | (attempt.found[d].num_bytes == length))

    def can_agree(s, attempt: Attempt, finalized: Members[Datanode]) -> Bool:
        """The finalized replicas say how long the block is."""
        return s.agree_on_length(attempt, finalized)

    @action
    def sync_block(s, primary: Datanode, file: File) -> None:
        """The primary decides who takes part and how long the block becomes, or that it is to be deleted.

        FINALIZED replicas decide, and RBW ones of the same length join; else RBW ones with their minimum; else RWR
        ones with theirs. Stamps are not compared: whoever answered is as good as the block.

        Source  BlockRecoveryWorker.RecoveryTaskContiguous#syncBlock, Hadoop 3.4.1; facts G.4 rows 1 to 3.
        """
        attempt = s.attempt[primary][file]
        require(s.running.has(primary), "the primary is running")
        require(s.heard_of_all(attempt), "every location has answered or failed")
        finalized = s.in_state(attempt, OriginalState.FINALIZED)
        rbw = s.in_state(attempt, OriginalState.RBW)
        rwr = s.in_state(attempt, OriginalState.RWR)
        nobody = "nobody has a replica that counts", "somebody has a replica that counts"
        if case("finds_nothing", (finalized | rbw | rwr).is_empty(), *nobody):  # G.4 row 0
            # Hadoop asks only that some location has answered; one that failed may have the data (G.3, S18).
            require(~attempt.answered.is_empty(), "some location has answered")
            require(attempt.failed.is_empty(), "no location has failed")
            attempt.stage = AttemptStage.DELETING
            attempt.failed.clear()
            observe(delete=True, participants=attempt.participants)
            return
        require(s.finalized_fit(primary, file), "finalized replicas are of one length")
        s.may_decide(attempt)
        s.agree(primary, file, *s.chosen(attempt, finalized, rbw, rwr))

    def finalized_fit(s, primary: Datanode, file: File) -> Bool:
        """The finalized replicas that were found can become one block."""
        attempt = s.attempt[primary][file]
        return s.can_agree(attempt, s.in_state(attempt, OriginalState.FINALIZED))

    def chosen(
        s, attempt: Attempt, finalized: Members[Datanode], rbw: Members[Datanode], rwr: Members[Datanode]
    ) -> tuple[Members[Datanode], Number]:
        """Who takes part, and the length."""
        best = when(~finalized.is_empty(), finalized, when(~rbw.is_empty(), rbw, rwr))
        length = s.shortest(attempt, best)
        joining = those(Datanode, lambda d: rbw.has(d) & (attempt.found[d].num_bytes == length))
        return when(finalized.is_empty(), best, best | joining), length

    def agree(s, primary: Datanode, file: File, participants: Members[Datanode], length: Number) -> None:
        """The primary goes on to update the participants."""
        attempt = s.attempt[primary][file]
        attempt.stage = AttemptStage.UPDATING
        attempt.participants = participants
        attempt.new_bytes = length
        attempt.failed.clear()
        observe(delete=False, participants=attempt.participants, num_bytes=attempt.new_bytes)

    @action
    def abandon_recovery(s, primary: Datanode, file: File) -> None:
        """The primary gives up: preempted, nobody answered usefully, or every update failed (facts G.3, G.4, G.5)."""
        attempt = s.attempt[primary][file]
        stuck = s.heard_of_all(attempt) & (s.is_unsure(attempt) | ~s.finalized_fit(primary, file))
        nobody_left = attempt.stage.at(AttemptStage.UPDATING) & s.too_many_failed(attempt)
        require(s.running.has(primary), "the primary is running")
        require(attempt.stage.at(AttemptStage.PREEMPTED) | stuck | nobody_left, "the recovery cannot go on")
        s.attempt[primary][file] = no_attempt()

    def too_many_failed(s, attempt: Attempt) -> Bool:
        """No participant is left that was updated or may still be (since HDFS-12070)."""
        return attempt.participants <= attempt.failed

    def is_unsure(s, attempt: Attempt) -> Bool:
        """Nothing that counts was found, and a location that failed may have it."""
        counting = s.in_state(attempt, OriginalState.FINALIZED, OriginalState.RBW, OriginalState.RWR)
        return counting.is_empty() & ~attempt.failed.is_empty()

    # Updating (B.4).

    def updates(s, primary: Datanode, file: File, datanode: Datanode, *, running: bool = True) -> Attempt:
        """Checks: the participant was not updated yet."""
        attempt = s.attempt[primary][file]
        require(s.running.has(primary), "the primary is running")
        require(attempt.stage.at(AttemptStage.UPDATING), "the primary is updating")
        require(attempt.participants.has(datanode), "the datanode takes part")
        require(~(attempt.updated | attempt.failed).has(datanode), "the datanode was not updated yet")
        require(s.running.has(datanode) if running else ~s.running.has(datanode), "the datanode is up or down")
        return attempt

    @action
    def update_replica_under_recovery(s, primary: Datanode, file: File, datanode: Datanode) -> None:
        """A participant cuts its replica, stamps it with the recovery id and finalizes it.

        Source  FsDatasetImpl#updateReplicaUnderRecovery, Hadoop 3.4.1; facts B.4.
        """
        attempt, replica = s.updates(primary, file, datanode), s.replica[datanode][file]
        absent, gone = replica.state.at(ReplicaLifecycle.absent), "ReplicaNotFoundException"
        if case("gone", absent, "the datanode has no replica", "the datanode has a replica", refuses=gone):
            attempt.failed.add(datanode)
            return
        same = (replica.num_bytes == attempt.found[datanode].num_bytes) & (replica.recovery_id == attempt.recovery_id)
        other = ~(replica.state.at(ReplicaLifecycle.rur) & same)
        words = "the replica is not under this recovery as found", "the replica is under this recovery as found"
        if case("refused", other, *words, refuses="IOException"):  # B.4 steps 2, 3 and 5
            attempt.failed.add(datanode)
            return
        s.may_update(datanode)
        s.changes_in_place(primary, file)
        s.install(replica, attempt.recovery_id, attempt.new_bytes)
        attempt.updated.add(datanode)
        s.replica_is_cut(file, datanode)
        observe(recovery_id=attempt.recovery_id, num_bytes=attempt.new_bytes)

    def is_as_found(s, replica: Replica, recovery_id: Ordered, found_bytes: Number) -> None:
        """Checks: the replica is under this recovery, unchanged (facts B.4 steps 2, 3 and 5)."""
        require(replica.state.at(ReplicaLifecycle.rur), "the replica is under recovery")
        require(replica.num_bytes == found_bytes, "the replica is as long as it was found")
        require(replica.recovery_id == recovery_id, "the replica is under this recovery")

    def install(s, replica: Replica, recovery_id: Ordered, num_bytes: Number) -> None:
        """The replica is cut, stamped with the recovery id and finalized (facts B10, B.4)."""
        replica.state.fire(ReplicaLifecycle.update_under_recovery)
        replica.stamp = recovery_id
        replica.num_bytes = num_bytes
        forget(replica)

    @action
    def update_replica_failed(s, primary: Datanode, file: File, datanode: Datanode) -> None:
        """A participant is down and gives no answer (tolerated since HDFS-12070)."""
        attempt = s.updates(primary, file, datanode, running=False)
        attempt.failed.add(datanode)


class CarefulAgreement(Holding, BlockRecovery, lane=Datanode):
    """The rules by which the primary agrees or gives up.

    Three rules beside those of facts G.4. A location that gave no answer may have what nobody else has: unless a
    FINALIZED or RBW replica was found, the primary gives up. Stale locations are asked, only dead ones are not (see
    `datanode_contact.py`). And where recoveries that died half-way have left FINALIZED replicas of several lengths, the
    longest ones decide: readers may have seen all of them, and the shorter ones are beginnings of them.
    """

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
