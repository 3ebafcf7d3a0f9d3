"""Object code that was compiled before, in files: a model is compiled once on a machine, and not by each process.

A file is named by a digest of the text that was compiled, of the compiler and of the processor, so that none goes
stale. It begins with a digest of its code: a file that was cut short is compiled again. A cache that cannot be read or
written makes nothing fail: then each process compiles.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

MOST_BYTES: Final = 256 << 20
"""The limit for all files; above it, the least recently used files are deleted."""

_DIGEST_BYTES: Final = hashlib.sha256().digest_size


def cached(compile_text: Callable[[], bytes], *key: str) -> bytes:
    """The object code of a text: as it was kept, or compiled now, and kept.

    Args:
        compile_text: compiles it.
        key: the text, and all else that the code depends on.
    """
    directory = _directory()
    if directory is None:
        return compile_text()
    digest = hashlib.sha256()
    for part in key:
        digest.update(f"{len(part)} ".encode() + part.encode())
    file = directory / f"{digest.hexdigest()}.o"
    code = _read(file)
    if code is None:
        code = compile_text()
        with suppress(OSError):
            _write(file, code)
    return code


def _directory() -> Path | None:
    """Where the files are: `GENSTAMP_CACHE`, or below the user's caches; None with `GENSTAMP_CACHE=off`.

    None as well where others may write: what stands there is run.
    """
    named = os.environ.get("GENSTAMP_CACHE")
    if named == "off" or not hasattr(os, "getuid"):
        return None
    try:
        caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        directory = Path(named or caches / "genstamp").absolute() / "objects"
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = directory.lstat()
    except (OSError, RuntimeError):  # RuntimeError: there is no home
        return None
    is_ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022
    return directory if is_ours else None


def _read(file: Path) -> bytes | None:
    """The code in a file; None where there is none, or not the whole of it."""
    try:
        content = file.read_bytes()
        os.utime(file)
    except OSError:
        return None
    code = content[_DIGEST_BYTES:]
    return code if hashlib.sha256(code).digest() == content[:_DIGEST_BYTES] else None


def _write(file: Path, code: bytes) -> None:
    """Keep some code: others see the whole file or none."""
    handle, name = tempfile.mkstemp(dir=file.parent)
    try:
        with os.fdopen(handle, "wb") as written:
            written.write(hashlib.sha256(code).digest() + code)
        Path(name).replace(file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    if file.name.startswith("0"):  # one in sixteen looks
        _make_room(file.parent)


def _make_room(directory: Path) -> None:
    """Remove what was not used for longest, until the rest is within `MOST_BYTES`."""
    found = [(file.stat(), file) for file in directory.iterdir()]
    total = 0
    for state, file in sorted(found, key=lambda one: one[0].st_mtime_ns, reverse=True):
        total += state.st_size
        if total > MOST_BYTES:
            file.unlink(missing_ok=True)
