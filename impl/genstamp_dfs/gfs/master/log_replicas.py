"""The log replicas, as the master sees them: each has a record on disk before anybody is told of it.

A replica's log is a beginning of the master's, since a record is sent when it is on the master's disk. One that was
away is sent what it lacks from the master's log. While a replica does not answer nothing is flushed, and nobody is
answered: whoever wants to go on without it takes it out of the settings, and starts the master again. A master that
starts has its replicas take over the end of its log before it answers anybody: that end may be on its own disk alone.

Not here: replicas that lack records which the master has only in a checkpoint: they are begun anew with a copy of the
master's directory.

Source: sections 2.6.3 and 5.1.2.
"""

from functools import partial
from typing import Final

from genstamp_dfs.errors import Refusal, StorageError
from genstamp_dfs.gfs.master.operation_log import encode_batch, log_files, read_log_file
from genstamp_dfs.gfs.messages.log_protocol import AppendRecords
from genstamp_dfs.gfs.runtime import Runtime
from genstamp_dfs.gfs.side_by_side import together
from genstamp_dfs.world.disk import Disk
from genstamp_dfs.world.times import SECOND_US

ASKED_AGAIN_US: Final = SECOND_US // 2
"""How long to wait before a replica that does not answer is asked again."""


class LogReplicas:
    """All log replicas of a master.

    Args:
        names: the nodes.
        runtime: the master's world.
        disk: where the master's log is.
        timeout_us: how long one has to answer.

    Attributes:
        committed: all records before this position are on all replicas.
    """

    def __init__(self, names: tuple[str, ...], runtime: Runtime, disk: Disk, timeout_us: int) -> None:
        self._names = names
        self._runtime = runtime
        self._disk = disk
        self._timeout_us = timeout_us
        self._announced = 0
        self.committed = 0

    async def replicate(self, first: int, frame: bytes, after: int) -> None:
        """Have all replicas take records that are on the master's disk; comes back when all have them on theirs.

        Args:
            first: position of the first record.
            frame: the records.
            after: the position behind the last of them.

        Raises:
            StorageError: a replica lacks records that are not in the master's log any more, or has others.
        """
        works = [partial(self._bring, name, AppendRecords(first, frame, self.committed), after) for name in self._names]
        await together(self._runtime, works, "log replica")
        self.committed = after

    async def announce(self) -> None:
        """Tell the replicas what may be told of, if nothing was sent since that would have told them."""
        if self._announced == self.committed:
            return
        nothing = AppendRecords(self.committed, encode_batch(self.committed, []), self.committed)
        try:
            for name in self._names:
                await self._runtime.call(name, nothing, timeout_us=self._timeout_us)
        except Refusal:
            return
        self._announced = nothing.committed

    async def _bring(self, name: str, request: AppendRecords, after: int) -> None:
        while (has := await self._ask(name, request)) < after:
            await self._catch_up(name, has)
        if has > after:
            raise StorageError(f"{name} has records up to {has - 1}, and the master's log ends with {after - 1}")

    async def _ask(self, name: str, request: AppendRecords) -> int:
        """Ask until there is an answer."""
        while True:
            try:
                return await self._runtime.call(name, request, timeout_us=self._timeout_us)
            except Refusal:
                await self._runtime.sleep_us(ASKED_AGAIN_US)

    async def _catch_up(self, name: str, position: int) -> None:
        """Send what stands in the log from a position on."""
        files = log_files(self._disk)
        if files[0] > position:
            raise StorageError(
                f"{name} has the records before {position}, and the log begins with {files[0]}; "
                "accepted: a log replica that was begun with a copy of the master's directory"
            )
        for number, first in enumerate(files):
            if files[number + 1 : number + 2] and files[number + 1] <= position:
                continue
            for batch in read_log_file(self._disk, first, is_last=first == files[-1]).batches:
                if batch.next > position:
                    frame = encode_batch(batch.first, batch.records)
                    await self._ask(name, AppendRecords(batch.first, frame, self.committed))
