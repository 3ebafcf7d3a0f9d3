"""The figures of a test."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from genstamp.events import Event
from genstamp_model.language.model import Model

Answer: TypeAlias = tuple[str, str | None]
"""An event, and the exception with which it is refused; None where it is performed."""


@dataclass
class Figures:
    """Numbers of one test; runs made to shorten a failure are not counted.

    Attributes:
        examples: runs.
        steps: requests.
        events: events that were checked against the model.
        not_possible: requests that the implementation said are not possible now.
        largest_set: the largest set of states that a run could be in.
        undetermined: runs that were given up because that set grew too large.
        seen: events by name and exception (None: performed).
    """

    examples: int = 0
    steps: int = 0
    events: int = 0
    not_possible: int = 0
    largest_set: int = 0
    undetermined: int = 0
    seen: Counter[Answer] = field(default_factory=Counter)

    @property
    def unsettled(self) -> str:
        """Why these runs do not say that the implementation conforms, where none failed; empty if they do."""
        if self.undetermined:
            return "too many states were possible"
        return "" if self.events else "no event was checked"

    @property
    def refusals(self) -> int:
        """Events that were refused."""
        return sum(count for (_, refused_with), count in self.seen.items() if refused_with is not None)

    def count(self, event: Event) -> None:
        """Count an event that fits."""
        self.events += 1
        self.seen[event.event, event.refused_with] += 1


def answers_of(model: Model) -> tuple[Answer, ...]:
    """Everything that a run can show: each event performed, and with each exception, sorted."""
    return tuple(sorted(set(_answers(model)), key=lambda answer: (answer[0], answer[1] or "")))


def _answers(model: Model) -> Iterator[Answer]:
    for action in model.actions:
        if not action.hidden:
            yield action.event, action.refuses
            yield from (
                (action.event, check.refuses)
                for check in action.checks
                if check.refuses is not None and not check.defensive
            )


def answer_text(answer: Answer) -> str:
    """`create` or `create (FileNotFoundException)`."""
    event, refused_with = answer
    return event if refused_with is None else f"{event} ({refused_with})"
