"""What a master asks those that keep its log too (section 5.1.2).

Not here: how a log replica is made a master when the master's machine is gone.
"""

from genstamp_dfs.world.request import Request


class AppendRecords(Request[int], frozen=True):
    """Have these records on disk, behind those that you have.

    The answer is the position of the first record that the replica has not. If that is before `first`, it has taken
    none of these, and wants those between.

    Attributes:
        first: position of the first of the records.
        frame: the records, in the form that they have in the log; they may be none.
        committed: all records before this position are on every disk where they have to be, and may be told of.

    Refused with MasterStarting.
    """

    first: int
    frame: bytes
    committed: int
