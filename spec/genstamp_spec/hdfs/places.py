"""Where the protocol is described: each place of the notes on Hadoop's source that this was written from.

A docstring cites a place by its letter and number; the page of coverage is made of the two. `left_out` says why nothing
here states a place, or why it is stated in part. Leaves out the notes themselves: each line restates one in brief.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """One place of the notes.

    Attributes:
        name: as it is cited: `A7`, `E.9`, `F.3 row 6`, `S17`.
        says: what stands there, in brief.
        left_out: why it is not stated, or what of it is not; empty if all of it is.
    """

    name: str
    says: str
    left_out: str = ""


BLOCKS: tuple[Place, ...] = (
    Place("A1", "addBlock: a new block with a new stamp"),
    Place("A2", "append to a closed file whose last block is not full"),
    Place("A3", "truncate inside the last block, in place; its recovery starts in the same call"),
    Place("A4", "truncate inside the last block, by copy: a new block takes its place and is recovered"),
    Place("A5", "updatePipeline: a higher stamp, other locations"),
    Place("A6", "fsync: the length at the NameNode is set, and nobody asks whether it grows"),
    Place("A7", "addBlock for the next block, or complete: length and stamp are taken from the client"),
    Place("A8", "enough usable replicas of a committed block are known"),
    Place("A9", "too few are known, but the block was under recovery just now"),
    Place("A10", "edits are replayed: the block is complete because the log says so"),
    Place("A11", "internalReleaseLease: a recovery is started, or started again"),
    Place("A12", "the same for a committed block that no datanode has finalized"),
    Place("A13", "commitBlockSynchronization closes the file; with too few storages closing fails half-way"),
    Place("A14", "commitBlockSynchronization leaves the file open", left_out="no datanode asks for it"),
    Place("A15", "abandonBlock"),
    Place("A16", "internalReleaseLease: the last block is empty and nobody was ever told to write it"),
    Place("A17", "commitBlockSynchronization: no datanode has bytes of the block"),
    Place("A18", "the NameNode starts again: last block of an open file"),
    Place("A19", "the NameNode starts again: any other block"),
    Place("A20", "the file is deleted, overwritten or cut before the block, or its last snapshot is"),
    Place(
        "A.3",
        "committing the last block: refused under recovery or under another stamp; complete if replicas are known",
    ),
    Place("A.4", "reopening the last block for an append"),
    Place("A.5", "closing a file: every block complete, OP_CLOSE, the lease given up"),
    Place("A.6", "truncate: in place or by copy"),
    Place("A.7", "a NameNode that starts or takes over: leases get a fresh time, recoveries are forgotten"),
)

REPLICAS: tuple[Place, ...] = (
    Place("B1", "createRbw: a pipeline is set up"),
    Place("B1'", "createRbw under a new stamp replaces whatever is there"),
    Place("B2", "append"),
    Place("B3", "recoverAppend: setting up the pipeline for an append, again"),
    Place("B4", "recoverRbw: the pipeline goes on under a higher stamp"),
    Place("B5", "recoverClose: closing the block, again"),
    Place("B6", "createTemporary: a copy begins, over an older replica if need be"),
    Place("B7", "convertTemporaryToRbw: the copy joins a pipeline"),
    Place("B8", "finalizeBlock"),
    Place("B8'", "finalizeBlock of a finalized replica does nothing", left_out="a thread finalizes its replica once"),
    Place("B9", "initReplicaRecovery: writing is stopped, a recovery is remembered"),
    Place("B10", "updateReplicaUnderRecovery: cut to the agreed length, or copied for a truncate"),
    Place("B11", "restart, being written"),
    Place("B12", "restart for an upgrade, being written"),
    Place("B13", "restart, under recovery, finalized before"),
    Place("B14", "restart, under recovery, not finalized before"),
    Place("B15", "restart, temporary"),
    Place("B16", "unfinalizeBlock: a copy has failed"),
    Place("B17", "the NameNode orders the replica of one stamp deleted"),
    Place("B18", "the replica is copied to a node that joins the pipeline"),
    Place("B.1", "what a replica carries, and what a reader may see of it"),
    Place("B.3", "recoverCheck: replica, state, window of stamps, writer stopped, lengths"),
    Place("B.4", "a replica in a recovery: the checks of initReplicaRecovery and updateReplicaUnderRecovery"),
    Place("B.5", "temporary replicas and transfers"),
    Place("B.6", "stopping a writer, which takes two steps and may have to be done again"),
    Place("B.8", "loading replicas after a restart: what the checksums cover is kept"),
    Place("B.9", "what a datanode reports of a replica in each state"),
)

PIPELINE: tuple[Place, ...] = (
    Place("C.1", "the stages of a pipeline, and what a datanode does in each"),
    Place("C.2", "packets go down the chain, acks come up; a node finalizes before it acknowledges the last packet"),
    Place("C.3", "visible length, and what a reader is given"),
    Place("C.4", "hflush waits for the acks of the whole pipeline; the first one of a block calls fsync too"),
    Place("C.5", "setting up a pipeline, and the loop of its recovery"),
    Place("C.6", "replacing a datanode in the pipeline"),
    Place("C.7", "closing a stream: the last packet, then complete until it is true"),
)

LEASES: tuple[Place, ...] = (
    Place("D.1", "a lease is a holder, a time and a set of files; the limits are compared with its age"),
    Place("D.2", "adding a file renews the lease; a lease without files is dropped"),
    Place("D.3", "the monitor tries to close each file of a lease past the hard limit"),
    Place(
        "D.4", "a recovery renews the lease under which it runs; the NameNode's own holder is renamed each hard limit"
    ),
    Place("D.5", "renewing asks nothing and answers nothing"),
    Place("D.6", "the client's renewer: every half soft limit; past the hard limit it aborts its streams"),
    Place("E.0", "the order of checks of every call, and those of checkLease"),
    Place("E.1", "create"),
    Place("E.2", "append"),
    Place("E.3", "only one may append at once"),
    Place("E.4", "truncate"),
    Place("E.5", "addBlock: whether the caller may, what it calls the previous block, then a block with a new stamp"),
    Place("E.6", "updateBlockForPipeline hands out a stamp; the block learns of it by updatePipeline alone"),
    Place("E.7", "updatePipeline"),
    Place("E.8", "abandonBlock"),
    Place(
        "E.9", "complete: true if the file is closed with this very block; else commit, and close if all is complete"
    ),
    Place("E.10", "fsync: the length of the last block"),
    Place("E.11", "renewLease"),
    Place("E.12", "recoverLease: by force, whatever the lease's age"),
    Place("E.13", "getAdditionalDatanode"),
    Place("E.14", "delete, rename, concat", left_out="of concat, which is refused for every open file"),
    Place("F.1 row 1", "the file is closed: nothing to do"),
    Place("F.1 row 2", "the caller's own lease covers the file"),
    Place("F.1 row 3", "no lease is found"),
    Place("F.1 row 4", "by force"),
    Place("F.1 row 5", "past the soft limit"),
    Place("F.1 row 6", "not expired, and a recovery is under way"),
    Place("F.1 row 7", "not expired"),
    Place("F.2", "whose the file is afterwards: the writer's, the caller's or the NameNode's"),
    Place("F.3 row 1", "every block is complete: close"),
    Place("F.3 row 2", "more than two blocks are not complete"),
    Place("F.3 row 3", "two are not, and the former is not committed"),
    Place("F.3 row 4", "the last is committed, and both have replicas: close"),
    Place("F.3 row 5", "the last is committed, the one before is short of replicas"),
    Place("F.3 row 6", "the last is committed and short of replicas"),
    Place("F.3 row 7", "no expected location: the block map is asked"),
    Place("F.3 row 8", "none there either, and the length is 0: the block is dropped, close"),
    Place("F.3 row 9", "a recovery is started unless an attempt is young"),
    Place("F.4 step 1", "a new stamp is the recovery id"),
    Place("F.4 step 2", "of a truncate the block's other side gets it"),
    Place("F.4 step 3", "a primary is chosen and given the block"),
    Place("F.4 step 4", "the file goes to its new holder"),
    Place("F.4 step 5", "the lease is renewed"),
)

RECOVERY: tuple[Place, ...] = (
    Place("G.1", "the primary: a live location that has not led an attempt; once each has, they take turns anew"),
    Place(
        "G.2", "the command goes out with a heartbeat: the block as it is stored then, fresh locations, the recovery id"
    ),
    Place(
        "G.3",
        "collecting: empty and missing replicas count for nothing, errors are counted, a younger recovery ends it",
    ),
    Place("G.4 row 0", "nothing was found: the block is to be deleted"),
    Place("G.4 row 1", "finalized replicas decide, RBW ones of their length join"),
    Place("G.4 row 2", "RBW ones, with the least of their lengths"),
    Place("G.4 row 3", "RWR ones, with the least of theirs"),
    Place("G.5", "after a failure nothing is undone; the next attempt waits for somebody to start it"),
    Place("G.6 row 1", "the NameNode is not active"),
    Place("G.6 row 2", "safe mode"),
    Place("G.6 row 3", "the block is unknown"),
    Place("G.6 row 4", "the block is marked deleted or has no file"),
    Place("G.6 row 5", "a snapshot keeps the block of the deleted file", left_out="snapshots"),
    Place("G.6 row 6", "the block is complete already: silently done"),
    Place("G.6 row 7", "the recovery id is not the current one"),
    Place("G.7", "erasure-coded blocks", left_out="striped block groups: every block here is contiguous"),
    Place("H", "stamps and ids: one counter, only rising, synced before anybody outside can use one"),
)

REPORTS: tuple[Place, ...] = (
    Place("I.1", "what the NameNode does with one reported replica"),
    Place("I.2", "which reported replicas are corrupt"),
    Place("I.3", "a corrupt replica is deleted at once, later, or kept until good ones are there"),
    Place("I.4", "safe mode"),
    Place("I.5", "the edit log's operations, and what replay does with each"),
)

PROMISES: tuple[Place, ...] = (
    Place("S1", "in a pipeline what is acknowledged grows towards its end, and what is received shrinks"),
    Place("S2", "a byte visible at any replica is in all replicas of the pipeline"),
    Place("S3", "pipeline recovery lowers nothing that was acknowledged"),
    Place("S4", "what a reader saw it sees again, while one node with the data lives"),
    Place(
        "S5", "block recovery removes no visible byte if a finalized or RBW replica of the latest generation takes part"
    ),
    Place("S6", "hflushed bytes survive the client and the NameNode while one node of the pipeline does not restart"),
    Place("S7", "live replicas of a complete block are of its stamp and length, or known as corrupt"),
    Place("S8", "no stamp is ever lowered, at the NameNode or at a datanode"),
    Place("S9", "no stamp and no block id is given out twice"),
    Place("S10", "a file has one holder at most at any time"),
    Place("S11", "a client that lost the file changes nothing of it"),
    Place("S12", "the latest recovery preempts"),
    Place("S13", "commit fixes the content"),
    Place("S14", "the committed length is the acknowledged one, and no replica of that stamp is shorter"),
    Place("S15", "only the last two blocks of an open file may be incomplete, and the former is committed"),
    Place("S16", "a closed file has complete blocks and no lease"),
    Place("S17", "a file is open if and only if exactly one lease covers it, that of its client name"),
    Place("S18", "a block is dropped as empty only if no replica with data can exist"),
    Place("S19", "replaying the edits gives the active's state, and never fails"),
    Place("S20", "a call that is repeated has the effect of one"),
    Place("S21", "a good replica is never deleted on behalf of a stale one"),
    Place("S22", "what was truncated away never comes back, and a snapshot shows no later bytes"),
    Place("S23", "a replica under recovery takes no bytes from a writer"),
    Place("S24", "temporary data is never visible and never recovered"),
    Place("S25", "a standby sends no command that a datanode obeys"),
    Place("L1", "the file of a holder that is silent for the hard limit is closed eventually"),
    Place("L2", "recoverLease is true eventually, at any rate of asking"),
    Place("L3", "after the soft limit another client's append succeeds eventually"),
    Place("L4", "a write with a bad node goes on while a good one remains"),
    Place("L5", "a committed block with a live correct replica becomes complete"),
    Place("L6", "recovery does not depend on one broken replica"),
    Place("L7", "truncate returns false only if the file is closed with the new length eventually"),
    Place("L8", "no deadlock between writer, responder and recovery"),
    Place("L9", "a client that keeps renewing is never preempted by expiry"),
    Place("L10", "the monitor does not block the NameNode for long"),
    Place("J.3", "what is not promised"),
)

SECTIONS: tuple[tuple[str, tuple[Place, ...]], ...] = (
    ("Blocks at the NameNode", BLOCKS),
    ("Replicas at a datanode", REPLICAS),
    ("The write pipeline", PIPELINE),
    ("Leases, calls, lease recovery", LEASES),
    ("Block recovery and stamps", RECOVERY),
    ("Reports, corruption, safe mode, edit log", REPORTS),
    ("What is promised", PROMISES),
)
