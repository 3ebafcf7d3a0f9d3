"""Virtual time, and the events of steps that somebody asks for one by one.

Not here: any step.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from genstamp_dfs.errors import HdfsIOException, StepNotPossibleError
from genstamp_dfs.events import Event, EventLog
from genstamp_dfs.world.times import MICROSECONDS_A_MILLISECOND


@dataclass
class VirtualClock:
    """Time as its owner sets it, in microseconds."""

    us: int = 0

    def now_us(self) -> int:
        return self.us

    def time_ms(self) -> int:
        return self.us // MICROSECONDS_A_MILLISECOND


@dataclass(frozen=True)
class Step:
    """A step that is about to be recorded: all that is known of its event before its outcome."""

    recorder: "Recorder"
    node: str
    kind: str
    entity: str
    event: str
    arguments: Mapping[str, str]

    def done(
        self,
        *,
        generation_stamp: int | None = None,
        recovery_id: int | None = None,
        num_bytes: int | None = None,
        observed: Mapping[str, str] | None = None,
    ) -> Event:
        """Record that the step happened."""
        return self._record(
            generation_stamp=generation_stamp, recovery_id=recovery_id, num_bytes=num_bytes, observed=observed
        )

    def refused(
        self, refusal: HdfsIOException, *, recovery_id: int | None = None, num_bytes: int | None = None
    ) -> Event:
        """Record that the protocol refused the step."""
        return self._record(refused_with=refusal.hadoop_name, recovery_id=recovery_id, num_bytes=num_bytes)

    def _record(self, **outcome: Any) -> Event:
        return self.recorder.log.record(
            node=self.node,
            time_us=self.recorder.now_us,
            kind=self.kind,
            entity=self.entity,
            event=self.event,
            arguments=self.arguments,
            **outcome,
        )

    def not_possible(self, why: str) -> StepNotPossibleError:
        """The exception that says why the step cannot happen now."""
        return StepNotPossibleError(self.event, why)

    def telling(self, **arguments: str) -> "Step":
        """The same step with more arguments in its event."""
        return replace(self, arguments={**self.arguments, **arguments})


class Recorder:
    """Records steps in the order in which they happen, by virtual time."""

    def __init__(self, namespace: str) -> None:
        self.clock = VirtualClock()
        self.log = EventLog(namespace)

    @property
    def now_us(self) -> int:
        """Virtual time, in microseconds."""
        return self.clock.us

    @now_us.setter
    def now_us(self, us: int) -> None:
        self.clock.us = us

    def step(self, node: str, kind: str, entity: str, event: str, **arguments: str) -> Step:
        """A step to be recorded; the arguments in the order in which the event shall name them."""
        return Step(self, node, kind, entity, event, arguments)
