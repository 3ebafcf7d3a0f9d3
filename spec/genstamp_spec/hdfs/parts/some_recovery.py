"""The block recovery after a client's death, as far as the NameNode and the reports see it.

Coarser than HDFS throughout, for systems that are about something else: the client's death, the expiry of its lease and
the start of the recovery are one step; a recovery freezes, collects and updates its replicas in one step, and so is
never preempted; which answers come is free. Its end at the NameNode is that of HDFS.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.reports_state import CorruptReason, IncrementalKind, IncrementalReport, corrupt_for
from genstamp_spec.hdfs.parts.state import Client, Datanode, File, OriginalState, Replica, no_stream, only
from genstamp_spec.hdfs.state.block_map import BlockMap
from genstamp_spec.lifecycles import BlockLifecycle, ReplicaLifecycle


class SomeRecovery(BlockMap, lane="namenode"):
    """The start of a recovery, its replicas, and commitBlockSynchronization."""

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
