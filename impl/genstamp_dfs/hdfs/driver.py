"""A cluster under somebody's hand: one call makes exactly one protocol step happen.

The network and the clock belong to the caller: nothing is delivered, and no time passes, unless a call says so. What
waits stays waiting: packets in the pipeline, reports, recovery commands in the queue of the primary, questions and
updates between datanodes.

Which datanode becomes primary is the namenode's choice (the one heard of last among those not tried yet): the command
can be received by that datanode and by no other. Heartbeats arrive, in an order that the seed decides, at the end of
each `tick` and when a datanode starts.

Leaves out: clients that renew by themselves. Renewing is the call `renew_lease`.

>>> driver = Driver(files=["/a"], clients=["client1"], datanodes=["datanode1"])
>>> [event.event for event in driver.call("create", {"client": "client1", "file": "/a"})]
['create']
>>> driver.call("hflush", {"client": "client1", "file": "/a"})
Traceback (most recent call last):
genstamp_dfs.errors.StepNotPossibleError: hflush is not possible now: the stream is at 'no block', the step needs \
'data streaming'
"""

import random
from collections.abc import Mapping, Sequence
from typing import Final

from genstamp_dfs.errors import ConfigurationError, StepNotPossibleError, UnknownNameError, WrongArgumentsError
from genstamp_dfs.events import Event
from genstamp_dfs.hdfs.cluster import FAULTS, STEPS, TIMED, Cluster
from genstamp_dfs.hdfs.protocol import LAST_RESERVED_STAMP, Limits, Semantics
from genstamp_dfs.world.times import MICROSECONDS_A_MILLISECOND

FIRST_GENERATION_STAMP: Final = LAST_RESERVED_STAMP + 1
"""Stamp of the first block of a run."""


class Driver:
    """The step-by-step face of a cluster.

    Args:
        files: paths that calls may name; at least one.
        clients: names of the clients; at least one.
        datanodes: names of the datanodes; at least one.
        semantics: `hadoop-3.4` or `repaired`.
        seed: decides the order of pipelines and of heartbeats, and nothing else.
        limits: times of the protocol; Hadoop's by default.

    Raises:
        ConfigurationError: nothing was named, a name stands twice, or the semantics is unknown.
    """

    cluster_class: type[Cluster] = Cluster

    def __init__(
        self,
        files: Sequence[str],
        clients: Sequence[str],
        datanodes: Sequence[str],
        semantics: str = Semantics.REPAIRED,
        seed: int = 0,
        limits: Limits | None = None,
    ) -> None:
        if not files or not clients or len(set(files)) != len(files):
            raise ConfigurationError(
                f"files are {list(files)} and clients {list(clients)}, accepted: 1 or more, each once"
            )
        accepted = [choice.value for choice in Semantics]
        if semantics not in accepted:
            raise ConfigurationError(f"semantics is {semantics!r}, accepted: {', '.join(accepted)}")
        self.files = tuple(files)
        self.cluster = self.cluster_class(
            clients=clients,
            datanodes=datanodes,
            semantics=Semantics(semantics),
            limits=limits or Limits(),
            seed=seed,
        )
        self._heartbeat_order = random.Random(f"heartbeats {seed}")

    def call(self, event: str, arguments: Mapping[str, str]) -> list[Event]:
        """Make one step happen.

        Args:
            event: a key of `STEPS` or `FAULTS`.
            arguments: exactly the arguments that stand there.

        Returns:
            The events that the step left: one, with `refused_with` set if the protocol refused.

        Raises:
            StepNotPossibleError: the step cannot happen now; nothing has changed.
            UnknownNameError: there is no such event, client, datanode or file.
            WrongArgumentsError: an argument is missing or too many.
        """
        if event in TIMED:
            raise StepNotPossibleError(event, "the lease monitor does it by itself as time passes; tick")
        self._perform(event, arguments, {**STEPS, **FAULTS})
        return self.cluster.log.hand_over()

    def fault(self, event: str, arguments: Mapping[str, str]) -> list[Event]:
        """Make one fault happen: `call`, restricted to `FAULTS`."""
        self._perform(event, arguments, FAULTS)
        return self.cluster.log.hand_over()

    def tick(self, ms: int) -> list[Event]:
        """Let time pass; the lease monitor runs at its period, then a heartbeat of each live datanode arrives.

        Args:
            ms: virtual milliseconds, 1 or more.

        Returns:
            The events of leases that the monitor released.

        Raises:
            ConfigurationError: `ms` is not positive.
        """
        if ms <= 0:
            raise ConfigurationError(f"tick of {ms} ms, accepted: 1 or more")
        cluster = self.cluster
        until_us = cluster.now_us + ms * MICROSECONDS_A_MILLISECOND
        period_us = cluster.limits.lease_recheck_ms * MICROSECONDS_A_MILLISECOND
        for pass_us in range((cluster.now_us // period_us + 1) * period_us, until_us + 1, period_us):
            cluster.now_us = pass_us
            cluster.check_leases()
        cluster.now_us = until_us
        live = cluster.namesystem.datanode_manager.live_datanodes()
        self._heartbeat_order.shuffle(live)
        for datanode in live:
            cluster.heartbeat(datanode)
        return cluster.log.hand_over()

    def events(self) -> list[Event]:
        """The events that no other call has handed over; none, unless somebody works on the cluster directly."""
        return self.cluster.log.hand_over()

    def close(self) -> None:
        """End; nothing goes on behind a cluster under somebody's hand."""

    def _perform(self, event: str, arguments: Mapping[str, str], accepted: Mapping[str, tuple[str, ...]]) -> None:
        """Check event and arguments, and make the step."""
        if event not in accepted:
            raise UnknownNameError("event", event, accepted)
        if set(arguments) != set(accepted[event]):
            raise WrongArgumentsError(event, arguments, accepted[event])
        for argument, name in arguments.items():
            self._check_name(argument, name)
        getattr(self.cluster, event)(**arguments)

    def _check_name(self, argument: str, name: str) -> None:
        """The name must be one of this run; a primary is a datanode."""
        known: Mapping[str, Sequence[str]] = {
            "client": tuple(self.cluster.clients),
            "file": self.files,
            "datanode": tuple(self.cluster.datanodes),
            "primary": tuple(self.cluster.datanodes),
        }
        if name not in known[argument]:
            raise UnknownNameError(argument, name, known[argument])
