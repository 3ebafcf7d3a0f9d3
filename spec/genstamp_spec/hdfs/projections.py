"""How the write path is seen as hdfs.lease, hdfs.pipeline, hdfs.recovery and hdfs.truncate: all together as each.

Each gives some of the upper system's variables and hides the others, because what they are about is told there in other
steps: the reasons stand beside them. Every step is then one of a named upper action, as far as the variables go that
are mapped, or changes none of them. What was bought by composing is so not lost: who owns a file, what its first write
does to the block at the NameNode, and what primaries do, are what the three systems say.
"""

from collections.abc import Callable
from typing import Any, Final

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.earlier_state import EarlierState, complete_block, no_earlier
from genstamp_spec.hdfs.parts.late_calls import no_call
from genstamp_spec.hdfs.parts.state import BlockState, File
from genstamp_spec.hdfs.parts.streamed_blocks import FirstWriteState
from genstamp_spec.hdfs.systems.lease import LEASE
from genstamp_spec.hdfs.systems.pipeline import PIPELINE
from genstamp_spec.hdfs.systems.recovery import RECOVERY
from genstamp_spec.hdfs.systems.truncate import TRUNCATE
from genstamp_spec.lifecycles.block import BlockLifecycle


class _Blocks(BlockState, EarlierState, FirstWriteState):
    """What the mappings read, beside variables that both systems have."""


def _same(*names: str) -> dict[str, Callable[..., Any]]:
    """Variables that are what they are here, whatever the mapping is for each of."""
    return {name: _read(name) for name in names}


def _read(name: str) -> Callable[..., Any]:
    def read(s: Any, *members: Any) -> Any:
        del members
        return getattr(s, name)

    return read


# hdfs.lease. A file whose last block is gone has the block before as its last one there.


def _is_gone(s: _Blocks, file: File) -> Any:
    return s.block[file].at(BlockLifecycle.removed)


def _last(s: _Blocks) -> Any:
    return each(File, lambda file: when(_is_gone(s, file), s.earlier[file].state, s.block[file]))


def _earlier(s: _Blocks) -> Any:
    return each(
        File,
        lambda file: when(_is_gone(s, file), when(s.older[file] > 0, complete_block(), no_earlier()), s.earlier[file]),
    )


def _older(s: _Blocks) -> Any:
    return each(File, lambda file: s.older[file] - when(_is_gone(s, file) & (s.older[file] > 0), 1, 0))


def _young(s: _Blocks) -> Any:
    """A restart can leave an attempt young whose block is dropped."""
    return each(File, lambda file: s.attempt_is_young[file] & ~_is_gone(s, file))


PIPELINES_MOVE_THEM: Final = "pipelines change it in steps of their own, which are not there"
TOLD_COARSELY: Final = "there it stands for streams and replicas, told coarsely"
HISTORY: Final = "history there, of which no step reads anything"
ONE_CALL: Final = "no call is late here, and no answer lost"
NOT_CLOSED_BEFORE: Final = "nobody appends to a file that was not closed before"
NO_RESTART: Final = "the NameNode does not start again"

_LEASE_MAPPING: Final = {
    **_same("file", "client_name", "lease", "lease_files", "alive", "running", "crashes", "attempt_is_young"),
    "block": _last,
    "earlier": _earlier,
    "older": _older,
    "late": lambda s: no_call(),
    "late_calls": lambda s: 0,
    "lost": lambda s: 0,
    "removals": lambda s: 0,
    "renames": lambda s: 0,
}
_LEASE_HIDDEN: Final = {
    "last_stamp": PIPELINES_MOVE_THEM,
    "block_stamp": PIPELINES_MOVE_THEM,
    "block_bytes": PIPELINES_MOVE_THEM,
    "locations": PIPELINES_MOVE_THEM,
    "stored": PIPELINES_MOVE_THEM,
    "recovery_id": "that of a former last block is kept here",
    "writer": TOLD_COARSELY,
    "written": TOLD_COARSELY,
    "finalized": TOLD_COARSELY,
    "led": TOLD_COARSELY,
    "promised": HISTORY,
    "synced_bytes": "no fsync tells a length here",
    "changed_by": HISTORY,
    "taken_by": HISTORY,
}
_LEASE_UNREACHABLE: Final = {
    "append_closes_and_opens": NOT_CLOSED_BEFORE,
    "append_closes_and_goes_on": NOT_CLOSED_BEFORE,
    "append_closes_other": NOT_CLOSED_BEFORE,
    "create_over": "files are created without overwrite",
    "delete": "no file is deleted",
    "rename": "no file is renamed",
    "abandon_block": "no block is abandoned",
    "fsync": "it changes lengths only",
    "add_block_unanswered": ONE_CALL,
    "complete_unanswered": ONE_CALL,
    "add_block_is_analysed": ONE_CALL,
    "add_block_goes_on": ONE_CALL,
    "add_block_was_repeated": ONE_CALL,
    "late_call_ends": ONE_CALL,
    "fsync_is_delayed": ONE_CALL,
    "fsync_arrives_late": ONE_CALL,
}
AS_LEASE: Final = RefinementDeclaration(
    LEASE,
    {**_LEASE_MAPPING, "safe_mode": lambda s: False, "restarts": lambda s: 0},
    hidden=_LEASE_HIDDEN,
    unreachable={**_LEASE_UNREACHABLE, "namenode_restart": NO_RESTART, "safe_mode_ends": NO_RESTART},
)
AS_LEASE_WITH_RESTARTS: Final = RefinementDeclaration(
    LEASE,
    {**_LEASE_MAPPING, **_same("safe_mode", "restarts"), "attempt_is_young": _young},
    hidden=_LEASE_HIDDEN,
    unreachable=_LEASE_UNREACHABLE,
)
"""Who owns which file, by which lease, and what that allows: in every step that of hdfs.lease.

Lost: stamps, lengths, locations, and what a client passes; so that hdfs.lease may take a step which its checks of these
would refuse.
"""


# hdfs.pipeline: how the first block of a file is first written, until it is committed or a recovery of it has ended.


def _first_block(s: _Blocks, file: File) -> Any:
    first = s.first_write[file]
    block = when(first.stamp > 0, BlockLifecycle.committed, s.block[file])
    return when((first.stamp > 0) & first.fenced, BlockLifecycle.under_recovery, block)


def _first_stamp(s: _Blocks, file: File) -> Any:
    first = s.first_write[file]
    return when(first.stamp > 0, first.stamp, s.block_stamp[file])


_FIRST_WRITE = {
    **_same("running", "crashes"),
    "block": _first_block,
    "block_stamp": _first_stamp,
}
AS_PIPELINE: Final = RefinementDeclaration(
    PIPELINE,
    _FIRST_WRITE,
    each=File,
    hidden={
        variable.name: "packets, connections and what the writer does about them are told in other steps here"
        for variable in PIPELINE.model().variables
        if variable.name not in _FIRST_WRITE
    },
    unreachable={
        "block_received": "what comes after the commit is another system's",
        "append_file": "likewise",
        "hflush": "the length that a first hflush leaves at the NameNode is not kept",
        "datanode_stops_to_restart": "no restart is planned",
        "restart_takes_too_long": "no restart is planned",
    },
)
"""Which stamps the block of a file gets from its writer, and when it gets none any more, as hdfs.pipeline has it.

Lost: the chain, packets, acks and lengths, which are finer there; what becomes of the block after its commit or its
recovery, and of other blocks, of which hdfs.pipeline says nothing.
"""


# hdfs.recovery: what primaries do, and the recovery that the NameNode waits for.

ONE_BLOCK: Final = "there a file has one block, which is written once"
AS_RECOVERY: Final = RefinementDeclaration(
    RECOVERY,
    _same("attempt", "recovery_queue", "recovery_id", "attempt_is_young", "alive", "running", "crashes"),
    hidden=dict.fromkeys(
        (
            *("file", "client_name", "lease", "lease_files"),
            *("block", "block_stamp", "block_bytes", "locations", "stored", "last_stamp"),
            *("replica", "stream", "hflushed", "steady", "primary", "tried_as_primary"),
        ),
        ONE_BLOCK,
    ),
)
"""What a primary is told, asks and reports, and when the NameNode takes it: in every step that of hdfs.recovery.

Lost: what the replicas answer, since a pipeline gives them stamps that hdfs.recovery does not know of; files and their
leases, which are opened there once only.
"""


# hdfs.truncate: the same of primaries, and what a truncate asks for, waits for and is answered.

AS_TRUNCATE: Final = RefinementDeclaration(
    TRUNCATE,
    _same(
        *("attempt", "recovery_queue", "recovery_id", "attempt_is_young", "alive", "running", "crashes", "file"),
        *("truncate_mode", "truncates", "copies", "unanswered", "asked_bytes", "lost_answers"),
        *("snapshot", "snapshots", "upgrade", "upgrades", "appends"),
    ),
    hidden={
        **dict.fromkeys(
            (
                *("block", "block_stamp", "block_bytes", "locations", "stored", "last_stamp"),
                *("replica", "stream", "hflushed", "steady", "primary", "tried_as_primary"),
                *("truncate_to", "bytes_before_cut", "misled", "rollback_bytes", "snapshot_bytes", "shown_beyond"),
                *("former_block", "former_stamp", "former_bytes", "former_stored", "former_replica"),
            ),
            "there a file has one block, which no pipeline is set up for again",
        ),
        **dict.fromkeys(
            ("client_name", "lease", "lease_files"), "there a file past its soft limit stays with its writer"
        ),
        "closed_once": HISTORY,
    },
    unreachable={"truncate_to_nothing": "it takes a block only, and of blocks nothing is said"},
)
"""When a file is cut, what its primaries do then, and what its client is told: in every step that of hdfs.truncate.

Lost: blocks, replicas and lengths, and who owns the file meanwhile.
"""
