"""Disks that fail under real servers: what the system says of files below a directory."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest


class FsyncFailsOnce:
    """`os.fsync` that fails once below a directory when it is armed, as the kernel reports a lost write once.

    Attributes:
        failed: the path of the file whose sync has failed; None before.
        repeated: the paths under which that very file was forced to the disk later.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, directory: Path) -> None:
        self.failed: Path | None = None
        self.repeated: list[Path] = []
        self._directory = directory
        self._is_armed = False
        self._kept: int | None = None
        self._fsync = os.fsync
        monkeypatch.setattr(os, "fsync", self._call)

    def arm(self) -> None:
        """The next sync below the directory fails."""
        self._is_armed = True

    def _call(self, descriptor: int) -> None:
        path = Path(f"/proc/self/fd/{descriptor}").readlink()
        if self._is_armed and path.is_relative_to(self._directory):
            self._is_armed, self.failed = False, path
            # Kept open, so that no other file gets its number.
            self._kept = os.dup(descriptor)
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        if self._kept is not None and os.path.sameopenfile(self._kept, descriptor):
            self.repeated.append(path)
        self._fsync(descriptor)


def fill_when(monkeypatch: pytest.MonkeyPatch, is_full: Callable[[Path], bool], room: int = 0) -> None:
    """Writes into these files find no room behind so many bytes."""
    pwrite, write = os.pwrite, os.write
    left = [room]

    def full(descriptor: int, data: bytes, do: Callable[[bytes], int]) -> int:
        if not is_full(Path(f"/proc/self/fd/{descriptor}").readlink()):
            return do(data)
        part = bytes(data)[: left[0]]
        if not part:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        left[0] -= len(part)
        return do(part)

    monkeypatch.setattr(os, "pwrite", lambda file, data, at: full(file, data, lambda part: pwrite(file, part, at)))
    monkeypatch.setattr(os, "write", lambda file, data: full(file, data, lambda part: write(file, part)))
