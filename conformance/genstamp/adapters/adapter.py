"""The adapter protocol, version 2, as Python sees it: six requests, each answered before the next one is made.

Not here: the JSON form; that is in `child.py` and in docs/adapter-protocol.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from genstamp.events import Event

VERSION: Final = 2


@dataclass(frozen=True)
class Cluster:
    """The names of a run's files, clients and datanodes, and its settings.

    Attributes:
        files: paths; none of them exists at the start.
        clients: names of the clients; all are up, none has a lease.
        datanodes: names of the datanodes; all are up and empty.
        semantics: which protocol the implementation is to follow; one that follows only one ignores it.
        seed: decides all random choices of the implementation.
        system: name of the system whose steps are asked for.
    """

    files: tuple[str, ...]
    clients: tuple[str, ...]
    datanodes: tuple[str, ...]
    semantics: str
    seed: int = 0
    system: str = "hdfs.recovery"


@dataclass(frozen=True)
class Started:
    """A run has begun.

    Attributes:
        first_generation_stamp: the stamp that its first block will get.
        events: what has happened already, in order.
    """

    first_generation_stamp: int
    events: tuple[Event, ...] = ()


@dataclass(frozen=True)
class Done:
    """The step happened, or the protocol refused it: either way the events say so, in order."""

    events: tuple[Event, ...]


@dataclass(frozen=True)
class NotPossible:
    """The step is not possible now, and nothing has changed. This is not a refusal: the request reached no node."""

    why: str


Outcome = Done | NotPossible


class Adapter(Protocol):
    """A controlled implementation: messages are delivered and time passes only on request.

    Every method may raise `AdapterError`.
    """

    def start(self, cluster: Cluster) -> Started:
        """Begin a run from nothing; a run that is on is forgotten."""

    def call(self, event: str, arguments: Mapping[str, str]) -> Outcome:
        """Make one protocol step happen."""

    def tick(self, ms: int) -> Outcome:
        """Let virtual time pass, in milliseconds; the events include what happens without a request meanwhile."""

    def fault(self, event: str, arguments: Mapping[str, str]) -> Outcome:
        """Make one fault happen."""

    def events(self) -> Outcome:
        """The events that were not handed over yet."""

    def set_times(self, times_ms: Mapping[str, int]) -> bool:
        """Set times other than Hadoop's, by name, in milliseconds, for the runs that begin from now on.

        None, and all are Hadoop's again. Gives whether the implementation can; if not, nothing changes.
        """

    def stop(self) -> None:
        """End; the adapter is not used again."""
