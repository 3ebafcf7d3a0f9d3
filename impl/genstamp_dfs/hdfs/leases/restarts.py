"""The steps of a namenode that starts again, and of time.

The namenode has made a checkpoint just before it starts again, as an image has the last block of an open file as
UNDER_CONSTRUCTION, which edits may leave COMPLETE. Only where a block was committed and that is in no edit, it has not:
an image has the committed length, of which nobody was told.

Safe mode does not end by itself: somebody ends it by hand once each file's last block is reported, if it is COMPLETE.

Source: NN/FSImage, FSImageFormatPBINode, BM/BlockManagerSafeMode, Hadoop 3.4.1.
"""

from genstamp_dfs.errors import ConfigurationError
from genstamp_dfs.hdfs.leases.datanodes import DatanodeSteps
from genstamp_dfs.hdfs.leases.late_calls import LateSteps
from genstamp_dfs.hdfs.leases.opening import OpeningSteps
from genstamp_dfs.hdfs.messages.client_protocol import SafeModeAction, SetSafeMode
from genstamp_dfs.hdfs.protocol import NAMENODE
from genstamp_dfs.world.times import MICROSECONDS_A_MILLISECOND


class LeaseCluster(OpeningSteps, LateSteps, DatanodeSteps):
    """A namenode, and all steps that it takes part in."""

    def namenode_restart(self) -> None:
        """The namenode starts again with all that it has logged (FSNamesystem#loadFromDisk)."""
        step = self.step(NAMENODE, "node", NAMENODE, "namenode_restart")
        files = [inode for inode in self.namesystem.directory.all_files() if inode.is_under_construction]
        lasts = [inode.blocks[-1] for inode in files if inode.blocks]
        unlogged = [last for last in lasts if self.is_incomplete(last) and last.block_id in self.known.unlogged]
        if unlogged and len(lasts) > 1:
            raise step.not_possible("a commit is in no edit, and the edits may have the other last blocks as COMPLETE")
        if not unlogged:
            self.namenode.checkpointer.finish(self.namesystem, self.namenode.retry_cache)
        known = {datanode: self.known_at(datanode) for datanode in self.datanodes}
        self.namenode = self._new_namenode()
        for datanode in self.datanodes:
            if datanode in self.known.running:
                self.comes_back(datanode, known[datanode])
            else:
                self.known.stored_there[datanode] = known[datanode]
        step.done()

    def safe_mode_ends(self) -> None:
        """Blocks enough are reported, and safe mode is ended (FSNamesystem#setSafeMode)."""
        step = self.step(NAMENODE, "node", NAMENODE, "safe_mode_ends")
        if not self.is_in_safe_mode():
            raise step.not_possible("the namenode is not in safe mode")
        lasts = [inode.blocks[-1] for inode in self.namesystem.directory.all_files() if inode.blocks]
        if any(last.is_complete and not last.stored for last in lasts):
            raise step.not_possible("the namenode waits for reports")
        self.ask(SetSafeMode(SafeModeAction.LEAVE), "administrator")

    def time_passes(self, ms: int) -> None:
        """Time passes; heartbeats come all the while, and the namenode does what is due, leases left out.

        Raises:
            ConfigurationError: `ms` is not positive.
        """
        if ms <= 0:
            raise ConfigurationError(f"tick of {ms} ms, accepted: 1 or more")
        self.now_us += ms * MICROSECONDS_A_MILLISECOND
        for datanode in sorted(self.known.running):
            self.heartbeat(datanode)
        self.namenode.tick()
        self.namenode.log_sync()
