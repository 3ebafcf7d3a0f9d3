"""hdfs.pipeline on the real cores, one step a call.

Not here: time. Who waits too long is told so by a step of its own.

>>> driver = PipelineDriver(files=["/a"], clients=["client1"], datanodes=["datanode1"])
>>> [event.event for event in driver.call("add_block", {"last": "datanode1"})]
['add_block']
>>> driver.call("send_packet", {})
Traceback (most recent call last):
genstamp_dfs.errors.StepNotPossibleError: send_packet is not possible now: no data is sent now
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from genstamp_dfs.errors import ConfigurationError
from genstamp_dfs.hdfs.protocol import Semantics
from genstamp_dfs.stepwise.names import semantics_named
from genstamp_dfs.stepwise.pipeline.faults import FaultSteps
from genstamp_dfs.stepwise.step_driver import StepDriver

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

_OF_THE_APPLICATION: Final = ("application",)


class PipelineDriver(StepDriver[FaultSteps]):
    """Makes the steps of hdfs.pipeline.

    Args:
        files: not looked at: there is one file.
        clients: names of readers.
        datanodes: names of the datanodes, in the order in which the namenode chooses them; at least one.
        semantics: `hadoop-3.4` or `repaired`.
        seed: names the block pool, and decides the policy where no step does.

    Raises:
        ConfigurationError: nothing was named, a name stands twice, or the semantics is unknown.
    """

    steps = STEPS
    faults = FAULTS
    unseen = UNTOLD
    optional: ClassVar = {"add_block": frozenset({"always"})}
    depends_on: ClassVar = {"send_packet": _OF_THE_APPLICATION, "send_last_packet": _OF_THE_APPLICATION}
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
        self._datanodes, self._semantics, self._seed = tuple(datanodes), semantics_named(semantics), seed
        nodes = dict.fromkeys(("datanode", "last", "bad", "source", "target"), self._datanodes)
        super().__init__({"client": tuple(clients), "always": ("0", "1"), **nodes})

    def new_cluster(self, chosen: Mapping[str, int]) -> FaultSteps:
        """A cluster that has started."""
        return self.steps_class(self._datanodes, self._semantics, self._seed, chosen)
