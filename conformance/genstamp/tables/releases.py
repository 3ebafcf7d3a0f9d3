"""The results of the release of a file, by its last two blocks (internalReleaseLease), computed from the specification.

The file is open, its lease covers it, no attempt is young; recoverLease asks, by force. Not here: who may ask at all:
`lease_recovery`.
"""

from collections.abc import Mapping
from typing import Final

from genstamp.tables.lease_recovery import OPEN_FILE
from genstamp.tables.states import Change, outcome, state_with
from genstamp_model.evaluate import Evaluator
from genstamp_model.language import System

EARLIER: Final[Mapping[str, Mapping[str, Change]]] = {
    "none": {},
    "COMPLETE": {"earlier[file1].state": "complete", "earlier[file1].stamp": 1},
    "COMMITTED": {"earlier[file1].state": "committed", "earlier[file1].stamp": 1},
    "UNDER_CONSTRUCTION": {"earlier[file1].state": "under_construction", "earlier[file1].stamp": 1},
}
"""The block before the last one."""

_LAST: Final[Mapping[str, Change]] = {"block_stamp[file1]": 2, "locations[file1]": {"datanode1"}}

LAST: Final[Mapping[str, Mapping[str, Change]]] = {
    "COMPLETE": {"block[file1]": "complete", **_LAST},
    "COMMITTED, no replica": {"block[file1]": "committed", **_LAST},
    "UNDER_CONSTRUCTION": {"block[file1]": "under_construction", **_LAST},
    "UNDER_CONSTRUCTION, empty, no location": {"block[file1]": "under_construction", "block_stamp[file1]": 2},
    "UNDER_RECOVERY": {"block[file1]": "under_recovery", "recovery_id[file1]": 2, **_LAST, "block_stamp[file1]": 1},
}
"""The last block."""


NO_SUCH_FILE: Final = "no such file"
"""The outcome where no call leads: the last block is not complete before the one before it is (HDFS-5558)."""


def rows(system: System, configuration: str, semantics: str | None = None) -> dict[str, tuple[str, ...]]:
    """The outcome by the block before, a column for each state of the last; of a system with earlier blocks."""
    evaluator = Evaluator(system.instance(configuration, semantics))
    return {before: tuple(_outcome(evaluator, before, last) for last in LAST) for before in EARLIER}


def _outcome(evaluator: Evaluator, before: str, last: str) -> str:
    if last == "COMPLETE" and before in ("COMMITTED", "UNDER_CONSTRUCTION"):
        return NO_SUCH_FILE
    state = state_with(evaluator, {**OPEN_FILE, **EARLIER[before], **LAST[last]})
    return outcome(evaluator, state, "recover_lease", {"client": "client2", "file": "file1"})
