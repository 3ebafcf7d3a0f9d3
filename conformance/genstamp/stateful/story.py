"""One run told in numbered steps: what was asked, what came, and where it went wrong."""

from dataclasses import dataclass

from genstamp.adapters import Cluster, NotPossible, Outcome
from genstamp.events import Event
from genstamp.track import Rejected, describe


@dataclass(frozen=True)
class Failure:
    """A run that does not conform.

    Attributes:
        lines: the run as a numbered story that ends with what is wrong.
        steps: how many requests it has.
        event: name of the event that does not fit or is missing.
        problem: what is wrong, in a sentence.
        labels: labels of the model's checks that failed in the states that came closest.
    """

    lines: tuple[str, ...]
    steps: int
    event: str
    problem: str
    labels: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(self.lines)


class Story:
    """Collects a run as it happens."""

    def __init__(self, cluster: Cluster) -> None:
        names = (*cluster.files, *cluster.clients, *cluster.datanodes)
        self._lines = [f"     start with {', '.join(names)}; seed {cluster.seed}"]
        self._steps = 0

    @property
    def lines(self) -> tuple[str, ...]:
        """The story so far."""
        return tuple(self._lines)

    def asked(self, request: str) -> None:
        """The next step is asked for."""
        self._steps += 1
        self._lines.append(f"{self._steps:3}. {request}")

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
            lines=(*self._lines, "     THIS DOES NOT CONFORM:", *told),
            steps=self._steps,
            event=rejected.event,
            problem=rejected.problem,
            labels=rejected.labels,
        )
