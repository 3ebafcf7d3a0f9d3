"""The step-by-step face of a cluster in which everything waits: one call makes one protocol step happen.

A step that does not come about as it was asked for is taken back: the cluster is built anew, and the steps before are
made again, which gives the same run. Where an order that nobody has seen yet stands in the way, they are made again in
another order.

Not here: the steps of a protocol, which a subclass names.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from genstamp_dfs.errors import ConfigurationError, StepNotPossibleError
from genstamp_dfs.events import Event
from genstamp_dfs.stepwise.names import Arguments, check_call
from genstamp_dfs.stepwise.steps import Steps

StepsOf = TypeVar("StepsOf", bound=Steps)


@dataclass(frozen=True)
class Made:
    """A step that was made, and its events."""

    event: str
    arguments: dict[str, str]
    events: list[Event]


class StepDriver(Generic[StepsOf]):
    """Makes steps, and takes back those that cannot be.

    Args:
        known: what the arguments of calls may name, by argument.

    Attributes:
        steps, faults, unseen: what can be asked for, with the names of the arguments; what is unseen leaves no event.
        optional: by event, arguments that may be missing.
        depends_on: by event, how the names of orders begin that may stand in its way.
        cluster: the steps.
    """

    steps: ClassVar[Arguments] = {}
    faults: ClassVar[Arguments] = {}
    unseen: ClassVar[Arguments] = {}
    optional: ClassVar[Mapping[str, frozenset[str]]] = {}
    depends_on: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    cluster: StepsOf

    def __init__(self, known: Mapping[str, Sequence[str]]) -> None:
        self._known = known
        self._made: list[Made] = []
        self._chosen: Mapping[str, int] = {}
        self.cluster = self.new_cluster(self._chosen)

    def new_cluster(self, chosen: Mapping[str, int]) -> StepsOf:
        """The cluster as it is before the first step; `chosen` are the orders that are not the first."""
        raise NotImplementedError

    def call(self, event: str, arguments: Mapping[str, str]) -> list[Event]:
        """Make one step happen.

        Args:
            event: a step or a fault.
            arguments: exactly its arguments.

        Returns:
            The events of the step; a refusal is one with `refused_with`.

        Raises:
            StepNotPossibleError: the step cannot happen now; nothing has changed.
            UnknownNameError: there is no such event, or an argument names nothing that there is.
            WrongArgumentsError: an argument is missing or too many.
        """
        self._check(event, arguments, {**self.steps, **self.faults, **self.unseen})
        given, before = dict(arguments), self.cluster.loop.steps
        try:
            events = self._asked_for(event, given)
        except StepNotPossibleError:
            found = self._in_another_order(event, given, has_begun=self.cluster.loop.steps > before)
            if found is None:
                raise
            events = found
        self._made.append(Made(event, given, events))
        return events

    def fault(self, event: str, arguments: Mapping[str, str]) -> list[Event]:
        """Make one fault happen: `call`, restricted to faults and what is unseen."""
        self._check(event, arguments, {**self.faults, **self.unseen})
        return self.call(event, arguments)

    def tick(self, ms: int) -> list[Event]:
        """Let time pass.

        Args:
            ms: virtual milliseconds, 1 or more.

        Returns:
            The events of what happened by itself meanwhile.

        Raises:
            ConfigurationError: `ms` is not positive.
        """
        if ms <= 0:
            raise ConfigurationError(f"tick of {ms} ms, accepted: 1 or more")
        arguments = {"ms": str(ms)}
        events = self._perform("pass_time", arguments)
        self._made.append(Made("pass_time", arguments, events))
        return events

    def events(self) -> list[Event]:
        """The events that no other call has handed over."""
        return self.cluster.hand_over("")

    def close(self) -> None:
        """End; the driver is not used again."""
        self.cluster.end()

    # -- making steps, and making them again --------------------------------------------------------------------

    def _perform(self, event: str, arguments: Mapping[str, str]) -> list[Event]:
        getattr(self.cluster, event)(**arguments)
        return self.cluster.hand_over(event)

    def _asked_for(self, event: str, arguments: Mapping[str, str]) -> list[Event]:
        """Make a step; what comes of it must be what was asked for."""
        events = self._perform(event, arguments)
        if event not in self.unseen and not any(_is_of(one, event, arguments) for one in events):
            came = ", ".join(one.event for one in events) or "nothing"
            raise StepNotPossibleError(event, f"{came} would come of it")
        return events

    def _in_another_order(self, event: str, arguments: Mapping[str, str], *, has_begun: bool) -> list[Event] | None:
        """Make the step after the others in an order in which it is possible; None, and no change, if none is.

        Args:
            event, arguments: the step.
            has_begun: whether a process has done something since the step was asked for, so that it is to be undone.
        """
        beginnings = self.depends_on.get(event, ())
        others = list(self.cluster.cluster.orders.others())
        for chosen in [one for one in others if _differs(one, self._chosen, beginnings)]:
            has_begun = True
            if not self._make_again(chosen):
                continue
            try:
                events = self._asked_for(event, arguments)
            except StepNotPossibleError:
                continue
            self._chosen = chosen
            return events
        if has_begun and not self._make_again(self._chosen):
            raise AssertionError(f"the steps before {event} do not give the same run again")
        return None

    def _make_again(self, chosen: Mapping[str, int]) -> bool:
        """Build the cluster anew and make all steps again; whether that gives the same events."""
        self.cluster.end()
        self.cluster = self.new_cluster(chosen)
        try:
            return all(self._perform(one.event, one.arguments) == one.events for one in self._made)
        except StepNotPossibleError:
            return False

    def _check(self, event: str, arguments: Mapping[str, str], accepted: Arguments) -> None:
        check_call(event, arguments, accepted, self._known, self.optional.get(event, frozenset()))


def _is_of(one: Event, event: str, arguments: Mapping[str, str]) -> bool:
    """Whether an event is that of a step with these arguments; it may leave some out."""
    return one.event == event and all(one.arguments.get(name, value) == value for name, value in arguments.items())


def _differs(one: Mapping[str, int], other: Mapping[str, int], beginnings: tuple[str, ...]) -> bool:
    """Whether a choice differs in an order whose name begins so."""
    return any(number != other.get(what, 0) and what.startswith(beginnings) for what, number in one.items())
