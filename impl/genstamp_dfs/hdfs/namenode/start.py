"""The start of a namenode: its storage directory is opened, formatted if it is new, and the namespace built again.

The latest image is loaded and the edits after it are made again. A last segment that was not completed may end in a
torn frame, which nobody was told of: it is left out. Anything else that is damaged or missing is refused before
anything is changed.

What such a segment has is written anew, into another file. The process before may have ended because a sync of it had
failed: what is read here may be in memory alone, and another sync of the same file would succeed without it.

Not here: older images if the latest is damaged; whoever wants that takes the latest away.

Source: NN/FSImage#recoverTransitionRead, #loadFSImage, NN/FSImageTransactionalStorageInspector, Hadoop 3.4.1.
"""

import random
from dataclasses import dataclass

from genstamp_dfs.errors import StorageError
from genstamp_dfs.hdfs.namenode.configuration import Clock, NameNodeConfiguration, Repair
from genstamp_dfs.hdfs.namenode.edit_log import (
    DIRECTORY,
    FORMAT,
    EditLog,
    Segment,
    finalize_segment,
    read_segment,
    segments_of,
)
from genstamp_dfs.hdfs.namenode.edit_ops import AnyOp
from genstamp_dfs.hdfs.namenode.edit_replay import EditReplay
from genstamp_dfs.hdfs.namenode.fs_namesystem import FSNamesystem
from genstamp_dfs.hdfs.namenode.image import TEMPORARY, Image, ImageWriter, encode_image, image_transactions, read_image
from genstamp_dfs.hdfs.namenode.image_state import image_of, load_image
from genstamp_dfs.hdfs.namenode.retry_cache import RetryCache
from genstamp_dfs.hdfs.namenode.storage_directory import StorageDirectory, open_storage, write_version
from genstamp_dfs.hdfs.namenode.tree_changes import remove_blocks
from genstamp_dfs.world.disk import Disk, replace_file
from genstamp_dfs.world.wal import Batch, LogFile


@dataclass(frozen=True)
class Saved:
    """What a storage directory holds."""

    image: Image
    frames: list[Batch[AnyOp]]
    last_transaction: int
    in_progress: tuple[Segment, LogFile[AnyOp]] | None


def start_namesystem(
    configuration: NameNodeConfiguration, disk: Disk, clock: Clock, chance: random.Random, retry_cache: RetryCache
) -> tuple[FSNamesystem, EditLog]:
    """Build the namespace that the storage directory keeps, and open a new segment of its log.

    All leases are fresh, and safe mode is on until the blocks have been reported.

    Raises:
        StorageError: the directory is foreign, of another layout or damaged; it was left as it was.
    """
    storage = open_storage(disk, chance)
    if storage.is_new:
        _format(storage, configuration, clock, chance)
    saved = _read(disk)
    edit_log = EditLog(disk, saved.last_transaction)
    namesystem = FSNamesystem(configuration, clock, chance, edit_log, storage.namespace)
    load_image(saved.image, namesystem, retry_cache)
    replay = EditReplay(namesystem, retry_cache)
    for frame in saved.frames:
        for number, op in enumerate(frame.records, frame.first):
            if number > saved.image.transaction:
                replay.apply(number, op)
    remove_blocks(namesystem, len(namesystem.blocks_to_remove))
    _end_last_segment(disk, saved)
    edit_log.start_segment()
    namesystem.lease_manager.renew_all_leases(clock.now_us())
    _enter_safe_mode(namesystem)
    return namesystem, edit_log


def _enter_safe_mode(namesystem: FSNamesystem) -> None:
    """Nothing changes until the COMPLETE blocks are reported; repaired, nor while others may be reported."""
    blocks = namesystem.block_manager.blocks.values()
    complete = sum(block.is_complete for block in blocks)
    waits = namesystem.repairs(Repair.SAFE_MODE_WAITS_FOR_REPORTS) and complete < len(blocks)
    namesystem.block_manager.safe_mode.activate(complete, namesystem.clock.now_us(), waits=waits)


def _format(
    storage: StorageDirectory, configuration: NameNodeConfiguration, clock: Clock, chance: random.Random
) -> None:
    """Make an empty directory that of a namenode: an image of nothing, then VERSION (NN/FSImage#format)."""
    disk = storage.disk
    disk.make_directory(DIRECTORY)
    disk.sync_directory("")
    for name in disk.names(DIRECTORY):
        disk.remove(f"{DIRECTORY}/{name}")
    nothing = FSNamesystem(configuration, clock, chance, EditLog(disk, 0), storage.namespace)
    empty = image_of(nothing, RetryCache(configuration.retry_cache_expiry_ms), 0)
    writer = ImageWriter(disk, 0, encode_image(empty))
    while not writer.write_piece():
        pass
    write_version(disk, storage.namespace)


def _read(disk: Disk) -> Saved:
    """Read the latest image and the edits after it; changes nothing."""
    names = disk.names(DIRECTORY)
    images = image_transactions(names)
    if not images:
        raise StorageError(f"{DIRECTORY} has no image; it is damaged")
    image = read_image(disk, images[0])
    frames: list[Batch[AnyOp]] = []
    last, in_progress = image.transaction, None
    segments = segments_of(names)
    FORMAT.check_newest(disk, {segment.first for segment in segments}, image.transaction)
    for segment in segments:
        if segment.last is not None and segment.last <= image.transaction:
            continue
        content = read_segment(disk, segment)
        if segment.first > last + 1:
            raise StorageError(f"the edits from {last + 1} to {segment.first - 1} are missing")
        if segment.last is None:
            if in_progress is not None:
                raise StorageError(f"{in_progress[0].path} and {segment.path} are both in progress")
            in_progress = (segment, content)
        frames += content.batches
        last = max(last, content.next - 1)
    return Saved(image, frames, last, in_progress)


def _end_last_segment(disk: Disk, saved: Saved) -> None:
    """Write what the segment has anew and complete it; one without a transaction goes on. Removes unfinished images."""
    for name in disk.names(DIRECTORY):
        if name.startswith(TEMPORARY):
            disk.remove(f"{DIRECTORY}/{name}")
    if saved.in_progress is None:
        return
    segment, content = saved.in_progress
    if not content.batches:
        return
    replace_file(disk, segment.path, disk.read(segment.path, 0, content.end))
    finalize_segment(disk, segment.first, content.next - 1)
