"""Decodes the data of binary edit-log operations, for layout versions -24 to -67.

Not here: operations that neither tell of files, blocks and leases nor are in a version in which records can be
distinguished only by decoding them (before -28, which has no checksums); and framing
(`genstamp.logs.readers.edit_binary`).

Source: NN/FSEditLogOp and NN/FSImageSerialization of Hadoop 0.21 to 3.4, NN/NameNodeLayoutVersion for the versions.
"""

import struct
from collections.abc import Callable
from functools import partial
from typing import Any

from genstamp.logs.readers.edit_ops import LoggedBlock
from genstamp.logs.readers.sighting import whole_number

# Layout versions from which on something is so; "from" -39 means -39, -40, ...
OPTIMIZED = -39  # numbers are binary instead of text, and no operation begins with a count of its fields
INODE_IDS = -42
RETRY_CACHE = -47
ACLS = -53
XATTRS = -57
CREATE_OVERWRITE = -58
STORAGE_POLICY = -60
ERASURE_CODING = -64

BLOCKS_MAX = 64 << 20
"""Hadoop's own limit of blocks in one operation, FSEditLogOp.AddCloseOp#MAX_BLOCKS."""

Fields = dict[str, Any]


class ShortDataError(Exception):
    """The data ends before the operation does."""


class BadDataError(Exception):
    """The data cannot be what the operation should have."""


class Cursor:
    """Reads Java's and Hadoop's serialized values one after another."""

    def __init__(self, data: bytes | bytearray, position: int, end: int, layout_version: int) -> None:
        self._data = data
        self.position = position
        self._end = end
        self._layout_version = layout_version

    def since(self, layout_version: int) -> bool:
        """Whether the log is of this layout version or a newer one."""
        return self._layout_version <= layout_version

    def take(self, num_bytes: int) -> bytes:
        """The next bytes."""
        if num_bytes < 0:
            raise BadDataError(f"a length of {num_bytes} bytes")
        end = self.position + num_bytes
        if end > self._end:
            raise ShortDataError
        taken = bytes(self._data[self.position : end])
        self.position = end
        return taken

    def byte(self) -> int:
        """A signed byte."""
        return int(struct.unpack(">b", self.take(1))[0])

    def boolean(self) -> bool:
        """A byte that is not zero for true."""
        return self.byte() != 0

    def options(self) -> None:
        """Four bytes of length, then bytes."""
        self.take(self.integer())

    def key(self) -> None:
        """A number of length, then bytes."""
        self.take(max(0, self.vlong()))

    def short(self) -> int:
        """Two bytes."""
        return int(struct.unpack(">h", self.take(2))[0])

    def integer(self) -> int:
        """Four bytes."""
        return int(struct.unpack(">i", self.take(4))[0])

    def long(self) -> int:
        """Eight bytes."""
        return int(struct.unpack(">q", self.take(8))[0])

    def vlong(self) -> int:
        """A number of one to nine bytes, WritableUtils#readVLong."""
        first = self.byte()
        if first >= -112:
            return first
        negative = first < -120
        value = int.from_bytes(self.take(-(first + 120) if negative else -(first + 112)), "big")
        return ~value if negative else value

    def string(self) -> str:
        """DeprecatedUTF8: two bytes of length, then bytes."""
        return self.take(struct.unpack(">H", self.take(2))[0]).decode(errors="backslashreplace")

    def text(self) -> str:
        """Text: a vint of length, then bytes."""
        return self.take(self.vlong()).decode(errors="backslashreplace")

    def number(self) -> int:
        """A long, as text before `OPTIMIZED`."""
        return self.long() if self.since(OPTIMIZED) else self._textual()

    def inode(self) -> int:
        """The id of an inode, 0 before there were any."""
        return self.long() if self.since(INODE_IDS) else 0

    def small_number(self) -> int:
        """A short, as text before `OPTIMIZED`."""
        return self.short() if self.since(OPTIMIZED) else self._textual()

    def count(self) -> int:
        """The number of fields, which stood first before `OPTIMIZED`."""
        return 0 if self.since(OPTIMIZED) else self.integer()

    def blocks(self) -> tuple[LoggedBlock, ...]:
        """Blocks of 24 bytes."""
        number = self._block_count(self.integer())
        return tuple(LoggedBlock(*struct.unpack(">qqq", self.take(24))) for _ in range(number))

    def compact_blocks(self) -> tuple[LoggedBlock, ...]:
        """Blocks of which each but the first stores differences, FSImageSerialization#readCompactBlockArray."""
        blocks: list[LoggedBlock] = []
        num_bytes, generation_stamp = 0, 0
        for _ in range(self._block_count(self.vlong())):
            block_id = self.long()
            num_bytes += self.vlong()
            generation_stamp += self.vlong()
            if not -(2**63) <= min(num_bytes, generation_stamp) <= max(num_bytes, generation_stamp) < 2**63:
                raise BadDataError(f"a block of {num_bytes} bytes with stamp {generation_stamp}")
            blocks.append(LoggedBlock(block_id, num_bytes, generation_stamp))
        return tuple(blocks)

    def permission(self) -> None:
        """Owner, group and mode."""
        self.text()
        self.text()
        self.short()

    def acl(self) -> None:
        """An access control list, AclEditLogUtil#read."""
        if self.since(ACLS):
            for _ in range(self.integer()):
                if self.byte() & 0x40:
                    self.string()

    def xattrs(self) -> None:
        """Extended attributes, a delimited protobuf."""
        if self.since(XATTRS):
            length, shift = 0, 0
            while True:
                byte = self.byte() & 0xFF
                length |= (byte & 0x7F) << shift
                shift += 7
                if byte < 0x80 or shift > 28:
                    break
            self.take(length)

    def rpc_ids(self) -> None:
        """Client id and call id for the retry cache."""
        if self.since(RETRY_CACHE):
            self.string()
            self.integer()

    def _textual(self) -> int:
        text = self.string()
        number = whole_number(text)
        if number is None:
            raise BadDataError(f"{text[:40]!r} instead of a number")
        return number

    def _block_count(self, number: int) -> int:
        if not 0 <= number <= BLOCKS_MAX:
            raise BadDataError(f"{number} blocks")
        # Each takes ten bytes at least, so a number that cannot be right is found before it costs anything.
        if number * 10 > self._end - self.position:
            raise ShortDataError
        return number


Decoder = Callable[[Cursor], Fields]


def _reads(fields: str) -> Decoder:
    """Reads values of some kinds one after another, each by the method of `Cursor`; those with a name are kept."""
    steps = [(name, getattr(Cursor, kind)) for name, _, kind in (each.rpartition("=") for each in fields.split())]

    def decode(data: Cursor) -> Fields:
        read = [(name, step(data)) for name, step in steps]
        return {name: value for name, value in read if name}

    return decode


_FILE = "count inode_id=inode path=string small_number number number number {}blocks=blocks permission"
"""Behind the path replication, time of modification, of access, size of a block."""

_file, _lazy_file = _reads(_FILE.format("")), _reads(_FILE.format("integer "))


def _add(data: Cursor, xattrs: bool, flags: int, lazy_persist: bool = False) -> Fields:
    """OP_ADD; of the flags that end it, in the order in which they came: overwrite, storage policy, erasure coding."""
    fields = (_lazy_file if lazy_persist else _file)(data)
    data.acl()
    if xattrs:
        data.xattrs()
    fields["client_name"] = data.string()
    data.string()  # client machine
    bits = data.take(flags)
    fields["flag"] = bits[:1] == b"\x01"
    data.rpc_ids()
    return fields


def _add_as_versioned(data: Cursor) -> Fields:
    since = [data.since(version) for version in (CREATE_OVERWRITE, STORAGE_POLICY, ERASURE_CODING)]
    return _add(data, data.since(XATTRS), since.count(True))


def _concat(data: Cursor) -> Fields:
    count = data.count()
    fields: Fields = {"path": data.string()}
    number = data.integer() if data.since(OPTIMIZED) else count - 2
    fields["sources"] = tuple(data.string() for _ in range(number))
    data.number()
    data.rpc_ids()
    return fields


TELLING: dict[str, tuple[Decoder, ...]] = {
    # Fields came to OP_ADD, and went, between two commits of one layout version (HDFS-6492, HDFS-6581, HDFS-12840): the
    # length of the record tells which it has.
    "OP_ADD": (
        _add_as_versioned,
        *(partial(_add, xattrs=xattrs, flags=flags) for xattrs in (True, False) for flags in range(4)),
        partial(_add, xattrs=True, flags=1, lazy_persist=True),
    ),
    "OP_CLOSE": (_file, _lazy_file),
    **dict.fromkeys(("OP_ADD_BLOCK", "OP_UPDATE_BLOCKS"), (_reads("path=string blocks=compact_blocks rpc_ids"),)),
    "OP_APPEND": (_reads("path=string client_name=string string flag=boolean rpc_ids"),),
    "OP_TRUNCATE": (
        _reads("path=string client_name=string string number=long long blocks=compact_blocks"),
        _reads("path=string client_name=string string number=long long"),
    ),
    "OP_REASSIGN_LEASE": (_reads("client_name=string path=string new_holder=string"),),
    "OP_DELETE": (_reads("count path=string number rpc_ids"),),
    "OP_RENAME_OLD": (_reads("count path=string destination=string number rpc_ids"),),
    "OP_RENAME": (_reads("count path=string destination=string number options rpc_ids"),),
    "OP_CONCAT_DELETE": (_concat,),
    **dict.fromkeys(("OP_SET_GENSTAMP_V1", "OP_SET_GENSTAMP_V2", "OP_ALLOCATE_BLOCK_ID"), (_reads("number=long"),)),
}
"""Decoders of the operations on files, blocks and leases; the first is the one that the layout version asks for."""

_TOKEN = "byte text text text vlong vlong vlong vlong"

OTHERS_BEFORE_CHECKSUMS: dict[str, tuple[Decoder, ...]] = {
    name: (_reads(fields),)
    for name, fields in {
        "OP_MKDIR": "count path=string number number permission",
        "OP_SET_REPLICATION": "string small_number",
        "OP_SET_PERMISSIONS": "string short",
        "OP_SET_OWNER": "string string string",
        "OP_SET_NS_QUOTA": "string long",
        "OP_CLEAR_NS_QUOTA": "string",
        "OP_SET_QUOTA": "string long long",
        "OP_TIMES": "count string number number",
        "OP_SYMLINK": "count string string number number permission",
        "OP_GET_DELEGATION_TOKEN": f"{_TOKEN} number",
        "OP_RENEW_DELEGATION_TOKEN": f"{_TOKEN} number",
        "OP_CANCEL_DELEGATION_TOKEN": _TOKEN,
        "OP_UPDATE_MASTER_KEY": "vlong vlong key",
    }.items()
}
"""Decoders of the other operations, as they were stored before records had checksums."""
