"""What a truncate adds to the state: its length, and the block that a copy was made from."""

import enum

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.state import BlockState, Client, Datanode, File
from genstamp_spec.lifecycles import BlockLifecycle, ReplicaLifecycle


class TruncateMode(enum.Enum):
    """How the last block of a file is being cut."""

    NONE = enum.auto()
    IN_PLACE = enum.auto()
    BY_COPY = enum.auto()


class FinalizedReplica(Record):
    """A replica that nobody writes and no recovery changes."""

    state = lifecycle(ReplicaLifecycle)
    stamp = ordered(limit="stamps")
    num_bytes = number(limit="bytes")


class TruncateState(BlockState):
    """What the NameNode and the datanodes keep for a truncate.

    A file whose last block was replaced by a copy has a *former* block. Of two replicas on one datanode, `replica` is
    the one that the file's recoveries and pipelines work on: that of the former block until a copy of it was made, then
    the copy; `former_replica` is the other one. Which block a replica belongs to its stamp tells: all stamps of the
    former block are below those of the copy (facts A.6).
    """

    truncate_mode = per(File, enumeration(TruncateMode))  # NONE: BlockUnderConstructionFeature.truncateBlock is null
    truncate_to = per(File, number(limit="bytes"))  # length of the last truncate, also when it has ended
    former_block = per(File, lifecycle(BlockLifecycle))
    former_stamp = per(File, ordered(limit="stamps"))  # 0: there was never a copy
    former_bytes = per(File, number(limit="bytes"))
    former_stored = per(File, members(Datanode))
    former_replica = per(Datanode, per(File, record(FinalizedReplica)))
    truncates = number(limit="truncates")  # history: only limited, never read
    copies = number(limit="copies")  # history: likewise

    unanswered = per(Client, per(File, flag()))  # the answer to the client's truncate was lost
    asked_bytes = per(Client, per(File, number(limit="bytes")))  # the length that it asked for
    lost_answers = number(limit="lost_answers")  # history: likewise
    misled = per(Client, flag())  # history: was told that a truncate failed which had been carried out
    bytes_before_cut = per(Datanode, per(File, number(limit="bytes")))  # history: what `replica` has from before
