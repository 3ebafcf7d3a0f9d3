"""History: which bytes of a file are promised to stay when it is opened again."""

from genstamp_spec.hdfs.parts.state import BlockState, ClientState, File


class PromisedBytes(BlockState, ClientState):
    """What an append and a truncate share."""

    def visible_bytes_are_promised(s, file: File) -> None:
        """All bytes of a closed file stay, as long as a node that has them does."""
        s.hflushed[file] = s.block_bytes[file]
        s.steady[file] = s.stored[file] & s.running
