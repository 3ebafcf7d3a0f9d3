"""What a master tells of its log, and a shadow of its own: records, how many are on disk, checkpoints, what it found.

Events are of kind "log", the entity is the node, and `records` is a number of records from the first on: "flush_log"
with 7 records says that the first seven are on the disk. What an answer shows is told with the answer (`telling`).

Not here: how a log is written (`operation_log`), and what its records do (`state`).
"""

from collections.abc import Mapping

from msgspec.structs import asdict

from genstamp_dfs.events import EventSink
from genstamp_dfs.gfs.master.operations import AnyOperation
from genstamp_dfs.gfs.runtime import Runtime


class LogTelling:
    """Tells of one log.

    Args:
        runtime: of the node that has it.
        events: where it tells.
    """

    def __init__(self, runtime: Runtime, events: EventSink) -> None:
        self._runtime = runtime
        self._events = events

    def _tell(self, event: str, records: int, said: Mapping[str, str] | None = None, /, **observed: int) -> None:
        """Record a step; it concerns so many records."""
        shown = {"records": records, **observed}
        self._events.record(
            node=self._runtime.node,
            time_us=self._runtime.now_us(),
            kind="log",
            entity=self._runtime.node,
            event=event,
            arguments=said or {},
            observed={name: str(value) for name, value in shown.items()},
        )

    def appended(self, next_position: int, operation: AnyOperation) -> None:
        """A record was logged; it is in memory. What it says is told too, but for the call that has made it."""
        said = {
            name: ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
            for name, value in asdict(operation).items()
            if name != "call"
        }
        self._tell("append_record", next_position - 1, {"record": type(operation).__name__, **said})

    def flushed(self, position: int) -> None:
        """All records before the position are on the disk."""
        self._tell("flush_log", position - 1)

    def switched(self, position: int) -> None:
        """A checkpoint is begun that has the records before the position in it."""
        self._tell("switch_log", position - 1)

    def completed(self, position: int, fall_back: int | None) -> None:
        """A checkpoint is on the disk, and all that it has in it.

        Args:
            position: of the checkpoint.
            fall_back: of the one that is taken where this one cannot be read; None where the log is.
        """
        self._tell("complete_checkpoint", position - 1, fall_back=(fall_back or 1) - 1)

    def deleted(self, first: int) -> None:
        """The log begins with this record; those before were deleted, with the checkpoints that are not kept."""
        self._tell("delete_old_log", first - 1)

    def replayed(self, position: int) -> None:
        """A shadow shows the records before the position."""
        self._tell("replay_records", position - 1)

    def recovered(self, records: int, checkpoint: int | None, first: int, *, torn: int, skipped: int) -> None:
        """A log was read, and is ready to go on.

        Args:
            records: how many have led to the state that was built again.
            checkpoint: the position of the checkpoint that was read first; None if there was none.
            first: the first record of the log.
            torn: bytes of records that were there in part, and were cut off.
            skipped: how many later checkpoints could not be read.
        """
        found = {"checkpoint": (checkpoint or 1) - 1, "log_begins": first - 1, "torn": torn, "skipped": skipped}
        self._tell("recover", records, **found)
