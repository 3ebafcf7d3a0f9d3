"""Faults of lease and block recovery at the NameNode and at the primary."""

from genstamp_model.language import Bug, Members, Number, action, observe, require
from genstamp_spec.hdfs.parts.block_recovery import BlockRecovery
from genstamp_spec.hdfs.parts.client import Clients
from genstamp_spec.hdfs.parts.namenode_leases import NamenodeLeases
from genstamp_spec.hdfs.parts.state import Attempt, Client, Datanode, File, Holder
from genstamp_spec.lifecycles.block import BlockLifecycle
from genstamp_spec.lifecycles.lease import LeaseLifecycle


class CommitUnderRecovery(BlockRecovery, Clients, lane="namenode"):
    """The late complete() of a client whose block is under recovery goes through, and cancels the recovery silently."""

    @action(event="complete")
    def complete_under_recovery(s, client: Client, file: File) -> None:
        """The client that still owns the file commits its own length and stamp."""
        s.check_lease(client, file, answers=False)
        require(s.ready_to_complete(client, file), "the last packet is acknowledged")
        require(s.block[file].at(BlockLifecycle.under_recovery), "the block is under recovery")
        s.block[file].fire(BlockLifecycle.commit_block_synchronization_without_close)
        s.commit(client, file)
        observe(closed=False)


HDFS_10240 = Bug(
    "HDFS-10240",
    "complete() and addBlock() commit a block that is under recovery",
    parts=(CommitUnderRecovery,),
    breaks=("fenced_client_changes_nothing", "counted_replicas_match"),
    configuration="takeover",
    depth=7,
    source="https://issues.apache.org/jira/browse/HDFS-10240; fixed in 3.0.4, 3.1.2, 3.2.0",
)


class RestartedReplicasCount(BlockRecovery, lane=Datanode):
    """Replicas of a restarted datanode rank equal to those being written."""

    def chosen(
        s, attempt: Attempt, finalized: Members[Datanode], rbw: Members[Datanode], rwr: Members[Datanode]
    ) -> tuple[Members[Datanode], Number]:
        """Who takes part, and the length: RWR and RBW are one kind."""
        return super().chosen(attempt, finalized, rbw | rwr, rwr)


HDFS_1218 = Bug(
    "HDFS-1218",
    "replicas of a restarted datanode (RWR) take part in the minimum",
    parts=(RestartedReplicasCount,),
    breaks=("hflushed_bytes_survive",),
    configuration="restarts",
    depth=19,
    source="https://issues.apache.org/jira/browse/HDFS-1218; fixed in the 0.20-append line",
)


class MonitorDropsLease(NamenodeLeases, lane="namenode"):
    """A committed block that lacks replicas makes the release fail, and the monitor drops the file from the lease."""

    @action(event="release_expired_lease", refuses="AlreadyBeingCreatedException")
    def release_expired_lease_fails(s, holder: Holder, file: File) -> None:
        """internalReleaseLease throws (before HDFS-14498 and HDFS-15725); the lease loses the file."""
        s.expired(holder, file)
        require(s.block[file].at(BlockLifecycle.committed), "the block is committed and short of replicas")
        s.lease_files[holder].remove(file)
        s.lease[holder].fire(LeaseLifecycle.release, where=s.lease_files[holder].is_empty())


HDFS_11817 = Bug(
    "HDFS-11817",
    "the lease monitor drops a file's lease when releasing it throws",
    parts=(MonitorDropsLease,),
    breaks=("one_lease_per_open_file",),
    configuration="takeover",
    depth=9,
    source="https://issues.apache.org/jira/browse/HDFS-11817; fixed in 2.8.2, 2.7.7",
)
