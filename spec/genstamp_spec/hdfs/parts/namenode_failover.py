"""The end of a NameNode, and the next one: restart from the disk, or failover to the standby.

Coarser than HDFS: the NameNode that stops is fenced at once (a JournalNode takes no edit from it any more, so that it
can sync and answer nothing); of the reports that the standby has queued only the locations are left.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.earlier_state import Earlier
from genstamp_spec.hdfs.parts.journal_state import Call, CallStage, Service
from genstamp_spec.hdfs.parts.state import Client, Datanode, File, Holder, no_datanode
from genstamp_spec.hdfs.state.journal import Logged
from genstamp_spec.lifecycles import BlockLifecycle, FileLifecycle, LeaseLifecycle


class NamenodeFailover(Logged, lane="namenode", callers=(Client, Datanode)):
    """namenode_stops, start_active_services, restart, safe mode."""

    @action
    def namenode_stops(s) -> None:
        """The active NameNode crashes, or is fenced: what it had not synced is lost, and so is every answer under way.

        Calls whose edits are on disk have been executed all the same, and their clients do not know (facts E.0, I.5).
        """
        require(~s.service.at(Service.STARTING), "the NameNode is up")
        s.service = Service.STARTING
        s.namenode_failures = s.namenode_failures + 1
        s.done_calls = s.done_calls & s.synced_calls
        s.call.update(lambda client: s.interrupted(client))

    def interrupted(s, client: Client) -> Call:
        """Nobody answers any more; what is not on disk is as if it had never been."""
        call = s.call[client]
        waited = call.stage.at(CallStage.WAITING)
        return Call(
            stage=when(waited, CallStage.LOST, call.stage),
            kind=call.kind,
            file=call.file,
            stamp=when(s.synced_calls.has(client), call.stamp, 0),
            call_id=call.call_id,
        )

    @action
    def start_active_services(s) -> None:
        """The standby has replayed all that is on disk, and becomes active.

        It knows the replicas that datanodes have reported to it too; leases are renewed, the counter of stamps is
        raised to what was logged, recoveries and their queues are forgotten.

        Source  FSNamesystem#startActiveServices, Hadoop 3.4.1; facts A.7, A18, A19, H.6.
        """
        require(s.queued <= s.running, "every queued report is that of a datanode that is known")
        s.takes_over(s.running)
        s.service = Service.ACTIVE

    @action(hidden=True)
    def standby_queues_report(s, datanode: Datanode) -> None:
        """A datanode reports a replica that the standby cannot judge yet: it is kept until the edits are there.

        Coarser  no report comes while nobody is active.
        Source  BlockManager#processReport, PendingDataNodeMessages, Hadoop 3.4.1; facts I.1.
        """
        require(s.running.has(datanode), "the datanode is running")
        require(~s.service.at(Service.STARTING), "a NameNode is up")
        require(~s.queued.has(datanode), "no report of the datanode is queued")
        s.queued.add(datanode)
        s.queued_reports = s.queued_reports + 1

    @action
    def restart_namenode(s) -> None:
        """A NameNode has read image and log, and starts in safe mode: it knows no replica yet.

        Source  FSImageFormatPBINode.Loader#loadINodeFile, Hadoop 3.4.1; facts A.7, A18, A19, I.4.
        """
        s.takes_over(no_datanode())
        s.service = Service.SAFE_MODE

    def takes_over(s, reported: Members[Datanode]) -> None:
        """The image becomes the memory."""
        require(s.service.at(Service.STARTING), "nobody is active")
        require(s.synced == 0, "every edit on disk is replayed")
        s.edits.clear()
        s.queued.clear()
        s.last_stamp = s.synced_stamp
        s.file.update(lambda file: s.image[file].state)
        s.path.update(lambda file: s.image[file].path)
        s.in_tree = those(File, lambda file: ~s.image[file].path.is_none())
        s.client_name.update(lambda file: s.image[file].holder)
        s.block.update(lambda file: s.loaded_block(file))
        s.block_stamp.update(lambda file: s.image[file].stamp)
        s.block_bytes.update(lambda file: s.image[file].num_bytes)
        s.locations.update(lambda file: when(s.known(file), reported, no_datanode()))
        s.stored.update(lambda file: when(s.block[file].at(BlockLifecycle.complete), reported, no_datanode()))
        s.recovery_id.update(lambda file: 0)
        s.attempt_is_young.update(lambda file: False)
        s.primary.update(lambda file: none)
        s.lease_files.update(lambda holder: those(File, lambda file: s.image[file].holder == holder))
        s.lease.update(lambda holder: s.loaded_lease(holder))
        s.cached.update(lambda client: s.image_cached[client])
        s.earlier.update(lambda file: s.loaded_earlier(file))
        observe(generation_stamp=s.last_stamp)

    def loaded_earlier(s, file: File) -> Earlier:
        """The block before the last one.

        Coarser  its replicas are known at once; they count only where it becomes the last one again.
        """
        image = s.image_earlier[file]
        return Earlier(
            state=image.state,
            stamp=image.stamp,
            num_bytes=image.num_bytes,
            locations=no_datanode(),
            stored=when(s.image_has_earlier(file), s.running, no_datanode()),
        )

    def loaded_block(s, file: File) -> Lifecycle:
        """A18, A19: the last block of an open file is UNDER_CONSTRUCTION, others are COMPLETE."""
        image = s.image[file]
        last_of_open_file = image.block.after(BlockLifecycle.restart_last_of_open_file)
        other = image.block.after(BlockLifecycle.restart_any_other)
        return when(image.state.at(FileLifecycle.under_construction), last_of_open_file, other)

    def loaded_lease(s, holder: Holder) -> Lifecycle:
        """A lease for each holder of a file, with a fresh time; memory and disk may differ in who that is."""
        lease = s.lease[holder]
        released = lease.at(LeaseLifecycle.released)
        granted = when(released, lease.after(LeaseLifecycle.grant), lease.after(LeaseLifecycle.restart))
        return when(s.lease_files[holder].is_empty(), lease.after(LeaseLifecycle.release), granted)

    @action(hidden=True)
    def leave_safe_mode(s) -> None:
        """Enough complete blocks have a replica, and the extension is over.

        Source  BlockManagerSafeMode#areThresholdsMet, Hadoop 3.4.1; facts I.4.
        """
        require(s.service.at(Service.SAFE_MODE), "the NameNode is in safe mode")
        enough = forall(File, lambda file: ~s.block[file].at(BlockLifecycle.complete) | ~s.stored[file].is_empty())
        require(enough, "every complete block has a replica")
        s.service = Service.ACTIVE

    @action(caller="datanode")
    def report_replica_being_written(s, file: File, datanode: Datanode) -> None:
        """A datanode reports an RBW or RWR replica: it is a location of the block again (facts I.1 step 5).

        Source  BlockManager#addStoredBlockUnderConstruction, Hadoop 3.4.1.
        """
        require(s.running.has(datanode), "the datanode is running")
        require(~s.service.at(Service.STARTING), "the NameNode is up")
        require(s.block[file].at(*BlockLifecycle.not_complete), "the block is not complete")
        require(~s.locations[file].has(datanode), "the datanode is no location of the block")
        s.locations[file].add(datanode)
