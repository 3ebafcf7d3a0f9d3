"""Compiles code that runs for each line or each row.

Without counting who holds an array: that took two thirds of the time of reading a line. So this code makes no array,
keeps none, and gives none back; its callers hold all that it is given. Not here: code that makes arrays, which is
compiled with `numba.njit`.
"""

from functools import partial
from typing import Any, Final

from numba import njit


def _probe() -> None:
    """Compiled by nobody."""


def _can_keep() -> bool:
    """Whether compiled code can be kept: some directory for it can be written."""
    try:
        njit(cache=True)(_probe)
    except RuntimeError:
        return False
    return True


KEEPS: Final = _can_keep()
"""Whether compiled code is kept; else each process compiles anew."""

compiled: Any = partial(njit, cache=KEEPS, nogil=True, _nrt=False)
"""Decorates what is called from Python or is large."""

inlined: Any = partial(njit, cache=KEEPS, forceinline=True, _nrt=False)
"""Decorates what becomes part of the code that calls it."""
