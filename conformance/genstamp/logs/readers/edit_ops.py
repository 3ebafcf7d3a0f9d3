"""One operation of a NameNode's edit log, independent of its encoding.

Not here: the fields that say nothing about files, blocks and leases: times, owners, permissions, storage policies.
"""

from dataclasses import dataclass
from typing import NamedTuple


class LoggedBlock(NamedTuple):
    """A block as an operation names it."""

    block_id: int
    num_bytes: int
    generation_stamp: int


@dataclass(frozen=True)
class EditOp:
    """One operation.

    Attributes:
        record: its number in the file, from 1.
        layout_version: of the file; negative, lower is newer.
        txid: transaction id; None before layout version -37, which has none.
        name: "OP_ADD" and so on; one name for each code, however it changed over the versions.
        path: the file or the source.
        destination: of a rename.
        sources: of a concat.
        inode_id: 0 where it is not stored.
        client_name: holder of the lease; the old one in OP_REASSIGN_LEASE.
        new_holder: in OP_REASSIGN_LEASE.
        blocks: all blocks of the file, or in OP_ADD_BLOCK the last or the last two, or in OP_TRUNCATE the block to be
        cut. number: the stamp, block id or length that the operation sets. flag: overwrite in OP_ADD, new block in
        OP_APPEND.
    """

    record: int
    layout_version: int
    txid: int | None
    name: str
    path: str = ""
    destination: str = ""
    sources: tuple[str, ...] = ()
    inode_id: int = 0
    client_name: str = ""
    new_holder: str = ""
    blocks: tuple[LoggedBlock, ...] = ()
    number: int = 0
    flag: bool = False


OPCODES = tuple(
    """
    OP_ADD OP_RENAME_OLD OP_DELETE OP_MKDIR OP_SET_REPLICATION OP_DATANODE_ADD OP_DATANODE_REMOVE OP_SET_PERMISSIONS
    OP_SET_OWNER OP_CLOSE OP_SET_GENSTAMP_V1 OP_SET_NS_QUOTA OP_CLEAR_NS_QUOTA OP_TIMES OP_SET_QUOTA OP_RENAME
    OP_CONCAT_DELETE OP_SYMLINK OP_GET_DELEGATION_TOKEN OP_RENEW_DELEGATION_TOKEN OP_CANCEL_DELEGATION_TOKEN
    OP_UPDATE_MASTER_KEY OP_REASSIGN_LEASE OP_END_LOG_SEGMENT OP_START_LOG_SEGMENT OP_UPDATE_BLOCKS
    OP_CREATE_SNAPSHOT OP_DELETE_SNAPSHOT OP_RENAME_SNAPSHOT OP_ALLOW_SNAPSHOT OP_DISALLOW_SNAPSHOT
    OP_SET_GENSTAMP_V2 OP_ALLOCATE_BLOCK_ID OP_ADD_BLOCK OP_ADD_CACHE_DIRECTIVE OP_REMOVE_CACHE_DIRECTIVE
    OP_ADD_CACHE_POOL OP_MODIFY_CACHE_POOL OP_REMOVE_CACHE_POOL OP_MODIFY_CACHE_DIRECTIVE OP_SET_ACL
    OP_ROLLING_UPGRADE_START OP_ROLLING_UPGRADE_FINALIZE OP_SET_XATTR OP_REMOVE_XATTR OP_SET_STORAGE_POLICY
    OP_TRUNCATE OP_APPEND OP_SET_QUOTA_BY_STORAGETYPE OP_ADD_ERASURE_CODING_POLICY OP_ENABLE_ERASURE_CODING_POLICY
    OP_DISABLE_ERASURE_CODING_POLICY OP_REMOVE_ERASURE_CODING_POLICY
    """.split()  # noqa: SIM905 - one a line is harder to count
)
"""Names by code, as numbered since layout version -49."""


def is_known(op: EditOp) -> bool:
    """Whether it is known what an operation is; before layout version -49 those with other numbers are of no matter."""
    return op.name in _NAMES or op.layout_version > -49


_NAMES = frozenset(OPCODES)


def opcode_name(code: int, layout_version: int) -> str:
    """The name of a code.

    Up to -48 the codes from 33 on stood for cache directives and pools, in another order; none of them matters here.
    """
    if code < len(OPCODES) and not (code > 32 and layout_version > -49):
        return OPCODES[code]
    return f"opcode {code}"
