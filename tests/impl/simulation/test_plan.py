"""Plans of runs: made from a seed, and made shorter."""

from dataclasses import replace

from genstamp_dfs.simulation.faults import EVERYDAY, FaultKind
from genstamp_dfs.simulation.plan import WRITES, JobKind, Plan, PlanOptions, make_plan
from genstamp_dfs.simulation.shrink import shrink
from genstamp_dfs.world.times import SECOND_US


def test_a_seed_gives_one_plan() -> None:
    assert make_plan(7) == make_plan(7)
    assert make_plan(7) != make_plan(8)


def test_plans_have_everything_that_they_can_have() -> None:
    plans = [make_plan(seed) for seed in range(40)]
    jobs = [job for plan in plans for jobs in plan.jobs.values() for job in jobs]
    assert {job.kind for job in jobs} == set(JobKind)
    assert {fault.kind for plan in plans for fault in plan.faults} == set(EVERYDAY)
    assert all(not job.pieces for job in jobs if job.kind not in WRITES)
    assert any(not job.closes for job in jobs)


def test_nothing_goes_wrong_after_the_safety_phase_and_without_faults() -> None:
    options = PlanOptions(safety_s=100)
    assert all(fault.at_us < 100 * SECOND_US for fault in make_plan(3, options).faults)
    assert make_plan(3, replace(options, mean_fault_s=0)).faults == ()


def test_shrinking_leaves_what_the_failure_needs_and_no_more() -> None:
    plan = make_plan(1)
    needed = next(fault for fault in plan.faults if fault.kind is FaultKind.PARTITION)
    wanted = next(job for job in plan.jobs["client2"] if job.pieces)

    def fails(candidate: Plan) -> bool:
        return needed in candidate.faults and any(job.path == wanted.path for job in candidate.jobs["client2"])

    short = shrink(plan, fails)
    assert short.faults == (needed,)
    assert [len(jobs) for jobs in short.jobs.values()] == [0, 1, 0]
    assert short.jobs["client2"][0].pieces == ()


def test_shrinking_stops_when_its_runs_are_used_up() -> None:
    runs = []

    def fails(candidate: Plan) -> bool:
        runs.append(candidate)
        return True

    shrink(make_plan(1), fails, tries=5)
    assert len(runs) == 5
