"""A namenode under somebody's hand, step by step.

The seed decides how large blocks are and how soon a recovery may follow another one, as both decide which of two limits
comes first; and the order of pipelines.

>>> driver = LeaseDriver(files=["/a"], clients=["client1"], datanodes=["datanode1"])
>>> [event.event for event in driver.call("create", {"client": "client1", "file": "/a"})]
['create']
>>> driver.call("write", {"client": "client1", "file": "/a"})
Traceback (most recent call last):
genstamp_dfs.errors.StepNotPossibleError: write is not possible now: client1 streams no block of /a
"""

from collections.abc import Mapping, Sequence
from typing import Final

from genstamp_dfs.events import Event
from genstamp_dfs.hdfs.leases import FAULTS, STEPS, LeaseCluster, LeaseOptions
from genstamp_dfs.hdfs.protocol import NAMENODE, Semantics
from genstamp_dfs.stepwise.names import check_call, check_files, semantics_named

BLOCK_SIZES: Final = (LeaseOptions().block_size, 1, 2)
"""In bytes, by seed: no block is full, any is that has a byte, or one of two bytes is."""

RECOVERY_GATES_MS: Final = (30_000, 1_800_000)
"""Thirty heartbeats, of a second or of a minute: less than the soft limit, or more than the hard limit."""


def options_of(seed: int) -> LeaseOptions:
    """How a run is set up.

    >>> options_of(4)
    LeaseOptions(block_size=1, soft_limit_ms=60000, hard_limit_ms=1200000, recovery_gate_ms=1800000)
    """
    sizes, gates = BLOCK_SIZES, RECOVERY_GATES_MS
    return LeaseOptions(block_size=sizes[seed % len(sizes)], recovery_gate_ms=gates[seed // len(sizes) % len(gates)])


class LeaseDriver:
    """The step-by-step face of a `LeaseCluster`.

    Args:
        files: paths that calls may name; at least one.
        clients: names of the clients; at least one.
        datanodes: names of the datanodes; at least one.
        semantics: `hadoop-3.4` or `repaired`.
        seed: see above.

    Raises:
        ConfigurationError: nothing was named, a name stands twice, or the semantics is unknown.
    """

    cluster_class: type[LeaseCluster] = LeaseCluster

    def __init__(
        self,
        files: Sequence[str],
        clients: Sequence[str],
        datanodes: Sequence[str],
        semantics: str = Semantics.REPAIRED,
        seed: int = 0,
    ) -> None:
        check_files(files, clients)
        named = semantics_named(semantics)
        self._known = {
            "client": tuple(clients),
            "file": tuple(files),
            "source": tuple(files),
            "target": tuple(files),
            "datanode": tuple(datanodes),
            "primary": tuple(datanodes),
            "holder": (*clients, NAMENODE),
        }
        self.cluster = self.cluster_class(
            clients=clients,
            datanodes=datanodes,
            semantics=named,
            options=options_of(seed),
            seed=seed,
        )

    def call(self, event: str, arguments: Mapping[str, str]) -> list[Event]:
        """Make one step happen.

        Args:
            event: a key of `STEPS` or `FAULTS`.
            arguments: exactly the arguments that stand there.

        Returns:
            The events that the step left, with `refused_with` set where the protocol refused; none where nobody is
            told of the step.

        Raises:
            StepNotPossibleError: the step cannot happen now; nothing has changed.
            UnknownNameError: there is no such event, client, datanode or file.
            WrongArgumentsError: an argument is missing or too many.
        """
        self._perform(event, arguments, {**STEPS, **FAULTS})
        return self.cluster.log.hand_over()

    def fault(self, event: str, arguments: Mapping[str, str]) -> list[Event]:
        """Make one fault happen: `call`, restricted to `FAULTS`."""
        self._perform(event, arguments, FAULTS)
        return self.cluster.log.hand_over()

    def tick(self, ms: int) -> list[Event]:
        """Let time pass.

        Raises:
            ConfigurationError: `ms` is not positive.
        """
        self.cluster.time_passes(ms)
        return self.cluster.log.hand_over()

    def events(self) -> list[Event]:
        """The events that no other call has handed over; none, unless somebody works on the cluster directly."""
        return self.cluster.log.hand_over()

    def close(self) -> None:
        """End; nothing goes on behind a namenode under somebody's hand."""

    def _perform(self, event: str, arguments: Mapping[str, str], accepted: Mapping[str, tuple[str, ...]]) -> None:
        """Check event and arguments, and make the step."""
        check_call(event, arguments, accepted, self._known)
        getattr(self.cluster, event)(**arguments)
