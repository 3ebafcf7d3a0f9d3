"""Callers of the NameNode where files have more than one block, and where it starts again."""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.earlier_state import EarlierState
from genstamp_spec.hdfs.parts.state import Attempt, Client, Datanode, File
from genstamp_spec.hdfs.state.namenode import Callers
from genstamp_spec.lifecycles.block import BlockLifecycle


class SeveralBlocks(Callers, EarlierState):
    """The block before the last one, as it is seen from there."""

    def earlier_is_complete(s, file: File) -> Bool:
        """The block before the last one is complete, if there is one (FSNamesystem#checkFileProgress, HDFS-812)."""
        return s.earlier[file].state.at(BlockLifecycle.absent, BlockLifecycle.complete)

    def has_earlier_replica(s, file: File, datanode: Datanode) -> None:
        """Checks: the datanode has a replica of the block before the last one."""

    def before_closing_fails(s, file: File, attempt: Attempt) -> None:
        """What has changed when the file is found not to be closable: nothing."""

    def has_targets_again(s, file: File) -> None:
        """Checks: a location of the block is known, or one can be chosen, which no outage prevents here."""

    def previous_is_last(s, file: File, passed: Ordered) -> Bool:
        """What the client passes is the file's last block; of an append to a full block, nothing (case 1)."""
        nothing, full = s.block[file].at(BlockLifecycle.absent), s.block[file].at(BlockLifecycle.complete)
        return when(passed == 0, nothing | full, ~nothing & (passed == s.block_stamp[file]))

    def previous_is_earlier(s, file: File, passed: Ordered) -> Bool:
        """What the client passes is the block before the last one (case 2): it has missed an answer.

        Nothing is passed for a file's first block, and for the first one after an append to a full block.
        """
        same = when(passed == 0, s.may_have_passed_none(file), passed == s.earlier[file].stamp)
        return ~s.block[file].at(BlockLifecycle.absent) & ~s.previous_is_last(file, passed) & same

    def may_have_passed_none(s, file: File) -> Bool:
        """Whether the block that was added may be the first that its client was given.

        Hadoop takes it for that in a file of one block only; so it refuses the repeated addBlock of a client that
        appends to a full block.
        """
        return s.earlier_is_complete(file)

    def may_have_it_again(s, client: Client, file: File) -> Bool:
        """The repeated call is answered with the block that was added."""
        missed = s.previous_is_earlier(file, s.passed_stamp(client, file))
        return missed & (s.block_bytes[file] == 0)


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
