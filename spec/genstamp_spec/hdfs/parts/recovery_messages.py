"""What may happen to the messages of block recovery: lost, late, twice, timed out.

A call between datanodes that is answered in time stays one step, that of `block_recovery.py`: until the caller has the
answer, it does nothing that depends on it, and nobody else can look at what it knows. A call that is not answered in
time is counted as failed by its caller, and stays on its way: the datanode called carries it out at any later time, or
never. What a primary tells the NameNode in the end stays on its way as well, and may arrive never, late or often.

Coarser than HDFS: a primary that was given a younger command forgets the older one, which HDFS runs on until it is
refused; a primary does not learn what the NameNode answered, which HDFS only logs.
"""

from genstamp_model.language import (
    Record,
    action,
    bag,
    each,
    enumeration,
    flag,
    members,
    number,
    ordered,
    reference,
    require,
)
from genstamp_spec.hdfs.parts.block_recovery import YOUNGEST, BlockRecovery
from genstamp_spec.hdfs.parts.state import (
    Attempt,
    AttemptStage,
    Datanode,
    File,
    Found,
    OriginalState,
    no_attempt,
    no_datanode,
)
from genstamp_spec.lifecycles.replica import ReplicaLifecycle


class Call(Record):
    """initReplicaRecovery or updateReplicaUnderRecovery, for whose answer nobody waits any more."""

    updates = flag()
    datanode = reference(Datanode)
    file = reference(File)
    recovery_id = ordered(limit="stamps")
    block_stamp = ordered(limit="stamps")  # of initReplicaRecovery
    found_bytes = number(limit="bytes")  # of updateReplicaUnderRecovery: the length that was answered
    new_bytes = number(limit="bytes")  # likewise: the length that was agreed on


class Report(Record):
    """commitBlockSynchronization."""

    primary = reference(Datanode)
    file = reference(File)
    recovery_id = ordered(limit="stamps")
    stage = enumeration(AttemptStage)  # UPDATING, or DELETING where nothing was found
    new_bytes = number(limit="bytes")
    targets = members(Datanode)


class RecoveryMessages(BlockRecovery, lane=Datanode):
    """Commands that are lost, calls that time out and arrive late, reports that arrive at any time."""

    calls = bag(Call, limit="calls")
    reports = bag(Report, limit="reports")
    lost_commands = number(limit="lost_commands")  # history: only limited, never read

    # The command (G.2).

    @action(hidden=True)
    def recovery_command_is_lost(s, file: File, datanode: Datanode) -> None:
        """The answer to a heartbeat does not arrive: the queue was emptied for it, and the attempt is lost.

        Source  DatanodeDescriptor#getLeaseRecoveryCommand, Hadoop 3.4.1; facts G.2, G.5.
        """
        require(s.running.has(datanode), "the datanode is running")
        require(s.recovery_queue[datanode].has(file), "a command waits for the datanode")
        s.may_fail()
        s.recovery_queue[datanode].remove(file)
        s.lost_commands = s.lost_commands + 1

    # Calls without an answer.

    @action
    def init_replica_recovery_times_out(s, primary: Datanode, file: File, datanode: Datanode) -> None:
        """No answer comes in time: the primary counts an error, whether the datanode does it or not (facts G.3)."""
        attempt = s.asks(primary, file, datanode)
        require(primary != datanode, "the datanode is not the primary itself")
        s.may_fail()
        attempt.failed.add(datanode)
        s.calls.send(
            Call(
                updates=False,
                datanode=datanode,
                file=file,
                recovery_id=attempt.recovery_id,
                block_stamp=attempt.block_stamp,
                found_bytes=0,
                new_bytes=0,
            )
        )

    @action
    def update_replica_times_out(s, primary: Datanode, file: File, datanode: Datanode) -> None:
        """The same when it updates: the block goes on without this participant, which may finalize (facts G.4)."""
        attempt = s.updates(primary, file, datanode)
        require(primary != datanode, "the datanode is not the primary itself")
        s.may_fail()
        attempt.failed.add(datanode)
        s.calls.send(
            Call(
                updates=True,
                datanode=datanode,
                file=file,
                recovery_id=attempt.recovery_id,
                block_stamp=attempt.block_stamp,
                found_bytes=attempt.found[datanode].num_bytes,
                new_bytes=attempt.new_bytes,
            )
        )

    @action(hidden=True)
    def init_replica_recovery_late(s) -> None:
        """A datanode carries out a call whose caller has given up; the checks are the same (facts B9, B.4)."""
        call = s.calls.receive()
        replica = s.replica[call.datanode][call.file]
        require(~call.updates, "the call is initReplicaRecovery")
        require(s.running.has(call.datanode), "the datanode is running")
        # facts B.4 steps 1, 3, 4 and 5.
        require(~replica.state.at(ReplicaLifecycle.absent), "the datanode has a replica")
        require(replica.stamp >= call.block_stamp, "the replica is not older than the block")
        require(replica.stamp < call.recovery_id, "the recovery is newer than the replica")
        require(~s.is_younger(replica, call.recovery_id), YOUNGEST)
        s.calls.take(call)
        s.freeze(replica, call.recovery_id)

    @action(hidden=True)
    def update_replica_late(s) -> None:
        """The same for an update: the replica is finalized by a recovery that goes on without it (facts B10)."""
        call = s.calls.receive()
        replica = s.replica[call.datanode][call.file]
        require(call.updates, "the call is updateReplicaUnderRecovery")
        require(s.running.has(call.datanode), "the datanode is running")
        s.is_as_found(replica, call.recovery_id, call.found_bytes)
        s.may_update(call.datanode)
        s.calls.take(call)
        s.install(replica, call.recovery_id, call.new_bytes)

    # The end (G.6).

    @action(hidden=True)
    def report_back(s, primary: Datanode, file: File) -> None:
        """The primary calls commitBlockSynchronization, and is done (facts G.4)."""
        attempt = super().reports_back(primary, file)
        s.reports.send(s.report_of(primary, file, attempt))
        s.attempt[primary][file] = no_attempt()

    def report_of(s, primary: Datanode, file: File, attempt: Attempt) -> Report:
        """What the primary tells of an attempt."""
        return Report(
            primary=primary,
            file=file,
            recovery_id=attempt.recovery_id,
            stage=attempt.stage,
            new_bytes=attempt.new_bytes,
            targets=attempt.updated,
        )

    def reports_back(s, primary: Datanode, file: File) -> Attempt:
        """A report arrives at the NameNode, for the first time or again."""
        report = s.reports.receive()
        require(report.primary == primary, "the report is the primary's")
        require(report.file == file, "the report is about the file's block")
        return Attempt(
            stage=report.stage,
            recovery_id=report.recovery_id,
            block_stamp=report.recovery_id,
            locations=no_datanode(),
            answered=no_datanode(),
            failed=no_datanode(),
            found=each(Datanode, lambda datanode: Found(original=OriginalState.NONE, num_bytes=0)),
            participants=no_datanode(),
            new_bytes=report.new_bytes,
            updated=report.targets,
        )

    def why_an_answer_changes_nothing(s) -> str:
        """The report stays under way."""
        return "the primary was done when it sent the report, which may come again"

    def attempt_ends(s, primary: Datanode, file: File) -> None:
        """The primary was done when it sent the report, which may come again."""
