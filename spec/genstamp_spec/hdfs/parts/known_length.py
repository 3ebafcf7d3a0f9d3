"""The NameNode: what it does when nobody has a replica of a block of which it knows bytes, repaired."""

from genstamp_model.language import require
from genstamp_spec.hdfs.parts.namenode_blocks import BlockSteps
from genstamp_spec.hdfs.parts.state import File


class KnownBytesAreNotDeleted(BlockSteps, lane="namenode"):
    """A repair: those that were asked need not be all that have a replica, least of all after an append.

    A block that is opened again has for its locations the replicas that were reported by then, be they fewer than its
    pipeline had. Hadoop takes a primary's word that there is nothing.
    """

    def may_delete_block(s, file: File) -> None:
        """Checks: the block was empty, as far as the NameNode was told."""
        require(s.block_bytes[file] == 0, "no bytes of the block are known", "IOException")
