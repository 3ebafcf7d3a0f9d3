"""Which replicas compiled code has seen, put by until a line asks for all of a datanode.

Not here: what is known of them (`log_state`).
"""

from collections.abc import Iterator
from typing import Any

from genstamp.logs.readers.mapped import Numbers


class SeenReplicas:
    """Replicas by datanode, in the order in which they were seen."""

    def __init__(self) -> None:
        self._blocks = Numbers()
        self._seen: list[tuple[str, int, int]] = []

    def add(self, namespace: str, node: int, blocks: Any) -> None:
        """Replicas of a datanode were seen.

        Args:
            namespace: of the blocks.
            node: the number of the datanode.
            blocks: ids, an array of 64-bit integers.
        """
        self._blocks.extend(blocks)
        self._seen.append((namespace, node, len(self._blocks)))

    def take(self) -> Iterator[tuple[str, int, Any]]:
        """All that was added, which is forgotten."""
        seen, blocks, begins = self._seen, self._blocks, 0
        self._seen, self._blocks = [], Numbers()
        for namespace, node, ends in seen:
            yield namespace, node, blocks.between(begins, ends)
            begins = ends
