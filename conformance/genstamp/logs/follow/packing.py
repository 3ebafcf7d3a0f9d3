"""The state of a log's reader between two batches, as bytes that are kept beside the tables.

A reader is made of some dozen classes and of arrays, so it is pickled. What is read back may have been changed by
others: it can name classes of the readers, and arrays, and no function that runs something. Not here: when it is kept.
"""

import importlib
import io
import pickle
from typing import Any, Final, TypeVar

import zstandard

from genstamp.errors import GenstampError

T = TypeVar("T")

_OURS: Final = ("genstamp.logs.", "genstamp.events")
_KNOWN: Final = {
    "collections": ("Counter",),
    "msgspec._utils": ("rebuild",),
    "numpy": ("dtype", "ndarray"),
    "numpy._core.multiarray": ("_reconstruct", "scalar"),
}
"""The other names that are allowed, by module."""


class NoReaderError(GenstampError):
    """The saved reader does not have the format of this version."""


def packed(reader: object) -> bytes:
    """A reader as bytes."""
    return zstandard.compress(pickle.dumps(reader), 1)


def unpacked(content: bytes, kind: type[T]) -> T:
    """A reader that was packed.

    Raises:
        NoReaderError: it is another thing, or was damaged or changed.
    """
    try:
        found = _Reading(io.BytesIO(zstandard.decompress(content))).load()
    except NoReaderError:
        raise
    except Exception as problem:
        raise NoReaderError(f"the saved reader of a log cannot be read: {problem}") from problem
    if not isinstance(found, kind):
        raise NoReaderError(f"the saved reader of a log is a {type(found).__name__}")
    return found


class _Reading(pickle.Unpickler):
    """Finds classes of the readers, and what arrays are made of."""

    def find_class(self, module: str, name: str) -> Any:
        """See there.

        Raises:
            NoReaderError: it is something else.
        """
        if name in _KNOWN.get(module, ()):
            return super().find_class(module, name)
        found = getattr(importlib.import_module(module), name, None) if module.startswith(_OURS) else None
        if not isinstance(found, type):
            raise NoReaderError(f"the saved reader of a log names {module}.{name}")
        return found
