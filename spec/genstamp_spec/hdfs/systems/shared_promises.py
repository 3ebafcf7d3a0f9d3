"""Promises that several systems give in the same words: each system takes those that it can keep.

A promise that is worded otherwise somewhere, because the system knows more or less, stands with that system.
"""

from typing import Self

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.state import BlockState, Datanode, File, Holder, NamespaceState
from genstamp_spec.hdfs.state.streams import Streams
from genstamp_spec.lifecycles import BlockLifecycle, FileLifecycle, LeaseLifecycle, ReplicaLifecycle


class OneLease(NamespaceState):
    """Leases and files belong together."""

    @invariant(inductive=True, given=("only_granted_leases_cover_files",))
    def one_lease_per_open_file(s, file: File) -> Bool:
        """S17: a file is under construction if and only if exactly one lease covers it, its client name's."""
        open_ = s.under_construction(file)
        leases = count(Holder, lambda holder: s.lease_files[holder].has(file))
        named = ~s.client_name[file].is_none() & s.lease_files[s.client_name[file]].has(file)
        return when(open_, (leases == 1) & named, (leases == 0) & s.client_name[file].is_none())

    @invariant(inductive=True, given=("one_lease_per_open_file",))
    def only_granted_leases_cover_files(s, holder: Holder) -> Bool:
        """S17: a holder has a lease if and only if it covers a file."""
        return s.lease[holder].at(LeaseLifecycle.released) == s.lease_files[holder].is_empty()


class NamenodeTakesOver(NamespaceState):
    """The NameNode holds leases too."""

    @witness
    def namenode_holds_a_lease(s) -> Bool:
        """The NameNode has taken a file over."""
        return ~s.lease_files[Holder.NAMENODE].is_empty()


class CounterOnlyRises(BlockState):
    """The counter of stamps."""

    @transition(inductive=True)
    def last_stamp_never_decreases(s, t: Self) -> Bool:
        """S9: the counter only rises."""
        return t.last_stamp >= s.last_stamp


class BlocksAndReplicas(CounterOnlyRises, Streams):
    """Recovery ids, complete blocks, and the replicas that these count."""

    @transition(inductive=True, given=("stamps_come_from_the_counter",))
    def recovery_id_never_decreases(s, t: Self, file: File) -> Bool:
        """S12, at the NameNode: the latest recovery preempts, that of a truncate too."""
        return t.recovery_id[file] >= s.recovery_id[file]

    @transition(inductive=True)
    def replica_recovery_id_only_grows(s, t: Self, datanode: Datanode, file: File) -> Bool:
        """S12, at a datanode: while a replica is under recovery."""
        before, after = s.replica[datanode][file], t.replica[datanode][file]
        stays = before.state.at(ReplicaLifecycle.rur) & after.state.at(ReplicaLifecycle.rur)
        return stays.implies(after.recovery_id >= before.recovery_id)

    @invariant(inductive=True)
    def closed_files_are_complete(s, file: File) -> Bool:
        """S16: a closed file's block is COMPLETE, if it has one."""
        done = s.block[file].at(BlockLifecycle.absent, BlockLifecycle.removed, BlockLifecycle.complete)
        return s.file[file].at(FileLifecycle.closed).implies(done)

    @invariant
    def counted_replicas_match(s, file: File, datanode: Datanode) -> Bool:
        """S7: each replica that a COMPLETE block counts is FINALIZED, with the block's stamp and length.

        Replicas that it does not count may differ until they are deleted.
        """
        counted = s.block[file].at(BlockLifecycle.complete) & s.stored[file].has(datanode)
        return counted.implies(s.matches(datanode, file))

    def matches(s, datanode: Datanode, file: File) -> Bool:
        """The datanode has a FINALIZED replica with the block's stamp and length."""
        replica = s.replica[datanode][file]
        same = (replica.stamp == s.block_stamp[file]) & (replica.num_bytes == s.block_bytes[file])
        return replica.state.at(ReplicaLifecycle.finalized) & same

    @invariant
    def complete_blocks_have_a_replica(s, file: File) -> Bool:
        """S7: a COMPLETE block counts a replica; it may be on a datanode that is down."""
        return s.block[file].at(BlockLifecycle.complete).implies(~s.stored[file].is_empty())

    def holds_promised_bytes(s, datanode: Datanode, file: File) -> Bool:
        """The datanode has bytes of the block's generation, and an hflush has promised some."""
        replica = s.replica[datanode][file]
        current = ~replica.state.at(ReplicaLifecycle.absent) & (replica.stamp >= s.block_stamp[file])
        return current & (replica.num_bytes > 0) & (s.hflushed[file] > 0)
