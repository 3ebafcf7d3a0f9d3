"""One run told in numbered steps: what was asked, what came, and where it went wrong."""

from dataclasses import dataclass

from genstamp.adapters import Cluster, NotPossible, Outcome
from genstamp.events import Event
from genstamp.stateful.driving import Driving
from genstamp.stateful.request import Request, run_lines
from genstamp.track import Rejected, describe


@dataclass(frozen=True)
class Failure:
    """A run that does not conform.

    Attributes:
        cluster: the run's.
        requests: the run's, up to the one that failed.
        lines: the run as a numbered story that ends with what is wrong.
        event: name of the event that does not fit or is missing.
        problem: what is wrong, in a sentence.
        labels: labels of the model's checks that failed in the states that came closest.
    """

    cluster: Cluster
    requests: tuple[Request, ...]
    lines: tuple[str, ...]
    event: str
    problem: str
    labels: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(self.lines)


class Story:
    """Collects a run as it happens."""

    def __init__(self, cluster: Cluster, driving: Driving) -> None:
        self._cluster = cluster
        self._driving = driving
        self.requests: list[Request] = []
        names = (*cluster.files, *cluster.clients, *cluster.datanodes)
        self._lines = [f"     start with {', '.join(names)}; seed {cluster.seed}"]

    @property
    def lines(self) -> tuple[str, ...]:
        """The story so far."""
        return tuple(self._lines)

    @property
    def as_requests(self) -> tuple[str, ...]:
        """The run so far as lines of the adapter protocol."""
        return tuple(run_lines(self._cluster, self.requests, self._driving))

    def asked(self, request: Request) -> None:
        """The next step is asked for."""
        self.requests.append(request)
        self._lines.append(f"{len(self.requests):3}. {request.text(self._driving)}")

    def answered(self, outcome: Outcome) -> None:
        """What came."""
        if isinstance(outcome, NotPossible):
            self._lines.append(f"       not possible now: {outcome.why}")
        elif not outcome.events:
            self._lines.append("       no event")

    def happened(self, event: Event) -> None:
        """An event that fits."""
        self._lines.append(f"       {describe(event)}")

    def failed(self, rejected: Rejected, event: Event | None = None) -> Failure:
        """The story, ending with what does not fit."""
        if event is not None:
            self.happened(event)
        told = [f"       {line}" for line in rejected.lines()]
        return Failure(
            cluster=self._cluster,
            requests=tuple(self.requests),
            lines=(*self._lines, "     THIS DOES NOT CONFORM:", *told),
            event=rejected.event,
            problem=rejected.problem,
            labels=rejected.labels,
        )
