"""Block recovery in outline: a command, and what the primary brings back. What happens between is `block_recovery.py`.

Coarser than HDFS: the primary finds what the NameNode knows; it has updated all running datanodes.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.journal_state import Service
from genstamp_spec.hdfs.parts.state import (
    Datanode,
    File,
    only,
)
from genstamp_spec.hdfs.state.journal import Logged
from genstamp_spec.lifecycles.block import BlockLifecycle


class RecoveryInOutline(Logged, lane=Datanode):
    """The recovery command, and its end."""

    @action
    def receive_recovery_command(s, file: File, datanode: Datanode) -> None:
        """The answer to a heartbeat brings the command, once the edit of the recovery id is on disk.

        A NameNode that is not active has no command that a datanode obeys (BPOfferService#processCommandFromStandby).

        Source  DatanodeManager#handleHeartbeat, Hadoop 3.4.1; facts G.2, F.4.
        """
        require(s.running.has(datanode), "the datanode is running")
        s.may_work()
        require(s.primary[file] == datanode, "a command waits for the datanode")
        require(s.block[file].at(BlockLifecycle.under_recovery), "the block is under recovery")
        require(s.recovery_id[file] <= s.synced_stamp, "the recovery id is synced")
        s.led[datanode][file] = s.recovery_id[file]
        s.primary[file] = none
        s.given = when(s.recovery_id[file] > s.given, s.recovery_id[file], s.given)
        observe(recovery_id=s.recovery_id[file])

    @action
    def datanode_crash(s, datanode: Datanode) -> None:
        """A datanode stops for good; what it led ends with it, and what it has reported counts no more (facts G.5).

        Coarser  it does not stop while nobody is active.
        """
        require(s.running.has(datanode), "the datanode is running")
        require(~s.service.at(Service.STARTING), "a NameNode is up")
        s.running.remove(datanode)
        s.crashes = s.crashes + 1
        s.led[datanode].update(lambda file: 0)
        s.locations.update(lambda file: s.locations[file] - only(datanode))
        s.stored.update(lambda file: s.stored[file] - only(datanode))
        s.forget_reports(datanode)

    def forget_reports(s, datanode: Datanode) -> None:
        """The standby drops what it has queued of a datanode that is removed (HDFS-6289)."""
        s.queued.remove(datanode)
