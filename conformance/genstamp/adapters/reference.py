"""The reference implementation as an adapter, in this process."""

from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from genstamp.adapters.adapter import Cluster, Done, NotPossible, Outcome, Started
from genstamp.errors import AdapterDiedError, AdapterRefusedError
from genstamp.events import Event
from genstamp_dfs.adapter import DRIVERS, FIRST_GENERATION_STAMP, AnyDriver
from genstamp_dfs.errors import GenstampDfsError, StepNotPossibleError
from genstamp_dfs.events import Event as ReferenceEvent
from genstamp_dfs.hdfs.protocol import Limits

REFERENCE_SYSTEMS: Final = tuple(DRIVERS)
"""The systems whose steps the reference implementation takes."""


class ReferenceAdapter:
    """Drives the driver of the system, or a subclass of it that does something wrong."""

    def __init__(self, driver_class: type[AnyDriver] | None = None) -> None:
        self._driver_class = driver_class
        self._driver: AnyDriver | None = None
        self._times: dict[str, Limits] = {}

    def set_times(self, times_ms: Mapping[str, int]) -> bool:
        """Set times other than Hadoop's for the runs that begin from now on.

        Args:
            times_ms: those that are others, by their names in `genstamp_dfs.hdfs.protocol.Limits`; none, and all are
                Hadoop's again.

        Returns:
            True: it can.
        """
        self._times = {"limits": Limits(**times_ms)} if times_ms else {}
        return True

    def start(self, cluster: Cluster) -> Started:
        """Begin a new run."""
        if cluster.system not in DRIVERS:
            raise AdapterRefusedError("start", f"it cannot drive {cluster.system}; it drives {', '.join(DRIVERS)}")
        try:
            driver = (self._driver_class or DRIVERS[cluster.system])(
                files=cluster.files,
                clients=cluster.clients,
                datanodes=cluster.datanodes,
                semantics=cluster.semantics,
                seed=cluster.seed,
                **self._times,
            )
        except GenstampDfsError as problem:
            raise AdapterRefusedError("start", str(problem)) from problem
        self.stop()
        self._driver = driver
        return Started(FIRST_GENERATION_STAMP, _taken_over(driver.events()))

    def call(self, event: str, arguments: Mapping[str, str]) -> Outcome:
        """Make one protocol step happen."""
        return self._answer(f"call {event}", lambda driver: driver.call(event, arguments))

    def tick(self, ms: int) -> Outcome:
        """Let virtual time pass."""
        return self._answer(f"tick {ms}", lambda driver: driver.tick(ms))

    def fault(self, event: str, arguments: Mapping[str, str]) -> Outcome:
        """Make one fault happen."""
        return self._answer(f"fault {event}", lambda driver: driver.fault(event, arguments))

    def events(self) -> Outcome:
        """The events that were not handed over yet."""
        return self._answer("events", lambda driver: driver.events())

    def stop(self) -> None:
        """Forget the run."""
        if self._driver is not None:
            self._driver.close()
        self._driver = None

    def _answer(self, request: str, ask: Callable[[AnyDriver], list[ReferenceEvent]]) -> Outcome:
        if self._driver is None:
            raise AdapterRefusedError(request, "nothing was started")
        try:
            return Done(_taken_over(ask(self._driver)))
        except StepNotPossibleError as not_now:
            return NotPossible(not_now.why)
        except GenstampDfsError as problem:
            raise AdapterRefusedError(request, str(problem)) from problem
        except Exception as problem:
            # A node has died of what is no answer. Its own process would have ended; here it is told the same way.
            raise AdapterDiedError(request, f"it ended with {type(problem).__name__}: {problem}") from problem


def _taken_over(events: list[ReferenceEvent]) -> tuple[Event, ...]:
    return tuple(msgspec.convert(event, Event, from_attributes=True) for event in events)
