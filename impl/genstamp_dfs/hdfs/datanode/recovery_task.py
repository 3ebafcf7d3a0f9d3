"""One attempt to recover one block: what the primary has heard, and what may come next.

An attempt never waits for anything but answers, and ends with the commit or by being abandoned; nothing is rolled back.
The locations may answer in any order (Hadoop asks one after the other; the outcome is the same).

Source: DN/BlockRecoveryWorker.RecoveryTaskContiguous, Hadoop 3.4.1; facts G.3 to G.5.
"""

from dataclasses import dataclass, field
from enum import Enum

from genstamp_dfs.errors import HdfsIOException, RecoveryInProgressException
from genstamp_dfs.hdfs.datanode.recovery_agreement import Agreement, collect, sync_block
from genstamp_dfs.hdfs.datanode.repairs import Repair
from genstamp_dfs.hdfs.protocol import Block, RecoveringBlock, ReplicaRecoveryInfo


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
    closed_holes: frozenset[Repair]
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
        new_block = self.command.new_block
        left_out = self.command.left_out if Repair.DEAD_ARE_ASKED in self.closed_holes else 0
        sync_list = collect(block, self.answers, len(self.init_errors), self.closed_holes, left_out)
        return sync_block(block, sync_list, self.closed_holes, None if new_block is None else new_block.num_bytes)

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
