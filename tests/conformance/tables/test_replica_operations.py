"""The table of operations and replica states is the one of Hadoop's TestWriteToReplica, and of its source."""

import pytest

from genstamp.tables.replica_operations import OPERATIONS, STATES, outcomes, table

EXISTS = "ReplicaAlreadyExistsException"
MISSING = "ReplicaNotFoundException"
NONE_AT_ALL = (MISSING, "the datanode has a replica")
NOT_FINALIZED = (MISSING, "the replica is finalized")
NEITHER = (MISSING, "the replica is finalized or being written")
NOT_WRITTEN = (MISSING, "the replica is being written")

# Columns: FINALIZED, RBW, RWR, RUR, TEMPORARY, none. A word is the state afterwards, an exception a refusal.
TABLE: dict[str, tuple[str | tuple[str, str], ...]] = {
    "createRbw": (EXISTS, EXISTS, EXISTS, EXISTS, EXISTS, "rbw"),
    "append": ("rbw", NOT_FINALIZED, NOT_FINALIZED, NOT_FINALIZED, NOT_FINALIZED, NONE_AT_ALL),
    "recoverAppend": ("rbw", "rbw", NEITHER, NEITHER, NEITHER, NONE_AT_ALL),
    "recoverClose": ("finalized", "finalized", NEITHER, NEITHER, NEITHER, NONE_AT_ALL),
    "recoverRbw": (NOT_WRITTEN, "rbw", NOT_WRITTEN, NOT_WRITTEN, NOT_WRITTEN, NONE_AT_ALL),
    "createTemporary, same stamp": (EXISTS, EXISTS, EXISTS, EXISTS, EXISTS, "temporary"),
    "createTemporary, newer stamp, no transfer": (EXISTS, "temporary", EXISTS, EXISTS, "temporary", "temporary"),
    "convertTemporaryToRbw": (EXISTS, EXISTS, EXISTS, EXISTS, "rbw", NONE_AT_ALL),
    "initReplicaRecovery, younger than any before": ("rur", "rur", "rur", "rur", "IllegalArgumentException", "absent"),
    "initReplicaRecovery, with the id of the one before": (
        "rur",
        "rur",
        "rur",
        "RecoveryInProgressException",
        "IllegalArgumentException",
        "absent",
    ),
    "updateReplicaUnderRecovery": (
        "IOException",
        "IOException",
        "IOException",
        "finalized",
        "IOException",
        NONE_AT_ALL,
    ),
}


@pytest.mark.parametrize("operation", TABLE)
def test_each_state_gives_what_hadoop_gives(operation: str) -> None:
    cells = outcomes()[operation]
    for state, expected in zip(STATES, TABLE[operation], strict=True):
        cell = cells[state]
        if isinstance(expected, tuple):
            assert (cell.refused, cell.unless) == expected, state
            assert cell.after == state
        elif expected.endswith("Exception"):
            assert cell.refused == expected, state
            assert cell.after == state
        else:
            assert (cell.refused, cell.after) == (None, expected), state


def test_a_first_pipeline_that_is_set_up_again_replaces_anything_in_hadoop_and_nothing_of_value_here() -> None:
    again = "createRbw, again under a new stamp"
    assert {cell.after for cell in outcomes("hadoop-3.4")[again].values()} == {"rbw"}
    assert [state for state in STATES if outcomes()[again][state].refused is None] == ["absent"]


def test_table_has_a_row_for_each_operation_and_a_column_for_each_state() -> None:
    heads, _, *rows = table()
    assert heads == "| request | FINALIZED | RBW | RWR | RUR | TEMPORARY | none |"
    assert [row.split(" | ")[0].removeprefix("| ") for row in rows] == [operation.name for operation in OPERATIONS]
    assert {row.count(" | ") for row in rows} == {len(STATES)}
    assert "ReplicaNotFoundException unless the replica is finalized" in "\n".join(rows)
