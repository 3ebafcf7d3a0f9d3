"""Simulated runs of GFS, held against each system: they conform, and show every action but those named.

`genstamp verify` holds more of them.
"""

from typing import Final

import pytest

from genstamp.lockstep import hold_seeds
from genstamp.lockstep.gfs import PROJECTIONS
from genstamp.systems import system_named

SEEDS: Final = range(3)

UNSEEN: Final = {
    # Most are hidden; and no master of these runs has lost what it chose.
    "gfs.chunk_lease": "chunkserver_clock_ticks master_clock_ticks crash restart_chunkserver lose_contact drop_grant"
    " report_higher",
    "gfs.master_log": "damage_checkpoint shadow_replays start_elsewhere",
    "gfs.snapshot": "crash restart_chunkserver delete_replica report_orphan report_stale lease_runs_out",
    # A failure that is answered is the end of the client's waiting; disks that fail at the primary are rare.
    "gfs.mutation_order": "answer_failure fail_at_primary retry",
    "gfs.record_append": "answer_failure fail_at_primary retry add_chunk fail_to_apply_in_part",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PROJECTIONS)
def test_runs_with_faults_conform_and_show_all_that_happens(name: str) -> None:
    system, shown = system_named(name), set[str]()
    held = hold_seeds(
        system,
        SEEDS,
        watch=lambda fit, before, step: shown.update(
            call.action.name for state in before for call, _ in fit.taken(state, step)
        ),
    )
    assert held.verdict == "conforms", "\n".join(line for one in held.rejections for line in one.lines())
    assert (held.runs, held.undetermined) == (len(SEEDS), 0)
    assert held.judged + sum(held.left_out.values()) >= held.events
    assert held.judged > 100 * len(SEEDS)
    assert sum(held.ended.values()) < held.entities / 5
    assert {action.name for action in system.model().actions} - shown == set(UNSEEN[name].split())


@pytest.mark.slow
@pytest.mark.parametrize("name", PROJECTIONS)
def test_runs_without_faults_conform(name: str) -> None:
    held = hold_seeds(system_named(name), [0, 1], faults=False)
    assert (held.verdict, held.undetermined, held.ended) == ("conforms", 0, {})
    assert held.judged > 100
