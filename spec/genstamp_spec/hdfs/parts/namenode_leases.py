"""The NameNode: opening files, leases, and the start of recoveries.

Finer than HDFS in nothing; coarser as `recovery_start.py` says. Each step is one hold of the namesystem lock.
"""

import enum
from collections.abc import Callable

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.recovery_start import RecoveryStart
from genstamp_spec.hdfs.parts.state import (
    Client,
    Datanode,
    File,
    Holder,
    NamespaceState,
)
from genstamp_spec.lifecycles import BlockLifecycle, FileLifecycle, LeaseLifecycle

CREATING = "AlreadyBeingCreatedException"
RECOVERING = "RecoveryInProgressException"


class Release(enum.Enum):
    """What internalReleaseLease does with a file."""

    CLOSES = enum.auto()
    WAITS = enum.auto()
    STARTS = enum.auto()


class Leases(RecoveryStart, NamespaceState, lane="namenode"):
    """create, renewLease, recoverLease, the lease monitor, and what they share.

    How a client keeps its stream and who leads a recovery, the views of the callers say.
    """

    # Effects that several steps share.

    def grant(s, client: Client, file: File) -> None:
        """LeaseManager#addLease (facts D.2)."""
        s.lease[client].fire(LeaseLifecycle.grant)
        s.lease_files[client].add(file)

    def reassign(s, file: File, new_holder: Holder) -> None:
        """F.4 step 4, F.2: FSNamesystem#reassignLease. The new holder's lease starts its age anew."""
        old = s.client_name[file]
        s.lease_files[old].remove(file)
        s.lease[old].fire(LeaseLifecycle.reassign, where=(old != new_holder) & s.lease_files[old].is_empty())
        s.lease[new_holder].fire(LeaseLifecycle.take_over)
        s.lease_files[new_holder].add(file)
        s.client_name[file] = new_holder

    def give_up_lease(s, file: File) -> None:
        """LeaseManager#removeLease: the file goes, and with the last one the lease (facts D.2)."""
        holder = s.client_name[file]
        s.lease_files[holder].remove(file)
        left = s.lease_files[holder]
        recovering = exists(File, lambda f: left.has(f) & s.block[f].at(BlockLifecycle.under_recovery))
        s.lease[holder].fire(LeaseLifecycle.release, where=left.is_empty())
        ends = s.lease[holder].at(LeaseLifecycle.being_recovered) & ~left.is_empty() & ~recovering
        s.lease[holder].fire(LeaseLifecycle.recovery_ends, where=ends)

    def drop_lease(s, file: File) -> None:
        """LeaseManager#removeLease of a file that may be open; the inode keeps its client name (facts D.2)."""
        holder = s.client_name[file]
        s.lease_files[holder].remove(file)
        left, granted = s.lease_files[holder], s.lease[holder].at(*LeaseLifecycle.granted)
        s.lease[holder].fire(LeaseLifecycle.release, where=~holder.is_none() & left.is_empty() & granted)

    def close(s, file: File) -> None:
        """FSNamesystem#finalizeINodeFileUnderConstruction: the file is closed, its lease goes (facts A.5)."""
        s.give_up_lease(file)
        super().close(file)

    # Opening a file.

    @action
    def create(s, client: Client, file: File) -> None:
        """A client creates a file, without overwrite.

        Source  FSNamesystem#startFileInt, FSDirWriteFileOp#startFile, Hadoop 3.4.1; facts E.1.
        """
        s.may_call(client)
        s.may_create(file)
        require(~s.file[file].at(FileLifecycle.closed), "the file does not exist", "FileAlreadyExistsException")

        def closed() -> None:
            way("closes_other", refuses="FileAlreadyExistsException")
            s.close_unrecovered(file)

        if s.recover_lease_internal(client, file, closed):
            return
        s.file[file].fire(FileLifecycle.create)
        s.client_name[file] = client
        s.grant(client, file)
        s.open_stream(client, file)

    def recover_lease_internal(s, client: Client, file: File, closed: Callable[[], None] | None) -> bool:
        """Whether the call ends here, since another client writes the file.

        Past the soft limit of the holder's lease the file is released, and the call is refused all the same; the holder
        stays (newHolder null).

        Args:
            client: who calls.
            file: what it asks for.
            closed: what follows where there is nothing to recover; None where the text leaves that out.

        Source  FSNamesystem#recoverLeaseInternal without force, Hadoop 3.4.1;
                facts F.1 row 1, F.1 row 2, F.1 row 3, F.1 row 5, F.1 row 6, F.1 row 7.
        """
        writing, holder = s.under_construction(file), s.client_name[file]
        if not case(
            "starts_recovery", writing, "somebody writes the file", "nobody writes the file", refuses=RECOVERING
        ):
            return False
        require(~s.lease_files[client].has(file), "the caller does not hold the file's lease", CREATING)
        s.has_lease(holder)
        expired, recovering = s.past_soft_limit(holder), s.block[file].at(BlockLifecycle.under_recovery)
        require(expired | ~recovering, "no recovery of the block is under way", RECOVERING)
        require(expired, "the holder's lease is past its soft limit", CREATING)

        def hold() -> None:
            s.hold_softly(file)
            s.is_taken_over(client, file)

        s.internal_release_lease(file, hold, closed)
        return True

    def internal_release_lease(s, file: File, hold: Callable[[], None], closed: Callable[[], None] | None) -> Release:
        """A file whose writer is gone is closed, or its last block recovered for whoever holds it then.

        Args:
            file: it.
            hold: who holds it while its block is recovered.
            closed: what follows where there is nothing to recover; None where the text leaves that out.

        Source  FSNamesystem#internalReleaseLease, Hadoop 3.4.1;
                facts F.3 row 1, F.3 row 4, F.3 row 6, F.3 row 7, F.3 row 8, F.3 row 9, F.4.
        """
        s.may_release(file)  # rows 2, 3 and 5
        nothing, something = "there is nothing to recover", "there is something to recover"
        if closed is None:
            require(~s.nothing_to_recover(file), something)
        elif case("closes", s.nothing_to_recover(file), nothing, something):  # rows 1, 4 and 8
            closed()
            return Release.CLOSES
        gate = "an attempt is younger than the gate", "no attempt is younger than the gate"
        if case("waits", s.attempt_is_young[file], *gate):  # HDFS-11576
            hold()
            return Release.WAITS
        primary = pick("primary", Datanode, or_none=True)
        require(s.may_lead(file, primary), "the primary is a candidate")
        s.start_recovery(file, primary)  # rows 6, 7 and 9
        hold()
        return Release.STARTS

    def has_lease(s, holder: Holder) -> None:
        """Checks: the holder of an open file has a lease."""
        none_left = s.lease[holder].at(LeaseLifecycle.released)
        require(~none_left, "the file's holder has a lease", CREATING, defensive=True)

    def hold_softly(s, file: File) -> None:
        """The holder stays, and its lease is renewed (facts F.2, F.4 step 5)."""
        s.lease[s.client_name[file]].fire(LeaseLifecycle.start_recovery)

    # Leases age and are renewed.

    @action
    def renew_lease(s, client: Client) -> None:
        """A client renews its lease; without one it is accepted in silence (LeaseManager#renewLease, D.5, E.11)."""
        s.may_call(client)
        s.may_renew(client)
        s.lease[client].fire(LeaseLifecycle.renew)

    @action(hidden=True)
    def soft_limit_passes(s, holder: Holder) -> None:
        """Time: the lease was not renewed for the soft limit (facts D.1, 0.1.19)."""
        s.lease[holder].fire(LeaseLifecycle.soft_limit_passes)

    @action(hidden=True)
    def hard_limit_passes(s, holder: Holder) -> None:
        """Time: the lease was not renewed for the hard limit (facts D.1, 0.1.19)."""
        s.lease[holder].fire(LeaseLifecycle.hard_limit_passes)

    # recoverLease (E.12) and the lease monitor (D.3).

    @action
    def recover_lease(s, client: Client, file: File) -> None:
        """Somebody wants a file closed, whatever its lease's age: true if it is, and else the caller is its holder.

        Source  FSNamesystem#recoverLease, #recoverLeaseInternal with force, Hadoop 3.4.1;
                facts E.12, A16, F.1 row 1, F.1 row 3, F.1 row 4.
        """
        s.may_call(client)
        require(~s.file[file].at(FileLifecycle.absent), "the file exists", "FileNotFoundException")
        s.not_deleted(file, "FileNotFoundException")
        closed = s.file[file].at(FileLifecycle.closed)
        if case("closed", closed, "the file is closed", "the file is open", unchanged="there is nothing to recover"):
            observe(closed=True)
            return
        s.has_lease(s.client_name[file])
        s.may_force(client, file)
        s.release(file, client)

    @action
    def release_expired_lease(s, holder: Holder, file: File) -> None:
        """The monitor finds a lease past its hard limit: the file is closed, or the NameNode itself is its holder.

        Source  LeaseManager#checkLeases, Hadoop 3.4.1; facts D.3, D.4.
        """
        s.expired(holder, file)
        s.release(file, Holder.NAMENODE)

    def release(s, file: File, new_holder: Holder) -> None:
        """The file is closed, or held by another; shown is which, and the recovery id that was given out."""
        found = s.internal_release_lease(file, lambda: s.reassign(file, new_holder), lambda: s.close_unrecovered(file))
        observe(closed=found == Release.CLOSES)
        if found == Release.STARTS:
            way("starts")
            observe(recovery_id=s.recovery_id[file])

    def expired(s, holder: Holder, file: File) -> None:
        """Checks: a file of a lease that is past its hard limit.

        Coarser  than HDFS, where the NameNode has a lease for each hard limit in which it took files over (HDFS-11945,
                 facts D.2.6, D.4): here they are one, and any of them may be the one that has expired.
        """
        expired = s.lease[holder].at(LeaseLifecycle.past_hard_limit) | (holder == Holder.NAMENODE)
        s.may_work()
        require(expired, "the lease is past its hard limit")
        require(s.lease_files[holder].has(file), "the lease covers the file")


class WriterLosesTheFile(Leases, lane="namenode"):
    """A repair: its writer loses the file at once."""

    def hold_softly(s, file: File) -> None:
        """The NameNode holds the file, as it does past the hard limit, so that its writer has lost it.

        Hadoop leaves it with its writer, whose lease is renewed (facts F.2).
        """
        s.reassign(file, Holder.NAMENODE)


class WriterKeepsTheFile(WriterLosesTheFile, lane="namenode"):
    """As in Hadoop 3.4.1: the repair is taken out."""

    def hold_softly(s, file: File) -> None:
        """The writer's lease is renewed, and no more."""
        Leases.hold_softly(s, file)
