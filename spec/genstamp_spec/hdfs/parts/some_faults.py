"""Datanodes and the NameNode stop and come back, and a disk loses a byte: what makes reports differ from replicas.

Coarser than HDFS: a report that a datanode had sent when it stopped has arrived or is lost before the datanode comes
back; all datanodes register with a restarted NameNode at once; its safe mode ends when the one block has a replica, or
by hand; every name in the namespace survives a restart (the edit log is another system's matter).
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.reports_state import (
    CorruptReason,
    IncrementalKind,
    IncrementalReport,
    corrupt_for,
    no_full_report,
    no_incremental_report,
    not_corrupt,
)
from genstamp_spec.hdfs.parts.state import Client, Datanode, File, OriginalState, Replica, no_datanode, no_stream, only
from genstamp_spec.hdfs.state.block_map import BlockMap
from genstamp_spec.lifecycles import BlockLifecycle, FileLifecycle, ReplicaLifecycle


class SomeFaults(BlockMap, lane=Datanode):
    """Crash, restart and expiry of datanodes, decommissioning, a lost byte, the NameNode's restart."""

    def not_in_safe_mode(s) -> None:
        """Checks: a NameNode that has just started takes no calls of writers (facts I.4)."""
        require(~s.safe_mode, "the NameNode is not in safe mode", "SafeModeException")

    @action
    def datanode_crash(s, datanode: Datanode) -> None:
        """A datanode stops without warning; what it had not sent is lost."""
        require(s.running.has(datanode), "the datanode is running")
        s.crashes = s.crashes + 1
        s.running.remove(datanode)
        s.forget_unsent(datanode)

    def forget_unsent(s, datanode: Datanode) -> None:
        """Reports that were not sent are in memory only."""
        s.unsent[datanode].update(lambda file: no_incremental_report())

    @action
    def datanode_restart(s, datanode: Datanode) -> None:
        """A datanode comes back and registers; a replica that was being written waits to be recovered.

        Source  BlockPoolSlice#addReplicaToReplicasMap, DatanodeManager#registerDatanode, Hadoop 3.4.1;
                facts B11, B15.
        """
        require(~s.running.has(datanode), "the datanode is down")
        s.running.add(datanode)
        s.replica[datanode].update(lambda file: s.reloaded(s.replica[datanode][file]))
        s.register(datanode)

    def reloaded(s, replica: Replica) -> Replica:
        """The replica after a restart: RBW is RWR, TEMPORARY is deleted."""
        copying = replica.state.at(ReplicaLifecycle.temporary)
        waiting = when(copying, replica.state.after(ReplicaLifecycle.restart_temporary), replica.state)
        written = replica.state.at(ReplicaLifecycle.rbw)
        return Replica(
            state=when(written, replica.state.after(ReplicaLifecycle.restart_as_rwr), waiting),
            stamp=when(copying, 0, replica.stamp),
            num_bytes=when(copying, 0, replica.num_bytes),
            writer=replica.writer,
            original=replica.original,
            recovery_id=replica.recovery_id,
        )

    def register(s, datanode: Datanode) -> None:
        """The datanode is known anew: it will report in full, and whatever was on its way to or from it is void."""
        s.registered.add(datanode)
        s.owes_report.add(datanode)
        s.forget_unsent(datanode)
        s.sent[datanode].update(lambda file: no_incremental_report())
        s.full_report[datanode].update(lambda file: no_full_report())
        s.to_invalidate[datanode].update(lambda file: 0)

    @action
    def datanode_expires(s, file: File, datanode: Datanode) -> None:
        """No heartbeat for ten minutes: the datanode is dead, and no replica of it counts.

        Source  HeartbeatManager#heartbeatCheck, BlockManager#removeBlocksAssociatedTo, Hadoop 3.4.1; facts B.9.
        """
        require(~s.running.has(datanode), "the datanode is down")
        require(s.registered.has(datanode), "it is believed to be alive")
        s.registered.remove(datanode)
        s.remove_stored(file, only(datanode))
        s.to_invalidate[datanode].update(lambda f: 0)
        s.sent[datanode].update(lambda f: no_incremental_report())
        s.full_report[datanode].update(lambda f: no_full_report())

    @action
    def start_decommission(s, file: File, datanode: Datanode) -> None:
        """An administrator takes a datanode out of service: its replicas are usable, but count for nothing wanted.

        Source  DatanodeAdminManager#startDecommission, Hadoop 3.4.1; facts A.3 step 6.
        """
        require(s.registered.has(datanode), "the datanode is alive")
        require(~s.decommissioning.has(datanode), "it is in service")
        s.decommissions = s.decommissions + 1
        s.decommissioning.add(datanode)
        s.update_needed(file, where=s.block[file].at(BlockLifecycle.complete))

    @action
    def replica_loses_a_byte(s, file: File, datanode: Datanode) -> None:
        """A finalized replica that was never synced to disk is shorter when its machine comes back.

        Left out  is that this happens while the file is open: no length is compared then, and so the replica counts
                  until the next full report after the commit.
        """
        replica = s.replica[datanode][file]
        require(~s.running.has(datanode), "the datanode is down")
        require(replica.state.at(ReplicaLifecycle.finalized), "the replica is finalized")
        require(replica.num_bytes > 0, "it has a byte")
        require(s.file[file].at(FileLifecycle.closed), "the file is closed")
        s.losses = s.losses + 1
        replica.num_bytes = replica.num_bytes - 1
        s.damaged.add(datanode)

    # The NameNode.

    @action
    def namenode_restart(s) -> None:
        """The NameNode starts again: names and blocks are there, of replicas it knows nothing.

        Source  FSImageFormatPBINode, BlockManager#activate, Hadoop 3.4.1; facts A18, A19, A.7, I.4.
        """
        s.namenode_restarts = s.namenode_restarts + 1
        s.safe_mode = True
        s.registered = s.running
        s.owes_report = s.running
        s.stale_contents = those(Datanode, lambda d: True)
        s.unsent.update(lambda d: each(File, lambda f: no_incremental_report()))
        s.sent.update(lambda d: each(File, lambda f: no_incremental_report()))
        s.full_report.update(lambda d: each(File, lambda f: no_full_report()))
        s.to_invalidate.update(lambda d: each(File, lambda f: no_incremental_report().stamp))
        s.block.update(lambda f: s.block_after_restart(f))
        s.recovery_id.update(lambda f: 0)
        s.forget_replicas()

    def block_after_restart(s, file: File) -> Lifecycle:
        """The last block of an open file is UNDER_CONSTRUCTION; any other is COMPLETE."""
        block, open_ = s.block[file], s.file[file].at(FileLifecycle.under_construction)
        last = when(open_, block.after(BlockLifecycle.restart_last_of_open_file), block)
        closed = s.file[file].at(FileLifecycle.closed)
        return when(closed, block.after(BlockLifecycle.restart_any_other), last)

    def forget_replicas(s) -> None:
        """Nothing of replicas is on the NameNode's disk."""
        s.stored.update(lambda f: no_datanode())
        s.locations.update(lambda f: no_datanode())
        s.excess.update(lambda f: no_datanode())
        s.pending.update(lambda f: no_datanode())
        s.copy_orders.update(lambda f: no_datanode())
        s.location_stamp.update(lambda f: each(Datanode, lambda d: no_incremental_report().stamp))
        s.corrupt.update(lambda f: each(Datanode, lambda d: not_corrupt()))
        s.needed.update(lambda f: False)
        s.postponed.update(lambda f: False)

    @action
    def leave_safe_mode(s) -> None:
        """Every complete block has a replica: blocks are judged for too few and too many replicas from now on.

        Coarser  than HDFS, which wants 999 of 1000 blocks and waits for another 30 s.
        Source  BlockManagerSafeMode#checkSafeMode, BlockManager#processMisReplicatedBlocks, Hadoop 3.4.1; facts I.4.
        """
        require(s.safe_mode, "the NameNode is in safe mode")
        safe = forall(File, lambda f: ~s.block[f].at(BlockLifecycle.complete) | ~s.usable(f).is_empty())
        require(safe, "every complete block has a replica")
        s.safe_mode = False
        s.needed.update(lambda f: s.is_short(f))


class SomeRecovery(BlockMap, lane="namenode"):
    """The start of a recovery, its replicas, and commitBlockSynchronization.

    Coarser than HDFS throughout, for systems that are about something else: the client's death, the expiry of its lease
    and the start of the recovery are one step; a recovery freezes, collects and updates its replicas in one step, and
    so is never preempted; which answers come is free. Its end at the NameNode is that of HDFS.
    """

    @action
    def start_recovery_after_client_crash(s, client: Client, file: File) -> None:
        """The client is gone, its lease has expired: a recovery starts under a new stamp.

        Source  FSNamesystem#internalReleaseLease, Hadoop 3.4.1; facts A11, A12, F.4 step 1.
        """
        written = s.block[file].at(BlockLifecycle.under_construction, BlockLifecycle.committed)
        require(written, "the block is being written, or waits for replicas")
        require(~s.safe_mode, "the NameNode is not in safe mode")
        s.recoveries = s.recoveries + 1
        s.block[file].fire(BlockLifecycle.start_recovery)
        s.last_stamp = s.last_stamp + 1
        s.recovery_id[file] = s.last_stamp
        s.stream[client][file] = no_stream()
        observe(recovery_id=s.last_stamp)

    def can_be_recovered(s, file: File) -> Members[Datanode]:
        """Locations that are up with a replica not older than the block: the best of their kinds (facts G.3, G.4)."""
        there = those(
            Datanode,
            lambda d: (
                s.locations[file].has(d)
                & s.running.has(d)
                & (s.replica[d][file].stamp >= s.block_stamp[file])
                & (s.replica[d][file].stamp < s.recovery_id[file])
            ),
        )
        finalized = those(Datanode, lambda d: there.has(d) & s.replica[d][file].state.at(ReplicaLifecycle.finalized))
        rbw = those(Datanode, lambda d: there.has(d) & s.replica[d][file].state.at(ReplicaLifecycle.rbw))
        rwr = those(Datanode, lambda d: there.has(d) & s.replica[d][file].state.at(ReplicaLifecycle.rwr))
        unfinished = when(rbw.is_empty(), rwr, rbw)
        return when(finalized.is_empty(), unfinished, finalized)

    @action
    def recover_replicas(s, file: File, left_out: Maybe[Datanode]) -> None:
        """The primary has the replicas updated to one length, under the recovery's stamp; one may not have answered.

        Source  BlockRecoveryWorker.RecoveryTaskContiguous#recover, FsDatasetImpl#updateReplicaUnderRecovery,
                Hadoop 3.4.1; facts B9, B10, B.9, G.3, G.4.
        """
        part = s.can_be_recovered(file) - only(left_out)
        require(s.block[file].at(BlockLifecycle.under_recovery), "the block is under recovery")
        require(~part.is_empty(), "a replica can be recovered")
        updated = those(Datanode, lambda d: s.is_updated(file, d))
        require(updated.is_empty(), "the replicas are not updated yet")
        length = minimum(Datanode, lambda d: s.replica[d][file].num_bytes, where=lambda d: part.has(d), default=0)
        s.replicas_become(
            file,
            part,
            lambda replica: Replica(
                state=replica.state.after(ReplicaLifecycle.init_recovery).after(ReplicaLifecycle.update_under_recovery),
                stamp=s.recovery_id[file],
                num_bytes=length,
                writer=replica.writer,
                original=OriginalState.NONE,
                recovery_id=0,
            ),
        )
        s.unsent.update(
            lambda d: each(
                File,
                lambda f: when(
                    part.has(d) & (f == file),
                    IncrementalReport(kind=IncrementalKind.RECEIVED, stamp=s.recovery_id[file], num_bytes=length),
                    s.unsent[d][f],
                ),
            )
        )
        observe(participants=part, num_bytes=length)

    def is_updated(s, file: File, datanode: Datanode) -> Bool:
        """The replica carries the stamp of the current recovery."""
        replica = s.replica[datanode][file]
        return replica.state.at(ReplicaLifecycle.finalized) & (replica.stamp == s.recovery_id[file])

    @action
    def commit_block_synchronization(s, file: File) -> None:
        """The recovery closes the file: who was updated holds the block, whoever else held it is corrupt.

        The updated replicas count without a report. Too few of them complete the block all the same (HDFS-12886).

        Source  FSNamesystem#commitBlockSynchronization, BlockManager#markBlockReplicasAsCorrupt, Hadoop 3.4.1;
                facts A9, A13, G.6.
        """
        updated = those(Datanode, lambda d: s.is_updated(file, d))
        length = maximum(Datanode, lambda d: s.replica[d][file].num_bytes, where=lambda d: updated.has(d), default=0)
        old_stamp = s.block_stamp[file]
        require(s.block[file].at(BlockLifecycle.under_recovery), "the block is under recovery")
        require(~updated.is_empty(), "replicas were updated")
        s.may_close(file, updated)
        s.block_stamp[file] = s.recovery_id[file]
        s.block_bytes[file] = length
        s.stored[file] = s.stored[file] | (updated & s.registered)
        s.set_locations(file, updated)
        s.leave_out_of_recovery(file, s.stored[file] - updated, old_stamp)
        s.committed_stamp[file] = s.recovery_id[file]
        s.committed_bytes[file] = length
        s.end_recovery(file)
        s.forget_locations(file)
        observe(recovery_id=s.recovery_id[file], num_bytes=length)

    def may_close(s, file: File, updated: Members[Datanode]) -> None:
        """Checks: nothing; the block is completed with whatever storages are known (HDFS-12886)."""

    def leave_out_of_recovery(s, file: File, datanodes: Members[Datanode], old_stamp: Ordered) -> None:
        """Every other datanode with the block is marked corrupt, under the stamp from before (HDFS-7930)."""
        s.corrupt[file].update(
            lambda d: when(datanodes.has(d), corrupt_for(CorruptReason.GENSTAMP_MISMATCH), s.corrupt[file][d])
        )
        goes = s.usable(file).size() >= smallest(s.wanted(), s.minimal())
        stale = s.on_stale_storage(file)
        s.order_deletions(file, datanodes, old_stamp, where=goes & ~stale)
        s.remove_stored(file, datanodes, where=goes & ~stale)
        s.postpone(file, where=goes & stale & ~datanodes.is_empty())

    def end_recovery(s, file: File) -> None:
        """The block is committed and complete, with minimal replication or without it; the file is closed."""
        s.pending[file] = s.pending[file] | s.expected_copies(file)
        s.block[file].fire(BlockLifecycle.commit_block_synchronization)
        s.close(file)
