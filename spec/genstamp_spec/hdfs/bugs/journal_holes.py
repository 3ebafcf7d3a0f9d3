"""Holes of the edit log in Hadoop 3.4.1: what changes in memory before an edit is sure to be written."""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.state import Attempt, AttemptStage, File
from genstamp_spec.hdfs.parts.two_blocks import TwoBlocks
from genstamp_spec.lifecycles.block import BlockLifecycle


class ChangedBeforeClosing(TwoBlocks):
    """A recovery that cannot close the file has dropped or re-stamped the last block in memory, and logs nothing."""

    def before_closing_fails(s, file: File, attempt: Attempt) -> None:
        """The last block has the recovery's stamp, or is gone."""
        deletes = attempt.stage.at(AttemptStage.DELETING)
        s.block[file].fire(BlockLifecycle.commit_block_synchronization_delete, where=deletes)
        s.block[file].fire(BlockLifecycle.commit_block_synchronization, where=~deletes)
        s.block_stamp[file] = when(deletes, s.block_stamp[file], attempt.recovery_id)
        s.last_block_is_gone(file)


CLOSING_FAILS_HALF_WAY = Hole(
    "closing-fails-half-way",
    parts=(ChangedBeforeClosing,),
    source="facts G.6, S19; HDFS-17861, fixed in 3.5.0 for a removed block; "
    "FSNamesystem#closeFileCommitBlocks, Hadoop 3.4.1",
).at("two_blocks", "replay_gives_the_state_of_the_active")
RECOVERY_ID_LEAVES_UNSYNCED = Hole(
    "recovery-id-leaves-unsynced",
    "a heartbeat carries a recovery id that is not on disk yet; the next NameNode gives the stamp out again",
    drops=(("receive_recovery_command", "the recovery id is synced"),),
    source="facts F.4 (note), H.5.2; FSNamesystem#internalReleaseLease, DatanodeManager#handleHeartbeat, Hadoop 3.4.1",
).at("recoveries", "known_stamps_are_synced", "stamps_are_given_out_once")
