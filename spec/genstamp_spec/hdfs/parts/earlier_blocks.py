"""Files of more than one block: the last block and the one before it, which alone may be incomplete.

Coarser than HDFS: of the blocks before these two only their number is kept; they are complete, so that rows 2 and 3 of
the release of a file are about the block before the last. The progress of earlier blocks is asked for where HDFS does:
before a client commits a block, and before a recovery does. A file whose last block is COMMITTED is released whatever
became of the replicas of a COMPLETE block before it; HDFS asks for a live one (AlreadyBeingCreatedException, facts F.3
row 5). A recovery that found no data and cannot close the file changes nothing; HDFS 3.4.1 has removed the last block
when it finds out (IllegalStateException, HDFS-17861, facts G.6 row 7). What such a failure leaves in
PendingRecoveryBlocks is not kept.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.client_calls import ClientCalls
from genstamp_spec.hdfs.parts.earlier_state import Earlier, complete_block, no_earlier
from genstamp_spec.hdfs.parts.journal_state import CallKind, Service
from genstamp_spec.hdfs.parts.namenode_blocks import BlockSteps
from genstamp_spec.hdfs.parts.state import Client, Datanode, File, StreamStage, no_datanode
from genstamp_spec.hdfs.state.earlier import SeveralBlocks
from genstamp_spec.hdfs.state.outline import Outline
from genstamp_spec.lifecycles.block import BlockLifecycle


class EarlierBlocks(BlockSteps, SeveralBlocks, lane="namenode"):
    """addBlock with a previous block, and the checks of the block before the last one."""

    def earlier_blocks_are_complete(s, file: File) -> None:
        """Checks: the block before the last one is complete."""
        require(s.earlier_is_complete(file), "the block before is complete")

    # addBlock (E.5).

    def passes_previous(s, client: Client, file: File) -> None:
        """Checks: the previous block is the last one, and the block before that is complete.

        Source  FSDirWriteFileOp#validateAddBlock, #analyzeFileState, Hadoop 3.4.1; facts E.5.
        """
        s.asks_for_a_block(client, file)
        passed = s.passed_stamp(client, file)
        require(~s.previous_is_earlier(file, passed), "no answer was missed")
        require(s.previous_is_last(file, passed), "the previous block is the last one", "IOException")
        require(
            s.earlier_is_complete(file), "the block before the previous one is complete", "NotReplicatedYetException"
        )

    def commit_previous(s, client: Client, file: File) -> None:
        """The previous block is committed with the client's length, and is the block before the last one from now on.

        Source  FSNamesystem#commitOrCompleteLastBlock, Hadoop 3.4.1; facts A.3, A7.
        """
        s.may_commit_previous(file)
        open_ = s.block[file].at(BlockLifecycle.under_construction)
        s.block[file].fire(BlockLifecycle.commit, where=open_)
        s.block_bytes[file] = when(open_, s.passed_bytes(client, file), s.block_bytes[file])
        s.stored[file] = when(open_, s.stored[file] & s.locations[file], s.stored[file])
        found = s.block[file].at(BlockLifecycle.committed) & ~s.lacks_replicas(file)
        s.block[file].fire(BlockLifecycle.complete_block, where=found)
        s.push(file)

    def may_commit_previous(s, file: File) -> None:
        """Checks: the previous block is not under recovery (HDFS-10240)."""
        recovering = s.block[file].at(BlockLifecycle.under_recovery)
        require(~recovering, "the previous block is not under recovery", "IOException")

    def push(s, file: File) -> None:
        """There is room for a new last block."""
        s.another_block_follows(file)
        there = ~s.block[file].at(BlockLifecycle.absent)
        s.older[file] = s.older[file] + when(s.earlier[file].state.at(BlockLifecycle.absent), 0, 1)
        s.earlier[file] = when(there, s.last_as_it_is(file), no_earlier())
        s.put_last(file, no_earlier(), there)

    def last_as_it_is(s, file: File) -> Earlier:
        """The last block, as it is kept when it is not the last any more."""
        return Earlier(
            state=s.block[file],
            stamp=s.block_stamp[file],
            num_bytes=s.block_bytes[file],
            locations=s.locations[file],
            stored=s.stored[file],
        )

    def put_last(s, file: File, block: Earlier, where: Bool | bool) -> None:
        """The file's last block is this one now, without a recovery."""
        s.block.update(lambda other: when(where & (other == file), block.state, s.block[other]))
        s.block_stamp[file] = when(where, block.stamp, s.block_stamp[file])
        s.block_bytes[file] = when(where, block.num_bytes, s.block_bytes[file])
        s.locations[file] = when(where, block.locations, s.locations[file])
        s.stored[file] = when(where, block.stored, s.stored[file])
        s.recovery_id[file] = when(where, 0, s.recovery_id[file])
        s.attempt_is_young[file] = when(where, False, s.attempt_is_young[file])

    def last_block_is_gone(s, file: File) -> None:
        """The block before becomes the last one. Coarser: of the block before that only its state is known."""
        gone = s.makes_room(file)
        s.put_last(file, s.earlier[file], gone)
        left = gone & (s.older[file] > 0)
        s.earlier[file] = when(gone, when(left, complete_block(), no_earlier()), s.earlier[file])
        s.older[file] = s.older[file] - when(left, 1, 0)

    def makes_room(s, file: File) -> Bool:
        """The last block was removed."""
        return s.block[file].at(BlockLifecycle.removed)

    # complete, reports, and the release of a file.

    def waits_for_the_block_before(s, client: Client, file: File) -> bool:
        """The block before the last one is COMMITTED only: false, and nothing is committed (HDFS-5558, facts E.9)."""
        words = "the block before is not complete", "the block before is complete"
        again = "the client is only told to ask again"
        if case("waits_for_the_block_before", ~s.earlier_is_complete(file), *words, unchanged=again):
            require(s.ready_to_complete(client, file), "the last packet is acknowledged")
            observe(closed=False, block_state=s.block[file])
            return True
        return False

    @action(event="block_received", caller="datanode")
    def block_received_earlier(s, file: File, datanode: Datanode) -> None:
        """A replica of the block before the last one is reported, and completes it (facts A8)."""
        require(s.running.has(datanode), "the datanode is running")
        require(s.earlier[file].state.at(BlockLifecycle.committed), "the block before is committed")
        s.has_earlier_replica(file, datanode)
        s.earlier[file].state.fire(BlockLifecycle.complete_block)
        s.earlier[file].stored.add(datanode)
        observe(block_state=s.earlier[file].state)

    def is_empty_and_unknown(s, file: File) -> Bool:
        """Row 8: the last block is empty and nobody was told to write it, or nobody is left who was."""
        never_written = s.locations[file].is_empty() & (s.block_bytes[file] == 0)
        return s.block[file].at(*BlockLifecycle.not_complete) & never_written

    def may_release(s, file: File) -> None:
        """Checks: facts F.3 rows 2, 3 and 5, and that row 8 does not drop a block of a file that cannot be closed.

        Source  FSNamesystem#internalReleaseLease, Hadoop 3.4.1; facts F.3 row 2, F.3 row 3, F.3 row 5, F.3 row 8.
        """
        earlier, last = s.earlier[file].state, s.block[file]
        rows_2_and_3 = s.earlier_is_complete(file) | earlier.at(BlockLifecycle.committed)
        require(rows_2_and_3, "the block before was committed", "IOException", defensive=True)
        row_5 = earlier.at(BlockLifecycle.committed) & last.at(BlockLifecycle.committed)
        require(~row_5, "the block before has replicas enough", "AlreadyBeingCreatedException", defensive=True)
        row_8 = earlier.at(BlockLifecycle.committed) & s.is_empty_and_unknown(file)
        require(~row_8, "the file can be closed without its last block", "IllegalStateException", defensive=True)

    @action(event="commit_block_synchronization", refuses="IllegalStateException")
    def commit_block_synchronization_too_early(s, primary: Datanode, file: File) -> None:
        """The file cannot be closed, since the block before is not complete; the recovery has to be repeated.

        Hadoop 3.4.1 finds out when it has changed the last block in memory already, and logs nothing (HDFS-17861);
        here nothing changes.

        Source  FSNamesystem#closeFileCommitBlocks, INodeFile#toCompleteFile, Hadoop 3.4.1;
                facts A.5, A13, F.3, G.6 row 7.
        """
        attempt = s.reports_back(primary, file)
        require(s.known(file), "the block is known")
        s.not_deleted(file, None)
        require(~s.already_done(file), "the block is not complete yet")
        require(attempt.recovery_id == s.recovery_id[file], "the recovery id is the current one")
        require(~s.earlier_is_complete(file), "the block before is not complete")
        s.before_closing_fails(file, attempt)
        s.attempt_ends(primary, file)


class RepeatedAddBlock(EarlierBlocks, lane="namenode"):
    """The same where a client may miss the answer to its addBlock."""

    @action(event="add_block")
    def add_block_again(s, client: Client, file: File) -> None:
        """The client has missed the answer: it is given the block that was added, if nobody has written it.

        Targets are chosen anew if the NameNode has started since and knows of no location (HDFS-5257).

        Source  FSDirWriteFileOp#analyzeFileState cases 2 and 2', Hadoop 3.4.1; facts E.5.
        """
        s.check_lease(client, file, answers=False)
        s.asks_for_a_block(client, file)
        require(s.previous_is_earlier(file, s.passed_stamp(client, file)), "an answer was missed")
        require(s.may_have_it_again(client, file), "the last block is empty", "IOException")
        s.has_targets_again(file)
        s.locations[file] = s.known_or_chosen(file)
        s.give_block_again(client, file)
        observe(generation_stamp=s.block_stamp[file], locations=s.locations[file])

    def known_or_chosen(s, file: File) -> Members[Datanode]:
        """Where the client is to write a block that it asks for again."""
        return when(s.locations[file].is_empty(), s.running, s.locations[file])

    def give_block_again(s, client: Client, file: File) -> None:
        """The client gets the block as if it were new."""
        s.give_block(client, file)


class SomeEarlierBlocks(RepeatedAddBlock, Outline, lane="namenode"):
    """The same where data is told coarsely."""

    def asks_for_a_block(s, client: Client, file: File) -> None:
        """Checks: the client is done with its previous block."""
        stage = s.writer[client][file].stage
        require(stage.at(StreamStage.OPEN, StreamStage.CLOSING), "the client wants a block")

    def put_last(s, file: File, block: Earlier, where: Bool | bool) -> None:
        """What the datanodes have of it too."""
        super().put_last(file, block, where)
        s.written[file] = when(where, block.num_bytes, s.written[file])
        s.finalized[file] = when(where, block.num_bytes > 0, s.finalized[file])


class TwoBlocks(ClientCalls, RepeatedAddBlock, lane="namenode"):
    """addBlock with a previous block.

    Coarser than HDFS: a file has two blocks at most (a limit says so), since an edit tells of two; the log knows no
    locations, so that those of the block before the last one are not kept.
    """

    # addBlock (E.5). A block that is gone stays `removed` here, if it was the only one: its inode is no new one.

    def asks_for_a_block(s, client: Client, file: File) -> None:
        """Checks: the client writes the file, as far as it knows."""
        require(s.opened[client].has(file), "the client has the file open")

    def previous_is_last(s, file: File, passed: Ordered) -> Bool:
        """As in other systems; a block that is gone is no block."""
        return super().previous_is_last(file, passed) & ~s.block[file].at(BlockLifecycle.removed)

    def previous_is_earlier(s, file: File, passed: Ordered) -> Bool:
        """Likewise."""
        return super().previous_is_earlier(file, passed) & s.known(file)

    def give_block_again(s, client: Client, file: File) -> None:
        """The client learns of the block by the answer; nothing is logged."""
        s.called(client, CallKind.ADD_BLOCK, file, s.block_stamp[file])

    def push(s, file: File) -> None:
        """Counted, so that a configuration can limit it."""
        s.second_blocks = s.second_blocks + when(s.block[file].at(BlockLifecycle.absent), 0, 1)
        super().push(file)

    def last_as_it_is(s, file: File) -> Earlier:
        """Without its locations."""
        block = super().last_as_it_is(file)
        return Earlier(
            state=block.state,
            stamp=block.stamp,
            num_bytes=block.num_bytes,
            locations=no_datanode(),
            stored=block.stored,
        )

    def put_last(s, file: File, block: Earlier, where: Bool | bool) -> None:
        """Nothing was promised of it; its locations are taken for those of the block whose place it takes."""
        locations = s.locations[file] | no_datanode()  # a copy: the set itself is about to change
        super().put_last(file, block, where)
        s.locations[file] = locations
        s.promised[file] = when(where, 0, s.promised[file])

    def makes_room(s, file: File) -> Bool:
        """There is a block before."""
        return super().makes_room(file) & ~s.earlier[file].state.at(BlockLifecycle.absent)

    def has_earlier_replica(s, file: File, datanode: Datanode) -> None:
        """Checks: somebody takes reports."""
        super().has_earlier_replica(file, datanode)
        require(s.service.at(Service.ACTIVE, Service.SAFE_MODE), "the NameNode is up")
