"""Runs that are held against gfs.master_log: checkpoints rot, power is lost, log replicas die."""

import dataclasses
import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from tests.impl.gfs.master.bench import Bench

from genstamp.events import Event
from genstamp.lockstep import Held, Holder
from genstamp.lockstep.gfs import plan_options
from genstamp.lockstep.gfs.master_log import MasterLogProjection
from genstamp_dfs.gfs.master.checkpoint import checkpoint_path, checkpoints
from genstamp_dfs.gfs.messages.master_protocol import Create
from genstamp_dfs.gfs.protocol import MASTER
from genstamp_dfs.gfs.simulation.cluster import SimulatedCluster
from genstamp_dfs.gfs.simulation.options import default_options
from genstamp_dfs.gfs.simulation.plan import PlanOptions, make_plan
from genstamp_dfs.gfs.simulation.run import Run
from genstamp_dfs.simulation.disk import DiskOfLife
from genstamp_dfs.simulation.faults import Fault, FaultKind
from genstamp_dfs.simulation.loop import Life
from genstamp_dfs.world.times import SECOND_US
from genstamp_spec.gfs.systems.master_log import MASTER_LOG

ROTTING: Final = range(4, 10)
"""In these the master dies often enough behind a checkpoint."""

SLOW: Final = 5
"""The seed of a run with slow disks, in which the master dies four times or more."""


def holder(replicas: Sequence[str] = ()) -> Holder:
    return Holder(MASTER_LOG.model(), lambda: MasterLogProjection(replicas))


def hold(events: Sequence[Event], replicas: Sequence[str] = ()) -> Held:
    held = Held()
    holder(replicas).hold(0, events, held)
    return held


def hold_runs(run: "Callable[[int], tuple[Event, ...]]", seeds: range, found: str = "") -> tuple[Held, int]:
    """Hold runs of a kind; gives also how often a master found something of this name that is not nothing."""
    held, one, times = Held(), holder(), 0
    for seed in seeds:
        events = run(seed)
        times += sum(event.observed.get(found, "0") != "0" for event in events)
        one.hold(seed, events, held)
    return held, times


def rejected(held: Held) -> set[tuple[str, tuple[str, ...]]]:
    """Names of the steps that do not conform, each with the labels of what does not hold."""
    assert held.verdict == "rejected"
    assert all(one.lines()[0].startswith(f"seed {one.seed}, log") for one in held.rejections)
    return {(one.rejected.event, one.rejected.labels) for one in held.rejections}


class RottingCluster(SimulatedCluster):
    """Whenever the master dies, its newest checkpoint cannot be read any more, if there is one to fall back on."""

    def life_ended(self, node: str) -> None:
        super().life_ended(node)
        if node == MASTER:
            disk = self.machines[MASTER].disk
            view = DiskOfLife(disk, Life("test"), random.Random(0))
            if checkpoints(view)[1:] and disk.files[checkpoint_path(checkpoints(view)[1])].data:
                disk.files[checkpoint_path(checkpoints(view)[0])].data.clear()


def rotting(seed: int) -> tuple[Event, ...]:
    options = plan_options(seed)
    plan = make_plan(seed, options)
    return Run(plan, default_options(plan, options), RottingCluster).run().events  # type: ignore[return-value]


def losing_power(seed: int) -> tuple[Event, ...]:
    """A run with slow disks in which nothing goes wrong but the power of the master's machine, every few seconds."""
    options = PlanOptions(sync_ms=5000)
    plan = make_plan(seed, options)
    losses = [Fault(at_s * SECOND_US, FaultKind.POWER_LOSS, MASTER, SECOND_US) for at_s in range(10, 400, 7)]
    plan = dataclasses.replace(plan, faults=tuple(losses))
    return Run(plan, default_options(plan, options)).run().events  # type: ignore[return-value]


SHADOWS: Final = ("shadow1", "shadow2")


def shadowed(seed: int) -> tuple[Event, ...]:
    """A master with two log replicas, while any of the three dies at a change to its disk, or loses power."""
    bench = Bench(0, seed=seed, log_replicas=SHADOWS, sync_us=SECOND_US // 2, checkpoint_records=8)
    dice = random.Random(f"shadowed {seed}")
    for number in range(60):
        node = dice.choice((MASTER, *SHADOWS))
        match dice.randrange(6):
            case 0 if bench.is_up(node):
                bench.crash_at_effect(node, dice.randint(1, 20))
            case 1 if bench.is_up(node):
                bench.crash(node, power_loss=dice.random() < 0.5)
            case _:
                for other in (MASTER, *SHADOWS):
                    if not bench.is_up(other):
                        bench.start(other)
        bench.ask_later(Create(f"/f{number}"), timeout_us=20 * SECOND_US)
        bench.pass_time(dice.randrange(3 * SECOND_US))
    return tuple(bench.log.events)  # type: ignore[arg-type]


def hold_shadowed() -> tuple[Held, Counter[str]]:
    held, one, taken = Held(), holder(SHADOWS), Counter[str]()
    for seed in range(20):
        one.hold(
            seed,
            shadowed(seed),
            held,
            watch=lambda fit, before, step: taken.update(
                call.action.name for state in before for call, _ in fit.taken(state, step)
            ),
        )
    return held, taken
