"""What is remembered of a file for the sake of properties: who last changed it, and who had it taken over.

The repair of the takeover after a soft limit is here too, since it is about who owns the file then.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.late_calls import LateCalls
from genstamp_spec.hdfs.parts.namenode_files import exchange
from genstamp_spec.hdfs.parts.namenode_opening import AppendingAfterOutages
from genstamp_spec.hdfs.parts.state import Client, File, Holder


class OwnerHistory(Part):
    """History variables: no step reads them."""

    changed_by = per(File, optional(Client))  # whose call last changed the file, since it has its present owner
    taken_by = per(File, optional(Holder))  # for whom the file was taken over while it is open


class Owners(LateCalls, AppendingAfterOutages, OwnerHistory, lane="namenode"):
    """What is remembered of the steps of hdfs.lease."""

    def writes(s, client: Client, file: File) -> None:
        """Remembered: who it was."""
        super().writes(client, file)
        s.changed_by[file] = client

    def reassign(s, file: File, new_holder: Holder) -> None:
        """Remembered: for whom; nobody has changed it since."""
        super().reassign(file, new_holder)
        s.changed_by[file] = none
        s.taken_by[file] = new_holder

    def is_taken_over(s, client: Client, file: File) -> None:
        """Remembered: for whom."""
        s.taken_by[file] = client

    def length_is_logged(s, file: File) -> None:
        """The restarted NameNode will know it."""
        super().length_is_logged(file)
        s.synced_bytes[file] = s.block_bytes[file]

    def close(s, file: File) -> None:
        """Nobody owns the file; who changed it is remembered, since that may have closed it."""
        super().close(file)
        s.taken_by[file] = none

    def open_stream(s, client: Client, file: File) -> None:
        """Nobody has changed the file since."""
        super().open_stream(client, file)
        s.changed_by[file] = none

    def remove_inode(s, file: File) -> None:
        """Nothing is remembered."""
        super().remove_inode(file)
        s.changed_by[file] = none
        s.taken_by[file] = none

    def move(s, source: File, target: File) -> None:
        """What is remembered moves with the file."""
        super().move(source, target)
        exchange(s.changed_by, source, target)
        exchange(s.taken_by, source, target)
