"""Historic faults of leases and of the calls that they decide about, each as one change to hdfs.lease (facts L.1)."""

from typing import Any

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.hadoop_2_7 import (
    ISSUE,
    AddBlockUnderRecovery,
    CommittedBlocksStay,
    CommittedEmptyBlocksStay,
    MissingInodeIsAnExpiredLease,
    MonitorDropsLease,
    ReopenedWithoutRecovery,
)
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


HDFS_2484 = Difference(
    "HDFS-2484", parts=(MissingInodeIsAnExpiredLease,), source=ISSUE + "HDFS-2484; fixed in 2.8.0"
).seen("two_clients", "refusal complete_again, LeaseExpiredException: the file exists")
HDFS_10240 = historic("HDFS-10240", AddBlockUnderRecovery, ReopenedWithoutRecovery, fixed="3.0.4, 3.1.2, 3.2.0").at(
    "two_clients", "fenced_client_changes_nothing"
)
HDFS_11817 = historic("HDFS-11817", MonitorDropsLease, fixed="2.8.2, 2.7.7").at(
    "two_clients", "one_lease_per_open_file"
)
HDFS_14498 = Difference(
    "HDFS-14498",
    "a file whose last block was committed empty is not released",
    parts=(CommittedEmptyBlocksStay,),
    source=ISSUE + "HDFS-14498; fixed in 2.10.1, 3.2.2, 3.3.1; what never comes of it is in hdfs.expiry",
).seen("two_clients", "refusal recover_lease_closes, AlreadyBeingCreatedException: the committed block has bytes")
HDFS_15725 = Difference(
    "HDFS-15725",
    "a file whose committed last block no datanode has finalized is not released",
    parts=(CommittedBlocksStay,),
    source=ISSUE + "HDFS-15725; fixed in 2.10.2, 3.2.3, 3.3.1; what never comes of it is in hdfs.expiry",
).seen("two_clients", "refusal recover_lease_closes, AlreadyBeingCreatedException: the committed block is empty")

LEASE_2_7 = (HDFS_2484, HDFS_10240, HDFS_11817, HDFS_14498, HDFS_15725)
"""A recovery may follow another at once in 2.7.4 (HDFS-11576). That shows in hdfs.expiry alone, since in hdfs.lease the
gate between two attempts may open at any time.
"""


class PendingRecoveries(Part):
    """PendingRecoveryBlocks: whether it has an entry, however old."""

    pending = per(File, flag())  # for the last block
    earlier_pending = per(File, flag())  # for the one before


class CompletesByForce(AddBlockUnderRecovery, ReopenedWithoutRecovery, Owners, PendingRecoveries, lane="namenode"):
    """complete() and addBlock() complete a block that is under recovery, with any number of replicas.

    Who commits a block whose recovery was started completes it, with any number of replicas (facts A9, E.9).

    The entry stays when the client ends the block, and is there still when the block is opened again.

    Coarser than HDFS: whether the attempt is young is not remembered of the block before the last one.

    Source  BlockManager#commitOrCompleteLastBlock, PendingRecoveryBlocks#isUnderRecovery, Hadoop 2.10.2.

    HDFS-10240 is not there, and HDFS-12886 is: a block that PendingRecoveryBlocks has an entry for is completed by
    force. Since HDFS-10240 such an entry shows only after a recovery whose close has failed (facts E.9.12).
    """

    def lacks_replicas(s, file: File) -> Bool:
        """Of a block that has an entry, nobody asks."""
        return super().lacks_replicas(file) & ~s.pending[file]

    def start_recovery(s, file: File, primary: Datanode) -> None:
        """There is an entry from now on."""
        super().start_recovery(file, primary)
        s.pending[file] = True

    def recovery_ends(s, file: File) -> None:
        """The end of a recovery alone removes the entry (BlockManager#successfulBlockRecovery)."""
        super().recovery_ends(file)
        s.pending[file] = False

    def push(s, file: File) -> None:
        """A new last block has none."""
        s.earlier_pending[file] = s.pending[file]
        s.pending[file] = False
        super().push(file)

    def last_block_is_gone(s, file: File) -> None:
        """The block before has its own."""
        gone = s.makes_room(file)
        super().last_block_is_gone(file)
        s.pending[file] = when(gone, s.earlier_pending[file], s.pending[file])
        s.earlier_pending[file] = s.earlier_pending[file] & ~gone

    def remove_inode(s, file: File) -> None:
        """Entries of blocks that are gone concern nobody."""
        super().remove_inode(file)
        s.pending[file] = False
        s.earlier_pending[file] = False

    def datanodes_are_forgotten(s) -> None:
        """The table is in memory only."""
        super().datanodes_are_forgotten()
        s.pending.update(lambda file: False)
        s.earlier_pending.update(lambda file: False)

    def of_last_block(s) -> tuple[Any, ...]:
        """Entries move with the file."""
        return (*super().of_last_block(), s.pending, s.earlier_pending)


HDFS_10240_BY_FORCE = Bug(
    "HDFS-10240-with-HDFS-12886",
    parts=(CompletesByForce,),
    source=ISSUE + "HDFS-10240, with HDFS-12886 as in 2.9.1 to 2.10.2; fixed in 3.0.4, 3.1.2, 3.2.0",
).at("two_clients", "fenced_client_changes_nothing")
