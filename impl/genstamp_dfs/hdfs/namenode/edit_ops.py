"""The edits: what the namenode writes down of each change, to be able to make it again.

Edits name files by path, as Hadoop's do, so that the log can be replayed only in its own order. A call that may happen
only once is named in its edit by its client and call id, and the retry cache is made from that after a restart.

Not here: edits about snapshots, quotas, caching, erasure coding, tokens; old layouts.

Source: NN/FSEditLogOpCodes, NN/FSEditLogOp, Hadoop 3.4.1; facts I.5. The code of an edit is Hadoop's.
"""

from typing import ClassVar

import msgspec

from genstamp_dfs.hdfs.protocol import Block
from genstamp_dfs.world.request import Caller


class CallOfClient(msgspec.Struct, frozen=True, array_like=True):
    """Which call an edit comes from; an empty client id is none."""

    client_id: bytes = b""
    call_id: int = -1


NO_CALL = CallOfClient()


def call_of(caller: Caller) -> CallOfClient:
    """How an edit names the call that it comes from."""
    return CallOfClient(caller.client_id, caller.call_id) if caller.client_id else NO_CALL


class EditOp(msgspec.Struct, frozen=True, array_like=True):
    """One change."""

    opcode: ClassVar[str] = ""


class AddOp(EditOp, frozen=True, tag=0):
    """OP_ADD: a file was created; `overwrite` replaced an older one."""

    opcode = "OP_ADD"
    path: str
    file_id: int
    replication: int
    block_size: int
    permission: int
    time_ms: int
    client_name: str
    client_machine: str
    overwrite: bool
    owner: str
    call: CallOfClient = NO_CALL


class RenameOldOp(EditOp, frozen=True, tag=1):
    """OP_RENAME_OLD"""

    opcode = "OP_RENAME_OLD"
    source: str
    destination: str
    time_ms: int
    call: CallOfClient = NO_CALL


class DeleteOp(EditOp, frozen=True, tag=2):
    """OP_DELETE"""

    opcode = "OP_DELETE"
    path: str
    time_ms: int
    call: CallOfClient = NO_CALL


class MkdirOp(EditOp, frozen=True, tag=3):
    """OP_MKDIR"""

    opcode = "OP_MKDIR"
    path: str
    file_id: int
    permission: int
    time_ms: int
    owner: str


class SetReplicationOp(EditOp, frozen=True, tag=4):
    """OP_SET_REPLICATION"""

    opcode = "OP_SET_REPLICATION"
    path: str
    replication: int


class SetPermissionsOp(EditOp, frozen=True, tag=7):
    """OP_SET_PERMISSIONS"""

    opcode = "OP_SET_PERMISSIONS"
    path: str
    permission: int


class SetOwnerOp(EditOp, frozen=True, tag=8):
    """OP_SET_OWNER; None leaves a name as it is."""

    opcode = "OP_SET_OWNER"
    path: str
    owner: str | None
    group: str | None


class CloseOp(EditOp, frozen=True, tag=9):
    """OP_CLOSE: all blocks, which are complete."""

    opcode = "OP_CLOSE"
    path: str
    blocks: tuple[Block, ...]
    time_ms: int


class TimesOp(EditOp, frozen=True, tag=13):
    """OP_TIMES; -1 leaves a time as it is."""

    opcode = "OP_TIMES"
    path: str
    modification_time_ms: int
    access_time_ms: int


class RenameOp(EditOp, frozen=True, tag=15):
    """OP_RENAME"""

    opcode = "OP_RENAME"
    source: str
    destination: str
    overwrite: bool
    time_ms: int
    call: CallOfClient = NO_CALL


class ConcatDeleteOp(EditOp, frozen=True, tag=16):
    """OP_CONCAT_DELETE"""

    opcode = "OP_CONCAT_DELETE"
    target: str
    sources: tuple[str, ...]
    time_ms: int
    call: CallOfClient = NO_CALL


class ReassignLeaseOp(EditOp, frozen=True, tag=22):
    """OP_REASSIGN_LEASE"""

    opcode = "OP_REASSIGN_LEASE"
    path: str
    old_holder: str
    new_holder: str


class UpdateBlocksOp(EditOp, frozen=True, tag=25):
    """OP_UPDATE_BLOCKS: all blocks as they are now; the last one stays under construction."""

    opcode = "OP_UPDATE_BLOCKS"
    path: str
    blocks: tuple[Block, ...]
    call: CallOfClient = NO_CALL


class SetGenstampOp(EditOp, frozen=True, tag=31):
    """OP_SET_GENSTAMP_V2"""

    opcode = "OP_SET_GENSTAMP_V2"
    generation_stamp: int


class AllocateBlockIdOp(EditOp, frozen=True, tag=32):
    """OP_ALLOCATE_BLOCK_ID"""

    opcode = "OP_ALLOCATE_BLOCK_ID"
    block_id: int


class AddBlockOp(EditOp, frozen=True, tag=33):
    """OP_ADD_BLOCK: the block before the last, which is complete, and the new last one."""

    opcode = "OP_ADD_BLOCK"
    path: str
    penultimate: Block | None
    last: Block


class TruncateOp(EditOp, frozen=True, tag=46):
    """OP_TRUNCATE; `truncate_block` is what the last block shall become, None on a block's boundary."""

    opcode = "OP_TRUNCATE"
    path: str
    client_name: str
    client_machine: str
    new_length: int
    time_ms: int
    truncate_block: Block | None
    call: CallOfClient = NO_CALL


class AppendOp(EditOp, frozen=True, tag=47):
    """OP_APPEND"""

    opcode = "OP_APPEND"
    path: str
    client_name: str
    client_machine: str
    new_block: bool
    call: CallOfClient = NO_CALL


AnyOp = (
    AddOp
    | RenameOldOp
    | DeleteOp
    | MkdirOp
    | SetReplicationOp
    | SetPermissionsOp
    | SetOwnerOp
    | CloseOp
    | TimesOp
    | RenameOp
    | ConcatDeleteOp
    | ReassignLeaseOp
    | UpdateBlocksOp
    | SetGenstampOp
    | AllocateBlockIdOp
    | AddBlockOp
    | TruncateOp
    | AppendOp
)
"""Any edit."""
