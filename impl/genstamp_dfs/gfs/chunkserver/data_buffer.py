"""Pushed data that waits for a mutation to use it (section 3.1, step 3).

It stays after it was used, as the client may ask again; what was not used for the longest time makes room for other.
"""

from collections import OrderedDict

from genstamp_dfs.gfs.errors import DataNotFound
from genstamp_dfs.gfs.runtime import Runtime


class DataBuffer:
    """Pushed data by id.

    Args:
        runtime: the world.
        num_bytes: how much is kept.
        age_us: how long it is kept, in microseconds.
    """

    def __init__(self, runtime: Runtime, num_bytes: int, age_us: int) -> None:
        self._runtime = runtime
        self._limit = num_bytes
        self._age_us = age_us
        self._kept: OrderedDict[bytes, tuple[bytes, int]] = OrderedDict()
        self._num_bytes = 0

    def keep(self, data_id: bytes, data: bytes) -> None:
        """Keep data."""
        self._drop(data_id)
        self._kept[data_id] = (data, self._runtime.now_us())
        self._num_bytes += len(data)
        while self._num_bytes > self._limit:
            self._drop(next(iter(self._kept)))

    def find(self, data_id: bytes) -> bytes:
        """Data that was pushed.

        Raises:
            DataNotFound: it is not here any more.
        """
        found = self._kept.get(data_id)
        if found is None:
            raise DataNotFound(f"data {data_id.hex()} is not in the buffer")
        self._kept.move_to_end(data_id)
        return found[0]

    def age(self) -> None:
        """Forget what is too old."""
        oldest_us = self._runtime.now_us() - self._age_us
        for data_id in [data_id for data_id, (_, since_us) in self._kept.items() if since_us < oldest_us]:
            self._drop(data_id)

    def _drop(self, data_id: bytes) -> None:
        data, _ = self._kept.pop(data_id, (b"", 0))
        self._num_bytes -= len(data)
