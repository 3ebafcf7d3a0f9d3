"""What a client's pipeline and a copy do to a datanode's replica: FsDatasetImpl's methods, each with its checks.

Methods, for the actions of any part: they ask and change the replica of one datanode; who calls, whether the datanode
runs and what the caller learns is the action's business. A requester's block has the old `stamp`; `new_stamp` is the
one that it wants. Where a thread writes the replica, an operation first has it interrupted and waits until it has
ended, without the lock, and begins again with its first check: here the operation itself is possible only without a
writer, and `interrupt_writer` and `writer_ends` are steps before it.

Coarser than HDFS: volumes and their references, reserved space, checksums of a partial chunk.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.replica_state import DetailedReplica, ReplicaState, Report, Writer
from genstamp_spec.hdfs.parts.state import Datanode
from genstamp_spec.lifecycles.replica import ReplicaLifecycle


class ReplicaOperations(ReplicaState):
    """createRbw, append, recoverAppend, recoverRbw, recoverClose, copies, finalizeBlock; stopping a writer."""

    # Stopping a writer (B.6).

    def interrupt_writer(s, datanode: Datanode) -> None:
        """An operation interrupts the thread that writes the replica, and waits (ReplicaInPipeline#stopWriter)."""
        replica = s.replica[datanode]
        require(replica.writer.at(Writer.RUNNING), "a thread writes the replica")
        replica.writer = Writer.INTERRUPTED

    def writer_ends(s, datanode: Datanode) -> None:
        """The interrupted thread has flushed what it has and ends; whoever waits begins again."""
        replica = s.replica[datanode]
        require(replica.writer.at(Writer.INTERRUPTED), "the writer was interrupted")
        replica.writer = Writer.NONE

    def writer_is_stopped(s, replica: DetailedReplica) -> None:
        """Checks: no thread writes the replica; one that was interrupted and has not ended in time is an error."""
        require(~replica.writer.at(Writer.RUNNING), "no thread writes the replica")
        require(~replica.writer.at(Writer.INTERRUPTED), "the interrupted writer has ended in time", "IOException")

    # A block is written from its beginning.

    def create_rbw(s, datanode: Datanode, stamp: Ordered) -> None:
        """A pipeline is set up: an empty replica, and a thread that writes it (facts B1)."""
        replica = s.replica[datanode]
        require(~s.exists(replica), "the datanode has no replica", "ReplicaAlreadyExistsException")
        s.has_space(datanode)
        replica.state.fire(ReplicaLifecycle.create_rbw)
        s.begin(datanode, stamp)

    def create_rbw_over_existing(s, datanode: Datanode, new_stamp: Ordered) -> None:
        """Setting up the first pipeline again, under a new stamp, replaces what the first attempt left (facts B1').

        Hadoop checks nothing: whatever is there is deleted, before a volume with room is looked for.
        """
        replica = s.replica[datanode]
        require(s.exists(replica), "the datanode has a replica")
        require(
            replica.state.at(ReplicaLifecycle.rbw),
            "only a replica that is being written is replaced",
            "ReplicaAlreadyExistsException",
        )
        require(replica.stamp < new_stamp, "the replica is older", "ReplicaAlreadyExistsException")
        require(replica.bytes_acked == 0, "nothing of the replica was acknowledged", "ReplicaAlreadyExistsException")
        s.writer_is_stopped(replica)
        s.has_space_to_create_again(datanode)
        replica.state.fire(ReplicaLifecycle.create_rbw_over_existing)
        s.begin(datanode, new_stamp)

    def has_space_to_create_again(s, datanode: Datanode) -> None:
        """Checks: a volume has room for what replaces the replica."""
        s.has_space(datanode)

    def begin(s, datanode: Datanode, stamp: Ordered) -> None:
        """An empty replica takes the place of what was there."""
        replica = s.replica[datanode]
        s.remove(replica)
        replica.stamp = stamp
        replica.writer = Writer.RUNNING
        s.tells(datanode, Report.RECEIVING)

    # Append, and setting up its pipeline again.

    def append(s, datanode: Datanode, stamp: Ordered, new_stamp: Ordered, expected_bytes: Number) -> None:
        """A finalized replica is opened for writing under a new stamp (facts B2)."""
        replica = s.replica[datanode]
        require(s.exists(replica), "the datanode has a replica", "ReplicaNotFoundException")
        require(new_stamp >= stamp, "the new stamp is not below the old one", "IOException")
        s.brings_a_new_stamp(stamp, new_stamp)
        require(replica.stamp == stamp, "the replica has the block's stamp", "ReplicaNotFoundException")
        require(replica.state.at(ReplicaLifecycle.finalized), "the replica is finalized", "ReplicaNotFoundException")
        require(replica.num_bytes == expected_bytes, "the replica is as long as expected", "IOException")
        s.has_space(datanode)
        replica.state.fire(ReplicaLifecycle.append)
        s.reopen(datanode, new_stamp)

    def brings_a_new_stamp(s, stamp: Ordered, new_stamp: Ordered) -> None:
        """Checks: the request's new stamp is not the one that its block has (HDFS-17850; Hadoop 3.4.1 accepts it).

        A replica that has the new stamp already is no other case: an earlier request with this stamp was served here.
        """
        require(new_stamp > stamp, "the new stamp is above the old one", "IOException")

    def has_space(s, datanode: Datanode, is_needed: Bool | bool = True) -> None:
        """Checks: a volume has room for what may be written; a hook, here without effect."""

    def reopen(s, datanode: Datanode, new_stamp: Ordered) -> None:
        """All that the replica has counts as acknowledged, and a thread goes on."""
        replica = s.replica[datanode]
        replica.stamp = new_stamp
        replica.bytes_acked = replica.num_bytes
        replica.writer = Writer.RUNNING
        s.tells(datanode, Report.RECEIVING)

    def recover_check(
        s, datanode: Datanode, stamp: Ordered, new_stamp: Ordered, expected_bytes: Number
    ) -> DetailedReplica:
        """Checks of recoverAppend and recoverClose, in order (FsDatasetImpl#recoverCheck; facts B.3)."""
        replica = s.replica[datanode]
        require(s.exists(replica), "the datanode has a replica", "ReplicaNotFoundException")
        require(
            replica.state.at(ReplicaLifecycle.finalized, ReplicaLifecycle.rbw),
            "the replica is finalized or being written",
            "ReplicaNotFoundException",
        )
        s.stamp_fits(replica, stamp, new_stamp)
        s.writer_is_stopped(replica)
        settled = (replica.num_bytes == replica.bytes_on_disk) & (replica.bytes_on_disk == replica.bytes_acked)
        require(
            replica.state.at(ReplicaLifecycle.finalized) | settled,
            "all that was received is written and acknowledged",
            "ReplicaAlreadyExistsException",
        )
        require(replica.num_bytes == expected_bytes, "the replica is as long as expected", "IOException")
        return replica

    def stamp_fits(s, replica: DetailedReplica, stamp: Ordered, new_stamp: Ordered) -> None:
        """Checks: the replica's stamp lies between the requester's and the new one, which is a new one."""
        require(
            s.in_window(replica, stamp, new_stamp),
            "the replica's stamp lies between the block's and the new one",
            "ReplicaNotFoundException",
        )
        s.brings_a_new_stamp(stamp, new_stamp)

    def recover_append(s, datanode: Datanode, stamp: Ordered, new_stamp: Ordered, expected_bytes: Number) -> None:
        """The pipeline of an append is set up again: a node may or may not have opened its replica (facts B3)."""
        replica = s.recover_check(datanode, stamp, new_stamp, expected_bytes)
        s.has_space(datanode, replica.state.at(ReplicaLifecycle.finalized))
        replica.state.fire(ReplicaLifecycle.recover_append)
        s.reopen(datanode, new_stamp)

    def recover_close(s, datanode: Datanode, stamp: Ordered, new_stamp: Ordered, expected_bytes: Number) -> None:
        """Closing goes on under a new stamp: check, stamp and finalize are one step since HDFS-7065 (facts B5)."""
        replica = s.recover_check(datanode, stamp, new_stamp, expected_bytes)
        replica.state.fire(ReplicaLifecycle.recover_close)
        replica.stamp = new_stamp
        s.becomes_final(datanode)

    # A pipeline goes on.

    def recover_rbw(
        s, datanode: Datanode, stamp: Ordered, new_stamp: Ordered, min_bytes: Number, max_bytes: Number
    ) -> None:
        """A broken pipeline goes on under a new stamp: what nobody acknowledged is cut off, to be sent again.

        The client has had `min_bytes` acknowledged and has sent `max_bytes`. Since HDFS-11472 the length on disk is
        that of the file, which memory lags behind after an error (facts B4).
        """
        replica = s.replica[datanode]
        require(s.exists(replica), "the datanode has a replica", "ReplicaNotFoundException")
        require(replica.state.at(ReplicaLifecycle.rbw), "the replica is being written", "ReplicaNotFoundException")
        s.writer_is_stopped(replica)
        s.stamp_fits(replica, stamp, new_stamp)
        require(
            (replica.bytes_acked >= min_bytes) & (replica.num_bytes <= max_bytes),
            "the replica has what was acknowledged, and no more than was sent",
            "ReplicaNotFoundException",
        )
        require(
            s.bytes_to_recover(replica) >= replica.bytes_acked,
            "what was acknowledged is on disk",
            "ReplicaNotFoundException",
        )
        replica.state.fire(ReplicaLifecycle.recover_rbw)
        s.cut_to_acknowledged(replica)
        replica.stamp = new_stamp
        replica.writer = Writer.RUNNING

    def bytes_to_recover(s, replica: DetailedReplica) -> Number:
        """The length on disk that recoverRbw goes by: that of the file."""
        return replica.file_bytes

    def cut_to_acknowledged(s, replica: DetailedReplica) -> None:
        """Of a replica with more on disk, data and checksums are cut to what was acknowledged."""
        longer = s.bytes_to_recover(replica) > replica.bytes_acked
        replica.num_bytes = when(longer, replica.bytes_acked, replica.num_bytes)
        replica.file_bytes = when(longer, replica.bytes_acked, replica.file_bytes)
        replica.bytes_on_disk = replica.file_bytes

    # Packets (C.2). The pipeline's order between nodes is the caller's business.

    def receive_byte(s, datanode: Datanode) -> None:
        """A packet arrives with one more byte than was received (BlockReceiver#receivePacket; facts C.2)."""
        replica = s.replica[datanode]
        require(replica.writer.at(Writer.RUNNING), "a thread writes the replica")
        replica.num_bytes = replica.num_bytes + 1

    def write_byte(s, datanode: Datanode) -> None:
        """One more byte is written to disk."""
        replica = s.replica[datanode]
        require(replica.writer.at(Writer.RUNNING), "a thread writes the replica")
        require(replica.bytes_on_disk < replica.num_bytes, "something that was received is not on disk yet")
        require(replica.bytes_on_disk == replica.file_bytes, "no write has failed")
        replica.file_bytes = replica.file_bytes + 1
        replica.bytes_on_disk = replica.file_bytes

    def write_byte_unrecorded(s, datanode: Datanode) -> None:
        """A write fails half-way: the file has the byte, memory does not, and the writer ends (HDFS-11472)."""
        replica = s.replica[datanode]
        require(replica.writer.at(Writer.RUNNING), "a thread writes the replica")
        require(replica.bytes_on_disk < replica.num_bytes, "something that was received is not on disk yet")
        require(replica.bytes_on_disk == replica.file_bytes, "no write has failed")
        replica.file_bytes = replica.file_bytes + 1
        replica.writer = Writer.NONE

    def acknowledge_byte(s, datanode: Datanode) -> None:
        """All nodes downstream have a byte, be it on this disk or not: readers may see it (PacketResponder#run)."""
        replica = s.replica[datanode]
        require(replica.writer.at(Writer.RUNNING), "a thread writes the replica")
        require(replica.state.at(ReplicaLifecycle.rbw), "the replica is being written")
        require(replica.bytes_acked < replica.num_bytes, "something that was received is not acknowledged yet")
        replica.bytes_acked = replica.bytes_acked + 1

    # Closing.

    def finalize_block(s, datanode: Datanode, stamp: Ordered, interrupted: Bool) -> None:
        """A replica is done: its last packet is written, or a copy is here (facts B8).

        The guard of FsDatasetImpl#finalizeReplica, that the map has no newer stamp, cannot fail in this call: the
        replica was found by its stamp under the same lock. Nor is the replica ever missing as long as whoever replaces
        it stops its writer.
        """
        replica = s.found_to_finalize(datanode, stamp, interrupted)
        require(~replica.state.at(ReplicaLifecycle.finalized), "the replica is not finalized yet")
        replica.state.fire(ReplicaLifecycle.finalize)
        s.becomes_final(datanode)

    def found_to_finalize(s, datanode: Datanode, stamp: Ordered, interrupted: Bool) -> DetailedReplica:
        """Checks: the caller's thread goes on, and the datanode has the replica under the caller's stamp."""
        replica = s.replica[datanode]
        require(~interrupted, "the thread was not interrupted", "IOException")
        require(s.exists(replica), "the datanode has a replica", "ReplicaNotFoundException", defensive=True)
        found = replica.stamp == stamp
        require(found, "the replica has the block's stamp", "ReplicaNotFoundException", defensive=True)
        return replica

    def becomes_final(s, datanode: Datanode) -> None:
        """The files move to where finalized ones are, and the NameNode is told (FsDatasetImpl#finalizeReplica)."""
        s.forget(s.replica[datanode])
        s.tells(datanode, Report.RECEIVED)
