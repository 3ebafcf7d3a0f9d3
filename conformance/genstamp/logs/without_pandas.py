"""Keeps Arrow from loading pandas, which takes as long as checking a small log.

Arrow asks of every sequence that it is given whether it is one of pandas, and loads pandas to find out; no table of the
log pipeline ever is. Not here: those who ask Arrow for something of pandas' later on: for them it is loaded after all.
"""

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from types import ModuleType


class _NoPandas(MetaPathFinder):
    def find_spec(self, fullname: str, _path: Sequence[str] | None, _target: ModuleType | None = None) -> None:
        if fullname == "pandas":
            raise ModuleNotFoundError("pandas is not asked for yet", name=fullname)


def spare_pandas() -> None:
    """Makes Arrow find no pandas in this process when it first looks for it, which is now."""
    if "pandas" in sys.modules:
        return
    finder = _NoPandas()
    sys.meta_path.insert(0, finder)
    try:
        import pyarrow as pa

        pa.array([])
    finally:
        sys.meta_path.remove(finder)
