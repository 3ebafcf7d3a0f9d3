"""Data that was pushed and waits for a mutation: the least recently used goes first (section 3.1, step 3).

Not here: how it comes (`pushing`).
"""

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass

from genstamp_dfs.gfs.errors import DataNotFound


@dataclass(slots=True)
class _Kept:
    data: bytes
    used_us: int


class DataBuffer:
    """Pushed data by its id.

    Args:
        max_bytes: how much is kept.
        keep_us: for how long what nobody uses is kept, in microseconds.
    """

    def __init__(self, max_bytes: int, keep_us: int) -> None:
        self._max_bytes = max_bytes
        self._keep_us = keep_us
        self._kept: OrderedDict[bytes, _Kept] = OrderedDict()
        self.num_bytes = 0

    def put(self, data_id: bytes, data: bytes, now_us: int) -> None:
        """Keep data; what is old, or too much, goes."""
        self.forget(data_id)
        self._kept[data_id] = _Kept(data, now_us)
        self.num_bytes += len(data)
        self.age(now_us)
        while self.num_bytes > self._max_bytes and (oldest := next(iter(self._kept))) != data_id:
            self.forget(oldest)

    def age(self, now_us: int) -> None:
        """Forget what nobody has used for too long."""
        while self._kept:
            # They stand in the order of their last use.
            oldest = next(iter(self._kept))
            if self._kept[oldest].used_us >= now_us - self._keep_us:
                return
            self.forget(oldest)

    def get(self, data_id: bytes, now_us: int) -> bytes:
        """The data of an id.

        Raises:
            DataNotFound: it is not here (any more).
        """
        kept = self._kept.get(data_id)
        if kept is None:
            raise DataNotFound(f"the data {data_id.hex()} was not pushed here, or was not used for too long")
        kept.used_us = now_us
        self._kept.move_to_end(data_id)
        return kept.data

    def __reversed__(self) -> Iterator[bytes]:
        """All ids, the one used last first."""
        return reversed(self._kept)

    def forget(self, data_id: bytes) -> None:
        """Keep this data no more."""
        kept = self._kept.pop(data_id, None)
        if kept is not None:
            self.num_bytes -= len(kept.data)
