"""Block recovery at the primary: ask every location, agree on a length, update, tell the namenode.

`collect` and `sync_block` are the two decisions, as functions of the answers. `RecoveryTask` is one attempt: it knows
which answers are missing and what may come next. An attempt never waits for anything but answers, and ends with the
commit or by being abandoned; nothing is rolled back.

Leaves out: truncate recovery, erasure-coded blocks. The locations may answer in any order (Hadoop asks one after the
other; the outcome is the same).

Source: DN/BlockRecoveryWorker.RecoveryTaskContiguous, Hadoop 3.4.1.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from genstamp_dfs.errors import HdfsIOException, RecoveryInProgressException
from genstamp_dfs.hdfs.protocol import Block, RecoveringBlock, ReplicaRecoveryInfo, ReplicaState, Semantics

RECOVERABLE_STATES = frozenset({ReplicaState.FINALIZED, ReplicaState.RBW, ReplicaState.RWR})
"""Original states that may take part in a recovery (HDFS-9236)."""


@dataclass(frozen=True)
class Agreement:
    """What the recovery will install: length in bytes, and the datanodes whose replicas get it.

    No participants: no replica has data, and the block is to be deleted.
    """

    new_length: int
    participants: tuple[str, ...]

    @property
    def delete_block(self) -> bool:
        return not self.participants


def collect(
    block: Block, answers: Mapping[str, ReplicaRecoveryInfo | None], errors: int, semantics: Semantics
) -> dict[str, ReplicaRecoveryInfo]:
    """The replicas that count, by datanode: those with data, in the block's generation or a later one.

    Args:
        block: the block as the command names it.
        answers: what each location that answered said; None where there is no replica.
        errors: number of locations that gave an error or no answer.
        semantics: `repaired` does not take "no data" for an answer while a location is silent.

    Raises:
        HdfsIOException: all locations failed; there is data but in no state that may take part; with `repaired`,
            there is no data but not every location answered.

    Source: RecoveryTaskContiguous#recover, Hadoop 3.4.1.
    """
    if not answers:
        raise HdfsIOException(f"all datanodes failed: block=blk_{block.block_id}, {errors} locations")
    candidates = {
        datanode: info
        for datanode, info in answers.items()
        if info is not None and info.generation_stamp >= block.generation_stamp and info.num_bytes > 0
    }
    sync_list = {datanode: info for datanode, info in candidates.items() if info.original_state in RECOVERABLE_STATES}
    if candidates and not sync_list:
        raise HdfsIOException(
            f"found {len(candidates)} replica(s) of blk_{block.block_id} but none is in RWR or better state"
        )
    if not sync_list and errors and semantics is Semantics.REPAIRED:
        raise HdfsIOException(
            f"no data of blk_{block.block_id} was found, but {errors} location(s) did not answer and may have some"
        )
    return sync_list


def sync_block(block: Block, sync_list: Mapping[str, ReplicaRecoveryInfo]) -> Agreement:
    """Length and participants of the recovery, from the replicas that count.

    The best state decides. FINALIZED: their length, and each RBW of that length takes part. Else RBW: the shortest of
    them. Else RWR: the shortest of them. RWR never takes part beside a better one. None at all: delete the block.

    Raises:
        HdfsIOException: two FINALIZED replicas differ in length.

    Source: RecoveryTaskContiguous#syncBlock, Hadoop 3.4.1. There too, stamps are not compared.

    >>> rbw, rwr = ReplicaState.RBW, ReplicaState.RWR
    >>> replicas = {"datanode1": (7, rbw), "datanode2": (5, rbw), "datanode3": (3, rwr)}
    >>> infos = {dn: ReplicaRecoveryInfo(1, length, 1001, state) for dn, (length, state) in replicas.items()}
    >>> sync_block(Block(1, 1001, 0), infos)
    Agreement(new_length=5, participants=('datanode1', 'datanode2'))
    """
    if not sync_list:
        return Agreement(0, ())
    best = min(info.original_state for info in sync_list.values())
    lengths = {info.num_bytes for info in sync_list.values() if info.original_state is best}
    if best is ReplicaState.FINALIZED:
        if len(lengths) > 1:
            raise HdfsIOException(
                f"inconsistent size of finalized replicas of blk_{block.block_id}: {sorted(lengths)} bytes"
            )
        joining = {ReplicaState.FINALIZED, ReplicaState.RBW}
        (new_length,) = lengths
        participants = (
            datanode
            for datanode, info in sync_list.items()
            if info.original_state in joining and info.num_bytes == new_length
        )
    else:
        new_length = min(lengths)
        participants = (datanode for datanode, info in sync_list.items() if info.original_state is best)
    return Agreement(new_length, tuple(sorted(participants)))


class TaskState(Enum):
    """Where an attempt is."""

    COLLECTING = "collecting"
    UPDATING = "updating"


@dataclass
class RecoveryTask:
    """One attempt to recover one block.

    Attributes:
        answers: location -> its answer to initReplicaRecovery; None where there is no replica.
        init_errors: locations whose initReplicaRecovery failed or got no answer.
        preempted: a location said that a younger recovery has its replica.
        sync_list: the replicas that count; set by the agreement, as is `agreement`.
        updated: participants that installed the agreed length.
        update_errors: participants that did not.
    """

    command: RecoveringBlock
    semantics: Semantics
    state: TaskState = TaskState.COLLECTING
    answers: dict[str, ReplicaRecoveryInfo | None] = field(default_factory=dict)
    init_errors: set[str] = field(default_factory=set)
    preempted: bool = False
    sync_list: dict[str, ReplicaRecoveryInfo] = field(default_factory=dict)
    agreement: Agreement | None = None
    updated: set[str] = field(default_factory=set)
    update_errors: set[str] = field(default_factory=set)

    # -- collecting ---------------------------------------------------------------------------------------------

    def locations_to_ask(self) -> list[str]:
        """The locations whose initReplicaRecovery is still to come; none once the attempt is preempted."""
        if self.state is not TaskState.COLLECTING or self.preempted:
            return []
        return [dn for dn in self.command.locations if dn not in self.answers and dn not in self.init_errors]

    def on_replica_info(self, datanode: str, info: ReplicaRecoveryInfo | None) -> None:
        """A location answered initReplicaRecovery."""
        self.answers[datanode] = info

    def on_init_failure(self, datanode: str, problem: HdfsIOException | None) -> None:
        """A location refused initReplicaRecovery, or (None) could not be reached."""
        if isinstance(problem, RecoveryInProgressException):
            self.preempted = True
        self.init_errors.add(datanode)

    def decide(self) -> Agreement:
        """What all answers together mean.

        Raises:
            HdfsIOException: the attempt has to be abandoned, for the reason given.
        """
        if self.preempted:
            raise RecoveryInProgressException(f"recovery {self.command.recovery_id} was preempted by a younger one")
        block = self.command.block
        return sync_block(block, collect(block, self.answers, len(self.init_errors), self.semantics))

    def agree(self) -> Agreement:
        """Take the decision; updates follow.

        Raises:
            HdfsIOException: as `decide`; nothing has changed.
        """
        agreement = self.decide()
        self.sync_list = {
            dn: info for dn, info in self.answers.items() if info is not None and dn in agreement.participants
        }
        self.agreement = agreement
        self.state = TaskState.UPDATING
        return agreement

    # -- updating -----------------------------------------------------------------------------------------------

    def participants_to_update(self) -> list[str]:
        """The participants whose updateReplicaUnderRecovery is still to come."""
        if self.agreement is None:
            return []
        return [dn for dn in self.agreement.participants if dn not in self.updated and dn not in self.update_errors]

    def old_block(self, datanode: str) -> Block:
        """A participant's replica as that datanode described it."""
        info = self.sync_list[datanode]
        return Block(info.block_id, info.generation_stamp, info.num_bytes)

    def on_update(self, datanode: str, *, succeeded: bool) -> None:
        """A participant installed the agreed length, or did not (refused or not reached)."""
        (self.updated if succeeded else self.update_errors).add(datanode)

    def is_ready_to_commit(self) -> bool:
        """Whether the namenode may be told: to delete, or that at least one update worked (HDFS-12070)."""
        if self.agreement is None or self.participants_to_update():
            return False
        return self.agreement.delete_block or bool(self.updated)

    # -- the end ------------------------------------------------------------------------------------------------

    def reason_to_abandon(self) -> str | None:
        """Why the attempt can only be given up; None while it can go on."""
        if self.locations_to_ask() or self.participants_to_update() or self.is_ready_to_commit():
            return None
        if self.agreement is not None:
            return f"cannot recover blk_{self.command.block.block_id}: no participant could be updated"
        try:
            self.decide()
        except HdfsIOException as problem:
            return str(problem)
        return None
