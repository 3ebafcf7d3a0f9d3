"""Compiles code that runs for each line or each row.

Without counting who holds an array: that took two thirds of the time of reading a line. So this code makes no array,
keeps none, and gives none back; its callers hold all that it is given. Not here: code that makes arrays, which is
compiled with `numba.njit`.
"""

from functools import partial
from typing import Any

from numba import njit

compiled: Any = partial(njit, cache=True, nogil=True, _nrt=False)
"""Decorates what is called from Python or is large."""

inlined: Any = partial(njit, cache=True, forceinline=True, _nrt=False)
"""Decorates what becomes part of the code that calls it."""
