"""What is looked at in the nodes of a simulated run: a version may fall only while nobody was told of it."""

from types import SimpleNamespace
from typing import Any

import pytest

from genstamp_dfs.gfs.master.configuration import MasterConfiguration
from genstamp_dfs.gfs.master.state import new_state
from genstamp_dfs.gfs.simulation.surplus import Surplus
from genstamp_dfs.gfs.simulation.watching import BrokenInvariantError, Watching


def master_with(version: int, *, is_flushed: bool) -> Any:
    """A master that knows one chunk, to which nothing refers."""
    state = new_state(MasterConfiguration())
    state.chunks.add(1, version)
    return SimpleNamespace(state=state, is_flushed=is_flushed)


@pytest.mark.parametrize("is_flushed", [False, True])
def test_a_version_that_is_on_no_disk_may_be_gone_after_a_crash(is_flushed: bool) -> None:
    cluster: Any = SimpleNamespace(
        master=master_with(5, is_flushed=True), chunkservers={}, surplus=Surplus({}, {}, goal=3)
    )
    watching = Watching(cluster)
    watching.look()
    cluster.master = master_with(6, is_flushed=is_flushed)
    watching.look()
    cluster.master = master_with(5, is_flushed=True)
    if is_flushed:
        with pytest.raises(BrokenInvariantError, match="fell from 6 to 5"):
            watching.look()
    else:
        watching.look()
