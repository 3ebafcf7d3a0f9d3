"""The start of a master: the latest complete checkpoint is loaded, and the records behind it are made again.

A checkpoint that is incomplete or damaged is skipped, and the one before it taken with a longer part of the log. The
last file of the log may end in a torn frame, of which nobody was told: it is left out. Anything else that is damaged or
missing is refused before anything is changed.

What the last file has is written anew, into another file. The process before may have ended because a sync of it had
failed: what is read here may be in memory alone, and another sync of the same file would succeed without it.

Not here: leases and locations, of which a master knows nothing when it starts.

Source: section 2.6.3.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from genstamp_dfs.errors import StorageError
from genstamp_dfs.gfs.master.checkpoint import checkpoints, read_checkpoint
from genstamp_dfs.gfs.master.log_telling import LogTelling
from genstamp_dfs.gfs.master.operation_log import (
    DIRECTORY,
    FORMAT,
    LogFile,
    log_files,
    log_path,
    read_log_file,
)
from genstamp_dfs.gfs.master.state import MasterState
from genstamp_dfs.gfs.runtime import Runtime
from genstamp_dfs.world.disk import UNFINISHED_SUFFIX, Disk, replace_file

FIRST_POSITION = 1


@dataclass(frozen=True, slots=True)
class Recovered:
    """What a disk holds.

    Attributes:
        state: all that is durable.
        next_position: of the next record.
        checkpoint: the position of the checkpoint that was taken; None if there was none.
        skipped: what is wrong with later checkpoints, by position.
    """

    state: MasterState
    next_position: int
    checkpoint: int | None
    skipped: Mapping[int, str]


async def recover(disk: Disk, runtime: Runtime, new_state: Callable[[], MasterState], telling: LogTelling) -> Recovered:
    """Read what a disk holds, and make its log ready to go on; others run meanwhile.

    Args:
        disk: what is read.
        runtime: the world of whoever starts.
        new_state: gives a state of nothing.
        telling: told what was found.

    Raises:
        StorageError: something is damaged or missing; nothing was changed.
        DiskError: the disk failed.
    """
    disk.make_directory(DIRECTORY)
    disk.sync_directory("")
    files = log_files(disk)
    FORMAT.check_newest(disk, files)
    state, checkpoint, skipped = _load_checkpoint(disk, files, new_state)
    position = checkpoint or FIRST_POSITION
    last: LogFile | None = None
    for first, following in pairwise([*files, None]):
        assert first is not None
        if following is not None and following <= position:
            continue
        last = read_log_file(disk, first, is_last=following is None)
        if last.first > position:
            raise StorageError(f"the records from {position} to {last.first - 1} are missing")
        if following is not None and last.next != following:
            raise StorageError(f"the records from {last.next} to {following - 1} are missing")
        position = await _replay(runtime, state, last, position)
    torn = 0 if last is None else _end_file(disk, last)
    _remove_unfinished(disk)
    telling.recovered(state.records, checkpoint, files[0] if files else position, torn=torn, skipped=len(skipped))
    return Recovered(state, position, checkpoint, skipped)


def _load_checkpoint(
    disk: Disk, files: list[int], new_state: Callable[[], MasterState]
) -> tuple[MasterState, int | None, Mapping[int, str]]:
    """The latest checkpoint that is whole."""
    skipped: dict[int, str] = {}
    for position in checkpoints(disk):
        state = new_state()
        try:
            read_checkpoint(disk, position, state)
        except StorageError as problem:
            skipped[position] = str(problem)
        else:
            return state, position, skipped
    if skipped and (not files or files[0] > FIRST_POSITION):
        wrong = next(iter(skipped.values()))
        raise StorageError(f"no checkpoint is whole, and the log does not go back to its beginning: {wrong}")
    return new_state(), None, skipped


async def _replay(runtime: Runtime, state: MasterState, file: LogFile, position: int) -> int:
    """Make the records of a file again from a position on; gives the position behind them."""
    for batch in file.batches:
        for number, operation in enumerate(batch.records, batch.first):
            if number >= position:
                state.apply(operation)
        position = max(position, batch.next)
        await runtime.sleep_us(0)
    return position


def _end_file(disk: Disk, file: LogFile) -> int:
    """Write anew what was read of the last file; gives how many bytes are torn, and left out.

    A file whose beginning is torn has no records, and is begun anew by whoever goes on.
    """
    if file.end < len(FORMAT.header):
        return 0
    path = log_path(file.first)
    replace_file(disk, path, disk.read(path, 0, file.end))
    return file.size - file.end


def _remove_unfinished(disk: Disk) -> None:
    for name in disk.names(DIRECTORY):
        if name.endswith(UNFINISHED_SUFFIX):
            disk.remove(f"{DIRECTORY}/{name}")
