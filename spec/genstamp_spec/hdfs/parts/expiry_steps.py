"""The steps of hdfs.expiry: those of hdfs.lease that matter for what has to happen eventually, bounded.

A file has at most two blocks of at most one byte; there are no restarts, late calls and removed files. So no limit cuts
anything off but that of stamps, which are renumbered, and what is owed can be judged. What a client does about its
leases is told here: it renews while it writes, and forgets a file whose close has failed (HDFS-10549).
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.namenode_opening import Appending
from genstamp_spec.hdfs.parts.state import Client, Datanode, File, StreamStage
from genstamp_spec.hdfs.state.outline import no_writer
from genstamp_spec.lifecycles.block import BlockLifecycle


class Outlasted(Part):
    """Whether a file's recovery has taken longer than the gate once."""

    outlasted = per(File, flag())


class ExpirySteps(Appending, Outlasted, lane="namenode"):
    """Opening, writing, giving up, expiry and recovery."""

    @action(hidden=True)
    def recovery_gate_opens(s, file: File) -> None:
        """Time: the last attempt is older than 90 s, and has ended by then, but for one attempt of each file.

        Without that nothing is promised: attempts that always take longer are overtaken for ever (HDFS-11576).
        """
        going_on = exists(Datanode, lambda datanode: s.led[datanode][file] > 0)
        require(s.attempt_is_young[file], "an attempt is younger than the gate")
        require(~going_on | ~s.outlasted[file], "no attempt of the file has outlasted the gate")
        s.outlasted[file] = s.outlasted[file] | going_on
        s.attempt_is_young[file] = False

    def passes_previous(s, client: Client, file: File) -> None:
        """Checks also: there is room for a second block."""
        super().passes_previous(client, file)
        require(s.earlier[file].state.at(BlockLifecycle.absent), "the file has one block at most")

    def same_inode(s, client: Client, file: File, refused: str | None) -> None:
        """No inode is removed here."""

    def has_targets(s) -> None:
        """No datanode is down here."""

    def has_replicas(s, file: File) -> None:
        """No datanode is down here."""

    def has_replicas_then(s, file: File) -> bool:  # noqa: ARG002 - a hook
        """No datanode is down here."""
        return True

    def has_room(s, file: File) -> None:
        """Checks: the block is empty."""
        super().has_room(file)
        require(s.written[file] == 0, "the block is empty")

    def may_renew(s, client: Client) -> None:
        """Checks: a client renews while it has a file open (DFSClient#renewLease, Hadoop 3.4.1; facts D.6)."""
        super().may_renew(client)
        require(s.writes_something(client), "the client writes a file")

    @action
    def close_fails(s, client: Client, file: File) -> None:
        """An exception ends the client's stream, and the file stays open (DFSOutputStream#close, C.7)."""
        require(s.alive.has(client), "the client is running")
        require(~s.writer[client][file].stage.at(StreamStage.NONE), "the client has the file open")
        s.writer[client][file] = no_writer()
