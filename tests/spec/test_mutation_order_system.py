"""gfs.mutation_order: the column of writes of table 1, computed from what is reached."""

from dataclasses import replace

import pytest

from genstamp_model.explore import explore
from genstamp_model.language import Bool, System, witness
from genstamp_spec.gfs.systems.mutation_order import MUTATION_ORDER, MutationOrderProperties

WORST_LAST = ("defined", "consistent but undefined", "inconsistent")
TABLE_1 = {
    "serial success": "defined",
    "concurrent successes": "consistent but undefined",
    "failure": "inconsistent",
}
"""What table 1 of the paper says of writes."""


class Regions(MutationOrderProperties):
    """What a region may be after each case, when nobody writes any more."""

    def serial(s) -> Bool:
        return s.all_succeeded() & ~s.overlapped

    def concurrent(s) -> Bool:
        return s.all_succeeded() & s.overlapped

    def failure(s) -> Bool:
        return s.is_quiet() & s.failed

    def undefined(s) -> Bool:
        return s.is_consistent() & ~s.is_of_one()

    def defined(s) -> Bool:
        return s.is_consistent() & s.is_of_one()

    @witness
    def serial_success__defined(s) -> Bool:
        return s.serial() & s.defined()

    @witness
    def serial_success__consistent_but_undefined(s) -> Bool:
        return s.serial() & s.undefined()

    @witness
    def serial_success__inconsistent(s) -> Bool:
        return s.serial() & ~s.is_consistent()

    @witness
    def concurrent_successes__defined(s) -> Bool:
        return s.concurrent() & s.defined()

    @witness
    def concurrent_successes__consistent_but_undefined(s) -> Bool:
        return s.concurrent() & s.undefined()

    @witness
    def concurrent_successes__inconsistent(s) -> Bool:
        return s.concurrent() & ~s.is_consistent()

    @witness
    def failure__defined(s) -> Bool:
        return s.failure() & s.defined()

    @witness
    def failure__inconsistent(s) -> Bool:
        return s.failure() & ~s.is_consistent()


def column(system: System) -> dict[str, str]:
    """The worst that a region may be in each case."""
    found = explore(system.instance("two_replicas")).witnesses
    reached = {name.replace("_", " ") for name, depth in found.items() if depth is not None}
    return {case: next(region for region in reversed(WORST_LAST) if f"{case}  {region}" in reached) for case in TABLE_1}


@pytest.mark.slow
def test_the_column_of_writes_is_that_of_table_1() -> None:
    assert column(replace(MUTATION_ORDER, parts=[Regions])) == TABLE_1


@pytest.mark.parametrize("bug", [bug.name for bug in MUTATION_ORDER.bugs])
def test_each_fault_spoils_a_write_that_succeeded_or_the_order(bug: str) -> None:
    violation = explore(MUTATION_ORDER.instance("retries", bugs=[bug])).violation
    assert violation is not None
    assert violation.name in MUTATION_ORDER.bug(bug).breaks
