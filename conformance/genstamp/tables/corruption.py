"""Which reported replicas are corrupt (checkReplicaCorrupt), computed from the specification.

A full report is on its way in a state where no other replica is known, so that nothing is deleted; it is received, and
the cell is why the NameNode takes the replica for corrupt then.
"""

from collections.abc import Sequence
from typing import Final

from genstamp.tables.states import Change, state_with
from genstamp_model.evaluate import Evaluator
from genstamp_model.language import System
from genstamp_model.language.types import show

BLOCK_STATES: Final = ("COMPLETE", "COMMITTED", "UNDER_CONSTRUCTION", "UNDER_RECOVERY")
"""The columns."""

REPORTED: Final = ("FINALIZED", "RBW", "RWR", "RUR", "TEMPORARY")
"""States of a replica. The last two are never reported, but would be judged."""

REASONS: Final = ("GENSTAMP_MISMATCH", "SIZE_MISMATCH", "INVALID_STATE")

_STAMPS: Final = {"lower stamp": 1, "same stamp": 2, "higher stamp": 3}
_LENGTHS: Final = {"other length": 0, "same length": 1}


def rows(system: System, bugs: Sequence[str] = ()) -> dict[str, tuple[str, ...]]:
    """The reasons by what is reported, for each state of the block; empty where the replica is not corrupt.

    Args:
        system: with the variables and steps of hdfs.reports, and a configuration "recoveries" of two datanodes.
        bugs: names of the faults to add.
    """
    evaluator = Evaluator(system.instance("recoveries", bugs=list(bugs)))
    found = {}
    for reported in REPORTED:
        for stamp_name, stamp in _STAMPS.items():
            for length_name, length in _LENGTHS.items():
                cells = tuple(_cell(evaluator, block, reported, stamp, length) for block in BLOCK_STATES)
                same = stamp == _STAMPS["same stamp"]
                if same or length == _LENGTHS["same length"]:
                    found[f"{reported}, {stamp_name}" + (f", {length_name}" if same else "")] = cells
    return found


def _cell(evaluator: Evaluator, block: str, reported: str, stamp: int, length: int) -> str:
    changes: dict[str, Change] = {
        "file[file1]": "closed" if block == "COMPLETE" else "under_construction",
        "block[file1]": block.lower(),
        "block_stamp[file1]": 2,
        "block_bytes[file1]": 1,
        "last_stamp": 3,
        "full_report[datanode1][file1].on_its_way": True,
        "full_report[datanode1][file1].state": reported,
        "full_report[datanode1][file1].stamp": stamp,
        "full_report[datanode1][file1].num_bytes": length,
    }
    before = state_with(evaluator, changes)
    receive = evaluator.model.action("block_report")
    [arguments] = [
        choice
        for choice in evaluator.choices(receive, before)
        if evaluator.first_failing(receive, choice, before) is None
    ]
    after = evaluator.apply(receive, arguments, before)
    corrupt = show(evaluator.named(after)["corrupt"], evaluator.model.types["corrupt"], evaluator.instance.sizes)
    return next((reason for reason in REASONS if reason in corrupt), "")
