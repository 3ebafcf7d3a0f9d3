"""hdfs.recovery on the real cores, one step a call.

>>> driver = RecoveryDriver(files=["/a"], clients=["client1"], datanodes=["datanode1"])
>>> [event.event for event in driver.call("create", {"client": "client1", "file": "/a"})]
['create']
>>> driver.call("hflush", {"client": "client1", "file": "/a"})
Traceback (most recent call last):
genstamp_dfs.errors.StepNotPossibleError: hflush is not possible now: client1 writes no block of /a
"""

from collections.abc import Mapping, Sequence
from typing import Final

from genstamp_dfs.errors import StepNotPossibleError
from genstamp_dfs.events import Event
from genstamp_dfs.hdfs.protocol import Limits, Semantics
from genstamp_dfs.stepwise.names import check_files, check_nodes, semantics_named
from genstamp_dfs.stepwise.recovery.recovering import RecoverySteps
from genstamp_dfs.stepwise.step_driver import StepDriver

_CF: Final = ("client", "file")
_CFD: Final = ("client", "file", "datanode")
_PFD: Final = ("primary", "file", "datanode")

STEPS: Final[dict[str, tuple[str, ...]]] = {
    "create": _CF,
    "add_block": _CF,
    "create_rbw": _CFD,
    "receive_packet": _CFD,
    "hflush": _CF,
    "last_packet": _CF,
    "finalize_replica": _CFD,
    "block_received": ("file", "datanode"),
    "complete": _CF,
    "renew_lease": ("client",),
    "recover_lease": _CF,
    "receive_recovery_command": ("file", "datanode"),
    "init_replica_recovery": _PFD,
    "init_replica_recovery_failed": _PFD,
    "sync_block": ("primary", "file"),
    "abandon_recovery": ("primary", "file"),
    "update_replica_under_recovery": _PFD,
    "update_replica_failed": _PFD,
    "commit_block_synchronization": ("primary", "file"),
    "invalidate_replica": ("file", "datanode"),
}
"""Steps that can be asked for, with the names of their arguments."""

FAULTS: Final[dict[str, tuple[str, ...]]] = {
    "client_crash": ("client",),
    "datanode_crash": ("datanode",),
    "datanode_restart": ("datanode",),
    "datanode_restart_losing_bytes": ("datanode",),
}
"""Faults that can be asked for, with the names of their arguments."""

TIMED: Final = frozenset({"release_expired_lease"})
"""Steps that nobody asks for: they come with time."""

_DEPENDS_ON: Final[Mapping[str, tuple[str, ...]]] = {
    "create_rbw": ("pipeline",),
    "receive_packet": ("pipeline", "client"),
    "last_packet": ("client",),
    "receive_recovery_command": ("heartbeats",),
    "init_replica_recovery": ("locations", "pipeline"),
    "init_replica_recovery_failed": ("locations",),
    "update_replica_under_recovery": ("locations",),
    "update_replica_failed": ("locations",),
}
"""What may stand in the way of a step only because of an order, by how the names of such orders begin."""


class RecoveryDriver(StepDriver[RecoverySteps]):
    """Makes the steps of hdfs.recovery.

    Args:
        files: paths that calls may name; at least one.
        clients, datanodes: names of the nodes; at least one of each.
        semantics: `hadoop-3.4` or `repaired`.
        seed: names the block pool.
        limits: times of the protocol; Hadoop's by default.

    Raises:
        ConfigurationError: nothing was named, a name stands twice, or the semantics is unknown.
    """

    steps = STEPS
    faults = FAULTS
    depends_on = _DEPENDS_ON
    steps_class: type[RecoverySteps] = RecoverySteps

    def __init__(
        self,
        files: Sequence[str],
        clients: Sequence[str],
        datanodes: Sequence[str],
        semantics: str = Semantics.REPAIRED,
        seed: int = 0,
        limits: Limits | None = None,
    ) -> None:
        check_files(files, clients)
        check_nodes(clients, datanodes)
        self._clients, self.datanodes = tuple(clients), tuple(datanodes)
        self._semantics, self._limits, self._seed = semantics_named(semantics), limits or Limits(), seed
        nodes = {"client": self._clients, "datanode": self.datanodes, "primary": self.datanodes}
        super().__init__({"file": tuple(files), **nodes})

    def new_cluster(self, chosen: Mapping[str, int]) -> RecoverySteps:
        """A cluster that has started."""
        return self.steps_class(self._clients, self.datanodes, self._semantics, self._limits, self._seed, chosen)

    def call(self, event: str, arguments: Mapping[str, str]) -> list[Event]:
        """As its parent; what comes with time is not to be asked for."""
        if event in TIMED:
            raise StepNotPossibleError(event, "the lease monitor does it by itself as time passes; tick")
        return super().call(event, arguments)
