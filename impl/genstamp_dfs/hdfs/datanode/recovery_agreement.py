"""What the primary of a block recovery makes of the answers: length and participants, or a reason to give up.

Leaves out: erasure-coded blocks; who asks and who updates (`recovery_task`, `block_recovery_worker`).

Source: DN/BlockRecoveryWorker.RecoveryTaskContiguous, Hadoop 3.4.1; facts G.3, G.4.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from genstamp_dfs.errors import HdfsIOException
from genstamp_dfs.hdfs.protocol import Block, ReplicaRecoveryInfo, ReplicaState, Semantics

RECOVERABLE_STATES = frozenset({ReplicaState.FINALIZED, ReplicaState.RBW, ReplicaState.RWR})
"""Original states that may take part in a recovery (HDFS-9236)."""


@dataclass(frozen=True, slots=True)
class AgreementRules:
    """Which holes of Hadoop 3.4.1 are closed.

    Attributes:
        unreachable_is_not_empty: that nobody has data counts only if every location answered.
        waiting_do_not_decide_alone: RWR replicas decide only if every location answered.
        longest_finalized_decide: FINALIZED replicas of several lengths do not stop a recovery; the longest take part,
            or for a truncate all that are long enough.
    """

    unreachable_is_not_empty: bool = False
    waiting_do_not_decide_alone: bool = False
    longest_finalized_decide: bool = False


HADOOP_3_4: Final = AgreementRules()
UNREACHABLE_IS_NOT_EMPTY: Final = AgreementRules(unreachable_is_not_empty=True)
REPAIRED: Final = AgreementRules(True, True, True)


def rules_of(semantics: Semantics) -> AgreementRules:
    """The rules of `hadoop-3.4` or `repaired`."""
    return REPAIRED if semantics is Semantics.REPAIRED else HADOOP_3_4


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
    block: Block, answers: Mapping[str, ReplicaRecoveryInfo | None], errors: int, rules: AgreementRules
) -> dict[str, ReplicaRecoveryInfo]:
    """The replicas that count, by datanode: those with data, in the block's generation or a later one.

    Args:
        block: the block as the command names it.
        answers: what each location that answered said; None where there is no replica.
        errors: number of locations that gave an error or no answer.
        rules: the holes that are closed.

    Raises:
        HdfsIOException: all locations failed; there is data but in no state that may take part; or a location was
            silent that may have what nobody else has, as far as the rules mind.

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
    if not sync_list and errors and rules.unreachable_is_not_empty:
        raise HdfsIOException(
            f"no data of blk_{block.block_id} was found, but {errors} location(s) did not answer and may have some"
        )
    if sync_list and errors and rules.waiting_do_not_decide_alone and _best_state(sync_list) is ReplicaState.RWR:
        raise HdfsIOException(
            f"only RWR replicas of blk_{block.block_id} were found, and {errors} location(s) did not answer"
        )
    return sync_list


def sync_block(
    block: Block,
    sync_list: Mapping[str, ReplicaRecoveryInfo],
    rules: AgreementRules = HADOOP_3_4,
    truncate_to: int | None = None,
) -> Agreement:
    """Length and participants of the recovery, from the replicas that count.

    The best state decides. FINALIZED: their length, and each RBW of that length takes part. Else RBW: the shortest of
    them. Else RWR: the shortest of them. RWR never takes part beside a better one. None at all: delete the block.

    Args:
        block: the block as the command names it.
        sync_list: the replicas that count.
        rules: the holes that are closed.
        truncate_to: the length in bytes that a truncate asks for, in place of the one that is found.

    Raises:
        HdfsIOException: two FINALIZED replicas differ in length, and the rules mind.

    Source: RecoveryTaskContiguous#syncBlock, Hadoop 3.4.1. There too, stamps are not compared.

    >>> rbw, rwr = ReplicaState.RBW, ReplicaState.RWR
    >>> replicas = {"datanode1": (7, rbw), "datanode2": (5, rbw), "datanode3": (3, rwr)}
    >>> infos = {dn: ReplicaRecoveryInfo(1, length, 1001, state) for dn, (length, state) in replicas.items()}
    >>> sync_block(Block(1, 1001, 0), infos)
    Agreement(new_length=5, participants=('datanode1', 'datanode2'))
    """
    if not sync_list:
        return Agreement(0, ())
    best = _best_state(sync_list)
    participants: Iterable[str]
    if best is ReplicaState.FINALIZED:
        new_length, participants = _with_finalized(block, sync_list, rules, truncate_to)
    else:
        chosen = {datanode: info for datanode, info in sync_list.items() if info.original_state is best}
        new_length, participants = min(info.num_bytes for info in chosen.values()), chosen
    return Agreement(new_length if truncate_to is None else truncate_to, tuple(sorted(participants)))


def _with_finalized(
    block: Block, sync_list: Mapping[str, ReplicaRecoveryInfo], rules: AgreementRules, truncate_to: int | None
) -> tuple[int, list[str]]:
    """FINALIZED replicas decide about the length: it, and who takes part."""
    finalized = {dn: info for dn, info in sync_list.items() if info.original_state is ReplicaState.FINALIZED}
    lengths = {info.num_bytes for info in finalized.values()}
    if len(lengths) > 1 and not rules.longest_finalized_decide:
        raise HdfsIOException(
            f"inconsistent size of finalized replicas of blk_{block.block_id}: {sorted(lengths)} bytes"
        )
    new_length = max(lengths)
    if truncate_to is not None and rules.longest_finalized_decide:
        joining = [datanode for datanode, info in finalized.items() if info.num_bytes >= truncate_to]
    else:
        joining = [datanode for datanode, info in finalized.items() if info.num_bytes == new_length]
    joining += [
        datanode
        for datanode, info in sync_list.items()
        if info.original_state is ReplicaState.RBW and info.num_bytes == new_length
    ]
    return new_length, joining


def _best_state(sync_list: Mapping[str, ReplicaRecoveryInfo]) -> ReplicaState:
    return min(info.original_state for info in sync_list.values())
