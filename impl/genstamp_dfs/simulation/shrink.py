"""Makes a failing run shorter: faults, then jobs, then pieces are left out as long as it fails in the same way.

Leaves out: changing times and sizes.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

from genstamp_dfs.simulation.plan import Plan, without_fault, without_job

Fails = Callable[[Plan], bool]


def shrink(plan: Plan, fails: Fails, tries: int = 200) -> Plan:
    """The shortest plan found that still fails.

    Args:
        plan: one that fails.
        fails: runs a plan and says whether it fails as the first one did.
        tries: how many runs may be made.
    """
    left = tries
    shorter = True
    while shorter:
        shorter = False
        for candidate in _shorter(plan):
            if left == 0:
                return plan
            left -= 1
            if fails(candidate):
                plan, shorter = candidate, True
                break
    return plan


def _shorter(plan: Plan) -> Iterator[Plan]:
    """Plans with less in them, those that leave out most first."""
    half = len(plan.faults) // 2
    if half:
        yield replace(plan, faults=plan.faults[half:])
        yield replace(plan, faults=plan.faults[:half])
    for client, jobs in plan.jobs.items():
        if jobs:
            yield replace(plan, jobs={**plan.jobs, client: ()})
    for number in range(len(plan.faults)):
        yield without_fault(plan, number)
    for client, jobs in plan.jobs.items():
        for number in range(len(jobs)):
            yield without_job(plan, client, number)
    yield from _with_less_pieces(plan)


def _with_less_pieces(plan: Plan) -> Iterator[Plan]:
    for client, jobs in plan.jobs.items():
        for number, job in enumerate(jobs):
            for piece in range(len(job.pieces)):
                less = replace(job, pieces=job.pieces[:piece] + job.pieces[piece + 1 :])
                yield replace(plan, jobs={**plan.jobs, client: (*jobs[:number], less, *jobs[number + 1 :])})
