"""Checkpoints: from time to time the whole namespace is written as an image, so that a start has few edits to read.

The log is rolled and the image encoded in one go between two calls; then it is written piece by piece, one a tick. Old
images, and the edits before the oldest one that is kept, are removed when the new one has its name. An image for which
the disk has no room is given up and tried again later: the edits are there, and the namenode goes on.

Source: NN/SecondaryNameNode, NN/ha/StandbyCheckpointer, NN/NNStorageRetentionManager, Hadoop 3.4.1. There another
    process makes the image from the edits.
"""

from collections.abc import Callable
from typing import Final

from genstamp_dfs.errors import DiskFullError
from genstamp_dfs.hdfs.namenode.configuration import Clock, NameNodeConfiguration
from genstamp_dfs.hdfs.namenode.edit_log import DIRECTORY, EditLog, segments_of
from genstamp_dfs.hdfs.namenode.fs_namesystem import FSNamesystem
from genstamp_dfs.hdfs.namenode.image import ImageWriter, encode_image, image_name, image_transactions
from genstamp_dfs.hdfs.namenode.image_state import image_of
from genstamp_dfs.hdfs.namenode.retry_cache import RetryCache
from genstamp_dfs.world.disk import Disk
from genstamp_dfs.world.times import MICROSECONDS_A_MILLISECOND, SECOND_US

RETRY_US: Final = 60 * SECOND_US
"""How long to wait after a disk without room (`dfs.namenode.checkpoint.check.period`)."""


class Checkpointer:
    """Makes images.

    Attributes:
        encode_us: how long the last image took to encode, during which nothing else was done, in microseconds.
        on_full: called when an image is given up because the disk is full.
    """

    def __init__(self, configuration: NameNodeConfiguration, disk: Disk, clock: Clock, edit_log: EditLog) -> None:
        self._configuration = configuration
        self._disk = disk
        self._clock = clock
        self._edit_log = edit_log
        self._period_us = configuration.checkpoint_period_ms * MICROSECONDS_A_MILLISECOND
        self._last_us = clock.now_us()
        self._last_transaction = edit_log.last_transaction
        self._writer: ImageWriter | None = None
        self._not_before_us = self._last_us
        self.encode_us = 0
        self.on_full: Callable[[DiskFullError], None] = lambda problem: None

    def go_on(self, namesystem: FSNamesystem, retry_cache: RetryCache) -> None:
        """Begin an image if one is due, or write some more of the one that was begun.

        Raises:
            DiskError: the disk failed, or has no room for another segment of the log.
        """
        if self._writer is not None:
            try:
                self._write_piece()
            except DiskFullError as problem:
                self.on_full(problem)
        elif self._is_due():
            self.begin(namesystem, retry_cache)

    def _is_due(self) -> bool:
        """Whether there are many edits since the last image, or any and the last image is old."""
        count = self._edit_log.last_transaction - self._last_transaction
        if self._clock.now_us() < self._not_before_us:
            return False
        is_old = self._clock.now_us() - self._last_us >= self._period_us
        return count >= self._configuration.checkpoint_transactions or (count > 0 and is_old)

    def begin(self, namesystem: FSNamesystem, retry_cache: RetryCache) -> None:
        """Roll the log and encode the image of this moment; `go_on` writes it."""
        transaction = self._edit_log.roll()
        began_us = self._clock.now_us()
        data = encode_image(image_of(namesystem, retry_cache, transaction))
        self.encode_us = self._clock.now_us() - began_us
        self._writer = ImageWriter(self._disk, transaction, data)

    def finish(self, namesystem: FSNamesystem, retry_cache: RetryCache) -> None:
        """Make an image now, all of it (dfsadmin -saveNamespace)."""
        if self._writer is None:
            self.begin(namesystem, retry_cache)
        while self._writer is not None:
            self._write_piece()

    def _write_piece(self) -> None:
        assert self._writer is not None
        try:
            is_complete = self._writer.write_piece()
        except DiskFullError:
            self._writer.abandon()
            self._writer = None
            self._not_before_us = self._clock.now_us() + RETRY_US
            raise
        if is_complete:
            self._last_us, self._last_transaction = self._clock.now_us(), self._writer.transaction
            self._writer = None
            self._purge()

    def _purge(self) -> None:
        """Remove images beyond those retained, and the edits that all retained ones have in them."""
        names = self._disk.names(DIRECTORY)
        images = image_transactions(names)
        kept = images[: self._configuration.images_retained]
        for transaction in images[len(kept) :]:
            self._disk.remove(f"{DIRECTORY}/{image_name(transaction)}")
        for segment in segments_of(names):
            if segment.last is not None and segment.last <= kept[-1]:
                self._disk.remove(segment.path)
