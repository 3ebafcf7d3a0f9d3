"""Datanodes and the NameNode stop and come back, and a disk loses a byte: what makes reports differ from replicas.

Coarser than HDFS: a report that a datanode had sent when it stopped has arrived or is lost before the datanode comes
back; all datanodes register with a restarted NameNode at once; its safe mode ends when the one block has a replica, or
by hand; every name in the namespace survives a restart (the edit log is another system's matter).
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.reports_state import no_full_report, no_incremental_report, not_corrupt
from genstamp_spec.hdfs.parts.state import Datanode, File, Replica, no_datanode, only
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
