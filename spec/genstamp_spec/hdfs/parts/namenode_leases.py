"""The NameNode: opening files, leases, and the start of recoveries.

Finer than HDFS in nothing; coarser as `recovery_start.py` says. Each step is one hold of the namesystem lock.
"""

from genstamp_model.language import Bool, Maybe, action, exists, observe, require
from genstamp_spec.hdfs.parts.recovery_start import RecoveryStart, Turns
from genstamp_spec.hdfs.parts.state import (
    Client,
    ClientState,
    Datanode,
    DatanodeState,
    File,
    Holder,
    NamenodeState,
    NamespaceState,
    StreamStage,
)
from genstamp_spec.lifecycles.block import BlockLifecycle
from genstamp_spec.lifecycles.file import FileLifecycle
from genstamp_spec.lifecycles.lease import LeaseLifecycle


class Leases(RecoveryStart, NamespaceState, lane="namenode"):
    """create, renewLease, recoverLease, the lease monitor, and what they share.

    How a client keeps its stream and who leads a recovery is left to the parts that build on this one: the methods that
    they fill in do nothing here, or the least.
    """

    def past_soft_limit(s, holder: Holder) -> Bool:
        """The holder's lease has expired softly (LeaseManager.Lease#expiredSoftLimit)."""
        return s.lease[holder].at(LeaseLifecycle.past_soft_limit, LeaseLifecycle.past_hard_limit)

    def open_stream(s, client: Client, file: File) -> None:
        """The client keeps the stream that it was given."""

    def may_renew(s, client: Client) -> None:
        """Checks: the client has a reason to renew its lease."""

    def may_create(s, file: File) -> None:
        """Checks: the caller can mean this file."""

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

        Source  FSNamesystem#startFileInt, FSDirWriteFileOp#startFile, FSNamesystem#recoverLeaseInternal, Hadoop 3.4.1;
                facts E.1, F.1.
        """
        s.may_call(client)
        s.may_create(file)
        require(~s.file[file].at(FileLifecycle.closed), "the file does not exist", "FileAlreadyExistsException")
        s.recover_lease_internal(client, file)
        s.file[file].fire(FileLifecycle.create)
        s.client_name[file] = client
        s.grant(client, file)
        s.open_stream(client, file)

    def recover_lease_internal(s, client: Client, file: File) -> None:
        """Checks: nobody writes the file, without force. Past a limit other steps apply.

        Facts F.1 row 1, F.1 row 2, F.1 row 3, F.1 row 6, F.1 row 7.
        """
        open_, holder = s.under_construction(file), s.client_name[file]
        recovering = s.block[file].at(BlockLifecycle.under_recovery)
        fresh = open_ & ~s.past_soft_limit(holder)
        require(
            ~(open_ & s.lease_files[client].has(file)),
            "the caller does not hold the file's lease",
            "AlreadyBeingCreatedException",
        )
        require(
            ~(open_ & s.lease[holder].at(LeaseLifecycle.released)),
            "the file's holder has a lease",
            "AlreadyBeingCreatedException",
            defensive=True,
        )
        require(~(fresh & recovering), "no recovery of the block is under way", "RecoveryInProgressException")
        require(~fresh, "the holder's lease is past its soft limit", "AlreadyBeingCreatedException")
        require(~open_, "nobody writes the file")

    @action(event="create", refuses="RecoveryInProgressException")
    def create_starts_recovery(s, client: Client, file: File, primary: Maybe[Datanode]) -> None:
        """The holder's soft limit has passed: the call starts a recovery and is refused all the same.

        The holder stays, and its lease is renewed (newHolder null); facts F.1 row 5, F.2, F.4.
        """
        s.recover_softly(client, file, primary)

    @action(event="create", refuses="RecoveryInProgressException")
    def create_waits_for_recovery(s, client: Client, file: File) -> None:
        """As above, but a young attempt is under way: only the lease is renewed (HDFS-11576, facts F.4)."""
        s.wait_softly(client, file)

    @action(event="create", refuses="FileAlreadyExistsException")
    def create_closes_other(s, client: Client, file: File) -> None:
        """The holder's soft limit has passed and nothing is to be recovered: the file is closed, and so it exists.

        Facts E.1, F.1 row 5, F.3 rows 1 and 8.
        """
        s.may_close_other(client, file)
        s.close_unrecovered(file)

    def may_close_other(s, client: Client, file: File) -> None:
        """Checks: a file of another client, past its soft limit and with nothing to recover."""
        s.soft_takeover(client, file)
        require(s.nothing_to_recover(file), "there is nothing to recover")

    def soft_takeover(s, client: Client, file: File) -> None:
        """Checks: another client's file whose soft limit has passed."""
        s.may_call(client)
        require(s.under_construction(file), "the file is under construction")
        s.not_deleted(file, None)
        require(~s.lease_files[client].has(file), "the caller does not hold the file's lease")
        require(s.past_soft_limit(s.client_name[file]), "the holder's lease is past its soft limit")
        s.may_release(file)

    def recover_softly(s, client: Client, file: File, primary: Datanode) -> None:
        """A recovery is started for another client's call."""
        s.soft_takeover(client, file)
        require(~s.nothing_to_recover(file), "there is something to recover")
        require(~s.attempt_is_young[file], "no attempt is younger than the gate")
        require(s.may_lead(file, primary), "the primary is a candidate")
        s.start_recovery(file, primary)
        s.hold_softly(file)

    def wait_softly(s, client: Client, file: File) -> None:
        """A young attempt is under way for another client's call."""
        s.soft_takeover(client, file)
        require(~s.nothing_to_recover(file), "there is something to recover")
        require(s.attempt_is_young[file], "an attempt is younger than the gate")
        s.hold_softly(file)

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
        """Time: the lease was not renewed for the soft limit (facts D.1)."""
        s.lease[holder].fire(LeaseLifecycle.soft_limit_passes)

    @action(hidden=True)
    def hard_limit_passes(s, holder: Holder) -> None:
        """Time: the lease was not renewed for the hard limit (facts D.1)."""
        s.lease[holder].fire(LeaseLifecycle.hard_limit_passes)

    # recoverLease (E.12).

    @action(event="recover_lease", unchanged="there is nothing to recover")
    def recover_lease_closed(s, client: Client, file: File) -> None:
        """The file is closed already: true (FSNamesystem#recoverLease, Hadoop 3.4.1; facts E.12, F.1 row 1)."""
        s.may_call(client)
        require(~s.file[file].at(FileLifecycle.absent), "the file exists", "FileNotFoundException")
        s.not_deleted(file, "FileNotFoundException")
        require(
            ~(s.under_construction(file) & s.lease[s.client_name[file]].at(LeaseLifecycle.released)),
            "the file's holder has a lease",
            "AlreadyBeingCreatedException",
            defensive=True,
        )
        require(s.file[file].at(FileLifecycle.closed), "the file is closed")
        observe(closed=True)

    @action(event="recover_lease")
    def recover_lease_closes(s, client: Client, file: File) -> None:
        """There is nothing to recover: the call closes the file (facts E.12, A16, F.3 rows 1, 4 and 8)."""
        s.forced_takeover(client, file)
        require(s.nothing_to_recover(file), "there is nothing to recover")
        s.close_unrecovered(file)
        observe(closed=True)

    @action(event="recover_lease")
    def recover_lease_starts(s, client: Client, file: File, primary: Maybe[Datanode]) -> None:
        """The call starts a recovery whatever the lease's age, and the caller becomes the holder (E.12, F.1 row 4)."""
        s.forced_takeover(client, file)
        require(~s.nothing_to_recover(file), "there is something to recover")
        require(~s.attempt_is_young[file], "no attempt is younger than the gate")
        require(s.may_lead(file, primary), "the primary is a candidate")
        s.start_recovery(file, primary)
        s.reassign(file, client)
        observe(closed=False, recovery_id=s.recovery_id[file])

    @action(event="recover_lease")
    def recover_lease_waits(s, client: Client, file: File) -> None:
        """A young attempt is under way: the caller becomes the holder, and that is all (F.4)."""
        s.forced_takeover(client, file)
        require(~s.nothing_to_recover(file), "there is something to recover")
        require(s.attempt_is_young[file], "an attempt is younger than the gate")
        s.reassign(file, client)
        observe(closed=False)

    def forced_takeover(s, client: Client, file: File) -> None:
        """Checks: any open file whose holder has a lease."""
        s.may_call(client)
        require(s.under_construction(file), "the file is under construction")
        s.not_deleted(file, None)
        require(~s.lease[s.client_name[file]].at(LeaseLifecycle.released), "the file's holder has a lease")
        s.may_release(file)

    # The lease monitor (D.3).

    @action(event="release_expired_lease")
    def release_expired_lease_closes(s, holder: Holder, file: File) -> None:
        """The monitor finds an expired lease and nothing to recover: the file is closed (D.3, F.3 rows 1 and 8)."""
        s.expired(holder, file)
        require(s.nothing_to_recover(file), "there is nothing to recover")
        s.close_unrecovered(file)
        observe(closed=True)

    @action(event="release_expired_lease")
    def release_expired_lease_starts(s, holder: Holder, file: File, primary: Maybe[Datanode]) -> None:
        """The monitor starts a recovery, and the NameNode itself becomes the holder (facts F.3 rows 6, 7 and 9).

        Source  LeaseManager#checkLeases, FSNamesystem#internalReleaseLease, Hadoop 3.4.1; facts D.3, D.4, F.3.
        """
        s.expired(holder, file)
        require(~s.nothing_to_recover(file), "there is something to recover")
        require(~s.attempt_is_young[file], "no attempt is younger than the gate")
        require(s.may_lead(file, primary), "the primary is a candidate")
        s.start_recovery(file, primary)
        s.reassign(file, Holder.NAMENODE)
        observe(closed=False, recovery_id=s.recovery_id[file])

    @action(event="release_expired_lease")
    def release_expired_lease_waits(s, holder: Holder, file: File) -> None:
        """A young attempt is under way: the NameNode becomes the holder, and that is all (facts D.3, F.4 step 4)."""
        s.expired(holder, file)
        require(~s.nothing_to_recover(file), "there is something to recover")
        require(s.attempt_is_young[file], "an attempt is younger than the gate")
        s.reassign(file, Holder.NAMENODE)
        observe(closed=False)

    def expired(s, holder: Holder, file: File) -> None:
        """Checks: a file of a lease that is past its hard limit.

        Coarser  the NameNode has a lease for each hour in which it took files over (HDFS-11945, facts D.4); here they
                 are one, and any of them may be the one that has expired.
        """
        expired = s.lease[holder].at(LeaseLifecycle.past_hard_limit) | (holder == Holder.NAMENODE)
        s.may_work()
        require(expired, "the lease is past its hard limit")
        require(s.lease_files[holder].has(file), "the lease covers the file")
        s.may_release(file)


class NamenodeLeases(Leases, Turns, NamenodeState, DatanodeState, ClientState, lane="namenode"):
    """The same with streams, and with the choice of a primary among the locations."""

    def open_stream(s, client: Client, file: File) -> None:
        """The client has the file open, without a block."""
        s.stream[client][file].stage = StreamStage.OPEN
