"""Who begins and ends what block recovery works on: a file is opened, recovered by somebody, deleted by somebody.

Coarser than HDFS: leases play no part, so that anybody may have an open file recovered at any time, while its owner of
record stays who he is (as after the soft limit, facts F.2); `hdfs.recovery` and `hdfs.lease` say who may.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.namenode_blocks import BlockSteps
from genstamp_spec.hdfs.parts.state import Client, Datanode, File, StreamStage
from genstamp_spec.hdfs.state.streams import Streams
from genstamp_spec.lifecycles import BlockLifecycle, FileLifecycle


class RecoveryFromOutside(BlockSteps, Streams, lane="namenode"):
    """create and internalReleaseLease, without leases."""

    @action(event="create")
    def open_file(s, client: Client, file: File) -> None:
        """A client creates a file, once (facts E.1)."""
        require(s.alive.has(client), "the client is running")
        require(s.file[file].at(FileLifecycle.absent), "the file does not exist")
        require(s.block[file].at(BlockLifecycle.absent), "the file was never there")
        s.file[file].fire(FileLifecycle.create)
        s.client_name[file] = client
        s.stream[client][file].stage = StreamStage.OPEN

    @action
    def release(s, file: File, primary: Maybe[Datanode]) -> None:
        """Somebody has an open file recovered: a recovery of its block is started, or started again.

        Of a COMMITTED block, too, since no replica of it is known (HDFS-14498, HDFS-15725).

        Source  FSNamesystem#internalReleaseLease, Hadoop 3.4.1; facts A11, A12, F.3 row 9, F.4 step 1, F.4 step 3.
        """
        require(s.under_construction(file), "the file is under construction")
        s.not_deleted(file, None)
        s.may_release(file)
        require(~s.nothing_to_recover(file), "there is something to recover")
        require(~s.attempt_is_young[file], "no attempt is younger than the gate")
        require(s.may_lead(file, primary), "the primary is a candidate")
        s.start_recovery(file, primary)
        observe(recovery_id=s.recovery_id[file])

    @action(event="release")
    def release_closes(s, file: File) -> None:
        """Somebody has an open file recovered that has no block, or a complete one: it is closed (facts F.3 row 1)."""
        require(s.under_construction(file), "the file is under construction")
        s.not_deleted(file, None)
        require(s.block[file].at(BlockLifecycle.absent, BlockLifecycle.complete), "there is nothing to recover")
        s.close(file)


class FileDeletion(RecoveryFromOutside, lane="namenode"):
    """delete, in two steps: the file leaves the tree, its block leaves the block map."""

    deleted = per(File, flag())  # the file is out of the tree, its block still in the block map
    deletions = number(limit="deletions")  # history: only limited, never read

    @action
    def delete(s, file: File) -> None:
        """Somebody deletes an open file; its block goes later (FSDirDeleteOp#delete; facts E.14, A20)."""
        require(s.under_construction(file), "the file is under construction")
        require(s.known(file) & ~s.deleted[file], "the file has a block and was not deleted yet")
        s.deleted[file] = True
        s.deletions = s.deletions + 1

    @action(hidden=True)
    def block_is_removed(s, file: File) -> None:
        """The block of a deleted file leaves the block map (BlockManager#removeBlock; facts A20)."""
        require(s.deleted[file], "the file is deleted")
        s.deleted[file] = False
        s.file[file].fire(FileLifecycle.delete)
        s.client_name[file] = none
        s.block[file].fire(BlockLifecycle.remove)
        s.stored[file].clear()
        s.forget_locations(file)

    def counts(s, file: File, stamp: Ordered, num_bytes: Number) -> Bool:
        """A report of a deleted file's block is ignored, be the block still there (facts I.1 step 3)."""
        return super().counts(file, stamp, num_bytes) & ~s.deleted[file]

    def not_deleted(s, file: File, refused: str | None) -> None:
        """Checks: the file is not deleted; its block may still be there (facts G.6 row 4)."""
        require(~s.deleted[file], "the file is not deleted", refused)
