"""One block's pipeline under somebody's hand: one call makes one step happen, over the real cores.

The face is that of `genstamp_dfs.hdfs.driver.Driver`. A step that does not come about as it was asked for is taken
back: the cluster is built anew, and the steps before are made again, which gives the same run.

Leaves out: time. Who waits too long is told so by a step of its own.

>>> driver = PipelineDriver(files=["/a"], clients=["client1"], datanodes=["datanode1"])
>>> [event.event for event in driver.call("add_block", {"last": "datanode1"})]
['add_block']
>>> driver.call("send_packet", {})
Traceback (most recent call last):
genstamp_dfs.errors.StepNotPossibleError: send_packet is not possible now: no data is sent now
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from genstamp_dfs.errors import ConfigurationError, StepNotPossibleError, UnknownNameError, WrongArgumentsError
from genstamp_dfs.events import Event
from genstamp_dfs.hdfs.protocol import Semantics
from genstamp_dfs.stepwise.faults import FaultSteps

_D: Final = ("datanode",)

STEPS: Final[dict[str, tuple[str, ...]]] = {
    "add_block": ("last",),
    "set_up_create": _D,
    "set_up_append": _D,
    "set_up_append_recovery": _D,
    "set_up_streaming_recovery": _D,
    "set_up_close_recovery": _D,
    "set_up_fails": ("bad",),
    "start_streaming": (),
    "send_packet": (),
    "receive_packet": _D,
    "raise_bytes_acked": _D,
    "send_ack": _D,
    "receive_ack": (),
    "hflush": (),
    "send_last_packet": (),
    "finalize_replica": _D,
    "end_block": (),
    "complete": (),
    "block_received": _D,
    "append": (),
    "read": ("client", "datanode"),
    "mirror_fails": _D,
    "error_ack_passes": _D,
    "error_ack_comes": ("bad",),
    "connection_fails": ("bad",),
    "client_waits_for_restart": _D,
    "add_datanode": ("source", "target"),
    "transfer_fails": ("source", "target"),
    "no_datanode_to_add": (),
    "update_block_for_pipeline": (),
    "reuse_stamp": (),
    "update_pipeline": (),
    "late_update_pipeline": (),
}
"""Steps that can be asked for, with the names of their arguments."""

FAULTS: Final[dict[str, tuple[str, ...]]] = {
    "datanode_crash": _D,
    "datanode_restart": _D,
    "datanode_stops_to_restart": _D,
    "datanode_comes_back": _D,
    "restart_takes_too_long": _D,
    "receiver_fails": _D,
    "receiver_hangs": _D,
    "client_crash": (),
}
"""Faults that can be asked for, with the names of their arguments."""

UNTOLD: Final[dict[str, tuple[str, ...]]] = {
    "recovery_starts": (),
    "update_pipeline_is_sent_twice": (),
    "datanode_registers_again": _D,
}
"""Faults that leave no event."""

_OPTIONAL: Final = {"add_block": frozenset({"always"})}


_OPENS: Final = frozenset({"add_block", "append"})
_SENDS: Final = frozenset({"send_packet", "send_last_packet"})


@dataclass
class _Made:
    """A step that was made."""

    event: str
    arguments: dict[str, str]
    events: list[Event] = field(default_factory=list)
    ends_at_once: bool = False


class PipelineDriver:
    """The step-by-step face of a pipeline.

    Args:
        files: not looked at: there is one file.
        clients: names of readers.
        datanodes: names of the datanodes, in the order in which the namenode chooses them; at least one.
        semantics: `hadoop-3.4` or `repaired`.
        seed: names the block pool, and decides the policy where no step does.

    Raises:
        ConfigurationError: nothing was named, a name stands twice, or the semantics is unknown.
    """

    steps_class: type[FaultSteps] = FaultSteps

    def __init__(
        self,
        files: Sequence[str],
        clients: Sequence[str],
        datanodes: Sequence[str],
        semantics: str = Semantics.REPAIRED,
        seed: int = 0,
    ) -> None:
        del files
        if not datanodes or len({*clients, *datanodes}) < len(clients) + len(datanodes):
            raise ConfigurationError(
                f"clients are {list(clients)} and datanodes {list(datanodes)}, accepted: each once, 1 datanode or more"
            )
        accepted = [choice.value for choice in Semantics]
        if semantics not in accepted:
            raise ConfigurationError(f"semantics is {semantics!r}, accepted: {', '.join(accepted)}")
        self._clients, self._datanodes = tuple(clients), tuple(datanodes)
        self._semantics, self._seed = Semantics(semantics), seed
        self._made: list[_Made] = []
        self.cluster = self._new_cluster()

    def call(self, event: str, arguments: Mapping[str, str]) -> list[Event]:
        """Make one step happen.

        Args:
            event: a key of `STEPS`, `FAULTS` or `UNTOLD`.
            arguments: exactly the arguments that stand there.

        Returns:
            The events that the step left.

        Raises:
            StepNotPossibleError: the step cannot happen now; nothing has changed.
            UnknownNameError: there is no such event, client or datanode.
            WrongArgumentsError: an argument is missing or too many.
        """
        self._check(event, arguments, {**STEPS, **FAULTS, **UNTOLD})
        made = _Made(event, dict(arguments))
        try:
            made.events = self._asked_for(made)
        except StepNotPossibleError:
            self._take_back()
            if event not in _SENDS or not self._opens_otherwise(made):
                raise
        self._made.append(made)
        return made.events

    def fault(self, event: str, arguments: Mapping[str, str]) -> list[Event]:
        """Make one fault happen: `call`, restricted to `FAULTS` and `UNTOLD`."""
        self._check(event, arguments, {**FAULTS, **UNTOLD})
        return self.call(event, arguments)

    def tick(self, ms: int) -> list[Event]:
        """Let time pass, in which nothing happens by itself.

        Raises:
            ConfigurationError: `ms` is not positive.
        """
        if ms <= 0:
            raise ConfigurationError(f"tick of {ms} ms, accepted: 1 or more")
        return []

    def events(self) -> list[Event]:
        """The events that no other call has handed over."""
        return self.cluster.log.hand_over()

    def close(self) -> None:
        """End; the driver is not used again."""
        self.cluster.end()

    def _new_cluster(self) -> FaultSteps:
        return self.steps_class(self._datanodes, self._semantics, self._seed)

    def _asked_for(self, made: "_Made") -> list[Event]:
        """Make a step; what comes of it must be what was asked for."""
        events = self._perform(made)
        if made.event not in UNTOLD and not any(one.event == made.event for one in events):
            came = ", ".join(one.event for one in events) or "nothing"
            raise StepNotPossibleError(made.event, f"{came} would come of it")
        return events

    def _perform(self, made: "_Made") -> list[Event]:
        """Make a step."""
        self.cluster.ends_at_once = made.ends_at_once
        getattr(self.cluster, made.event)(**made.arguments)
        return self.cluster.hand_over(made.event)

    def _take_back(self) -> bool:
        """Undo a step that was begun; whether the steps before have given the same events again."""
        self.cluster.end()
        self.cluster = self._new_cluster()
        try:
            return all(self._perform(made) == made.events for made in self._made)
        except StepNotPossibleError:
            return False

    def _opens_otherwise(self, made: "_Made") -> bool:
        """Make a step after the application has, when it opened the file last, closed it at once, or not.

        Which of the two it did nobody could see until now.
        """
        opened = next((one for one in reversed(self._made) if one.event in _OPENS), None)
        if opened is None:
            return False
        opened.ends_at_once = not opened.ends_at_once
        if self._take_back():
            try:
                made.events = self._asked_for(made)
            except StepNotPossibleError:
                pass
            else:
                return True
        opened.ends_at_once = not opened.ends_at_once
        self._take_back()
        return False

    def _check(self, event: str, arguments: Mapping[str, str], accepted: Mapping[str, tuple[str, ...]]) -> None:
        """The event must be known, and its arguments be those that it has."""
        if event not in accepted:
            raise UnknownNameError("event", event, accepted)
        if set(arguments) - _OPTIONAL.get(event, frozenset()) != set(accepted[event]):
            raise WrongArgumentsError(event, arguments, accepted[event])
        for argument, name in arguments.items():
            known = self._clients if argument == "client" else ("0", "1") if argument == "always" else self._datanodes
            if name not in known:
                raise UnknownNameError(argument, name, known)
