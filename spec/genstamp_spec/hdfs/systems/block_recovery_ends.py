"""hdfs.block_recovery_ends: that recoveries come to an end, if failures do.

The parts of `hdfs.block_recovery`, with so many mishaps and no more (`bounded_faults.py`). Under repaired semantics a
file whose writer has stopped is closed eventually, whatever went wrong before, at any rate of attempts.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.block_recovery_ends import BUGS, HADOOP_2_7, HADOOP_3_4, HADOOP_3_5
from genstamp_spec.hdfs.parts.block_recovery import CarefulAgreement
from genstamp_spec.hdfs.parts.bounded_faults import BoundedFaults
from genstamp_spec.hdfs.parts.datanode_replicas import DatanodeContact
from genstamp_spec.hdfs.parts.recovery_messages import RecoveryMessages
from genstamp_spec.hdfs.parts.state import Client, Datanode, File
from genstamp_spec.hdfs.systems.block_recovery import OUTSIDE, SHARED, BlockRecoveryProperties
from genstamp_spec.lifecycles.block import BlockLifecycle

OMITS = (
    "the datanodes' clocks and the NameNode's: the gate opens when an attempt has ended, however it did",
    "a second datanode that fails while another is down or broken: nobody promises anything then",
    "writers that live: hdfs.lease has what becomes of them",
    "what two_dead_recoveries leaves open: its limits of silences, lost commands and slow attempts cut steps off where "
    "something is owed; without these there are more than 40 million states. It shows a hole; what it leaves open is "
    "decided where its three kinds of mishaps are the only ones, in tests/spec/test_two_dead_recoveries.py",
)
FAIR = (
    "release",
    "release_closes",
    "recovery_gate_opens",
    "receive_recovery_command",
    "recovery_command_is_dropped",
    "init_replica_recovery",
    "init_replica_recovery_without_replica",
    "init_replica_recovery_refused",
    "init_replica_recovery_preempted",
    "init_replica_recovery_failed",
    "sync_block",
    "sync_block_finds_nothing",
    "abandon_recovery",
    "update_replica_under_recovery",
    "update_replica_under_recovery_gone",
    "update_replica_under_recovery_refused",
    "update_replica_failed",
    "update_replica_on_broken_disk",
    "report_back",
    "commit_block_synchronization",
    "commit_block_synchronization_deletes",
    "commit_block_synchronization_again",
    "commit_block_synchronization_unknown",
    "commit_block_synchronization_gone",
    "commit_block_synchronization_stale",
    "datanode_becomes_stale",
    "datanode_is_taken_for_dead",
    "block_received",
)


class RecoveriesEnd(BlockRecoveryProperties):
    """Numbers L are those of the facts, page J."""

    @leads_to(fair=FAIR)
    def files_of_silent_writers_are_closed(s, file: File) -> tuple[Bool, Bool]:
        """L1, L6: a file whose writer has stopped is closed eventually, even if one replica cannot be updated."""
        return s.writer_is_silent(file), ~s.under_construction(file)

    @leads_to(fair=FAIR)
    def recoveries_end(s, file: File) -> tuple[Bool, Bool]:
        """L2: the recovery of a silent writer's block ends, however often it is asked for."""
        recovering = s.block[file].at(BlockLifecycle.under_recovery)
        return recovering & s.alive.is_empty(), ~recovering

    @leads_to(fair=FAIR)
    def committed_blocks_become_complete(s, file: File) -> tuple[Bool, Bool]:
        """L5: a COMMITTED block of which a datanode that is up has a matching replica becomes COMPLETE."""
        committed = s.block[file].at(BlockLifecycle.committed)
        waits = committed & exists(Datanode, lambda d: s.running.has(d) & s.matches(d, file))
        return waits, ~waits

    @leads_to(fair=FAIR)
    def queued_commands_are_taken(s, datanode: Datanode, file: File) -> tuple[Bool, Bool]:
        """L10: no command stands in the way of a datanode's other commands for ever."""
        waits = s.running.has(datanode) & s.recovery_queue[datanode].has(file)
        return waits & s.alive.is_empty(), ~waits

    def writer_is_silent(s, file: File) -> Bool:
        """The file is open, and its owner has stopped."""
        return s.under_construction(file) & ~exists(Client, lambda c: s.alive.has(c) & (s.client_name[file] == c))


BLOCK_RECOVERY_ENDS = System(
    "hdfs.block_recovery_ends",
    parts=[*OUTSIDE, DatanodeContact, RecoveryMessages, CarefulAgreement, BoundedFaults, *SHARED, RecoveriesEnd],
    doc="Recoveries of one block come to an end, if failures do.",
    semantics={
        "repaired": (),
        "hadoop-3.4": HADOOP_3_4,
        "hadoop-3.5": HADOOP_3_5,
        "hadoop-2.7": HADOOP_2_7,
    },
    rows="""
        *: Client=1 File=1 Datanode=2 Mishap=1 stamps=4 bytes=1 broken_disks=1 lost_commands=1 silences=1
            slow_attempts=1 crashes=1 calls=1 reports=2
        one_datanode: Datanode=1 renumber; a lost command, a lost report or a forgotten storage
        two_clients: Client=2 Datanode=1 renumber; another client, whose calls are refused
        one_mishap: stamps=5 renumber; a crash, a broken disk, a call that times out, and what else goes wrong once
        two_dead_recoveries: Mishap=3 bytes=2 broken_disks=0 lost_commands=0 silences=0 slow_attempts=0 on_demand
            renumber; a crash, a call that times out and a lost report
        crash_and_broken_disk: Mishap=2 stamps=3 lost_commands=0 silences=0 slow_attempts=0 calls=0 reports=1 on_demand
            renumber; a crash and a broken disk, of which the second waits until there is no other
    """,
    bugs=BUGS,
    omits=OMITS,
)
