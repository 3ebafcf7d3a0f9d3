"""What Hadoop 2.10.2 does otherwise in hdfs.lease, beside what it has in common with 3.4.1.

HDFS-10240 is not there, and HDFS-12886 is: a block that PendingRecoveryBlocks has an entry for is completed by force.
Since HDFS-10240 such an entry shows nowhere in this system.
"""

from typing import Any

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.hadoop_2_7 import ISSUE, AddBlockUnderRecovery, ReopenedWithoutRecovery
from genstamp_spec.hdfs.parts.lease_history import Owners
from genstamp_spec.hdfs.parts.state import Datanode, File


class PendingRecoveries(Part):
    """PendingRecoveryBlocks: whether it has an entry, however old."""

    pending = per(File, flag())  # for the last block
    earlier_pending = per(File, flag())  # for the one before


class CompletesByForce(AddBlockUnderRecovery, ReopenedWithoutRecovery, Owners, PendingRecoveries, lane="namenode"):
    """complete() and addBlock() complete a block that is under recovery, with any number of replicas.

    Who commits a block whose recovery was started completes it, with any number of replicas (facts A9, E.9).

    The entry stays when the client ends the block, and is there still when the block is opened again.

    Coarser than HDFS: whether the attempt is young is not remembered of the block before the last one.

    Source  BlockManager#commitOrCompleteLastBlock, PendingRecoveryBlocks#isUnderRecovery, Hadoop 2.10.2.
    """

    def lacks_replicas(s, file: File) -> Bool:
        """Of a block that has an entry, nobody asks."""
        return super().lacks_replicas(file) & ~s.pending[file]

    def start_recovery(s, file: File, primary: Datanode) -> None:
        """There is an entry from now on."""
        super().start_recovery(file, primary)
        s.pending[file] = True

    def recovery_ends(s, file: File) -> None:
        """The end of a recovery alone removes the entry (BlockManager#successfulBlockRecovery)."""
        super().recovery_ends(file)
        s.pending[file] = False

    def push(s, file: File) -> None:
        """A new last block has none."""
        s.earlier_pending[file] = s.pending[file]
        s.pending[file] = False
        super().push(file)

    def last_block_is_gone(s, file: File) -> None:
        """The block before has its own."""
        gone = s.makes_room(file)
        super().last_block_is_gone(file)
        s.pending[file] = when(gone, s.earlier_pending[file], s.pending[file])
        s.earlier_pending[file] = s.earlier_pending[file] & ~gone

    def remove_inode(s, file: File) -> None:
        """Entries of blocks that are gone concern nobody."""
        super().remove_inode(file)
        s.pending[file] = False
        s.earlier_pending[file] = False

    def datanodes_are_forgotten(s) -> None:
        """The table is in memory only."""
        super().datanodes_are_forgotten()
        s.pending.update(lambda file: False)
        s.earlier_pending.update(lambda file: False)

    def of_last_block(s) -> tuple[Any, ...]:
        """Entries move with the file."""
        return (*super().of_last_block(), s.pending, s.earlier_pending)


HDFS_10240_BY_FORCE = Bug(
    "HDFS-10240-with-HDFS-12886",
    parts=(CompletesByForce,),
    source=ISSUE + "HDFS-10240, with HDFS-12886 as in 2.9.1 to 2.10.2; fixed in 3.0.4, 3.1.2, 3.2.0",
).at("two_clients", "fenced_client_changes_nothing")
