"""A seed replays a test of conformance in any program, whatever else that has loaded."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

_REPORT = """
from genstamp.adapters import ReferenceAdapter
from genstamp.stateful import conform
from genstamp.systems import system_named

report = conform(ReferenceAdapter(), system_named("hdfs.recovery"), examples=8, steps=40, seed=0)
print(report.figures)
"""

_OTHERS = """
import genstamp.lockstep
import genstamp_dfs.server.rpc_server
import genstamp_dfs.simulation.run
"""


def test_a_seed_does_not_depend_on_the_modules_that_are_loaded() -> None:
    alone, beside_others = (_printed(program) for program in (_REPORT, _OTHERS + _REPORT))
    assert "create" in alone
    assert alone == beside_others


def _printed(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=300)
    return done.stdout
