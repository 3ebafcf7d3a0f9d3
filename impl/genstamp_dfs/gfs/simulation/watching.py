"""What has to be so of the nodes at every moment of a run, and what has to come to its end when nothing fails any more.

Looks into the cores; what users see is judged elsewhere (`ledger`).
"""

from collections import Counter, defaultdict
from collections.abc import Iterator

from genstamp_dfs.gfs.master.namespace import DIRECTORY, handles_of
from genstamp_dfs.gfs.simulation.cluster import SimulatedCluster


class BrokenInvariantError(Exception):
    """Something is not as it has to be; the message says what."""


class Watching:
    """Looks at the nodes now and then."""

    def __init__(self, cluster: SimulatedCluster) -> None:
        self._cluster = cluster
        self._versions: dict[int, int] = {}

    def look(self) -> None:
        """Look at all nodes.

        Raises:
            BrokenInvariantError: something is wrong.
        """
        for problem in (
            *self._primaries(),
            *self._masters_versions(),
            *self._counts(),
            *self._cluster.surplus.problems,
        ):
            raise BrokenInvariantError(problem)

    def _primaries(self) -> Iterator[str]:
        """OnePrimary: no two chunkservers believe in an unexpired lease of one chunk."""
        believing: dict[int, list[str]] = defaultdict(list)
        for name, chunkserver in self._cluster.chunkservers.items():
            for handle in chunkserver.leases.believed():
                believing[handle].append(name)
        for handle, names in believing.items():
            if len(names) > 1:
                yield f"{' and '.join(names)} believe at once that they hold the lease of chunk {handle}"

    def _masters_versions(self) -> Iterator[str]:
        """VersionMonotonic: the master's version of a chunk never decreases, and no replica has a higher one.

        A version that is not on the master's disk yet is told to nobody, and may be gone after a crash.
        """
        master = self._cluster.master
        state = None if master is None else master.state
        if master is None or state is None:
            return
        for handle in state.chunks:
            version = state.chunks.version(handle)
            if version < self._versions.get(handle, 0):
                yield f"the version of chunk {handle} fell from {self._versions[handle]} to {version}"
            if master.is_flushed:
                self._versions[handle] = version
        for name, chunkserver in self._cluster.chunkservers.items():
            for replica in chunkserver.replicas:
                if replica.handle in state.chunks and replica.file.version > state.highest_version(replica.handle):
                    highest = state.highest_version(replica.handle)
                    yield (
                        f"{name} has chunk {replica.handle} in version {replica.file.version}, the highest chosen is "
                        f"{highest}"
                    )

    def _counts(self) -> Iterator[str]:
        """RefCount: the reference count of a chunk is the number of places in files that list it."""
        state = None if self._cluster.master is None else self._cluster.master.state
        if state is None:
            return
        listed: Counter[int] = Counter()
        for _, value in state.namespace.under("/"):
            if value is not DIRECTORY:
                listed.update(handles_of(value))
        for handle in state.chunks:
            if state.chunks.references(handle) != listed[handle]:
                yield f"chunk {handle} has {state.chunks.references(handle)} references, {listed[handle]} files list it"


def unfinished(cluster: SimulatedCluster) -> list[str]:
    """What has not come to its end yet.

    Chunks without all their replicas, replicas that nobody wants, and such as have rotted.
    """
    state = None if cluster.master is None else cluster.master.state
    if state is None:
        return ["the master is not there"]
    goal = min(cluster.options.master.limits.replicas, len(cluster.chunkservers))
    problems = cluster.rotting.not_found()
    for handle in state.chunks:
        version = state.chunks.version(handle)
        found = [
            name
            for name, chunkserver in cluster.chunkservers.items()
            for replica in chunkserver.replicas
            if replica.handle == handle and replica.file.version >= version and not replica.is_corrupt
        ]
        if state.chunks.references(handle) and len(found) < goal:
            problems.append(f"chunk {handle} has {len(found)} current replicas, {goal} are wanted")
    for name, chunkserver in cluster.chunkservers.items():
        for replica in chunkserver.replicas:
            handle = replica.handle
            if handle not in state.chunks:
                problems.append(f"{name} keeps a replica of chunk {handle}, which is gone")
            elif replica.file.version < state.chunks.version(handle):
                problems.append(f"{name} keeps a stale replica of chunk {handle}")
    return problems
