"""What the primary of a block recovery makes of the answers: length and participants, or a reason to give up.

Not here: erasure-coded blocks; who asks and who updates (`recovery_task`, `block_recovery_worker`).

Source: DN/BlockRecoveryWorker.RecoveryTaskContiguous, Hadoop 3.4.1; facts G.3, G.4.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from genstamp_dfs.errors import HdfsIOException
from genstamp_dfs.hdfs.datanode.repairs import NONE_CLOSED, Repair
from genstamp_dfs.hdfs.protocol import Block, ReplicaRecoveryInfo, ReplicaState

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
    block: Block,
    answers: Mapping[str, ReplicaRecoveryInfo | None],
    errors: int,
    closed: frozenset[Repair],
    left_out: int = 0,
) -> dict[str, ReplicaRecoveryInfo]:
    """The replicas that count, by datanode: those with data, in the block's generation or a later one.

    Args:
        block: the block as the command names it.
        answers: what each location that answered said; None where there is no replica.
        errors: number of locations that gave an error or no answer.
        closed: the holes that are closed.
        left_out: number of locations that were not asked, and may have what nobody else has.

    Raises:
        HdfsIOException: all locations failed; there is data but in no state that may take part; or a location was
            silent, or not asked, that may have what nobody else has, if that hole is closed.

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
    if not sync_list and errors and Repair.UNREACHABLE_IS_NOT_EMPTY in closed:
        raise HdfsIOException(
            f"no data of blk_{block.block_id} was found, but {errors} location(s) did not answer and may have some"
        )
    if not sync_list and left_out:
        raise HdfsIOException(
            f"no data of blk_{block.block_id} was found, but {left_out} location(s) taken for dead may have some"
        )
    is_waiting = bool(sync_list) and _best_state(sync_list) is ReplicaState.RWR
    if is_waiting and errors and Repair.WAITING_REPLICAS_DO_NOT_DECIDE_ALONE in closed:
        raise HdfsIOException(
            f"only RWR replicas of blk_{block.block_id} were found, and {errors} location(s) did not answer"
        )
    return sync_list


def sync_block(
    block: Block,
    sync_list: Mapping[str, ReplicaRecoveryInfo],
    closed: frozenset[Repair] = NONE_CLOSED,
    truncate_to: int | None = None,
) -> Agreement:
    """Length and participants of the recovery, from the replicas that count.

    The best state decides. FINALIZED: their length, and each RBW of that length takes part. Else RBW: the shortest of
    them. Else RWR: the shortest of them. RWR never takes part beside a better one. None at all: delete the block.

    Args:
        block: the block as the command names it.
        sync_list: the replicas that count.
        closed: the holes that are closed.
        truncate_to: the length in bytes that a truncate asks for, in place of the one that is found.

    Raises:
        HdfsIOException: two FINALIZED replicas differ in length, and that hole is open.

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
        new_length, participants = _with_finalized(block, sync_list, closed, truncate_to)
    else:
        chosen = {datanode: info for datanode, info in sync_list.items() if info.original_state is best}
        new_length, participants = min(info.num_bytes for info in chosen.values()), chosen
    return Agreement(new_length if truncate_to is None else truncate_to, tuple(sorted(participants)))


def _with_finalized(
    block: Block, sync_list: Mapping[str, ReplicaRecoveryInfo], closed: frozenset[Repair], truncate_to: int | None
) -> tuple[int, list[str]]:
    """FINALIZED replicas decide about the length: it, and who takes part."""
    finalized = {dn: info for dn, info in sync_list.items() if info.original_state is ReplicaState.FINALIZED}
    lengths = {info.num_bytes for info in finalized.values()}
    new_length = max(lengths)
    if truncate_to is not None and Repair.HALF_A_CUT_IS_ENOUGH in closed:
        joining = [datanode for datanode, info in finalized.items() if info.num_bytes >= truncate_to]
    elif len(lengths) == 1 or Repair.FINALIZED_LENGTHS_NEED_NOT_AGREE in closed:
        joining = [datanode for datanode, info in finalized.items() if info.num_bytes == new_length]
    else:
        raise HdfsIOException(
            f"inconsistent size of finalized replicas of blk_{block.block_id}: {sorted(lengths)} bytes"
        )
    joining += [
        datanode
        for datanode, info in sync_list.items()
        if info.original_state is ReplicaState.RBW and info.num_bytes == new_length
    ]
    return new_length, joining


def _best_state(sync_list: Mapping[str, ReplicaRecoveryInfo]) -> ReplicaState:
    return min(info.original_state for info in sync_list.values())
