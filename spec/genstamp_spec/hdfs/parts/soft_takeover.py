"""The NameNode: who has a file after somebody else has had it taken over past the soft limit."""

from genstamp_spec.hdfs.parts.namenode_leases import Leases
from genstamp_spec.hdfs.parts.state import File, Holder


class WriterLosesTheFile(Leases, lane="namenode"):
    """A repair: its writer loses the file at once."""

    def hold_softly(s, file: File) -> None:
        """The NameNode holds the file, as it does past the hard limit, so that its writer has lost it.

        Hadoop leaves it with its writer, whose lease is renewed (facts F.2).
        """
        s.reassign(file, Holder.NAMENODE)


class WriterKeepsTheFile(WriterLosesTheFile, lane="namenode"):
    """As in Hadoop 3.4.1: the repair is taken out."""

    def hold_softly(s, file: File) -> None:
        """The writer's lease is renewed, and no more."""
        Leases.hold_softly(s, file)
