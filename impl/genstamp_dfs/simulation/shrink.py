"""Makes a failing run shorter: faults, then jobs, then pieces are left out as long as it fails in the same way.

Not here: changing times and sizes.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from genstamp_dfs.simulation.faults import Fault


class AnyPlan(Protocol):
    """A plan of a run, of whichever file system: a dataclass with what goes wrong, and what each client does.

    Attributes:
        faults: what goes wrong.
        jobs: client -> its jobs, dataclasses that have `pieces`.
    """

    @property
    def faults(self) -> tuple[Fault, ...]: ...

    @property
    def jobs(self) -> dict[str, tuple[Any, ...]]: ...


OnePlan = TypeVar("OnePlan", bound=AnyPlan)


def shrink(plan: OnePlan, fails: Callable[[OnePlan], bool], tries: int = 200) -> OnePlan:
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


def _shorter(plan: Any) -> Iterator[Any]:
    """Plans with less in them, those that leave out most first."""
    half = len(plan.faults) // 2
    if half:
        yield replace(plan, faults=plan.faults[half:])
        yield replace(plan, faults=plan.faults[:half])
    for client, jobs in plan.jobs.items():
        if jobs:
            yield replace(plan, jobs={**plan.jobs, client: ()})
    for number in range(len(plan.faults)):
        yield replace(plan, faults=plan.faults[:number] + plan.faults[number + 1 :])
    for client, jobs in plan.jobs.items():
        for number in range(len(jobs)):
            yield replace(plan, jobs={**plan.jobs, client: jobs[:number] + jobs[number + 1 :]})
    yield from _with_less_pieces(plan)


def _with_less_pieces(plan: Any) -> Iterator[Any]:
    for client, jobs in plan.jobs.items():
        for number, job in enumerate(jobs):
            for piece in range(len(job.pieces)):
                less = replace(job, pieces=job.pieces[:piece] + job.pieces[piece + 1 :])
                yield replace(plan, jobs={**plan.jobs, client: (*jobs[:number], less, *jobs[number + 1 :])})
