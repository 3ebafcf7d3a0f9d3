"""The table of G.4, computed from the specification, is that of the facts."""

import pytest

from genstamp.systems import system_named
from genstamp.tables.sync_block import REPLICAS, rows

# Rows and columns: FINALIZED, RBW, RWR, none, empty. What the facts put in one column with these (a stamp below the
# block's) is an exception of initReplicaRecovery by their own B.4 step 3, and so an error where it is alone.
FACTS = {
    "FINALIZED": (
        "A if A = B, else error",
        "A; second joins if A = B",
        "A; second left out",
        *["A; second left out"] * 2,
    ),
    "RBW": ("B; first joins if A = B", "min(A, B)", "A; second left out", *["A; second left out"] * 2),
    "RWR": ("B; first left out", "B; first left out", "min(A, B)", *["A; second left out"] * 2),
    "none": ("B; first left out", "B; first left out", "B; first left out", *["delete the block"] * 2),
    "empty": ("B; first left out", "B; first left out", "B; first left out", *["delete the block"] * 2),
}


@pytest.fixture(scope="module")
def found() -> dict[str, tuple[str, ...]]:
    return rows(system_named("hdfs.recovery"), "hadoop-3.4")


@pytest.mark.slow
def test_each_pair_is_decided_as_in_the_facts(found: dict[str, tuple[str, ...]]) -> None:
    assert list(found) == list(REPLICAS)
    assert {name: found[name][:5] for name in FACTS} == FACTS


def test_a_replica_with_an_older_stamp_is_an_error_and_counts_for_nothing(found: dict[str, tuple[str, ...]]) -> None:
    older = dict(zip(REPLICAS, found["older stamp"], strict=True))
    assert older["RBW"] == "B; first left out"
    assert older["none"] == "delete the block", "the one that failed does not stop it: a hole"
    assert older["older stamp"] == "error", "all have failed"


def test_repaired_it_takes_an_answer_of_everybody_to_delete() -> None:
    repaired = rows(system_named("hdfs.recovery"), "repaired")
    older = dict(zip(REPLICAS, repaired["older stamp"], strict=True))
    assert older["none"] == "error"
    assert repaired["none"][3] == "delete the block"
