"""The NameNode: allocating, committing and completing blocks, and the end of block recovery.

Coarser than HDFS: minimal replication is 1; targets of a new block are all live datanodes; a report shows the replica
as it is when the NameNode reads it, and changes nothing while the block is under recovery, whose end sets the replicas
anew; corrupt replicas are not listed but are those that do not match; closing never fails half-way (A13).
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.block_record import BlockRecord, may_replace_generation, replace_generation
from genstamp_spec.hdfs.parts.namenode_leases import Leases
from genstamp_spec.hdfs.parts.recovery_start import RecoveryStart
from genstamp_spec.hdfs.parts.state import Attempt, AttemptStage, Client, Datanode, File, StreamStage, only
from genstamp_spec.hdfs.state.appends import Appends
from genstamp_spec.lifecycles import BlockLifecycle, FileLifecycle


class BlockSteps(RecoveryStart, lane="namenode"):
    """addBlock, complete, blockReceived, commitBlockSynchronization.

    What a client passes, what a datanode reports and what a primary brings back, the views of the callers say.
    """

    def check_lease(s, client: Client, file: File, *, answers: bool) -> None:
        """FSNamesystem#checkLease, in its order (facts E.0). It never looks at the lease manager, nor at any age."""
        gone, expired = ("FileNotFoundException", "LeaseExpiredException") if answers else (None, None)
        missing = s.missing_inode() if answers else None
        s.may_call(client)
        require(~s.file[file].at(FileLifecycle.absent), "the file exists", missing)
        s.same_inode(client, file, missing)
        require(s.under_construction(file), "the file is open for writing", expired)
        s.not_deleted(file, gone)
        require(s.client_name[file] == client, "the caller owns the file", expired)

    def missing_inode(s) -> str:
        """What a writer is told whose inode is not there (HDFS-2484)."""
        return "FileNotFoundException"

    def has_targets(s) -> None:
        """Checks: a replica can be placed somewhere."""
        require(~s.running.is_empty(), "a datanode can take the block", "IOException")

    def passes_stamp(s, client: Client, file: File) -> Bool:
        """The block that the client passes is of the last block's generation."""
        return s.block_stamp[file] == s.passed_stamp(client, file)

    def take_result(s, file: File, attempt: Attempt) -> None:
        """The block gets what its recovery has agreed on, and counts the replicas that were updated."""
        s.block_stamp[file] = attempt.recovery_id
        s.block_bytes[file] = attempt.new_bytes
        s.stored[file] = s.known_storages(attempt.updated)
        s.locations[file] = s.known_storages(attempt.updated)

    @action
    def add_block(s, client: Client, file: File) -> None:
        """A client asks for the file's block.

        Source  FSNamesystem#getAdditionalBlock, FSDirWriteFileOp#storeAllocatedBlock, Hadoop 3.4.1; facts E.5.
        """
        s.check_lease(client, file, answers=True)
        s.passes_previous(client, file)
        s.has_targets()
        s.allocate(client, file)
        s.give_block(client, file)
        observe(generation_stamp=s.last_stamp, locations=s.running)

    def allocate(s, client: Client, file: File) -> None:
        """FSDirWriteFileOp#storeAllocatedBlock: the previous block is committed, and a new one added."""
        s.commit_previous(client, file)
        s.block_is_added(file)
        s.writes(client, file)
        s.block[file].fire(BlockLifecycle.add_block)
        s.last_stamp = s.last_stamp + 1
        s.block_stamp[file] = s.last_stamp
        s.locations[file] = s.running

    @action
    def complete(s, client: Client, file: File) -> None:
        """A client closes its file: the first call commits the block, and one that finds it COMPLETE closes the file.

        Source  FSDirWriteFileOp#completeFileInternal, BlockManager#commitOrCompleteLastBlock, Hadoop 3.4.1;
                facts E.9, A.3, A.5, A7 (HDFS-10240 and HDFS-9289 included).
        """
        s.may_call(client)
        require(~s.file[file].at(FileLifecycle.absent), "the file exists", s.missing_inode())
        s.same_inode(client, file, s.missing_inode())
        if case("again", ~s.under_construction(file), "the file is closed", "the file is open for writing"):
            s.is_closed_already(client, file)
            return
        s.not_deleted(file, "FileNotFoundException")
        require(s.client_name[file] == client, "the caller owns the file", "LeaseExpiredException")
        if s.waits_for_the_block_before(client, file):
            return
        s.may_commit(file)
        block = s.block[file]
        require(s.ready_to_complete(client, file), "the last packet is acknowledged")
        every = block.at(BlockLifecycle.complete, BlockLifecycle.absent)
        if case("closes", every, "every block is complete", "the last block is not complete"):
            s.close(file)
            s.close_stream(client, file)
            observe(closed=True, block_state=s.block[file])
            return
        committed, still = block.at(BlockLifecycle.committed), "the client is only told to ask again"
        if case("waits", committed, "the block is committed", "the block is not committed yet", unchanged=still):
            observe(closed=False, block_state=s.block[file])
            return
        require(s.passes_stamp(client, file), "the client's stamp is the block's", "IOException", defensive=True)
        unknown = s.lacks_replicas(file)
        if case("commits", unknown, "no finalized replica is known", "a finalized replica is known"):
            s.commit(client, file)
            observe(closed=False, block_state=s.block[file])
            return
        s.commit(client, file)
        s.block[file].fire(BlockLifecycle.complete_block)
        s.close(file)
        s.close_stream(client, file)
        observe(closed=True, block_state=s.block[file])

    def may_commit(s, file: File) -> None:
        """Checks: the block is not under recovery (HDFS-10240)."""
        require(~s.block[file].at(BlockLifecycle.under_recovery), "the block is not under recovery", "IOException")

    def lacks_replicas(s, file: File) -> Bool:
        """A block that is committed does not become COMPLETE at once: no replica of it is known."""
        return s.stored[file].is_empty()

    def is_closed_already(s, client: Client, file: File) -> None:
        """A call that is repeated is answered with true, be the file deleted since (HDFS-3031, facts E.9)."""
        require(s.block_matches(client, file), "its last block is the client's", "LeaseExpiredException")
        ready = s.passes_no_block(client, file) | s.ready_to_complete(client, file)
        require(ready, "the last packet is acknowledged")
        s.close_stream(client, file)
        observe(closed=True, block_state=s.block[file])

    def commit(s, client: Client, file: File) -> None:
        """BlockManager#commitBlock: the length becomes the client's; the stamp is so already (facts A.3)."""
        s.writes(client, file)
        s.block[file].fire(BlockLifecycle.commit)
        s.block_bytes[file] = s.passed_bytes(client, file)
        s.stored[file] = s.stored[file] & s.locations[file]

    # Reports (I.1, I.2).

    @action(caller="datanode")
    def block_received(s, file: File, datanode: Datanode) -> None:
        """A FINALIZED replica is reported; it counts if it matches (BlockManager#processIncrementalBlockReport, 3.4.1).

        While the block is UNDER_CONSTRUCTION its length is not known and is not compared. A COMMITTED block becomes
        COMPLETE with its first matching replica.
        """
        stamp, num_bytes = s.reported(file, datanode)
        committed = s.block[file].at(BlockLifecycle.committed)
        counts = s.counts(file, stamp, num_bytes)
        s.stored[file] = when(counts, s.stored[file] | only(datanode), s.stored[file])
        s.block[file].fire(BlockLifecycle.complete_block, where=committed & counts)
        observe(block_state=s.block[file])

    def counts(s, file: File, stamp: Ordered, num_bytes: Number) -> Bool:
        """A FINALIZED replica of this stamp and length matches the block."""
        open_ = s.has_any_length(file)
        committed = s.block[file].at(BlockLifecycle.committed)
        sized = (committed | s.block[file].at(BlockLifecycle.complete)) & (num_bytes == s.block_bytes[file])
        return (stamp == s.block_stamp[file]) & (open_ | sized)

    def has_any_length(s, file: File) -> Bool:
        """The block's length is not known yet."""
        return s.block[file].at(BlockLifecycle.under_construction)

    # The end of block recovery (G.6). Each answer ends the attempt.

    def already_done(s, file: File) -> Bool:
        """G.6 row 6: somebody has completed the block already."""
        return s.block[file].at(BlockLifecycle.complete)

    @action
    def commit_block_synchronization(s, primary: Datanode, file: File) -> None:
        """A primary brings back what its recovery has agreed on; the checks are in HDFS' order.

        Source  FSNamesystem#commitBlockSynchronization, Hadoop 3.4.1;
                facts A13, A17, G.4 row 0, G.6 row 3, G.6 row 4, G.6 row 6, G.6 row 7.
        """
        attempt = s.reports_back(primary, file)
        deletes = attempt.stage.at(AttemptStage.DELETING)
        if s.finds_block_gone(file, deletes):
            s.report_ends(primary, file, attempt)
            return
        if case(
            "unknown", ~s.known(file), "the block is unknown", "the block is known", refuses="IOException"
        ):  # G.6 row 3
            s.report_ends(primary, file, attempt)
            return
        s.not_deleted(file, "IOException")  # G.6 row 4
        if case("again", s.already_done(file), "the block is complete", "the block is not complete yet"):  # G.6 row 6
            s.report_ends(primary, file, attempt)
            return
        younger = attempt.recovery_id != s.recovery_id[file]
        current = "the recovery id is the current one"  # G.6 row 7
        if case("stale", younger, "a younger recovery was started", current, refuses="IOException"):
            s.report_ends(primary, file, attempt)
            return
        s.earlier_blocks_are_complete(file)
        nothing_found = case("deletes", deletes, "no replica was found", "replicas were updated")  # A17, G.4 row 0
        if nothing_found:
            s.may_delete_block(file)
            observe(closed=True, deleted=True, recovery_id=attempt.recovery_id)
            s.block[file].fire(BlockLifecycle.commit_block_synchronization_delete)
            s.stored[file].clear()
            s.forget_locations(file)
        else:
            s.may_close(attempt)
            observe(closed=True, deleted=False, recovery_id=attempt.recovery_id, num_bytes=attempt.new_bytes)
            s.block[file].fire(BlockLifecycle.commit_block_synchronization)
            s.take_result(file, attempt)
        s.attempt_is_young[file] = False
        s.recovery_ends(file)
        if nothing_found:
            s.last_block_is_gone(file)
        s.close(file)
        s.report_ends(primary, file, attempt)

    def report_ends(s, primary: Datanode, file: File, attempt: Attempt) -> None:
        """The call is answered, and the primary is done with its attempt."""
        s.report_is_answered(primary, file, attempt)
        s.attempt_ends(primary, file)

    def forget_locations(s, file: File) -> None:
        """Of a removed block its locations are forgotten too."""
        s.locations[file].clear()


class Blocks(BlockSteps, Leases, lane="namenode"):
    """The same with leases."""


class KnownBytesAreNotDeleted(BlockSteps, lane="namenode"):
    """A repair: those that were asked need not be all that have a replica, least of all after an append.

    A block that is opened again has for its locations the replicas that were reported by then, be they fewer than its
    pipeline had. Hadoop takes a primary's word that there is nothing.
    """

    def may_delete_block(s, file: File) -> None:
        """Checks: the block was empty, as far as the NameNode was told."""
        require(s.block_bytes[file] == 0, "no bytes of the block are known", "IOException")


class NamenodeAppend(Leases, Appends, lane="namenode"):
    """append, and what its client passes to updateBlockForPipeline and updatePipeline.

    A client that appends is `OPEN` until its pipeline is set up; its stamp is 0 while it has none from the NameNode.

    Coarser than HDFS: no block is ever full, so that an append always goes on in the last block, if there is one; a
    file that was cut to nothing gets no block any more; whoever comes past the soft limit of a writer that left nothing
    to recover finds the file closed by another step; quotas, storage policies and the choice of a new block instead of
    the last one (NEW_BLOCK) are not here.
    """

    @action
    def append(s, client: Client, file: File) -> None:
        """A client opens a closed file at its end; it is given the last block with its old stamp.

        Source  FSDirAppendOp#appendFile, #prepareFileForAppend, BlockManager#convertLastBlockToUnderConstruction,
                Hadoop 3.4.1; facts E.2, E.3, A2, A.4.
        """
        s.may_call(client)
        require(~s.file[file].at(FileLifecycle.absent), "the file exists", "FileNotFoundException")
        if s.recover_lease_internal(client, file, None):
            return
        no_block = s.block[file].at(BlockLifecycle.absent)
        replicated = ~(s.stored[file] & s.running).is_empty()
        require(~s.block[file].at(BlockLifecycle.removed), "the file was not cut to nothing")
        require(no_block | replicated, "the last block is sufficiently replicated", "IOException")
        require(s.stream[client][file].stage.at(StreamStage.NONE), "the client has no stream of the file")
        s.appends = s.appends + 1
        s.file[file].fire(FileLifecycle.append)
        s.client_name[file] = client
        s.grant(client, file)
        s.block[file].fire(BlockLifecycle.append, where=~no_block)
        s.locations[file] = s.stored[file]
        s.tried_as_primary[file].clear()
        s.primary[file] = none
        s.visible_bytes_are_promised(file)
        s.open_stream(client, file)
        stream = s.stream[client][file]
        stream.acked = s.block_bytes[file]
        stream.pipeline = s.stored[file]
        observe(generation_stamp=s.block_stamp[file], num_bytes=s.block_bytes[file], locations=s.stored[file])


class PipelineCalls(RecoveryStart, lane="namenode"):
    """updateBlockForPipeline and updatePipeline.

    Coarser than HDFS: one block a file, its last; datanodes are storages, and all of them are known. What the client
    passes is read from its stream.
    """

    def check_block_under_construction(s, client: Client, file: File, refused: bool) -> None:
        """FSNamesystem#checkUCBlock, in its order (facts E.6); stamps are not compared."""
        error, expired = ("IOException", "LeaseExpiredException") if refused else (None, None)
        require(~s.block[file].at(BlockLifecycle.absent, BlockLifecycle.removed), "the block is known", error)
        require(s.block[file].at(BlockLifecycle.under_construction), "the block is under construction", error)
        require(s.under_construction(file), "the file is open for writing", error, defensive=refused)
        s.not_deleted(file, error)
        require(s.client_name[file] == client, "the caller owns the file", expired)

    @action
    def update_block_for_pipeline(s, client: Client, file: File) -> None:
        """A client whose pipeline has lost a node asks for a stamp; the block as it is stored keeps its own.

        Source  FSNamesystem#bumpBlockGenerationStamp, Hadoop 3.4.1; facts E.6, C.5, H.7.2.
        """
        s.may_call(client)
        s.asks_for_stamp(client, file)
        s.check_block_under_construction(client, file, True)
        s.last_stamp = s.last_stamp + 1
        s.takes_stamp(client, file)
        observe(generation_stamp=s.last_stamp)

    @action
    def update_pipeline(s, client: Client, file: File) -> None:
        """The pipeline is set up under the new stamp: the block takes it, the length and the nodes.

        Source  FSNamesystem#updatePipeline, #updatePipelineInternal, Hadoop 3.4.1; facts A5, E.7.
        """
        s.may_call(client)
        s.passes_pipeline(client, file)
        s.check_block_under_construction(client, file, True)
        stamp, length, nodes = s.new_pipeline(client, file)
        may_replace_generation(BlockRecord(s, file), stamp, length)
        replace_generation(BlockRecord(s, file), stamp, length, nodes)
        s.goes_on(client, file)
        observe(generation_stamp=stamp, num_bytes=length, locations=nodes)
