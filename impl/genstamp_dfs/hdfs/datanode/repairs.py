"""The holes of Hadoop 3.4.1 in what datanodes do, each of which can be closed by itself."""

from enum import StrEnum
from typing import Final

from genstamp_dfs.hdfs.protocol import Semantics


class Repair(StrEnum):
    """A hole of Hadoop 3.4.1 in what datanodes do; the names are those of docs/holes.md, but for three.

    `dead-are-asked` is a hole of 3.5.0 (HDFS-17430), and of any namenode whose recovery command leaves dead datanodes
    out: a block of which nobody has data is dropped, though a datanode that is taken for dead may have its bytes. It
    was found when `genstamp conform` drove the real datanode. Closed, the command says how many locations it leaves
    out, and a recovery that finds no data gives up if there are any.

    `synced-bytes-survive` was found with this implementation. What hsync has forced to the disk can be lost by what
    follows: a write into the same chunk, of which the checksum reaches the disk and the bytes do not; a rename at
    close, append or recovery that does not reach it; a copy that joins the pipeline, is not synced, and decides as the
    shortest after all nodes have lost power. Closed, these wait for the disk, and a restart keeps of a torn chunk what
    its checksum covers.

    `failed-write-waits-for-a-recovery` was found with disks that fill up. A datanode that is not the last of a pipeline
    may have acknowledged bytes that its disk has no room for. Its replica is RBW then and shorter than what readers may
    see, which each recovery refuses as something that cannot be; the file stays open until the datanode restarts.
    Closed, what is on disk of the packet is taken back, and a replica that lacks acknowledged bytes waits to be
    recovered (RWR), as after a restart.
    """

    UNREACHABLE_IS_NOT_EMPTY = "unreachable-is-not-empty"
    DEAD_ARE_ASKED = "dead-are-asked"
    WAITING_REPLICAS_DO_NOT_DECIDE_ALONE = "waiting-replicas-do-not-decide-alone"
    FINALIZED_LENGTHS_NEED_NOT_AGREE = "finalized-lengths-need-not-agree"
    HALF_A_CUT_IS_ENOUGH = "half-a-cut-is-enough"
    CREATE_REPLACES_ONLY_ITS_OWN = "create-replaces-only-its-own"
    TRANSFER_SPARES_A_YOUNGER_RECOVERY = "transfer-spares-a-younger-recovery"
    LENGTH_IS_CHECKED_BEFORE_THE_STAMP = "length-is-checked-before-the-stamp"
    RESTART_KEEPS_WHAT_WAS_ACKNOWLEDGED = "restart-keeps-what-was-acknowledged"
    RESTART_KEEPS_A_CLOSING_REPLICA = "restart-keeps-a-closing-replica"
    PIPELINES_BRING_A_NEW_STAMP = "pipelines-bring-a-new-stamp"
    FAILED_TRANSFER_IS_A_SUCCESS = "failed-transfer-is-a-success"
    ORDERS_OVERTAKE_REPORTS = "orders-overtake-reports"
    RECOVERIES_END_WITH_THEIR_NAMENODE = "recoveries-end-with-their-namenode"
    SYNCED_BYTES_SURVIVE = "synced-bytes-survive"
    FAILED_WRITE_WAITS_FOR_A_RECOVERY = "failed-write-waits-for-a-recovery"


NONE_CLOSED: Final[frozenset[Repair]] = frozenset()
ALL_CLOSED: Final = frozenset(Repair)


def closed_by(semantics: Semantics) -> frozenset[Repair]:
    """The holes that are closed: all with `repaired`, none with `hadoop-3.4`."""
    return ALL_CLOSED if semantics is Semantics.REPAIRED else NONE_CLOSED
