"""What may happen to the messages of block recovery: lost, late, twice, timed out.

A call between datanodes that is answered in time stays one step, that of `block_recovery.py`: until the caller has the
answer, it does nothing that depends on it, and nobody else can look at what it knows. A call that is not answered in
time is counted as failed by its caller, and stays on its way: the datanode called carries it out at any later time, or
never. What a primary tells the NameNode in the end stays on its way as well, and may arrive never, late or often.

Coarser than HDFS: a primary that was given a younger command forgets the older one, which HDFS runs on until it is
refused; a primary does not learn what the NameNode answered, which HDFS only logs.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.block_recovery import YOUNGEST, BlockRecovery
from genstamp_spec.hdfs.parts.state import (
    Datanode,
    File,
    no_attempt,
)
from genstamp_spec.hdfs.state.messages import Call, Messages
from genstamp_spec.hdfs.state.streams import Streams
from genstamp_spec.lifecycles.replica import ReplicaLifecycle


class RecoveryMessages(Messages, BlockRecovery, lane=Datanode):
    """Commands that are lost, calls that time out and arrive late, reports that arrive at any time."""

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
        attempt = Streams.reports_back(s, primary, file)
        s.reports.send(s.report_of(primary, file, attempt))
        s.attempt[primary][file] = no_attempt()
