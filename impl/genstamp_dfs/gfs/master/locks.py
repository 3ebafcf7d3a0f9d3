"""Read-write locks of paths, so that operations on different parts of the namespace go on side by side.

An operation on /d1/d2/leaf locks /, /d1 and /d1/d2 for reading, and the leaf for reading or writing. As directories are
only read-locked by what happens in them, files of one directory are created side by side; and a snapshot of /d1/d2,
which write-locks it, shuts out whoever creates /d1/d2/foo. Everybody takes locks in one order, by level and then
lexicographically, so no two wait for each other. A lock goes to those who wait in the order in which they came.

Not here: what is done under the locks.

Source: section 4.1.
"""

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from types import TracebackType

from genstamp_dfs.gfs.master.paths import ROOT, parents_of
from genstamp_dfs.world.runtime import Condition


@dataclass(eq=False, slots=True)
class Waiting:
    """Somebody who waits for a lock."""

    writes: bool
    woken: Condition
    has_it: bool = False


@dataclass(slots=True)
class Lock:
    """One lock; it exists while somebody holds it or waits for it."""

    readers: int = 0
    has_writer: bool = False
    queue: deque[Waiting] = field(default_factory=deque)

    @property
    def is_free(self) -> bool:
        return not (self.readers or self.has_writer or self.queue)

    def admits(self, *, writes: bool) -> bool:
        """Whether one more may hold it, those who wait aside."""
        return not self.has_writer and not (writes and self.readers)

    def take(self, *, writes: bool) -> None:
        if writes:
            self.has_writer = True
        else:
            self.readers += 1

    def give_back(self, *, writes: bool) -> None:
        if writes:
            self.has_writer = False
        else:
            self.readers -= 1
        self.serve_queue()

    def serve_queue(self) -> None:
        """Let those at the head of the queue have it, as far as they can hold it together."""
        while self.queue and self.admits(writes=self.queue[0].writes):
            waiting = self.queue.popleft()
            self.take(writes=waiting.writes)
            waiting.has_it = True
            waiting.woken.notify_all()


def lock_order(path: str) -> tuple[int, str]:
    """By level, then lexicographically.

    >>> sorted(["/b", "/a/c", "/", "/a"], key=lock_order)
    ['/', '/a', '/b', '/a/c']
    """
    return (0 if path == ROOT else path.count("/"), path)


class Locks:
    """Locks by key: of paths, or of chunks.

    Args:
        new_condition: makes something to wait for.
    """

    def __init__(self, new_condition: Callable[[], Condition]) -> None:
        self._new_condition = new_condition
        self._locks: dict[Hashable, Lock] = {}

    @property
    def held(self) -> set[Hashable]:
        """The keys that are locked now."""
        return set(self._locks)

    def only(self, key: Hashable) -> "Locked":
        """One lock for writing."""
        return Locked(self, [(key, True)])

    async def acquire(self, key: Hashable, *, writes: bool) -> None:
        """Wait for one lock and take it."""
        lock = self._locks.setdefault(key, Lock())
        if not lock.queue and lock.admits(writes=writes):
            lock.take(writes=writes)
            return
        waiting = Waiting(writes, self._new_condition())
        lock.queue.append(waiting)
        try:
            while not waiting.has_it:
                await waiting.woken.wait()
        except BaseException:
            self._withdraw(key, lock, waiting)
            raise

    def release(self, key: Hashable, *, writes: bool) -> None:
        """Give one lock back."""
        lock = self._locks[key]
        lock.give_back(writes=writes)
        if lock.is_free:
            del self._locks[key]

    def _withdraw(self, key: Hashable, lock: Lock, waiting: Waiting) -> None:
        """Somebody does not wait any more."""
        if waiting.has_it:
            self.release(key, writes=waiting.writes)
            return
        lock.queue.remove(waiting)
        # Readers may have stood behind a writer who has gone.
        lock.serve_queue()


class NamespaceLocks(Locks):
    """The locks of all paths."""

    def locked(self, *, read: Iterable[str] = (), write: Iterable[str] = ()) -> "Locked":
        """Locks for an operation that looks at some paths and changes others; their directories are added.

        Use it with `async with`; what is in there holds the locks.
        """
        modes: dict[str, bool] = {}
        for paths, writes in ((read, False), (write, True)):
            for path in paths:
                for above in parents_of(path):
                    modes.setdefault(above, False)
                modes[path] = modes.get(path, False) or writes
        return Locked(self, [(path, modes[path]) for path in sorted(modes, key=lock_order)])


class Locked:
    """The locks of one operation, in the order in which they are taken."""

    def __init__(self, locks: Locks, modes: Sequence[tuple[Hashable, bool]]) -> None:
        self.modes = modes
        self._locks = locks
        self._taken = 0

    async def __aenter__(self) -> None:
        try:
            for key, writes in self.modes:
                await self._locks.acquire(key, writes=writes)
                self._taken += 1
        except BaseException:
            self._release()
            raise

    async def __aexit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._release()

    def _release(self) -> None:
        while self._taken:
            self._taken -= 1
            key, writes = self.modes[self._taken]
            self._locks.release(key, writes=writes)
