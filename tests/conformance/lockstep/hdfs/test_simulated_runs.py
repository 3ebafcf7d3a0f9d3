"""Simulated runs of HDFS, held against each system: they conform; `genstamp verify` holds more of them."""

from typing import Final

import pytest

from genstamp.lockstep import hold_seeds
from genstamp.lockstep.hdfs import PROJECTIONS
from genstamp.systems import system_named
from genstamp_dfs.hdfs.protocol import Semantics

SEEDS: Final = range(2)


@pytest.mark.slow
@pytest.mark.parametrize("semantics", Semantics)
@pytest.mark.parametrize("name", PROJECTIONS)
def test_runs_with_faults_conform(name: str, semantics: Semantics) -> None:
    held = hold_seeds(system_named(name), SEEDS, semantics=semantics)
    assert held.verdict == "conforms", "\n".join(line for one in held.rejections for line in one.lines())
    assert (held.runs, held.undetermined) == (len(SEEDS), 0)
    assert held.judged > 40 * len(SEEDS)
    assert sum(held.ended.values()) < held.entities / 4
