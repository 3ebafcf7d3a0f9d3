"""Treats standard input as a file among others: its type is detected from its content, which is read more than once.

Not here: reading it (`genstamp.logs.units`).
"""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from genstamp.errors import GenstampError
from genstamp.standard_input import standard_input

STANDARD_INPUT = "-"
"""What is written for it among paths; a file of that name is `./-`."""

_NAME = "standard-input"
_CHUNK = 1 << 20


class StandardInputTwiceError(GenstampError):
    """Standard input is named more than once."""

    def __init__(self) -> None:
        super().__init__(f"{STANDARD_INPUT} is named more than once; standard input can be read once")


@contextmanager
def with_standard_input(paths: Sequence[str]) -> Iterator[list[str]]:
    """The paths, with standard input as a file for as long as the context lasts; on disk, so of any size.

    Raises:
        StandardInputTwiceError: it is named more than once.
        StandardInputError: it is closed.
        OSError: it cannot be read, or there is no room for it.
    """
    if paths.count(STANDARD_INPUT) > 1:
        raise StandardInputTwiceError
    if STANDARD_INPUT not in paths:
        yield list(paths)
        return
    with tempfile.TemporaryDirectory(prefix="genstamp-") as directory:
        file = Path(directory) / _NAME
        with file.open("wb") as copy:
            shutil.copyfileobj(standard_input(), copy, _CHUNK)
        yield [str(file) if path == STANDARD_INPUT else path for path in paths]
