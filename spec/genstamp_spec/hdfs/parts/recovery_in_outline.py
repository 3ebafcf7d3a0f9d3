"""Block recovery in outline: a command, and what the primary brings back. What happens between is `block_recovery.py`.

Coarser than HDFS: the primary finds what the NameNode knows; it has updated all running datanodes.
"""

from genstamp_model.language import action, each, none, observe, require, when
from genstamp_spec.hdfs.parts.file_calls import FileCalls
from genstamp_spec.hdfs.parts.journal_state import Opcode, Service
from genstamp_spec.hdfs.parts.state import (
    Attempt,
    AttemptStage,
    Datanode,
    File,
    Found,
    OriginalState,
    no_attempt,
    no_datanode,
    only,
)
from genstamp_spec.lifecycles.block import BlockLifecycle


class RecoveryInOutline(FileCalls, lane=Datanode):
    """The recovery command, and its end."""

    def lead(s, file: File, primary: Datanode) -> None:
        """The command waits for the primary's heartbeat."""
        s.primary[file] = primary

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

    @action(event="commit_block_synchronization")
    def commit_block_synchronization_leaves_open(s, primary: Datanode, file: File) -> None:
        """The NameNode takes the result over, and the file stays open: OP_UPDATE_BLOCKS. No datanode asks for this.

        Source  FSNamesystem#commitBlockSynchronization with closeFile false, Hadoop 3.4.1; facts A14, G.6.
        """
        attempt = s.reports_back(primary, file)
        require(attempt.stage.at(AttemptStage.UPDATING), "replicas were updated")
        require(s.known(file) & s.in_tree.has(file), "the block is known")
        require(~s.already_done(file), "the block is not complete yet")
        require(attempt.recovery_id == s.recovery_id[file], "the recovery id is the current one")
        s.block[file].fire(BlockLifecycle.commit_block_synchronization_without_close)
        s.take_result(file, attempt)
        s.stored[file].clear()
        s.attempt_is_young[file] = False
        s.left_open = s.left_open + 1
        s.log(Opcode.UPDATE_BLOCKS, file)
        s.attempt_ends(primary, file)

    def reports_back(s, primary: Datanode, file: File) -> Attempt:
        """The primary has recovered the length that the NameNode knows, or found nothing if that is 0.

        Its call meets a NameNode that is active, and not in safe mode (facts G.6 row 1, G.6 row 2).
        """
        require(s.running.has(primary), "the primary is running")
        require(~s.service.at(Service.STARTING), "the NameNode is active", "StandbyException")
        require(~s.service.at(Service.SAFE_MODE), "the NameNode is not in safe mode", "SafeModeException")
        require(s.led[primary][file] > 0, "the primary leads a recovery")
        empty = s.block_bytes[file] == 0
        return Attempt(
            stage=when(empty, AttemptStage.DELETING, when(empty, no_attempt().stage, AttemptStage.UPDATING)),
            recovery_id=s.led[primary][file],
            block_stamp=s.block_stamp[file],
            locations=s.running,
            answered=s.running,
            failed=no_datanode(),
            found=each(Datanode, lambda datanode: Found(original=OriginalState.NONE, num_bytes=0)),
            participants=s.running,
            new_bytes=s.block_bytes[file],
            updated=s.running,
        )

    def attempt_ends(s, primary: Datanode, file: File) -> None:
        """The primary is done."""
        s.led[primary][file] = 0
