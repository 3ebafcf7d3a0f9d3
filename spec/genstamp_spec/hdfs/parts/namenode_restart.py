"""The NameNode starts again: what it has logged, safe mode, and what datanodes tell it then.

Coarser than HDFS: everything that was answered was logged, and nothing else (the log itself is hdfs.journal's); a
NameNode is back at once, in safe mode, and leaves it when every complete block has a replica. Calls in safe mode are
refused with SafeModeException; where HA is on, HDFS answers RetriableException until the first safe mode is over.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.earlier_blocks import EarlierBlocks
from genstamp_spec.hdfs.parts.earlier_state import Earlier
from genstamp_spec.hdfs.parts.namenode_files import Tree
from genstamp_spec.hdfs.parts.namenode_leases import Leases
from genstamp_spec.hdfs.parts.state import Attempt, Client, Datanode, File, no_datanode
from genstamp_spec.hdfs.state.earlier import Restarting
from genstamp_spec.lifecycles import BlockLifecycle, LeaseLifecycle


class NamenodeRestarts(EarlierBlocks, Leases, Restarting, lane="namenode"):
    """Restart, safe mode, block reports of what is being written.

    What was logged of lengths, and what datanodes have, the view `Restarting` leaves to finer ones.
    """

    def may_call(s, client: Client) -> None:
        """Checks: in safe mode nothing that changes anything is done (facts E.0)."""
        super().may_call(client)
        require(~s.safe_mode, "the NameNode is not in safe mode", "SafeModeException")

    def may_work(s) -> None:
        """Checks: in safe mode the monitor does nothing (HDFS-966, facts D.3)."""
        super().may_work()
        require(~s.safe_mode, "the NameNode is not in safe mode")

    @action
    def namenode_restart(s) -> None:
        """The NameNode knows files, holders, blocks with their stamps, and the lengths that were logged.

        Leases begin their age anew, recoveries and locations are forgotten, and no block keeps its state.

        Source  FSImageFormatPBINode.Loader#loadINodeFile, LeaseManager#renewAllLeases, Hadoop 3.4.1;
                facts A.7, A18, A19.
        """
        s.restarts = s.restarts + 1
        s.safe_mode = True
        s.block_bytes.update(lambda file: when(s.under_construction(file), s.logged_bytes(file), s.block_bytes[file]))
        s.block.update(
            lambda file: when(
                s.under_construction(file),
                s.block[file].after(BlockLifecycle.restart_last_of_open_file),
                s.block[file].after(BlockLifecycle.restart_any_other),
            )
        )
        s.earlier.update(lambda file: s.earlier_after_restart(file))
        s.lease.update(lambda holder: s.lease[holder].after(LeaseLifecycle.restart))
        s.locations.update(lambda file: no_datanode())
        s.stored.update(lambda file: no_datanode())
        s.recovery_id.update(lambda file: 0)
        s.attempt_is_young.update(lambda file: False)
        s.datanodes_are_forgotten()

    def earlier_after_restart(s, file: File) -> Earlier:
        """The block before the last one is complete, whatever it was."""
        earlier = s.earlier[file]
        return Earlier(
            state=earlier.state.after(BlockLifecycle.restart_any_other),
            stamp=earlier.stamp,
            num_bytes=earlier.num_bytes,
            locations=earlier.locations,
            stored=earlier.stored,
        )

    @action(hidden=True)
    def safe_mode_ends(s) -> None:
        """Every complete block is known to have a replica (BlockManagerSafeMode#checkSafeMode, Hadoop 3.4.1; I.4)."""
        complete = forall(File, lambda file: ~s.block[file].at(BlockLifecycle.complete) | ~s.stored[file].is_empty())
        require(s.safe_mode, "the NameNode is in safe mode")
        require(complete, "every complete block has a replica")
        s.may_leave_safe_mode()
        s.safe_mode = False

    @action(caller="datanode")
    def replica_reported(s, file: File, datanode: Datanode) -> None:
        """A replica that is being written is reported, and its datanode is an expected location again (facts A18)."""
        require(s.running.has(datanode), "the datanode is running")
        s.has_replica(file, datanode)
        require(s.block[file].at(*BlockLifecycle.not_complete), "the block is not complete")
        require(~s.locations[file].has(datanode), "the NameNode does not know of it")
        s.locations[file].add(datanode)

    def reported(s, file: File, datanode: Datanode) -> tuple[Ordered, Number]:
        """A replica of an incomplete block makes its datanode a location first."""
        known = s.locations[file].has(datanode) | s.block[file].at(BlockLifecycle.complete)
        require(known, "the datanode is a location")
        return super().reported(file, datanode)

    @action(event="commit_block_synchronization", refuses="SafeModeException")
    def commit_block_synchronization_in_safe_mode(s, primary: Datanode, file: File) -> None:
        """The recovery was for nothing (facts G.6 row 2)."""
        attempt = super().reports_back(primary, file)
        require(s.safe_mode, "the NameNode is in safe mode")
        observe(recovery_id=attempt.recovery_id)
        s.attempt_ends(primary, file)

    def reports_back(s, primary: Datanode, file: File) -> Attempt:
        """Checks also: the NameNode is not in safe mode."""
        s.may_work()
        return super().reports_back(primary, file)


class Restarts(Tree, NamenodeRestarts, lane="namenode"):
    """The same where data is told coarsely."""

    def logged_bytes(s, file: File) -> Number:
        """As fsync, close and others have logged it."""
        return s.synced_bytes[file]

    def has_replica(s, file: File, datanode: Datanode) -> None:
        """Checks: something was written, and so every datanode has it."""
        del datanode
        require(s.written[file] > 0, "the datanode has a replica")
