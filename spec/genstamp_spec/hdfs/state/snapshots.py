"""Callers with streams, and what keeps a block from being cut: a snapshot or an upgrade."""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.state import Datanode, File
from genstamp_spec.hdfs.state.streams import Streams
from genstamp_spec.lifecycles.replica import ReplicaLifecycle


class SnapshotState(Part):
    """What the NameNode keeps of snapshots and of an upgrade that is not finalized."""

    snapshot = per(File, flag())
    snapshot_bytes = per(File, number(limit="bytes"))  # the length that the snapshot shows
    shown_beyond = number(limit="bytes")  # history: most bytes beyond that length that a reader of it was shown
    snapshots = number(limit="snapshots")  # history: only limited, never read

    upgrade = flag()
    rollback_bytes = per(File, number(limit="bytes"))  # history: length of each closed file as the upgrade began
    upgrades = number(limit="upgrades")  # history: only limited, never read


class HeldBlocks(Streams, SnapshotState):
    """How a block is seen in a snapshot."""

    def snapshot_replica(s, file: File, datanode: Datanode) -> tuple[Bool, Number]:
        """Whether the datanode serves the snapshot's block, and its length there."""
        replica = s.replica[datanode][file]
        serving = replica.state.at(ReplicaLifecycle.finalized, ReplicaLifecycle.rbw, ReplicaLifecycle.rur)
        return serving, replica.num_bytes

    def may_upgrade(s) -> None:
        """Checks: an upgrade may begin; here, at any time."""
