"""Failures that stop: so much may go wrong, and then no more, as what is promised of the end of recoveries assumes.

Coarser than HDFS: time is only this, that an attempt that is still under way is younger than the gate between two
attempts (90 s), unless that goes wrong too, and that a datanode that is up is heard of. At most one datanode is down or
has a broken disk.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.block_recovery import CarefulAgreement
from genstamp_spec.hdfs.parts.recovery_messages import RecoveryMessages
from genstamp_spec.hdfs.parts.state import Attempt, AttemptStage, Datanode, File


class Mishap(Index):
    """Something that may go wrong, once; a configuration says how many there are."""


class BoundedFaults(CarefulAgreement, RecoveryMessages, lane=Datanode):
    """Crashes, broken disks, lost messages and forgotten storages, as many as there are mishaps."""

    ahead = members(Mishap, initially_all=True)
    broken = members(Datanode)  # cannot update replicas any more
    slow_attempts = number(limit="slow_attempts")  # history: only limited, never read

    @limit("broken_disks")
    def broken_disks(s) -> Number:
        """How many datanodes have broken disks."""
        return s.broken.size()

    def may_fail(s) -> None:
        """One mishap less is ahead."""
        require(~s.ahead.is_empty(), "something may still go wrong")
        s.ahead.remove(choose(Mishap, lambda mishap: s.ahead.has(mishap)))

    def may_crash(s) -> None:
        """Only while all is well with every datanode, and there is another; or before there is a block."""
        nothing_yet = forall(File, lambda file: ~s.known(file))
        require(s.all_are_well() | nothing_yet, "another datanode is well, or there is no block yet")
        s.may_fail()

    def all_are_well(s) -> Bool:
        """All datanodes are up, with good disks, and there are several."""
        well = forall(Datanode, lambda datanode: s.running.has(datanode) & ~s.broken.has(datanode))
        return well & (s.running.size() > 1)

    @action(hidden=True)
    def disk_breaks(s, file: File, datanode: Datanode) -> None:
        """A datanode can read its replicas from now on, but not change them; others have the same bytes as it has."""
        require(s.all_are_well(), "all datanodes are up, with good disks, and there are several")
        require(forall(Datanode, lambda d: s.are_alike(d, datanode, file)), "every datanode has what this one has")
        s.may_fail()
        s.broken.add(datanode)

    def are_alike(s, first: Datanode, second: Datanode, file: File) -> Bool:
        """Two datanodes have replicas of one state and length."""
        one, other = s.replica[first][file], s.replica[second][file]
        same = (one.state == other.state) & (one.original == other.original) & (one.num_bytes == other.num_bytes)
        return s.has_bytes(first, file) & same

    def may_update(s, datanode: Datanode) -> None:
        """Its disk is well."""
        require(~s.broken.has(datanode), "the datanode's disk is well")

    @action(event="update_replica_under_recovery", refuses="IOException")
    def update_replica_on_broken_disk(s, primary: Datanode, file: File, datanode: Datanode) -> None:
        """The update fails for want of a disk (facts G.4)."""
        attempt = s.updates(primary, file, datanode)
        require(s.broken.has(datanode), "the datanode's disk is broken")
        attempt.failed.add(datanode)

    @action(hidden=True)
    def report_is_lost(s) -> None:
        """commitBlockSynchronization does not arrive."""
        report = s.reports.receive()
        s.may_fail()
        s.reports.take(report)

    def report_is_answered(s, primary: Datanode, file: File, attempt: Attempt) -> None:
        """A report comes once."""
        s.reports.take(s.report_of(primary, file, attempt))

    def why_an_answer_changes_nothing(s) -> str:
        """It changes what is under way."""
        return ""

    def may_fall_silent(s, datanode: Datanode) -> None:
        """Only a datanode that is down is silent."""
        require(~s.running.has(datanode), "the datanode is down")

    def may_open_gate(s, file: File) -> None:
        """An attempt that is under way is younger than the gate."""
        require(~s.attempt_is_under_way(file), "no attempt is under way")

    @action(hidden=True)
    def attempt_takes_long(s, file: File) -> None:
        """The gate opens although the attempt is under way: it takes longer than 90 s."""
        require(s.attempt_is_young[file], "an attempt is younger than the gate")
        require(s.attempt_is_under_way(file), "the attempt is under way")
        s.may_fail()
        s.attempt_is_young[file] = False
        s.slow_attempts = s.slow_attempts + 1

    def attempt_is_under_way(s, file: File) -> Bool:
        """The current attempt waits for its primary, is led by it, or is on its way back."""
        queued = exists(Datanode, lambda d: s.running.has(d) & s.recovery_queue[d].has(file) & (s.primary[file] == d))
        led = exists(Datanode, lambda d: s.leads_current(d, file))
        back = s.reports.some(lambda report: (report.file == file) & (report.recovery_id == s.recovery_id[file]))
        return queued | led | back

    def leads_current(s, datanode: Datanode, file: File) -> Bool:
        """The datanode is at work on the current attempt."""
        attempt = s.attempt[datanode][file]
        return ~attempt.stage.at(AttemptStage.IDLE) & (attempt.recovery_id == s.recovery_id[file])
