"""The systems that simulated runs are checked against, of all families, and how some seeds are checked against one."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from genstamp.lockstep import gfs, hdfs
from genstamp.lockstep.hold import Held, Holder, Watch
from genstamp.lockstep.runs import Lockstep
from genstamp_model.language.system import System

LOCKSTEPS: Final[Mapping[str, Lockstep]] = {**hdfs.LOCKSTEPS, **gfs.LOCKSTEPS}
"""The systems that simulated runs are checked against, by name."""


def hold_seeds(
    system: System,
    seeds: Iterable[int],
    *,
    semantics: str | None = None,
    faults: bool = True,
    watch: Watch | None = None,
    progress: Callable[[Held], None] | None = None,
) -> Held:
    """Run seeds, and check each run against a system.

    Args:
        system: one of `LOCKSTEPS`.
        seeds: of the runs.
        semantics: of implementation and system; the system's default unless one is named.
        faults: whether faults are injected into the runs.
        watch: called for every step that fits.
        progress: called before each run with the results so far.
    """
    chosen = semantics or system.default_semantics
    runs = LOCKSTEPS[system.name].runs(chosen, faults)
    holder = Holder(system.model(chosen), runs.projection)
    return holder.hold_seeds(seeds, runs.simulated, watch, progress)
