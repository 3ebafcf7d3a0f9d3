"""What room a chunkserver has: whoever was refused by a full disk does not try again for a while.

While the disk counts as full nothing new is written: the replicas take part in no new lease, and the master, who is
told that there is no room, makes others elsewhere. Reads go on.

Not here: who fills the disk.
"""

from genstamp_dfs.gfs.chunkserver.configuration import ChunkserverConfiguration
from genstamp_dfs.gfs.chunkserver.replicas import Replicas
from genstamp_dfs.gfs.errors import NoRoom
from genstamp_dfs.gfs.runtime import Runtime


class Room:
    """The room of one chunkserver."""

    def __init__(self, configuration: ChunkserverConfiguration, runtime: Runtime, replicas: Replicas) -> None:
        self._configuration = configuration
        self._runtime = runtime
        self._replicas = replicas
        self._full_until_us: int | None = None

    @property
    def is_full(self) -> bool:
        """Whether the disk was found full of late."""
        return self._full_until_us is not None and self._runtime.now_us() < self._full_until_us

    @property
    def free_bytes(self) -> int:
        """How many bytes the chunkserver may still have, as far as is known."""
        return 0 if self.is_full else max(0, self._configuration.capacity_bytes - self._replicas.used_bytes)

    def found_full(self) -> None:
        """The disk had no room for something."""
        self._full_until_us = self._runtime.now_us() + self._configuration.full_wait_us

    def check(self) -> None:
        """Refuse what would need room.

        Raises:
            NoRoom: the disk was found full of late.
        """
        if self.is_full:
            raise NoRoom(
                f"the disk of {self._runtime.node} was full less than {self._configuration.full_wait_us} us ago"
            )
