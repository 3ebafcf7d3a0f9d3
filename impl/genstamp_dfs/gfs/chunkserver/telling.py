"""How a chunkserver tells of its steps: nearly each is about the replica of one chunk.

Not here: what the steps are.
"""

from genstamp_dfs.errors import Refusal
from genstamp_dfs.events import EventSink
from genstamp_dfs.gfs.errors import GfsRefusal
from genstamp_dfs.gfs.runtime import Runtime


class Telling:
    """Records the steps of one chunkserver."""

    def __init__(self, runtime: Runtime, events: EventSink) -> None:
        self._runtime = runtime
        self._events = events

    def tell(
        self,
        event: str,
        handle: int,
        version: int,
        *,
        refusal: Refusal | None = None,
        num_bytes: int | None = None,
        **arguments: str,
    ) -> None:
        """Record a step.

        Args:
            event: its name.
            handle: of the chunk.
            version: under which it was done, or asked for.
            refusal: why it was not done.
            num_bytes: length of the replica after it.
            arguments: who took part.
        """
        self._events.record(
            node=self._runtime.node,
            time_us=self._runtime.now_us(),
            kind="chunk",
            entity=str(handle),
            event=event,
            arguments=arguments,
            refused_with=refusal.name if isinstance(refusal, GfsRefusal) else None,
            generation_stamp=version,
            num_bytes=num_bytes,
        )

    def tell_of_node(self, event: str) -> None:
        """Record a step that is about all of its replicas."""
        node = self._runtime.node
        self._events.record(
            node=node, time_us=self._runtime.now_us(), kind="node", entity=node, event=event, arguments={}
        )
