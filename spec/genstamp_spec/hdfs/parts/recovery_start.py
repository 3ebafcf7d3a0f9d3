"""The NameNode: what a release of a file finds, the start of a recovery, and closing a file, whoever asks for it.

Coarser than HDFS: the primary is any candidate rather than the one heard of last. Here a file has one block at most,
and the namesystem is never in safe mode; `earlier_blocks.py` and `namenode_restart.py` add these to some systems.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.journal_state import Service
from genstamp_spec.hdfs.parts.state import Client, Datanode, File, no_datanode, only
from genstamp_spec.hdfs.state.journal import Logged
from genstamp_spec.hdfs.state.namenode import Callers
from genstamp_spec.hdfs.state.streams import Streams
from genstamp_spec.lifecycles import BlockLifecycle, FileLifecycle


class RecoveryStart(Callers, lane="namenode", callers=(Client, Datanode)):
    """What internalReleaseLease and initializeBlockRecovery look at and do, and the gate between two attempts."""

    # What internalReleaseLease finds (facts F.3, for one block).

    def nothing_to_recover(s, file: File) -> Bool:
        """Rows 1 and 8: no block, a complete one, or an empty one that nobody was told to write.

        No step here leads to row 8: addBlock always has locations, and only a restarted NameNode forgets them.
        """
        never_written = s.locations[file].is_empty() & (s.block_bytes[file] == 0)
        return s.block[file].at(BlockLifecycle.absent, BlockLifecycle.removed, BlockLifecycle.complete) | never_written

    def may_lead(s, file: File, primary: Datanode) -> Bool:
        """The primary is a candidate of initializeBlockRecovery; none where there is none: a live location."""
        live = s.locations[file] & s.running
        return when(live.is_empty(), primary.is_none(), live.has(primary))

    def may_call(s, client: Client) -> None:
        """Checks: the client is up, and the NameNode takes its call."""
        require(s.alive.has(client), "the client is running")

    def start_recovery(s, file: File, primary: Datanode) -> None:
        """F.4 steps 1 and 3: a fresh recovery id, a primary, and the command in its queue."""
        s.last_stamp = s.last_stamp + 1
        s.recovery_id[file] = s.last_stamp
        s.block[file].fire(BlockLifecycle.start_recovery)
        s.attempt_is_young[file] = True
        s.lead(file, primary)

    @action(hidden=True)
    def recovery_gate_opens(s, file: File) -> None:
        """Time: the last attempt is older than 90 s (PendingRecoveryBlocks, HDFS-11576)."""
        require(s.attempt_is_young[file], "an attempt is younger than the gate")
        s.may_open_gate(file)
        s.attempt_is_young[file] = False

    def drop_empty_block(s, file: File) -> None:
        """F.3 row 8: an empty last block without locations is removed."""
        empty = s.block[file].at(*BlockLifecycle.not_complete)
        s.block[file].fire(BlockLifecycle.drop_empty_block, where=empty)
        s.last_block_is_gone(file)

    def close_unrecovered(s, file: File) -> None:
        """F.3 rows 1, 4 and 8: there is nothing to recover, and the file is closed at once."""
        s.drop_empty_block(file)
        s.close(file)

    def close(s, file: File) -> None:
        """FSNamesystem#finalizeINodeFileUnderConstruction: the file is closed (facts A.5)."""
        s.client_name[file] = none
        s.file[file].fire(FileLifecycle.close)


class Turns(RecoveryStart, Streams, lane="namenode"):
    """The same where locations take turns as the primary, and get the command by a heartbeat."""

    def may_lead(s, file: File, primary: Datanode) -> Bool:
        """The primary is a candidate of initializeBlockRecovery (facts G.1); none where there is none.

        Live locations that have not led an attempt yet; all live ones once each has.
        """
        live = s.alive_locations(file)
        untried = live - s.tried_as_primary[file]
        candidate = when(untried.is_empty(), live.has(primary), untried.has(primary))
        return when(live.is_empty(), primary.is_none(), ~primary.is_none() & candidate)

    def lead(s, file: File, primary: Datanode) -> None:
        """The primary counts as tried, and the command waits for its heartbeat (facts G.1)."""
        live = s.alive_locations(file)
        everyone_tried = (live - s.tried_as_primary[file]).is_empty()
        s.tried_as_primary[file] = when(everyone_tried, no_datanode(), s.tried_as_primary[file])
        s.tried_as_primary[file].add(primary)
        s.primary[file] = primary
        s.recovery_queue[primary].add(file)


class RecoveryInOutline(Logged, lane=Datanode):
    """The recovery command, and its end.

    Coarser than HDFS: the primary finds what the NameNode knows; it has updated all running datanodes.
    """

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
