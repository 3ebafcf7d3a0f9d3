"""What the NameNode knows of files and their last blocks, and how its callers are seen from there.

The NameNode's methods are the same in all systems. What a client passes, what a datanode reports, what a primary brings
back, and what a call changes outside the NameNode, depends on the grain of a system: here each of them does nothing, or
the least, and a view of a finer grain says what it is.
"""

from collections.abc import Callable

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.state import Attempt, BlockState, Client, Datanode, File, FileState, RunningState


class Callers(FileState, BlockState, RunningState):
    """The callers of the NameNode, as its methods see them."""

    # Releases and recoveries.

    def may_work(s) -> None:
        """Checks: the NameNode does what it does by itself, and takes what datanodes tell it."""

    def not_deleted(s, file: File, refused: str | None) -> None:
        """Checks: the file is still in the tree (FSNamesystem#isFileDeleted)."""

    def may_release(s, file: File) -> None:
        """Checks: what internalReleaseLease refuses (facts F.3 rows 2, 3 and 5)."""

    def last_block_is_gone(s, file: File) -> None:
        """The block before becomes the file's last, if there is one; where nothing is gone, nothing happens."""

    def lead(s, file: File, primary: Datanode) -> None:
        """The primary is noted, and gets the command."""

    def may_open_gate(s, file: File) -> None:
        """Checks: nothing, since an attempt may take longer than 90 s."""

    # Leases.

    def open_stream(s, client: Client, file: File) -> None:
        """The client keeps the stream that it was given."""

    def may_renew(s, client: Client) -> None:
        """Checks: the client has a reason to renew its lease."""

    def may_create(s, file: File) -> None:
        """Checks: the caller can mean this file."""

    def is_taken_over(s, client: Client, file: File) -> None:
        """A client has had a file taken over after its holder's soft limit."""

    def may_force(s, client: Client, file: File) -> None:
        """Checks: nothing; the holder itself may ask as well (HDFS-1554)."""

    # addBlock and complete.

    def same_inode(s, client: Client, file: File, refused: str | None) -> None:
        """Checks: the path still leads to the inode that the client opened."""

    def passes_previous(s, client: Client, file: File) -> None:
        """Checks: the block that the client passes as the previous one is the file's last (facts E.5)."""

    def commit_previous(s, client: Client, file: File) -> None:
        """The previous block is committed, and makes room."""

    def give_block(s, client: Client, file: File) -> None:
        """The client gets its new block."""

    def earlier_blocks_are_complete(s, file: File) -> None:
        """Checks: those before the last one."""

    def ready_to_complete(s, client: Client, file: File) -> Bool:
        """The client's last packet is acknowledged by its whole pipeline, or it never had a block."""
        raise NotImplementedError

    def passes_no_block(s, client: Client, file: File) -> Bool:
        """The client's complete() names no last block: it was never given one."""
        raise NotImplementedError

    def passed_stamp(s, client: Client, file: File) -> Ordered:
        """The stamp of the block that the client passes."""
        raise NotImplementedError

    def passed_bytes(s, client: Client, file: File) -> Number:
        """The length of the block that the client passes."""
        raise NotImplementedError

    def block_matches(s, client: Client, file: File) -> Bool:
        """The file's last block is the client's in id and stamp, or neither has one (Block#matchingIdAndGenStamp)."""
        raise NotImplementedError

    def close_stream(s, client: Client, file: File) -> None:
        """The client's stream is closed."""

    def writes(s, client: Client, file: File) -> None:
        """A client's call changes the file."""

    def waits_for_the_block_before(s, client: Client, file: File) -> bool:  # noqa: ARG002 - a hook
        """Whether the call ends because the block before the last one is not complete; here, there is none."""
        return False

    # updateBlockForPipeline and updatePipeline.

    def asks_for_stamp(s, client: Client, file: File) -> None:
        """Checks: the client is about to set its pipeline up again."""

    def takes_stamp(s, client: Client, file: File) -> None:
        """The client goes on with the stamp that was given out last."""

    def passes_pipeline(s, client: Client, file: File) -> None:
        """Checks: the client has set its pipeline up again."""

    def new_pipeline(s, client: Client, file: File) -> tuple[Ordered, Number, Members[Datanode]]:
        """What the client passes of it: stamp, acknowledged length, nodes."""
        raise NotImplementedError

    def goes_on(s, client: Client, file: File) -> None:
        """The client goes on to write."""

    # Reports and the end of a recovery.

    def reported(s, file: File, datanode: Datanode) -> tuple[Ordered, Number]:
        """Stamp and length of a finalized replica that a datanode reports, with the checks that it is there."""
        raise NotImplementedError

    def reports_back(s, primary: Datanode, file: File) -> Attempt:
        """The attempt of a primary that has done what it agreed on, with the checks that it has."""
        raise NotImplementedError

    def known_storages(s, targets: Members[Datanode]) -> Members[Datanode]:
        """Those of the targets that the NameNode knows storages of; here, all."""
        return targets

    def may_close(s, attempt: Attempt) -> None:
        """Checks: nothing; the block is completed with whatever storages are known (HDFS-12886)."""

    def may_delete_block(s, file: File) -> None:
        """Checks: nothing; the primary has found no replica that counts."""

    def report_is_answered(s, primary: Datanode, file: File, attempt: Attempt) -> None:
        """What becomes of the message that brought the report; here, the call and its answer are one step."""

    def why_an_answer_changes_nothing(s) -> str:
        """Why a report that finds nothing to do changes nothing; here it does: the attempt ends."""
        return ""

    def attempt_ends(s, primary: Datanode, file: File) -> None:
        """The primary is done with its attempt."""

    def recovery_ends(s, file: File) -> None:
        """What else the end of a recovery changes."""

    def asks_for_a_block(s, client: Client, file: File) -> None:
        """Checks: the client is done with its previous block."""

    def another_block_follows(s, file: File) -> None:
        """The last block is about to be the one before it."""

    def block_is_added(s, file: File) -> None:
        """A new block has no replica yet."""

    def finds_block_gone(s, file: File, deletes: Bool) -> bool:
        """Whether a deletion finds the block gone, as one that is reported again does (G.6 row 3, HDFS-5024)."""
        gone = ~s.known(file) & deletes
        return case("gone", gone, "a deletion finds the block gone", unchanged=s.why_an_answer_changes_nothing())

    # append.

    def exceeds_quota(s, client: Client, file: File) -> bool:  # noqa: ARG002 - a hook
        """Whether the call ends because the quota does not allow for the rest of the last block; here, it does."""
        return False

    def is_at_boundary(s, file: File) -> None:
        """Checks: the last block may be full, or there is none."""

    def appends_to_closed(s, client: Client, file: File) -> Callable[[], None] | None:  # noqa: ARG002 - a hook
        """What follows where the file of another client is closed at once; here, that is left out."""
        return None

    def goes_on_with_block(s, client: Client, file: File) -> None:
        """The client is given the last block."""

    def goes_on_without_block(s, client: Client, file: File) -> None:
        """The client is given no block."""

    # fsync, delete.

    def flushed_bytes(s, file: File) -> Number:
        """The length that the client tells."""
        raise NotImplementedError

    def may_flush(s, client: Client, file: File) -> None:
        """Checks: the client has written to the block."""

    def has_flushed(s, file: File) -> None:
        """The hflush returns."""

    def leaves_the_tree(s, file: File) -> None:
        """No path leads to the file any more."""

    def deletion_is_logged(s, client: Client, file: File) -> None:
        """OP_DELETE, where there is a log."""
