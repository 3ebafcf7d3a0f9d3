"""Callers of the NameNode where files have more than one block, and where it starts again."""

from genstamp_model.language import Bool, Number, Part, flag, number
from genstamp_spec.hdfs.parts.earlier_state import EarlierState
from genstamp_spec.hdfs.parts.state import Attempt, Datanode, File
from genstamp_spec.hdfs.state.namenode import Callers
from genstamp_spec.lifecycles.block import BlockLifecycle


class SeveralBlocks(Callers, EarlierState):
    """The block before the last one, as it is seen from there."""

    def earlier_is_complete(s, file: File) -> Bool:
        """The block before the last one is complete, if there is one (BlockManager#checkMinReplication, HDFS-812)."""
        return s.earlier[file].state.at(BlockLifecycle.absent, BlockLifecycle.complete)

    def has_earlier_replica(s, file: File, datanode: Datanode) -> None:
        """Checks: the datanode has a replica of the block before the last one."""

    def before_closing_fails(s, file: File, attempt: Attempt) -> None:
        """What has changed when the file is found not to be closable: nothing."""

    def has_targets_again(s, file: File) -> None:
        """Checks: a location of the block is known, or one can be chosen, which no outage prevents here."""


class SafeModeState(Part):
    """Whether the namesystem is in safe mode."""

    safe_mode = flag()
    restarts = number(limit="restarts")  # history: only limited, never read


class Restarting(SeveralBlocks, SafeModeState):
    """What was logged, and what datanodes tell a NameNode that has started again."""

    def logged_bytes(s, file: File) -> Number:
        """The length of an open file's last block that the edit log has."""
        raise NotImplementedError

    def has_replica(s, file: File, datanode: Datanode) -> None:
        """Checks: the datanode has a replica of the file's last block."""
        raise NotImplementedError

    def may_leave_safe_mode(s) -> None:
        """Checks: nothing more than that every complete block has a replica."""

    def datanodes_are_forgotten(s) -> None:
        """What else the NameNode kept for its datanodes."""
