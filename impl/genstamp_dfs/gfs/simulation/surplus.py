"""No replica is given up before the others are there: what the master calls one too many is held against the disks.

A master that moves a replica, or finds one that it does not need, lets its chunkserver delete it. At that moment the
others have to be on disks, of machines that live or may come back, in this version or a higher one.

Not here: replicas that are stale, corrupt or of no file.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from genstamp_dfs.gfs.chunkserver.chunk_file import log_of
from genstamp_dfs.gfs.chunkserver.chunkserver import Chunkserver
from genstamp_dfs.gfs.chunkserver.replicas import path_of
from genstamp_dfs.simulation.machines import Machine


@dataclass(frozen=True)
class Surplus:
    """Looks at replicas that are given up.

    Attributes:
        machines: of all nodes.
        chunkservers: those that live now.
        goal: how many replicas a chunk shall have.
        problems: a sentence for each that was given up too early.
    """

    machines: Mapping[str, Machine]
    chunkservers: Mapping[str, Chunkserver]
    goal: int
    problems: list[str] = field(default_factory=list)

    def given_up(self, handle: int, version: int, chunkserver: str) -> None:
        """The master says that a current replica of a chunk is one too many."""
        others = [name for name in self.machines if name != chunkserver and self._has(name, handle, version)]
        if len(others) < self.goal:
            there = f"{len(others)} others are there, {self.goal} are wanted"
            self.problems.append(f"the replica of chunk {handle} at {chunkserver} is given up while {there}")

    def _has(self, name: str, handle: int, version: int) -> bool:
        """Whether a machine has a replica: of a node that is down, whichever it is."""
        chunkserver = self.chunkservers.get(name)
        if chunkserver is None:
            return log_of(path_of(handle)) in self.machines[name].disk.files
        replica = chunkserver.replicas.find(handle)
        return replica is not None and replica.file.version >= version
