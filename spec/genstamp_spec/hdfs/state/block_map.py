"""Reports under way, and the NameNode's block map: which replicas count, are too few or too many, and are to go.

Each helper is one method of BlockManager, with its condition as an argument: what it does, it does where that holds.
"""

from collections.abc import Callable

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.reports_state import (
    CorruptReason,
    IncrementalKind,
    IncrementalReport,
    ReportsState,
    not_corrupt,
)
from genstamp_spec.hdfs.parts.state import Datanode, File, OriginalState, Replica, only
from genstamp_spec.lifecycles import BlockLifecycle, FileLifecycle, ReplicaLifecycle


class Reports(ReportsState):
    """What datanodes have to report."""

    def report(s, datanode: Datanode, file: File, kind: IncrementalKind) -> None:
        """A report of the replica as it is now waits to be sent (IncrementalBlockReportManager#addRDBI)."""
        replica = s.replica[datanode][file]
        s.unsent[datanode][file] = IncrementalReport(kind=kind, stamp=replica.stamp, num_bytes=replica.num_bytes)

    def none_under_way(s, datanode: Datanode, file: File) -> Bool:
        """No incremental report of the datanode has been sent and has not arrived."""
        return s.sent[datanode][file].kind.at(IncrementalKind.NONE)

    def clear_replica(s, replica: Replica) -> None:
        """Nothing of the replica is left."""
        replica.stamp = 0
        replica.num_bytes = 0
        replica.original = OriginalState.NONE
        replica.recovery_id = 0

    def has_settled(s, datanode: Datanode, file: File) -> Bool:
        """All that the datanode had to report has arrived."""
        nothing = s.unsent[datanode][file].kind.at(IncrementalKind.NONE) & s.none_under_way(datanode, file)
        told = ~s.full_report[datanode][file].on_its_way & ~(s.owes_report | s.stale_contents).has(datanode)
        return (s.running & s.registered).has(datanode) & nothing & told

    def matches(s, replica: Replica, stamp: Ordered, num_bytes: Number) -> Bool:
        """The replica is FINALIZED, with this stamp and length."""
        same = (replica.stamp == stamp) & (replica.num_bytes == num_bytes)
        return replica.state.at(ReplicaLifecycle.finalized) & same

    def replicas_become(s, file: File, datanodes: Members[Datanode], changed: Callable[[Replica], Replica]) -> None:
        """The block's replicas on some datanodes change in one step."""
        s.replica.update(
            lambda d: each(
                File,
                lambda f: when(datanodes.has(d) & (f == file), changed(s.replica[d][f]), s.replica[d][f]),
            )
        )

    def not_in_safe_mode(s) -> None:
        """Checks: none where the NameNode never restarts."""


class BlockMap(Reports):
    """Replicas in the block map, in excess, to be deleted and to be copied; blocks that are committed and completed."""

    # Counting (BlockManager#countNodes).

    def wanted(s) -> Number:
        """How many replicas a block should have."""
        return s.wanted_replicas.size()

    def minimal(s) -> Number:
        """How many replicas make a committed block complete."""
        return s.minimal_replicas.size()

    def corrupt_replicas(s, file: File) -> Members[Datanode]:
        """Datanodes whose replica is in the map of corrupt replicas."""
        return those(Datanode, lambda d: ~s.corrupt[file][d].at(CorruptReason.NONE))

    def usable(s, file: File) -> Members[Datanode]:
        """Replicas that are live, or on a datanode that is decommissioned: neither corrupt nor in excess."""
        return s.stored[file] - s.corrupt_replicas(file) - s.excess[file]

    def live(s, file: File) -> Members[Datanode]:
        """Replicas that count towards the wanted number."""
        return s.usable(file) - s.decommissioning

    def counts_as_minimal(s, file: File) -> Members[Datanode]:
        """Replicas that count towards minimal replication: the usable ones (HDFS-11486, facts A.3 step 6)."""
        return s.usable(file)

    def has_minimal(s, file: File) -> Bool:
        """Enough replicas are known for the block to be complete (BlockManager#hasMinStorage)."""
        return s.counts_as_minimal(file).size() >= s.minimal()

    def on_stale_storage(s, file: File) -> Bool:
        """A replica of the block is known of a datanode that has not reported in full yet."""
        return ~(s.stored[file] & s.stale_contents).is_empty()

    # Replicas to be deleted (I.3).

    def postpone(s, file: File, *, where: Bool | bool = True) -> None:
        """The block is looked at again when the reports are there (BlockManager#postponeBlock)."""
        s.postponed[file] = s.postponed[file] | where

    def order_deletion(s, file: File, datanode: Datanode, stamp: Ordered, *, where: Bool | bool = True) -> None:
        """InvalidateBlocks#add, for one datanode."""
        s.order_deletions(file, only(datanode), stamp, where=where)

    def order_deletions(
        s, file: File, datanodes: Members[Datanode], stamp: Ordered, *, where: Bool | bool = True
    ) -> None:
        """InvalidateBlocks#add: an order for the block that waits already stands; none in safe mode."""
        ordered = ~s.safe_mode & where
        s.to_invalidate.update(
            lambda d: each(
                File,
                lambda f: when(
                    ordered & datanodes.has(d) & (f == file) & (s.to_invalidate[d][f] == 0),
                    stamp,
                    s.to_invalidate[d][f],
                ),
            )
        )

    def remove_stored(s, file: File, datanodes: Members[Datanode], *, where: Bool | bool = True) -> None:
        """BlockManager#removeStoredBlock: the datanodes leave the block map, the corrupt and the excess replicas."""
        gone = s.stored[file] & datanodes
        there = where & ~gone.is_empty()
        s.stored[file] = when(there, s.stored[file] - gone, s.stored[file])
        s.excess[file] = when(there, s.excess[file] - gone, s.excess[file])
        s.corrupt[file].update(lambda d: when(there & gone.has(d), not_corrupt(), s.corrupt[file][d]))
        s.update_needed(file, where=there)

    # Too few.

    def is_short(s, file: File) -> Bool:
        """A complete block has fewer live replicas than wanted, those counted that are on their way."""
        expected = s.live(file).size() + s.pending[file].size()
        return s.may_be_copied(file) & (expected < s.wanted())

    def may_be_copied(s, file: File) -> Bool:
        """Only a complete block is copied: an open one changes (HDFS-9600)."""
        return s.block[file].at(BlockLifecycle.complete)

    def update_needed(s, file: File, *, where: Bool | bool = True) -> None:
        """BlockManager#updateNeededReconstructions: the block is in the queue if and only if it is short."""
        s.needed[file] = when(where & ~s.safe_mode, s.is_short(file), s.needed[file])

    # Committing, completing and closing (A.3, A.5).

    def complete_if_minimal(s, file: File, *, where: Bool | bool = True) -> None:
        """A8: a committed block with replicas enough is complete (BlockManager#completeBlock)."""
        completes = where & s.may_complete(file) & s.has_minimal(file)
        s.pending[file] = when(completes, s.pending[file] | s.expected_copies(file), s.pending[file])
        s.block[file].fire(BlockLifecycle.complete_block, where=completes)

    def may_complete(s, file: File) -> Bool:
        """The client has committed the block; enough replicas alone do not complete one (HDFS-800)."""
        return s.block[file].at(BlockLifecycle.committed)

    def expected_copies(s, file: File) -> Members[Datanode]:
        """Locations whose report has not come count as on their way (BlockManager#addExpectedReplicasToPending)."""
        return s.locations[file] - s.stored[file]

    def remove_stale_replicas(s, file: File) -> None:
        """Locations with another stamp than the block's leave the block map (BlockManager#removeStaleReplicas)."""
        old = those(Datanode, lambda d: s.location_stamp[file][d] != s.block_stamp[file])
        s.remove_stored(file, s.locations[file] & old, where=~s.locations[file].is_empty())

    def commit_block(s, file: File, stamp: Ordered, num_bytes: Number) -> None:
        """BlockManager#commitBlock: the length becomes the client's, old locations are dropped (facts A7, A.3)."""
        s.block[file].fire(BlockLifecycle.commit)
        s.block_bytes[file] = num_bytes
        s.committed_stamp[file] = stamp
        s.committed_bytes[file] = num_bytes
        s.remove_stale_replicas(file)

    def set_locations(s, file: File, locations: Members[Datanode]) -> None:
        """The expected locations are these, under the block's stamp."""
        s.locations[file] = locations
        s.location_stamp[file].update(lambda d: when(locations.has(d), s.block_stamp[file], 0))

    def forget_locations(s, file: File) -> None:
        """A complete block has no expected locations."""
        complete = s.block[file].at(BlockLifecycle.complete)
        s.locations[file] = when(complete, s.stored[file] - s.stored[file], s.locations[file])
        s.location_stamp[file].update(lambda d: when(complete, 0, s.location_stamp[file][d]))

    def close(s, file: File) -> None:
        """FSNamesystem#finalizeINodeFileUnderConstruction; then the block is judged anew (A.5 steps 4 and 5)."""
        s.file[file].fire(FileLifecycle.close)
        s.client_name[file] = none
        s.update_needed(file)
