"""Bits that rot in what chunkservers have stored, so that the checksums of section 5.2 have something to find.

A bit rots in a replica of which another chunkserver has a sound one of the same version: what the last sound replica
loses nobody has promised. For the same reason the bits are made good again when a lease is going to be granted to
rotten replicas alone, as the sound ones are stale from then on; and those count no more while a version is offered.

Not here: when bits rot, which is the plan's business; and logs of replicas and of the master, whose frames have
checksums, but of which a damaged end is taken for what a crash has torn.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from genstamp_dfs.gfs.chunkserver.chunkserver import Chunkserver
from genstamp_dfs.gfs.chunkserver.replicas import Replica, path_of
from genstamp_dfs.simulation.machines import Machine


@dataclass(frozen=True)
class Rotting:
    """The replicas that may rot.

    Attributes:
        machines: of all nodes.
        chunkservers: those that live now.
        offered: for each chunk the version that was offered last, and who was to record it.
    """

    machines: Mapping[str, Machine]
    chunkservers: Mapping[str, Chunkserver]
    offered: dict[int, tuple[int, list[str]]] = field(default_factory=dict)

    def rot(self, name: str, chance: random.Random) -> bool:
        """Let a bit of some replica of a chunkserver rot; says whether there was one that may."""
        chunkserver = self.chunkservers.get(name)
        chosen = [] if chunkserver is None else [one for one in chunkserver.replicas if self._may_rot(name, one)]
        if not chosen:
            return False
        replica = chance.choice(chosen)
        file = self.machines[name].disk.files[path_of(replica.handle)]
        file.rot(chance.randrange(replica.file.stored), 1 << chance.randrange(8))
        return True

    def spare(self, handle: int, version: int, names: list[str]) -> None:
        """These chunkservers are going to have the only current replicas of a chunk, of that version."""
        self.offered[handle] = version, names
        if all(self.is_rotten(name, handle) for name in names):
            for name in names:
                file = self.machines[name].disk.files[path_of(handle)]
                file.heal(0, len(file.data))

    def is_rotten(self, name: str, handle: int) -> bool:
        """Whether a bit of a replica on the disk of a machine is not what was written."""
        file = self.machines[name].disk.files.get(path_of(handle))
        return file is not None and bool(file.rotten)

    def not_found(self) -> list[str]:
        """The replicas of which bits have rotted, and nobody has noticed."""
        return [
            f"{name} has not noticed that its replica of chunk {replica.handle} has rotted"
            for name, chunkserver in self.chunkservers.items()
            for replica in chunkserver.replicas
            if not replica.is_corrupt and self._counts(name, replica)
        ]

    def _counts(self, name: str, replica: Replica) -> bool:
        file = self.machines[name].disk.files[path_of(replica.handle)]
        return any(position < replica.file.stored for position in file.rotten)

    def _may_rot(self, name: str, replica: Replica) -> bool:
        """Whether it has bytes on its disk, and another chunkserver has a sound replica of the same version."""
        if replica.is_corrupt or not replica.file.stored:
            return False
        offered, told = self.offered.get(replica.handle, (0, []))
        others = (
            (other, found)
            for other, chunkserver in self.chunkservers.items()
            if other != name
            and not self.is_rotten(other, replica.handle)
            and (found := chunkserver.replicas.find(replica.handle)) is not None
        )
        return any(
            not found.is_corrupt
            and found.file.version >= replica.file.version
            and (found.file.version >= offered or other in told)
            for other, found in others
        )
