"""What Hadoop 3.4.1 lacks of append and truncate, each with its repair in the text."""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.namenode_truncate import NamenodeTruncate
from genstamp_spec.hdfs.parts.state import Attempt, Client, Datanode, File
from genstamp_spec.hdfs.parts.truncate_state import TruncateMode
from genstamp_spec.lifecycles import BlockLifecycle, FileLifecycle


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
