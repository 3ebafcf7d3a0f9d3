"""A file of several blocks whose last one is cut, between appends through pipelines and recoveries of all kinds.

Coarser than HDFS: no truncate reaches beyond the last block, so that its length is counted from that block's beginning
and length 0 leaves the file with the blocks before; a file that is in a snapshot gets no further block.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.earlier_blocks import EarlierBlocks
from genstamp_spec.hdfs.parts.earlier_state import no_earlier
from genstamp_spec.hdfs.parts.first_write import FirstWriteState
from genstamp_spec.hdfs.parts.state import Client, Datanode, File, Replica
from genstamp_spec.hdfs.state.cuts import Cuts
from genstamp_spec.lifecycles.replica import ReplicaLifecycle


class StreamedTruncate(EarlierBlocks, Cuts, FirstWriteState, lane="namenode"):
    """truncate and delete, where there is a block before the last one."""

    def asks_for_a_block(s, client: Client, file: File) -> None:
        """Checks also: no snapshot holds the block that the client has written."""
        super().asks_for_a_block(client, file)
        require(~s.snapshot[file], "the file is in no snapshot")

    def another_block_follows(s, file: File) -> None:
        """Nothing of the new block was ever cut. What is left of the former one is put aside."""
        super().another_block_follows(file)
        s.exchange(file, those(Datanode, lambda d: s.is_original(file, s.replica[d][file])))
        s.truncate_to[file] = 0
        s.rollback_bytes[file] = 0
        s.bytes_before_cut.update(
            lambda d: each(File, lambda f: when(f == file, 0, s.bytes_before_cut[d][f])),
        )

    def is_original(s, file: File, replica: Replica) -> Bool:
        """The replica is one of the former block, and nobody works on it."""
        return replica.state.at(ReplicaLifecycle.finalized) & s.is_of_former_block(file, replica)

    def earlier_blocks_go(s, file: File) -> None:
        """They are deleted with the file: nothing is promised of it, and its first write has ended."""
        s.first_write_ends(file, s.block_stamp[file], fenced=True)
        s.earlier[file] = no_earlier()
        s.older[file] = 0
        s.hflushed[file] = 0
