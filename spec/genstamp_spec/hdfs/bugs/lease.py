"""Historic faults of leases and of the calls that they decide about, each as one change to hdfs.lease (facts L.1)."""

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.history import historic
from genstamp_spec.hdfs.parts.late_calls import LateKind, no_call
from genstamp_spec.hdfs.parts.lease_history import Owners
from genstamp_spec.hdfs.parts.state import Client, Datanode, File, Holder
from genstamp_spec.lifecycles import BlockLifecycle, LeaseLifecycle

HDFS_966 = historic(
    "HDFS-966",
    fixed="0.21.0",
    drops=(("release_expired_lease", "the NameNode is not in safe mode"),),
    title="the lease monitor works in safe mode too",
).at("restarts", "safe_mode_gives_out_no_stamp")
HDFS_1141 = historic(
    "HDFS-1141",
    fixed="0.22.0",
    drops=(("complete", "the caller owns the file"),),
    title="complete() does not ask whether the caller owns the file",
).at("restarts", "only_the_owner_changes_a_file")


class WholeLeaseGoes(Owners, lane="namenode"):
    """Expiry recovers one file and ends the whole lease of its holder."""

    def reassign(s, file: File, new_holder: Holder) -> None:
        """The lease of all the holder's files is removed with that of one."""
        old = s.client_name[file]
        super().reassign(file, new_holder)
        gone = (old != new_holder) & ~s.lease_files[old].is_empty()
        s.lease[old].fire(LeaseLifecycle.release, where=gone)
        s.lease_files.update(
            lambda holder: those(File, lambda f: s.lease_files[holder].has(f) & ~(gone & (holder == old)))
        )


HDFS_1204 = historic("HDFS-1204", WholeLeaseGoes, fixed="in the 0.20-append line").at(
    "takeovers", "one_lease_per_open_file"
)


class LeaseKeepsOldPath(Owners, lane="namenode"):
    """Rename leaves the lease at the old path."""

    def move_lease(s, source: File, target: File) -> None:
        """The lease covers the path as before."""


HDFS_2827 = historic("HDFS-2827", LeaseKeepsOldPath, fixed="0.23.1").at("files", "one_lease_per_open_file")


class RenameLosesLease(Owners, lane="namenode"):
    """Rename removes the lease instead of writing its new path."""

    def move_lease(s, source: File, target: File) -> None:
        """The lease is removed at the old path and is not added at the new one."""
        holder = s.client_name[source]
        s.lease_files[holder].remove(source)
        last = ~holder.is_none() & s.lease_files[holder].is_empty() & (source != target)
        s.lease[holder].fire(LeaseLifecycle.release, where=last)


HDFS_4248 = historic("HDFS-4248", RenameLosesLease, fixed="0.23.6, 2.0.3").at("files", "one_lease_per_open_file")


class RemovedFileKeepsLease(Owners, lane="namenode"):
    """A lease still covers a file that was removed."""

    def drop_lease(s, file: File) -> None:
        """Nothing happens to the lease."""


HDFS_4232 = historic("HDFS-4232", RemovedFileKeepsLease, fixed="0.23.6").at("blocks", "one_lease_per_open_file")


class SecondPartTrustsTheFirst(Owners, lane="namenode"):
    """Two addBlock calls in flight add two blocks."""

    @action(event="add_block")
    def add_block_goes_on(s, client: Client, file: File) -> None:
        """There was no previous block, so nothing is committed, and a block is added behind what is there by now."""
        s.late_call(client, file, LateKind.ADD_BLOCK)
        s.check_lease(client, file, answers=False)
        require(s.late.stamp == 0, "it was to be the file's first block")
        s.push(file)
        s.block[file].fire(BlockLifecycle.add_block)
        s.last_stamp = s.last_stamp + 1
        s.block_stamp[file] = s.last_stamp
        s.locations[file] = s.running
        s.late = no_call()


HDFS_4452 = historic("HDFS-4452", SecondPartTrustsTheFirst, fixed="2.0.3").at(
    "late_calls", "only_the_last_two_blocks_are_incomplete"
)


class LengthIsNotSent(Owners, lane="namenode"):
    """After the first hflush a block is still empty to the NameNode, which drops it when it starts again."""

    def take_length(s, client: Client, file: File, num_bytes: Number) -> None:
        """Nothing is learned of the length."""
        s.writes(client, file)
        s.block[file].fire(BlockLifecycle.fsync)
        observe(num_bytes=num_bytes)


HDFS_4516 = historic("HDFS-4516", LengthIsNotSent, fixed="2.3.0").at(
    "two_clients", "promised_bytes_are_known", "only_empty_blocks_are_dropped"
)


class RepeatedCallGetsNoLocations(Owners, lane="namenode"):
    """A repeated addBlock returns a block without locations after the NameNode has started again."""

    def known_or_chosen(s, file: File) -> Members[Datanode]:
        """None, after a restart."""
        return s.locations[file]


HDFS_5257 = historic("HDFS-5257", RepeatedCallGetsNoLocations, fixed="2.3.0").at(
    "late_restart", "given_block_has_locations"
)


class CommitComesFirst(Owners, lane="namenode"):
    """The last block is committed before the block before it is known to be complete."""

    def waits_for_the_block_before(s, client: Client, file: File) -> bool:
        """False, and the last block is COMMITTED."""
        words = "the block before is not complete", "the block before is complete"
        if case("waits_for_the_block_before", ~s.earlier_is_complete(file), *words):
            require(s.ready_to_complete(client, file), "the last packet is acknowledged")
            s.commit(client, file)
            observe(closed=False, block_state=s.block[file])
            return True
        return False


HDFS_5558 = historic("HDFS-5558", CommitComesFirst, fixed="0.23.10, 2.3.0").at(
    "two_clients", "only_the_last_two_blocks_are_incomplete"
)


class RepeatedCallWaits(Owners, lane="namenode"):
    """A repeated addBlock is refused while the client's previous block lacks replicas."""

    def may_have_it_again(s, client: Client, file: File) -> Bool:
        """Only if the client's previous block is complete by now."""
        return super().may_have_it_again(client, file) & s.earlier_is_complete(file)


HDFS_9690 = historic("HDFS-9690", RepeatedCallWaits, fixed="2.7.3").at("late_calls", "missed_block_can_be_had")


class LeaseGoesFirst(Owners, lane="namenode"):
    """A lease is removed although closing the file fails."""

    @action(event="commit_block_synchronization", refuses="IllegalStateException")
    def commit_block_synchronization_too_early(s, primary: Datanode, file: File) -> None:
        """The file stays open without a lease."""
        attempt = s.reports_back(primary, file)
        require(s.known(file), "the block is known")
        require(~s.already_done(file), "the block is not complete yet")
        require(attempt.recovery_id == s.recovery_id[file], "the recovery id is the current one")
        require(~s.earlier_is_complete(file), "the block before is not complete")
        s.drop_lease(file)
        s.attempt_ends(primary, file)


HDFS_10763 = historic("HDFS-10763", LeaseGoesFirst, fixed="2.6.5, 2.7.4, 2.8.0").at("blocks", "one_lease_per_open_file")

LEASE_BUGS = (
    HDFS_966,
    HDFS_1141,
    HDFS_1204,
    HDFS_2827,
    HDFS_4232,
    HDFS_4248,
    HDFS_4452,
    HDFS_4516,
    HDFS_5257,
    HDFS_5558,
    HDFS_9690,
    HDFS_10763,
)
