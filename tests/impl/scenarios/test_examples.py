"""The examples that tell stories over the simulation: each story is the same each time, and ends as it should."""

import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Story = Callable[[int], list[str]]
SEEDS = range(5)
NAMES = ("soft_limit_lock", "write_ahead_log", "stream_writer")


def load(repository: Path, name: str) -> Story:
    """The story of an example."""
    story: Story = runpy.run_path(str(repository / "examples" / f"{name}.py"))["story"]
    return story


@pytest.mark.parametrize("name", NAMES)
def test_a_story_is_the_same_each_time(repository: Path, name: str) -> None:
    assert load(repository, name)(3) == load(repository, name)(3)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_an_example_runs_as_a_script(repository: Path, name: str) -> None:
    """A process of its own prints the story of the first seed."""
    script = repository / "examples" / f"{name}.py"
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.splitlines() == load(repository, name)(0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_the_soft_limit_lock(repository: Path, seed: int) -> None:
    """Closed, it is free at once; left by a dead application, after the soft limit and not before."""
    lines = load(repository, "soft_limit_lock")(seed)
    times = {line[9:]: int(line[:5]) for line in lines}
    assert times["app2 has the lock at once"] == times["app1 ends well and closes the file"]
    waited = next(line for line in lines if "app3 has the lock" in line)
    assert 60 <= int(waited.split(", ")[1].split()[0]) <= 66


@pytest.mark.parametrize("seed", SEEDS)
def test_the_write_ahead_log(repository: Path, seed: int) -> None:
    """Every synced edit is replayed, also that of a writer who was cut off; none comes after the fence."""
    lines = load(repository, "write_ahead_log")(seed)
    assert "the block has a new generation stamp" in lines
    assert any(line.startswith("server1 comes back and cannot write edit 5") for line in lines)
    assert lines[-1] == "the master replays: edit 1, edit 2, edit 3, edit 4"


@pytest.mark.parametrize("seed", SEEDS)
def test_the_stream_writer(repository: Path, seed: int) -> None:
    """Three datanodes die, and no event is lost, doubled or out of order."""
    lines = load(repository, "stream_writer")(seed)
    assert sum("the pipeline went on without" in line for line in lines) == 3
    assert lines[-2:] == ["50 events are read, all of them, in order", "3 of 6 datanodes live"]
