"""What reports add to the state: messages under way, corrupt replicas, what is to be deleted and to be copied.

One block a file, as in `state.py`. Here `stored` is the block map: all datanodes that count as holding the block, those
with a corrupt, an excess or an old replica among them. A datanode has one storage, so that what HDFS keeps for each
storage is kept for the datanode.
"""

import enum

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.state import BlockState, ClientState, Datanode, DatanodeState, File, FileState


class Wanted(Index):
    """As many members as replicas are wanted of a block: the replication of the file."""


class Minimal(Index):
    """As many members as replicas make a committed block complete: dfs.namenode.replication.min."""


class ReportedState(enum.Enum):
    """State of a replica as it is reported; NONE where there is no replica. A RUR is reported as its original (B.9)."""

    NONE = enum.auto()
    FINALIZED = enum.auto()
    RBW = enum.auto()
    RWR = enum.auto()
    RUR = enum.auto()
    TEMPORARY = enum.auto()


class CorruptReason(enum.Enum):
    """Why a replica is in the map of corrupt replicas (CorruptReplicasMap.Reason); NONE if it is not."""

    NONE = enum.auto()
    GENSTAMP_MISMATCH = enum.auto()
    SIZE_MISMATCH = enum.auto()
    INVALID_STATE = enum.auto()


class IncrementalKind(enum.Enum):
    """What an incremental report says (ReceivedDeletedBlockInfo.BlockStatus); NONE if there is no report."""

    NONE = enum.auto()
    RECEIVING = enum.auto()
    RECEIVED = enum.auto()
    DELETED = enum.auto()


class IncrementalReport(Record):
    """An incremental report of one replica, as it was when the report was made."""

    kind = enumeration(IncrementalKind)
    stamp = ordered(limit="stamps")
    num_bytes = number(limit="bytes")


class FullReport(Record):
    """What a full report says of one block: the replica as it was when the report was made, or that there is none."""

    on_its_way = flag()
    state = enumeration(ReportedState)
    stamp = ordered(limit="stamps")
    num_bytes = number(limit="bytes")


class Judgement(Record):
    """What the NameNode makes of a reported replica."""

    reason = enumeration(CorruptReason)


def corrupt_for(reason: CorruptReason) -> Enumerated[CorruptReason]:
    """A reason, as a value."""
    return Judgement(reason=reason).reason


def not_corrupt() -> Enumerated[CorruptReason]:
    """No reason, as a value."""
    return corrupt_for(CorruptReason.NONE)


def reported_as(state: ReportedState) -> Enumerated[ReportedState]:
    """A reported state, as a value."""
    return FullReport(on_its_way=True, state=state, stamp=0, num_bytes=0).state


def no_incremental_report() -> IncrementalReport:
    """Nothing to report."""
    return IncrementalReport(kind=IncrementalKind.NONE, stamp=0, num_bytes=0)


def no_full_report() -> FullReport:
    """No full report is on its way."""
    return FullReport(on_its_way=False, state=ReportedState.NONE, stamp=0, num_bytes=0)


class ReportsState(FileState, BlockState, DatanodeState, ClientState):
    """Reports on their way, and what the NameNode keeps of replicas beside the block map."""

    # Settings, which never change.
    wanted_replicas = members(Wanted, initially_all=True)
    minimal_replicas = members(Minimal, initially_all=True)

    # At the datanodes. One report a block waits to be sent, which a later one replaces; one is on its way.
    unsent = per(Datanode, per(File, record(IncrementalReport)))
    sent = per(Datanode, per(File, record(IncrementalReport)))
    full_report = per(Datanode, per(File, record(FullReport)))
    owes_report = members(Datanode)  # has registered, and has not sent a full report since

    # At the NameNode, of datanodes.
    registered = members(Datanode, initially_all=True)  # whom it believes to be alive
    stale_contents = members(Datanode)  # whose full report it has not had since it started
    decommissioning = members(Datanode)
    safe_mode = flag()  # at startup: nothing is deleted or copied

    # At the NameNode, of replicas.
    location_stamp = per(File, per(Datanode, ordered(limit="stamps")))  # of an expected location, as last reported
    corrupt = per(File, per(Datanode, enumeration(CorruptReason)))  # CorruptReplicasMap
    postponed = per(File, flag())  # postponedMisreplicatedBlocks
    to_invalidate = per(Datanode, per(File, ordered(limit="stamps")))  # InvalidateBlocks: the stamp; 0 for none
    excess = per(File, members(Datanode))  # ExcessRedundancyMap
    needed = per(File, flag())  # LowRedundancyBlocks: the queue for reconstruction
    pending = per(File, members(Datanode))  # PendingReconstructionBlocks: to whom a copy is on its way
    copy_orders = per(File, members(Datanode))  # targets of the transfers that sources are told to make
    copy_stamp = per(File, ordered(limit="stamps"))  # of the replica that they are to copy

    # History variables: only properties read them, and the last ones are only limited.
    committed_stamp = per(File, ordered(limit="stamps"))  # with which a client or a recovery has committed
    committed_bytes = per(File, number(limit="bytes"))
    damaged = members(Datanode)  # has lost bytes of a FINALIZED replica
    appends = number(limit="appends")
    copies = number(limit="copies")
    decommissions = number(limit="decommissions")
    deletions = number(limit="deletions")
    losses = number(limit="losses")
    namenode_restarts = number(limit="namenode_restarts")
    pipeline_updates = number(limit="pipeline_updates")
    recoveries = number(limit="recoveries")
