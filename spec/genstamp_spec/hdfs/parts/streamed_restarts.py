"""The NameNode starts again while clients write through pipelines and primaries recover blocks.

Coarser than HDFS: the bytes of the last block that were logged are those of its last updatePipeline, append or
addBlock, or of its first hflush, as no other fsync tells a length; a replica is reported once its datanode can have its
last block's stamp; a datanode registers with its first full report, and tells of nothing before.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.first_write import FirstWrites
from genstamp_spec.hdfs.parts.namenode_restart import NamenodeRestarts
from genstamp_spec.hdfs.parts.state import Client, Datanode, File, no_attempt, no_datanode, only
from genstamp_spec.lifecycles import BlockLifecycle, ReplicaLifecycle


class ToldState(Part):
    """What the edit log has of a file's last block beside its stamp, and what datanodes have told since it was read."""

    logged = per(File, number(limit="bytes"))
    owes_report = members(Datanode)  # nodes whose first full report a restarted NameNode has not had


class StreamedRestarts(NamenodeRestarts, FirstWrites, ToldState, lane="namenode"):
    """Pipelines and recoveries go on without a NameNode, and find another one."""

    def logged_bytes(s, file: File) -> Number:
        """A commit is in memory only, until the file is closed or gets another block (facts A.3)."""
        return when(s.block[file].at(BlockLifecycle.committed), s.logged[file], s.block_bytes[file])

    def commit(s, client: Client, file: File) -> None:
        """What the length was before is what the log has."""
        s.logged[file] = s.block_bytes[file]
        super().commit(client, file)

    def close(s, file: File) -> None:
        """The file is logged as a whole."""
        super().close(file)
        s.logged[file] = 0

    def another_block_follows(s, file: File) -> None:
        """The block before is logged with the new one."""
        super().another_block_follows(file)
        s.logged[file] = 0

    def has_replica(s, file: File, datanode: Datanode) -> None:
        """Checks: there is a replica of the block's generation, or of a later one."""
        require(~s.owes_report.has(datanode), "the datanode has reported to this NameNode")
        require(s.may_have(file, datanode), "the datanode has a replica of this generation or a later one")

    def reported(s, file: File, datanode: Datanode) -> tuple[Ordered, Number]:
        """A datanode registers, and tells all that it has, before it tells of one replica."""
        require(~s.owes_report.has(datanode), "the datanode has reported to this NameNode")
        return super().reported(file, datanode)

    def datanodes_are_forgotten(s) -> None:
        """Datanodes register anew: no command waits for them, and none has been asked to lead a recovery."""
        s.recovery_queue.update(lambda datanode: those(File, lambda file: False))
        s.tried_as_primary.update(lambda file: no_datanode())
        s.primary.update(lambda file: none)
        s.owes_report = those(Datanode, lambda datanode: True)

    @action(caller="datanode")
    def block_report(s, datanode: Datanode) -> None:
        """A datanode tells all that it has: it is a location of every block that is not complete (facts A18, I.1).

        Source  BlockManager#processReport, #addStoredBlockUnderConstruction, Hadoop 3.4.1.
        """
        require(s.running.has(datanode), "the datanode is running")
        require(s.owes_report.has(datanode), "it has not reported to this NameNode")
        s.owes_report.remove(datanode)
        s.registers_anew(datanode)
        s.stored.update(
            lambda file: when(s.still_matches(file, datanode), s.stored[file], s.stored[file] - only(datanode))
        )
        s.locations.update(
            lambda file: when(s.may_have(file, datanode), s.locations[file] | only(datanode), s.locations[file])
        )

    def may_have(s, file: File, datanode: Datanode) -> Bool:
        """The datanode has a replica that a recovery of an incomplete block would ask for."""
        replica = s.replica[datanode][file]
        current = ~replica.state.at(ReplicaLifecycle.absent) & (replica.stamp >= s.block_stamp[file])
        return s.block[file].at(*BlockLifecycle.not_complete) & current

    def still_matches(s, file: File, datanode: Datanode) -> Bool:
        """The replica is finalized under the block's stamp; what was told of it before may be out of date."""
        replica = s.replica[datanode][file]
        return replica.state.at(ReplicaLifecycle.finalized) & (replica.stamp == s.block_stamp[file])

    def is_of_no_use(s, file: File, datanode: Datanode) -> Bool:
        """It is never the last one that is counted, whatever was told of it before (facts I.3)."""
        another = ~((s.stored[file] - only(datanode)) & s.running).is_empty()
        return super().is_of_no_use(file, datanode) & (s.block[file].at(BlockLifecycle.removed) | another)

    def registers_anew(s, datanode: Datanode) -> None:
        """The datanode drops the recoveries that the former NameNode told it to lead.

        A repair: Hadoop's go on, and give a stamp to replicas of a block that a client has closed meanwhile.
        """
        s.attempt[datanode].update(lambda file: no_attempt())

    def may_leave_safe_mode(s) -> None:
        """Checks also: it is known who has what. A repair: Hadoop waits for complete blocks only.

        A block that is being written is then recovered from those that have told.
        """
        require(s.everybody_has_reported(), "every datanode that is up has reported")

    def everybody_has_reported(s) -> Bool:
        """No datanode that is up owes its first report."""
        return (s.owes_report & s.running).is_empty()

    def fsync(s, client: Client, file: File) -> None:
        """Checks also: the NameNode is not in safe mode, and knows of every replica; the length is logged (E.10).

        So a recovery asks for what is promised from now on. Hadoop does not look at replicas: a datanode tells of one
        with its next heartbeat, for which no client waits.
        """
        super().fsync(client, file)
        first = s.hflushed[file] == 0
        known = s.stream[client][file].pipeline <= s.locations[file]
        require(~first | ~s.safe_mode, "the NameNode is not in safe mode at the block's first hflush")
        require(~first | known, "the NameNode knows of every replica at the block's first hflush")
        s.block_bytes[file] = when(first, s.received_by_all(client, file), s.block_bytes[file])


class SafeModeEndsEarly(StreamedRestarts, lane="namenode"):
    """As in Hadoop 3.4.1: the NameNode leaves safe mode when every complete block has a replica."""

    def may_leave_safe_mode(s) -> None:
        """Checks: nothing more."""


class RecoveriesGoOn(StreamedRestarts, lane="namenode"):
    """As in Hadoop 3.4.1: a datanode goes on with a recovery when it registers with another NameNode."""

    def registers_anew(s, datanode: Datanode) -> None:
        """Nothing ends."""
