"""The search on a standalone cluster of Spark whose workers have no directory in common."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conformance.standalone import standalone

from genstamp import exit_codes
from genstamp.systems import system_named
from genstamp_model.explore import explore

pytestmark = pytest.mark.slow


def test_workers_that_share_no_directory_find_what_one_machine_finds(tmp_path: Path) -> None:
    with standalone(tmp_path) as cluster:
        command = [sys.executable, "-m", "genstamp", "check", "gfs.replicas:two_chunkservers", "--engine", "spark"]
        command += ["--master", cluster.master, "--format", "json"]
        ran = subprocess.run(command, env=cluster.environment, capture_output=True, text=True, timeout=300)
        assert ran.returncode == exit_codes.UNDETERMINED, ran.stderr[-3000:]
        assert all(cluster.executors()), "a worker had nothing to do"
    (one,) = json.loads(ran.stdout)
    # The search holds; what is undetermined are leads-to properties, which are not judged on Spark.
    assert (one["safety"], bool(one["not_judged"])) == ("holds", True)
    there = explore(system_named("gfs.replicas").instance("two_chunkservers"))
    assert (one["states"], one["generated"], one["depth"]) == (there.states, there.generated, there.depth)
