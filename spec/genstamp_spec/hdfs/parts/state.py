"""What the actors of the write path know: the variables, with no steps.

One block a file, its last: the blocks before it are complete and play no part here. Every stamp comes from one counter,
so that 0 stands for "none" and the first stamp given out is 1.
"""

import enum

from genstamp_model.language import *
from genstamp_spec.lifecycles import BlockLifecycle, FileLifecycle, LeaseLifecycle, ReplicaLifecycle


class Holder(Index, symmetric=True, unnamed="Client"):
    """Whoever can hold a lease: a client, or the NameNode itself while it recovers a file."""

    NAMENODE = named()


class Client(Holder):
    """A client, by its client name."""


class File(Index, symmetric=True):
    """A file, by its inode."""


class Datanode(Index, symmetric=True):
    """A datanode."""


def only(datanode: Datanode) -> Members[Datanode]:
    """The set of one datanode."""
    return those(Datanode, lambda other: other == datanode)


def no_datanode() -> Members[Datanode]:
    """The empty set of datanodes."""
    return those(Datanode, lambda other: False)


class FileState(Part):
    """What the NameNode keeps of a file: whether it is open, and its owner of record."""

    file = per(File, lifecycle(FileLifecycle))
    client_name = per(File, optional(Holder))  # RPCs are checked against it

    def under_construction(s, file: File) -> Bool:
        """The file is open for writing."""
        return s.file[file].at(FileLifecycle.under_construction)


class NamespaceState(FileState):
    """What the NameNode keeps of files and leases.

    The relation of leases to files and the file's own client name are two things, as in HDFS: `LeaseManager` decides
    about expiry and `FileUnderConstructionFeature.clientName` about rights. Nothing but the protocol makes them agree.
    """

    lease = per(Holder, lifecycle(LeaseLifecycle))
    lease_files = per(Holder, members(File))

    def past_soft_limit(s, holder: Holder) -> Bool:
        """The holder's lease has expired softly (LeaseManager.Lease#expiredSoftLimit)."""
        return s.lease[holder].at(LeaseLifecycle.past_soft_limit, LeaseLifecycle.past_hard_limit)


class BlockState(Part):
    """What the NameNode keeps of each file's last block."""

    block = per(File, lifecycle(BlockLifecycle))
    block_stamp = per(File, ordered(limit="stamps"))
    block_bytes = per(File, number(limit="bytes"))
    locations = per(File, members(Datanode))  # expected locations of a block that is not complete
    stored = per(File, members(Datanode))  # datanodes whose FINALIZED replica counts towards minimal replication

    recovery_id = per(File, ordered(limit="stamps"))  # stamp that the current recovery will install; 0: none yet
    attempt_is_young = per(File, flag())  # the block is in PendingRecoveryBlocks, its time not over

    last_stamp = ordered(limit="stamps")  # BlockIdManager.generationStamp

    def known(s, file: File) -> Bool:
        """The block is in the block map."""
        return ~s.block[file].at(BlockLifecycle.absent, BlockLifecycle.removed)


class TurnState(BlockState):
    """What the NameNode keeps of a block, with whom it asked to lead recoveries."""

    primary = per(File, optional(Datanode))  # whom the current recovery was given to (primaryNodeIndex)
    tried_as_primary = per(File, members(Datanode))  # ReplicaUnderConstruction.chosenAsPrimary
    recovery_queue = per(Datanode, members(File))  # DatanodeDescriptor.recoverBlocks


class OriginalState(enum.Enum):
    """State of the replica inside a RUR, or found by a recovery; a better state comes first, as in HDFS."""

    NONE = enum.auto()
    FINALIZED = enum.auto()
    RBW = enum.auto()
    RWR = enum.auto()


class Replica(Record):
    """A replica on a datanode. Visible length and bytes on disk are one number here."""

    state = lifecycle(ReplicaLifecycle)
    stamp = ordered(limit="stamps")
    num_bytes = number(limit="bytes")
    writer = optional(Client)  # whose packets it takes; none once the writer was stopped
    original = enumeration(OriginalState)  # of a RUR
    recovery_id = ordered(limit="stamps")  # of a RUR


def forget(replica: Replica) -> None:
    """What a replica has only in memory goes."""
    replica.writer = none
    replica.original = OriginalState.NONE
    replica.recovery_id = 0


class RunningState(Part):
    """Which clients and datanodes are up."""

    alive = members(Client, initially_all=True)
    running = members(Datanode, initially_all=True)
    crashes = number(limit="crashes")  # history: only limited, never read


class DatanodeState(RunningState):
    """What datanodes keep on disk and in memory. A datanode that is down keeps what is on disk."""

    replica = per(Datanode, per(File, record(Replica)))


class StreamStage(enum.Enum):
    """How far a client is with a file (DFSOutputStream; BlockConstructionStage from STREAMING on)."""

    NONE = enum.auto()
    OPEN = enum.auto()
    STREAMING = enum.auto()
    CLOSING = enum.auto()


class Stream(Record):
    """An output stream of one client."""

    stage = enumeration(StreamStage)
    stamp = ordered(limit="stamps")
    acked = number(limit="bytes")
    pipeline = members(Datanode)
    set_up = members(Datanode)  # nodes of the pipeline that have taken the block; once only
    finalized = members(Datanode)  # whose ack of the last packet has come


def no_stream() -> Stream:
    """The client has nothing open."""
    return Stream(
        stage=StreamStage.NONE, stamp=0, acked=0, pipeline=no_datanode(), set_up=no_datanode(), finalized=no_datanode()
    )


class ClientState(RunningState):
    """What clients believe. `steady` is history; `hflushed` is read by the first hflush of a block, too."""

    stream = per(Client, per(File, record(Stream)))
    hflushed = per(File, number(limit="bytes"))  # bytes that an hflush has promised
    steady = per(File, members(Datanode))  # nodes of that hflush's pipeline that have not crashed since


class AttemptStage(enum.Enum):
    """How far a primary is with a recovery."""

    IDLE = enum.auto()
    COLLECTING = enum.auto()
    PREEMPTED = enum.auto()
    UPDATING = enum.auto()
    DELETING = enum.auto()


class Found(Record):
    """What a datanode answered to initReplicaRecovery; NONE if it has nothing that counts."""

    original = enumeration(OriginalState)
    num_bytes = number(limit="bytes")


class Attempt(Record):
    """A recovery as its primary datanode sees it: the command, the answers, the agreement."""

    stage = enumeration(AttemptStage)
    recovery_id = ordered(limit="stamps")
    block_stamp = ordered(limit="stamps")
    locations = members(Datanode)
    answered = members(Datanode)
    failed = members(Datanode)  # in the present stage
    found = per(Datanode, record(Found))
    participants = members(Datanode)
    new_bytes = number(limit="bytes")
    updated = members(Datanode)


class PrimaryState(Part):
    """The block recoveries that datanodes lead. A command for a block under recovery there replaces the attempt."""

    attempt = per(Datanode, per(File, record(Attempt)))


def no_attempt() -> Attempt:
    """Nothing is going on."""
    return Attempt(
        stage=AttemptStage.IDLE,
        recovery_id=0,
        block_stamp=0,
        locations=no_datanode(),
        answered=no_datanode(),
        failed=no_datanode(),
        found=each(Datanode, lambda datanode: Found(original=OriginalState.NONE, num_bytes=0)),
        participants=no_datanode(),
        new_bytes=0,
        updated=no_datanode(),
    )
