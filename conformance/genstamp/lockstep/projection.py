"""The interface of a projection, which translates an implementation's events into the terms of one system.

A projection takes the events of a whole run in the order in which they happened and gives, for each entity that the
system is about, the steps of the model that these events are. All else it leaves out, each event with the reason.

Not here: how the steps are checked (`hold`) and the state of a projection (`lease` and its like).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from genstamp.events import Event

OVER: Final = "of an entity of which no more is judged"
"""Why events are left out that come after the end of an entity's judgement."""


@dataclass(frozen=True)
class Happened:
    """An action without an event; it has happened by now, if it was possible.

    Attributes:
        action: its name.
        members: its arguments.
    """

    action: str
    members: Mapping[str, str]


@dataclass(frozen=True)
class Perhaps:
    """An action without an event; it may have happened by now, if it was possible. Both cases are followed.

    Attributes:
        action: its name.
        members: its arguments.
    """

    action: str
    members: Mapping[str, str]


Step = Event | Happened | Perhaps
"""The meaning of an event of the run in a model."""


@dataclass(frozen=True)
class Entity:
    """The meaning of an event of the run for one entity.

    Attributes:
        key: the entity; each is checked separately.
        steps: steps of the model, in order; the last is the event itself, or what is known to have happened by then.
    """

    key: str
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class LeftOut:
    """An event of the run that is not checked.

    Attributes:
        reason: why the system does not cover it.
        key: the entity, if it is not checked any further from here on.
        is_end: whether the entity itself ends here, so that nothing of its life is left out.
    """

    reason: str
    key: str | None = None
    is_end: bool = False


Projected = Entity | LeftOut


class Projection(Protocol):
    """The mapping of the events of a run to one system.

    Attributes:
        members: the index sets' members in the model of one entity, by base name.
        unseen: actions of the model that a run does not show, as `track.Fit` takes them.
        impossible: actions that no event of this run is, since the projection leaves them out.
        told_apart: actions of which the run says more than the model, with a name for the event of each.
        forgotten: variables of the model that only limits and properties read.
    """

    @property
    def members(self) -> Mapping[str, Sequence[str]]: ...

    @property
    def unseen(self) -> Mapping[str, Mapping[str, Sequence[str]]]: ...

    @property
    def impossible(self) -> frozenset[str]: ...

    @property
    def told_apart(self) -> Mapping[str, str]: ...

    @property
    def forgotten(self) -> Sequence[str]: ...

    def project(self, events: Sequence[Event]) -> Iterator[tuple[Event, list[Projected]]]:
        """Each event of a run, with what it is to the system."""


def model_step(
    action: str,
    arguments: Mapping[str, str] | None = None,
    *,
    node: str = "model",
    refused_with: str | None = None,
    generation_stamp: int | None = None,
    recovery_id: int | None = None,
    num_bytes: int | None = None,
    observed: Mapping[str, int] | None = None,
) -> Event:
    """A step of the model as an event.

    Args:
        action: its name.
        arguments: its arguments.
        node: who a story says took it.
        refused_with, generation_stamp, recovery_id, num_bytes: the columns of the event, with the model's values.
        observed: what it shows besides.
    """
    return Event(
        source="genstamp-dfs",
        node=node,
        node_sequence=0,
        kind="block",
        namespace="",
        entity="",
        event=action,
        arguments=dict(arguments or {}),
        observed={name: str(value) for name, value in (observed or {}).items()},
        refused_with=refused_with,
        generation_stamp=generation_stamp,
        recovery_id=recovery_id,
        num_bytes=num_bytes,
    )


def showing(step: Event, event: Event, *names: str) -> Event:
    """The step with what the run's event shows under these names."""
    step.observed.update({name: event.observed[name] for name in names if name in event.observed})
    return step
