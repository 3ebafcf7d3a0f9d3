"""Faults of append and truncate that Hadoop once had."""

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.history import historic
from genstamp_spec.hdfs.parts.datanode_append import DatanodeAppend
from genstamp_spec.hdfs.parts.namenode_truncate import NamenodeTruncate
from genstamp_spec.hdfs.parts.snapshots import Snapshots
from genstamp_spec.hdfs.parts.state import Client, Datanode, File
from genstamp_spec.lifecycles.block import BlockLifecycle


class AppendGoesElsewhere(DatanodeAppend, lane=Datanode):
    """An append moves the replica to any of the datanode's disks, and fails where that is not its own."""

    @action(event="append_replica", refuses="IOException")
    def append_replica_elsewhere(s, client: Client, file: File, datanode: Datanode) -> None:
        """A rename from disk to disk fails, and the client goes on without the node."""
        replica = s.sets_up(client, file, datanode)
        require(s.running.has(datanode), "the datanode is running")
        require(s.takes(client, file, replica), "the replica is as the client says")
        s.goes_on_without(client, file, datanode)


HDFS_822 = historic("HDFS-822", AppendGoesElsewhere, fixed="0.21").at("one_datanode", "good_nodes_take_part")
HDFS_6325 = historic(
    "HDFS-6325",
    fixed="2.4.1",
    drops=(("append", "the last block is sufficiently replicated"),),
    title="append opens a file whose last block has too few live replicas",
).at("snapshot", "append_finds_the_bytes")


class SnapshotShowsAll(Snapshots, lane="namenode"):
    """A reader of a snapshot is shown bytes that were appended after it was taken."""

    def shown_length(s, file: File, datanode: Datanode) -> Number:
        """All that the replica has."""
        _, visible = s.snapshot_replica(file, datanode)
        return visible


HDFS_7263 = historic("HDFS-7263", SnapshotShowsAll, fixed="2.6.1, 2.7.0").at(
    "snapshot", "snapshot_shows_no_later_bytes"
)


class UpgradeHoldsNothing(NamenodeTruncate, lane="namenode"):
    """A file that is truncated during an upgrade is cut in place, so that a rollback finds it shorter."""

    def is_held(s, file: File) -> Bool:
        """An upgrade is not asked for."""
        return s.is_in_snapshot(file)


HDFS_7843 = historic("HDFS-7843", UpgradeHoldsNothing, fixed="2.7.0").at("two_clients", "rollback_finds_its_bytes")


class SnapshotTakesTheSource(NamenodeTruncate, lane="namenode"):
    """Deleting a snapshot removes the block that a truncate is about to copy, and the file is never closed."""

    def goes_with_the_snapshot(s, file: File) -> Bool:
        """The former block goes in any case."""
        return s.former_block[file].at(BlockLifecycle.complete)


HDFS_7903 = historic("HDFS-7903", SnapshotTakesTheSource, fixed="2.7.0").at("by_copy", "copies_have_their_source")


class RepeatedTruncateIsRefused(NamenodeTruncate, lane="namenode"):
    """A truncate that is repeated while its recovery runs is refused, although it was carried out."""

    def answers_again(s, client: Client, file: File) -> None:
        """While the file is open, recoverLeaseInternal refuses its own holder (facts F.1 row 2)."""
        refused = "AlreadyBeingCreatedException"
        if case("refused_again", s.under_construction(file), "the file is open", "the file is closed", refuses=refused):
            s.misled[client] = True
        s.is_answered(client, file)


HDFS_7926 = historic("HDFS-7926", RepeatedTruncateIsRefused, fixed="2.7.0").at(
    "two_clients", "truncate_is_not_misreported"
)


class SourceIsForgotten(NamenodeTruncate, lane="namenode"):
    """A file that is deleted while its block is copied for a truncate leaves the former block behind, without a
    file.
    """

    def delete_source(s, file: File) -> None:
        """The former block stays in the block map, without a file."""


HDFS_12638 = historic("HDFS-12638", SourceIsForgotten, fixed="2.7.5, 2.8.3").at(
    "two_clients", "blocks_belong_to_somebody"
)
