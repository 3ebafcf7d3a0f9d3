"""How files with leases and blocks are seen as the two abstract files: the mappings that the systems share.

Each file of a system is such a file. Most of what a mapping reads the protocol reads too; history variables, which
only properties and mappings read, are `hflushed` and `steady` of the clients' state. What a system cannot show, because
it has no readers or deletes no file, it declares unreachable, and says why.
"""

from collections.abc import Callable, Mapping
from typing import Any

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.earlier_state import EarlierState
from genstamp_spec.hdfs.parts.state import BlockState, Client, ClientState, File, FileState
from genstamp_spec.hdfs.systems.durable_prefix import DURABLE_PREFIX
from genstamp_spec.hdfs.systems.single_writer import SINGLE_WRITER
from genstamp_spec.lifecycles import BlockLifecycle, FileLifecycle


class _Files(FileState, BlockState):
    """What the NameNode knows of a file."""


class _ManyBlocks(_Files, EarlierState):
    """And the block before the last one."""


class _Streams(_Files, ClientState):
    """And what its writer was promised: `hflushed` and `steady` are history variables."""


class _ManyStreamedBlocks(_Streams, _ManyBlocks):
    """All of this."""


def _is_open(s: _Files, file: File) -> Bool:
    return s.file[file].at(FileLifecycle.under_construction)


def _length(s: _Files, file: File) -> Number:
    """Bytes of the file's block as the NameNode knows them; none of a block that is gone."""
    gone = s.block[file].at(BlockLifecycle.absent, BlockLifecycle.removed)
    return when(~gone, s.block_bytes[file], 0)


def length_with_earlier(s: _ManyBlocks, file: File) -> Number:
    """The same of the last two blocks."""
    return s.earlier[file].num_bytes + _length(s, file)


def single_writer(
    unreachable: Mapping[str, str],
    length: Callable[[Any, File], Number] = _length,
    upper: System = SINGLE_WRITER,
) -> RefinementDeclaration:
    """A file with its client name: that is its writer, and a recovery of its block fences it.

    What counts is what was committed at the NameNode, so that bytes which a former writer still sends to datanodes are
    nothing yet. The client name stays the writer's in a takeover past the soft limit (facts F.2).

    Args:
        unreachable: steps of the abstract file that no step of the system is, and why.
        length: of the file, for systems with more than its last block.
        upper: the abstract file, for systems that truncate.
    """
    return RefinementDeclaration(
        upper,
        {
            "writer": lambda s, file: s.client_name[file],
            "fenced": lambda s, file: s.block[file].at(BlockLifecycle.under_recovery),
            "length": length,
        },
        each=File,
        unreachable=unreachable,
    )


def promised_with_earlier(s: _ManyStreamedBlocks, file: File) -> Number:
    """The same of the last two blocks: what is committed of the one before was acknowledged."""
    void = (s.hflushed[file] > 0) & s.steady[file].is_empty()
    return when(~void, s.earlier[file].num_bytes + s.hflushed[file], 0)


def _promised(s: _Streams, file: File) -> Number:
    """Bytes that an hflush has promised, by the history variables."""
    return when(~s.steady[file].is_empty(), s.hflushed[file], 0)


def durable_prefix(
    unreachable: Mapping[str, str],
    length: Callable[[Any, File], Number] = _length,
    promised: Callable[[Any, File], Number] = _promised,
    upper: System = DURABLE_PREFIX,
) -> RefinementDeclaration:
    """A file with what an hflush promised of it, for as long as a datanode of that pipeline has never stopped.

    Args:
        unreachable: steps of the abstract file that no step of the system is, and why.
        length, promised: of the file, for systems with more than its last block.
        upper: the abstract file, for systems that truncate.
    """
    return RefinementDeclaration(
        upper,
        {
            "open": _is_open,
            "length": lambda s, file: when(_is_open(s, file), 0, length(s, file)),
            "promised": promised,
            "seen": lambda s, file: each(Client, lambda client: 0),
        },
        each=File,
        unreachable=unreachable,
    )
