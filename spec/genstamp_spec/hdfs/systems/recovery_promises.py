"""What block recovery promises, whatever stands around it: shared by the systems that contain it."""

from typing import Self

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.state import AttemptStage, Client, Datanode, File, OriginalState
from genstamp_spec.hdfs.systems.shared_promises import BlocksAndReplicas
from genstamp_spec.lifecycles import BlockLifecycle, FileLifecycle, ReplicaLifecycle


class RecoveryPromises(BlocksAndReplicas):
    """Stamps, blocks and replicas, ownership; numbers S are those of the facts, page J."""

    # Stamps.

    @transition(inductive=True, given=("stamps_come_from_the_counter",))
    def stamps_are_given_out_once(s, t: Self, file: File) -> Bool:
        """S9: a new block's stamp and a new recovery id are above every stamp given out before."""
        new_block = s.block[file].at(BlockLifecycle.absent) & ~t.block[file].at(BlockLifecycle.absent)
        new_recovery = t.recovery_id[file] != s.recovery_id[file]
        return new_block.implies(t.block_stamp[file] > s.last_stamp) & new_recovery.implies(
            t.recovery_id[file] > s.last_stamp
        )

    @transition(inductive=True, given=("current_recovery_is_above_the_block", "stamps_come_from_the_counter"))
    def block_stamp_never_decreases(s, t: Self, file: File) -> Bool:
        """S8, at the NameNode."""
        return t.block_stamp[file] >= s.block_stamp[file]

    @transition(inductive=True, given=("replica_under_recovery_is_below_it",))
    def replica_stamp_never_decreases(s, t: Self, datanode: Datanode, file: File) -> Bool:
        """S8, at a datanode: while it has the replica."""
        before, after = s.replica[datanode][file], t.replica[datanode][file]
        kept = ~before.state.at(ReplicaLifecycle.absent) & ~after.state.at(ReplicaLifecycle.absent)
        return kept.implies(after.stamp >= before.stamp)

    @invariant(inductive=True)
    def stamps_come_from_the_counter(s, file: File) -> Bool:
        """A block's stamp and recovery id were given out."""
        return s.given_out(file)

    def given_out(s, file: File) -> Bool:
        """Every stamp that the NameNode has, or will be told of, was given out."""
        return (s.block_stamp[file] <= s.last_stamp) & (s.recovery_id[file] <= s.last_stamp)

    @invariant(inductive=True, given=("stamps_come_from_the_counter",))
    def current_recovery_is_above_the_block(s, file: File) -> Bool:
        """A block under recovery will get a higher stamp."""
        return s.block[file].at(BlockLifecycle.under_recovery).implies(s.recovery_id[file] > s.block_stamp[file])

    @invariant(inductive=True)
    def replica_under_recovery_is_below_it(s, datanode: Datanode, file: File) -> Bool:
        """A replica under recovery has a stamp below the recovery's id."""
        replica = s.replica[datanode][file]
        return replica.state.at(ReplicaLifecycle.rur).implies(replica.stamp < replica.recovery_id)

    # Blocks and replicas.

    @invariant
    def hflushed_bytes_survive(s, file: File) -> Bool:
        """S5, S6: what an hflush promised is in the block in the end, if a node of its pipeline has never stopped."""
        promised = when(s.steady[file].is_empty(), 0, s.hflushed[file])
        removed = s.block[file].at(BlockLifecycle.removed) & ~s.file[file].at(FileLifecycle.absent)
        ended = s.block[file].at(BlockLifecycle.complete) | removed
        length = when(s.block[file].at(BlockLifecycle.removed), 0, s.block_bytes[file])
        return ended.implies(length >= promised)

    @transition
    def only_empty_blocks_are_dropped(s, t: Self, file: File) -> Bool:
        """S18: recovery drops a block only if no datanode, up or down, has bytes of its generation that were acked."""
        dropped = ~s.block[file].at(BlockLifecycle.removed) & t.block[file].at(BlockLifecycle.removed)
        dropped = dropped & ~t.file[file].at(FileLifecycle.absent)
        data = exists(Datanode, lambda d: s.holds_promised_bytes(d, file))
        return dropped.implies(~data)

    # Ownership.

    @transition(inductive=True)
    def fenced_client_changes_nothing(s, t: Self, file: File) -> Bool:
        """S11: while a recovery is under way the block stays as it was; it ends with the recovery's stamp, or gone."""
        fenced = s.block[file].at(BlockLifecycle.under_recovery)
        same_block = (t.block_stamp[file] == s.block_stamp[file]) & (t.block_bytes[file] == s.block_bytes[file])
        kept = same_block & (t.locations[file] == s.locations[file])
        recovered = t.block_stamp[file] == s.recovery_id[file]
        left = recovered | t.block[file].at(BlockLifecycle.removed)
        return fenced.implies(when(t.block[file].at(BlockLifecycle.under_recovery), kept, left))

    @invariant
    def one_primary_per_recovery_id(s, first: Datanode, second: Datanode, file: File) -> Bool:
        """S12: two datanodes never lead a recovery of a block under one id: no check would tell them apart."""
        both = (first != second) & s.leads(first, file) & s.leads(second, file)
        return both.implies(s.attempt[first][file].recovery_id != s.attempt[second][file].recovery_id)

    # What must be possible.

    def leads(s, datanode: Datanode, file: File) -> Bool:
        """The datanode leads a recovery of the file's block."""
        return ~s.attempt[datanode][file].stage.at(AttemptStage.IDLE)

    @witness
    def two_recoveries_in_flight(s, first: Datanode, second: Datanode, file: File) -> Bool:
        """Two primaries work on one block under different ids."""
        both = s.leads(first, file) & s.leads(second, file)
        return both & (s.attempt[first][file].recovery_id < s.attempt[second][file].recovery_id)

    @witness
    def recovery_closes_a_file(s, file: File) -> Bool:
        """Block recovery completes a block with promised bytes, and the file is closed."""
        recovered = (s.recovery_id[file] == s.block_stamp[file]) & (s.hflushed[file] > 0)
        return s.file[file].at(FileLifecycle.closed) & s.block[file].at(BlockLifecycle.complete) & recovered

    @witness
    def recovery_from_waiting_replicas_only(s, datanode: Datanode, file: File) -> Bool:
        """A recovery finds RWR replicas only."""
        attempt = s.attempt[datanode][file]
        waiting = exists(Datanode, lambda d: attempt.found[d].original.at(OriginalState.RWR))
        better = exists(Datanode, lambda d: attempt.found[d].original.at(OriginalState.FINALIZED, OriginalState.RBW))
        return attempt.stage.at(AttemptStage.UPDATING) & waiting & ~better

    @witness
    def writer_goes_on_unaware(s, client: Client, file: File) -> Bool:
        """A client still writes a block that is under recovery: nobody has told it (J.3)."""
        writing = exists(Datanode, lambda d: s.writes_to(client, file, d))
        return writing & s.block[file].at(BlockLifecycle.under_recovery)
