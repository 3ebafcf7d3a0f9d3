"""gfs.record_append: the column of appends of table 1, and faults."""

from dataclasses import replace

import pytest

from genstamp_model.explore import explore
from genstamp_model.language import Bool, exists, witness
from genstamp_spec.gfs.lifecycles import MutationLifecycle
from genstamp_spec.gfs.parts.lease_state import Chunkserver
from genstamp_spec.gfs.parts.mutation_state import Client
from genstamp_spec.gfs.systems.record_append import RECORD_APPEND, RecordAppendProperties

TABLE_1 = {"serial success", "concurrent successes", "failure"}
"""Cases of table 1 in which some bytes are inconsistent; what was answered is defined all the same."""


class Regions(RecordAppendProperties):
    """Where replicas differ, beside what was answered or without it, when nobody appends any more."""

    def replicas_differ(s) -> Bool:
        """Two replicas of the lease differ, in a slot or in what is padded."""
        return exists(
            Chunkserver,
            lambda one: exists(
                Chunkserver,
                lambda other: (
                    s.current.has(one)
                    & s.current.has(other)
                    & ((s.content[one] != s.content[other]) | (s.replica[one].padded != s.replica[other].padded))
                ),
            ),
        )

    def acknowledged(s, client: Client) -> Bool:
        return s.append[client].state.at(MutationLifecycle.acknowledged)

    def others_never_began(s, client: Client) -> Bool:
        absent = MutationLifecycle.absent
        return ~exists(Client, lambda other: (other != client) & ~s.append[other].state.at(absent))

    @witness
    def serial_success(s, one: Client) -> Bool:
        return s.acknowledged(one) & s.others_never_began(one) & s.replicas_differ()

    @witness
    def concurrent_successes(s, one: Client, other: Client) -> Bool:
        both = (one != other) & s.acknowledged(one) & s.acknowledged(other)
        return both & s.replicas_differ()

    @witness
    def failure(s, one: Client) -> Bool:
        return s.append[one].state.at(MutationLifecycle.failed) & s.told[one].is_none() & s.replicas_differ()


def test_the_column_of_appends_is_that_of_table_1() -> None:
    """Answered records are defined (they stand on every replica); the bytes between them may be inconsistent."""
    instance = replace(RECORD_APPEND, parts=[Regions]).instance("two_replicas")
    # A third client finds the chunk full, so that it is padded.
    sizes, limits = {"Client": 3, "Chunkserver": 2, "Offset": 2}, {"mutations": 3, "leases": 1, "chunks": 0}
    found = explore(replace(instance, configuration=replace(instance.configuration, sizes=sizes, limits=limits)))
    assert found.violation is None
    cases = {case: found.witnesses[case.replace(" ", "_")] for case in TABLE_1}
    assert {case for case, depth in cases.items() if depth is not None} == TABLE_1


@pytest.mark.parametrize("bug", [bug.name for bug in RECORD_APPEND.bugs])
def test_each_fault_spoils_a_record_that_was_answered(bug: str) -> None:
    violation = explore(RECORD_APPEND.instance("two_replicas", bugs=[bug])).violation
    assert violation is not None
    assert violation.name in RECORD_APPEND.bug(bug).breaks
