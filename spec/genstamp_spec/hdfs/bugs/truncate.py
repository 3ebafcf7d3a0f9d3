"""Faults of append and truncate that Hadoop once had, and what 3.4.1 lacks still."""

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.history import historic
from genstamp_spec.hdfs.parts.datanode_replicas import DatanodeAppend
from genstamp_spec.hdfs.parts.namenode_truncate import NamenodeTruncate
from genstamp_spec.hdfs.parts.snapshots import Snapshots
from genstamp_spec.hdfs.parts.state import Attempt, Client, Datanode, File
from genstamp_spec.hdfs.parts.truncate_state import TruncateMode
from genstamp_spec.lifecycles import BlockLifecycle, FileLifecycle


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


class AnswersAreNotKept(NamenodeTruncate, lane="namenode"):
    """Truncate is not in the retry cache: a call that is repeated after others have appended cuts their bytes off."""

    def answers_again(s, client: Client, file: File) -> None:
        """If somebody has appended since, those bytes are cut off, which nobody has asked for; else the same answer."""
        asked, promised = s.asked_bytes[client][file], s.block_bytes[file]
        closed = s.file[file].at(FileLifecycle.closed)
        longer = closed & s.block[file].at(BlockLifecycle.complete) & (promised > asked)
        if case("cuts_again", longer, "the file is longer than that", "the file is not longer than that"):
            require(~s.is_held(file), "nothing holds the block")
            primary = pick("primary", Datanode, or_none=True)
            require(s.may_lead_cut(file, primary), "the primary is a candidate")
            s.cut_in_place(client, file, primary, asked)
            s.hflushed[file] = promised
        else:
            done = closed & (promised == asked)
            cut = s.is_truncated(file) & (s.truncate_to[file] == asked)
            require(done | cut, "the file has this length, or gets it")
        s.is_answered(client, file)


ANSWERS_ARE_KEPT = Hole(
    "answers-are-kept",
    parts=(AnswersAreNotKept,),
    source="facts E.0; https://issues.apache.org/jira/browse/HDFS-16322; NameNodeRpcServer#truncate, Hadoop 3.4.1",
).at("retries", "hflushed_bytes_survive")


class DeletionTakesTheSnapshotsBlock(NamenodeTruncate, lane="namenode"):
    """A file that is deleted while its block is copied for a truncate takes the snapshot's block with it."""

    def delete_source(s, file: File) -> None:
        """The former block goes in any case."""
        s.remove_former_block(file, s.truncate_mode[file].at(TruncateMode.BY_COPY))


DELETION_SPARES_SNAPSHOTS = Hole(
    "deletion-spares-snapshots",
    parts=(DeletionTakesTheSnapshotsBlock,),
    source="found while this was written; INode.BlocksMapUpdateInfo#addDeleteBlock (since HDFS-12638), "
    "INodeFile#collectBlocksBeyondSnapshot, Hadoop 3.4.1",
).at("by_copy", "snapshot_keeps_its_bytes")


class CopiesOfEarlierAttemptsCount(NamenodeTruncate, lane="namenode"):
    """A copy that an earlier attempt of a truncate has made counts for the block, under a stamp that is not the
    block's.
    """

    def take_result(s, file: File, attempt: Attempt) -> None:
        """They are not marked corrupt when the recovery ends, as they would be without a copy (HDFS-7930, G.6)."""
        copied = s.truncate_mode[file].at(TruncateMode.BY_COPY)
        earlier = those(
            Datanode,
            lambda d: copied & s.running.has(d) & (s.former_replica[d][file].stamp > s.former_stamp[file]),
        )
        super().take_result(file, attempt)
        s.stored[file] = s.stored[file] | earlier


COPIES_OF_EARLIER_ATTEMPTS = Hole(
    "copies-of-earlier-attempts",
    parts=(CopiesOfEarlierAttemptsCount,),
    source="facts G.6 effect 5; FSNamesystem#commitBlockSynchronization, which calls "
    "BlockManager#markBlockReplicasAsCorrupt only where it is not copyTruncate, Hadoop 3.4.1",
).at("by_copy", "counted_replicas_match")
