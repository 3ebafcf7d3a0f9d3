"""hdfs.truncate_ends: a truncate that was accepted comes to its end, if failures do.

The parts of hdfs.truncate, with one datanode that stops and comes back. Time is said as far as it matters: an attempt
that nothing disturbs takes less than the 90 s of the gate, and a client that truncates, which has nothing open, does
not renew its lease for ever.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.truncate_2_7 import HALF_A_CUT_IS_ENOUGH, HDFS_9516, TRUNCATE_ENDS_2_7
from genstamp_spec.hdfs.parts.block_recovery import BlockRecovery
from genstamp_spec.hdfs.parts.client import Clients
from genstamp_spec.hdfs.parts.datanode_replicas import DatanodeReplicas
from genstamp_spec.hdfs.parts.datanode_truncate import DatanodeTruncate
from genstamp_spec.hdfs.parts.namenode_blocks import BlockSteps
from genstamp_spec.hdfs.parts.namenode_leases import Leases
from genstamp_spec.hdfs.parts.namenode_truncate import NamenodeTruncate
from genstamp_spec.hdfs.parts.recovery_start import RecoveryStart, Turns
from genstamp_spec.hdfs.parts.snapshots import Snapshots
from genstamp_spec.hdfs.parts.state import AttemptStage, Datanode, File
from genstamp_spec.hdfs.systems.truncate_promises import SHARED, FirstWrite, TruncatePromises
from genstamp_spec.lifecycles.file import FileLifecycle

OMITS = (
    "everything that hdfs.truncate omits",
    "append; a second crash, and an upgrade that begins while a file is being cut",
    "messages of a recovery that are lost: see hdfs.block_recovery_ends",
)
FAIR = (
    "receive_recovery_command",
    "recovery_command_is_dropped",
    "init_replica_recovery",
    "init_replica_recovery_without_replica",
    "init_replica_recovery_refused",
    "init_replica_recovery_preempted",
    "init_replica_recovery_failed",
    "sync_block",
    "abandon_recovery",
    "update_replica_under_recovery",
    "update_replica_copies",
    "update_replica_under_recovery_gone",
    "update_replica_under_recovery_refused",
    "update_replica_failed",
    "commit_block_synchronization",
    "commit_block_synchronization_stale",
    "recovery_gate_opens",
    "datanode_restart",
)


class TruncateEnds(TruncatePromises):
    """Numbers L are those of the facts, page J."""

    def may_fail(s) -> None:
        """Checks: one datanode stops, once, and after the file was written."""
        require(s.crashes == 0, "nothing has failed yet")

    def may_upgrade(s) -> None:
        """Checks: nobody begins an upgrade while a file is being cut."""
        require(~exists(File, s.is_truncated), "no file is being cut")

    def may_open_gate(s, file: File) -> None:
        """Checks: no attempt that may still succeed is under way; such a one ends within the 90 s."""
        require(~exists(Datanode, lambda d: s.is_under_way(d, file)), "the attempt has ended")

    def is_under_way(s, primary: Datanode, file: File) -> Bool:
        """The primary has the command of the current attempt, or works on it."""
        waits = s.recovery_queue[primary].has(file) & (s.primary[file] == primary)
        attempt = s.attempt[primary][file]
        works = ~attempt.stage.at(AttemptStage.IDLE) & (attempt.recovery_id == s.recovery_id[file])
        return s.running.has(primary) & (waits | works)

    @leads_to(fair=FAIR, strongly_fair=("soft_limit_passes", "hard_limit_passes", "release_expired_lease_starts"))
    def truncate_ends(s, file: File) -> tuple[Bool, Bool]:
        """L7: a truncate whose answer was false ends: the file is closed with that length, or somebody deletes it."""
        closed = s.file[file].at(FileLifecycle.closed) & (s.block_bytes[file] == s.truncate_to[file])
        return s.is_truncated(file), closed | s.file[file].at(FileLifecycle.absent)


TRUNCATE_ENDS = System(
    "hdfs.truncate_ends",
    parts=[
        RecoveryStart,
        Turns,
        Leases,
        BlockSteps,
        DatanodeReplicas,
        Clients,
        Snapshots,
        NamenodeTruncate,
        BlockRecovery,
        DatanodeTruncate,
        FirstWrite,
        *SHARED,
        TruncateEnds,
    ],
    doc="A truncate that was accepted comes to its end, if failures do.",
    semantics={
        "repaired": (),
        "hadoop-3.4": (HALF_A_CUT_IS_ENOUGH,),
        "hadoop-2.7": (HALF_A_CUT_IS_ENOUGH, *TRUNCATE_ENDS_2_7),
    },
    rows="""
        *: Client=1 File=1 Datanode=1 crashes=0 truncates=0 copies=0 snapshots=0 upgrades=0 lost_answers=0
            troubles_of_first_write=0 expired_leases=0 bytes=2
        one_datanode: crashes=1 truncates=1 copies=1 snapshots=1 expired_leases=2 stamps=4 renumber;
            a block is cut, or copied if a snapshot has it, and its datanode stops in between
        in_place: Datanode=2 crashes=1 truncates=1 expired_leases=2 stamps=4 renumber;
            a block is cut, and a datanode stops in between
        by_copy: crashes=1 truncates=1 copies=1 snapshots=1 upgrades=1 lost_answers=1 expired_leases=2 stamps=4
            renumber; the same during an upgrade, and with answers that are lost
        two_clients: Client=2 crashes=1 snapshots=1 upgrades=1 troubles_of_first_write=1 expired_leases=3 bytes=1
            stamps=3 renumber; a file that is too short to be cut, and what hdfs.recovery does to it
    """,
    bugs=[HDFS_9516],
    idle={
        "misled": "history for promises of hdfs.truncate",
        "read_snapshot": "only a bug shows a reader more than the snapshot's length, which is kept as history",
    },
    omits=OMITS,
)
