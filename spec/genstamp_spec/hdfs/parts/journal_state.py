"""What the edit log, the standby and the retry cache add to what the NameNode knows: the variables, with no steps.

There are two NameNodes. Of the active there is the memory (that of the other parts), of the standby the image, which is
what it has replayed; a NameNode that is restarted begins with such an image too. The edits between the two stand in
`edits`: the first `synced` of them are on disk (of a majority of JournalNodes), the others are in the active's buffer
and go with it.

Coarser than HDFS: a file's path is one of a few; what a step logs is one edit, or none of it is written; stamps are
counted beside the log (OP_SET_GENSTAMP_V2, OP_ALLOCATE_BLOCK_ID), so that the standby's counter is that of the disk.
"""

import enum

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.earlier_state import Earlier, EarlierState
from genstamp_spec.hdfs.parts.state import BlockState, Client, Datanode, File, Holder, NamespaceState, RunningState
from genstamp_spec.lifecycles import BlockLifecycle, FileLifecycle


class Path(Index):
    """A path in the tree; a new file gets the first that is free."""


class Service(enum.Enum):
    """What the NameNode that clients and datanodes reach is doing."""

    ACTIVE = enum.auto()
    STARTING = enum.auto()  # nobody is active: the standby catches up, or a NameNode reads its log
    SAFE_MODE = enum.auto()


class Opcode(enum.Enum):
    """Kinds of edits (FSEditLogOpCodes)."""

    ADD = enum.auto()
    ADD_BLOCK = enum.auto()
    UPDATE_BLOCKS = enum.auto()
    REASSIGN_LEASE = enum.auto()
    CLOSE = enum.auto()
    APPEND = enum.auto()
    RENAME = enum.auto()
    DELETE = enum.auto()


class Edit(Record):
    """One edit. It names its file by path; which file was meant is kept beside it, and only OP_ADD says so in HDFS."""

    opcode = enumeration(Opcode)
    file = optional(File)
    path = optional(Path)
    new_path = optional(Path)  # of a rename
    holder = optional(Holder)
    has_block = flag()
    stamp = ordered(limit="stamps")
    num_bytes = number(limit="bytes")
    earlier_stamp = ordered(limit="stamps")  # of the block before the last one; 0: there is none
    earlier_bytes = number(limit="bytes")
    caller = optional(Client)  # of a call that the retry cache remembers
    call_id = number(0, 2)


class ImageFile(Record):
    """A file as the standby, or a NameNode that starts, has replayed it."""

    state = lifecycle(FileLifecycle)
    path = optional(Path)  # none: not in the tree
    holder = optional(Holder)
    block = lifecycle(BlockLifecycle)
    stamp = ordered(limit="stamps")
    num_bytes = number(limit="bytes")


class TreeState(NamespaceState):
    """Where files are. A deleted file stays in memory while its blocks are removed, or for good in a snapshot."""

    path = per(File, optional(Path))  # by its name and parents, which a deleted file keeps
    in_tree = members(File)
    in_snapshot = members(File)
    over_quota = flag()
    quota_changes = number(limit="quota_changes")  # history: only limited, never read
    renames = number(limit="renames")  # history: only limited, never read
    deletions = number(limit="deletions")  # history: only limited, never read


class JournalState(TreeState, BlockState, RunningState, EarlierState):
    """The edit log and the image."""

    service = enumeration(Service)
    namenode_failures = number(limit="namenode_failures")  # history: only limited, never read
    edits = sequence(record(Edit), limit="edits")
    synced = number(limit="edits")  # how many of the edits are on disk
    synced_stamp = ordered(limit="stamps")  # the counter as it is on disk
    synced_holder = per(File, optional(Holder))  # history: whose each file was at the last sync
    given = ordered(limit="stamps")  # history: the largest stamp that anybody but the NameNode knows
    image = per(File, record(ImageFile))

    queued = members(Datanode)  # whose reports the standby keeps until it has replayed more
    queued_reports = number(limit="queued_reports")  # history: only limited, never read
    left_open = number(limit="left_open")  # history: only limited, never read

    image_earlier = per(File, record(Earlier))  # complete, whatever it was; without locations
    second_blocks = number(limit="second_blocks")  # history: only limited, never read

    def image_has_earlier(s, file: File) -> Bool:
        """The file has a block before its last one in the image."""
        return ~s.image_earlier[file].state.at(BlockLifecycle.absent)


class CallKind(enum.Enum):
    """What a client has called and waits for."""

    CREATE = enum.auto()
    APPEND = enum.auto()
    ADD_BLOCK = enum.auto()
    FSYNC = enum.auto()
    BLOCK_FOR_PIPELINE = enum.auto()
    UPDATE_PIPELINE = enum.auto()
    COMPLETE = enum.auto()
    RENAME = enum.auto()
    DELETE = enum.auto()


class CallStage(enum.Enum):
    """How far a call is that has changed something."""

    IDLE = enum.auto()
    WAITING = enum.auto()  # it was executed; the answer has not come
    LOST = enum.auto()  # the connection broke: the client does not know, and calls again


class Call(Record):
    """The last call of a client that has changed something."""

    stage = enumeration(CallStage)
    kind = enumeration(CallKind)
    file = optional(File)
    stamp = ordered(limit="stamps")  # in the answer
    call_id = number(0, 2)  # of the last at-most-once call; of two in a row they differ


class CallState(JournalState):
    """What clients believe, and the retry caches."""

    call = per(Client, record(Call))
    synced_calls = members(Client)  # whose call may be answered: what it did is on disk
    done_calls = members(Client)  # history: what the call did is there, and nobody has touched the file since
    opened = per(Client, members(File))  # files that the client has open for writing, as far as it knows
    known_stamp = per(Client, per(File, ordered(limit="stamps")))  # of the last block; 0: it was given none
    new_stamp = per(Client, ordered(limit="stamps"))  # from updateBlockForPipeline, not installed yet
    promised = per(File, number(limit="bytes"))  # history: length that an answered fsync has promised
    lost_answers = number(limit="lost_answers")  # history: only limited, never read

    cached = per(Client, number(0, 2))  # call id in the active's retry cache; 0: none
    image_cached = per(Client, number(0, 2))  # and in that of the image

    primary = per(File, optional(Datanode))  # to whom a recovery command is to go
    led = per(Datanode, per(File, ordered(limit="stamps")))  # id of the recovery that a datanode leads; 0: none
