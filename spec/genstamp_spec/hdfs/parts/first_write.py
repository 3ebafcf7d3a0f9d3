"""What is remembered of how a file's first block was first written: for the mapping to hdfs.pipeline."""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.state import Attempt, Client, File
from genstamp_spec.hdfs.parts.streamed_blocks import StreamedEarlierBlocks


class FirstWrite(Record):
    """How the first write of a file's first block ended."""

    stamp = ordered(limit="stamps")  # of the block then; 0: it has not ended
    fenced = flag()  # by a recovery, and not by a commit


class FirstWriteState(Part):
    """History: no step reads it."""

    first_write = per(File, record(FirstWrite))

    def first_write_ends(s, file: File, stamp: Ordered, *, fenced: bool) -> None:
        """Remembered: the stamp that its block has, and why it ended."""
        first = s.first_write[file].stamp == 0
        s.first_write[file].fenced = when(first, fenced, s.first_write[file].fenced)
        s.first_write[file].stamp = when(first, stamp, s.first_write[file].stamp)


class FirstWrites(StreamedEarlierBlocks, FirstWriteState, lane="namenode"):
    """The first write ends when its block is committed, or a recovery of it ends."""

    def commit(s, client: Client, file: File) -> None:
        """A client commits it."""
        super().commit(client, file)
        s.first_write_ends(file, s.block_stamp[file], fenced=False)

    def another_block_follows(s, file: File) -> None:
        """A client commits it and asks for the next one."""
        super().another_block_follows(file)
        s.first_write_ends(file, s.block_stamp[file], fenced=False)

    def take_result(s, file: File, attempt: Attempt) -> None:
        """A recovery gives it another stamp."""
        s.first_write_ends(file, s.block_stamp[file], fenced=True)
        super().take_result(file, attempt)

    def recovery_ends(s, file: File) -> None:
        """A recovery has dropped it, if it has not given it another stamp."""
        super().recovery_ends(file)
        s.first_write_ends(file, s.block_stamp[file], fenced=True)
