"""The result for a caller that needs a file that may be open (recoverLeaseInternal), computed from the specification.

Not here: what a release finds in the blocks: `releases`.
"""

from collections.abc import Mapping
from typing import Final

from genstamp.tables.states import Change, outcome, state_with
from genstamp_model.evaluate import Evaluator
from genstamp_model.language import System

OPEN_FILE: Final[Mapping[str, Change]] = {
    "file[file1]": "under_construction",
    "client_name[file1]": "client1",
    "lease[client1]": "held",
    "lease_files[client1]": {"file1"},
    "last_stamp": 2,
}
"""Places of a state in which a client has a file open."""

_OPEN: Final[Mapping[str, Change]] = {
    **OPEN_FILE,
    "block[file1]": "under_construction",
    "block_stamp[file1]": 1,
    "locations[file1]": {"datanode1"},
}

SITUATIONS: Final[Mapping[str, Mapping[str, Change]]] = {
    "closed": {"file[file1]": "closed"},
    "the caller's own": {
        **_OPEN,
        "client_name[file1]": "client2",
        "lease[client1]": "released",
        "lease_files[client1]": set(),
        "lease[client2]": "held",
        "lease_files[client2]": {"file1"},
    },
    "no lease is found": {**_OPEN, "lease[client1]": "released", "lease_files[client1]": set()},
    "past the soft limit": {**_OPEN, "lease[client1]": "past_soft_limit"},
    "past the soft limit, an attempt is young": {
        **_OPEN,
        "lease[client1]": "past_soft_limit",
        "block[file1]": "under_recovery",
        "attempt_is_young[file1]": True,
    },
    "past the soft limit, nothing to recover": {
        **_OPEN,
        "lease[client1]": "past_soft_limit",
        "block[file1]": "complete",
    },
    "not expired, under recovery": {**_OPEN, "block[file1]": "under_recovery", "recovery_id[file1]": 2},
    "not expired": _OPEN,
}
"""Places of a state of hdfs.recovery by what is the case with the file; client2 is the caller."""

CALLS: Final = ("create", "recover_lease")
"""The calls that are asked: without force, and by force."""


def rows(system: System, configuration: str) -> dict[str, tuple[str, ...]]:
    """The outcome of each call by situation, of a system with the variables of hdfs.recovery and two clients."""
    evaluator = Evaluator(system.instance(configuration))
    caller = {"client": "client2", "file": "file1"}
    return {
        name: tuple(outcome(evaluator, state_with(evaluator, changes), call, caller) for call in CALLS)
        for name, changes in SITUATIONS.items()
    }
