"""What goes wrong around a pipeline: datanodes and threads fail, restart or hang, a writer dies or is shut out.

Not here: how the others find out (`recovering`).
"""

from genstamp_dfs.errors import HdfsIOException
from genstamp_dfs.hdfs.messages.client_protocol import RecoverLease
from genstamp_dfs.hdfs.protocol import BlockUCState
from genstamp_dfs.stepwise.loop import Held
from genstamp_dfs.stepwise.pipeline.cluster import PATH, WRITER
from genstamp_dfs.stepwise.pipeline.recovering import RecoveringSteps
from genstamp_dfs.world.request import Caller

TOO_LONG_US = 52_000_000
"""More than a writer waits for a datanode (30 s) and than a datanode may take to find its replicas as they were (50 s).

Less than nine tenths of the socket's 60 s, for no client sends heartbeats here: a receiver that has forwarded nothing
for so long ends by itself.
"""


class FaultSteps(RecoveringSteps):
    """Faults; each method is a step, named as its event."""

    def datanode_crash(self, datanode: str) -> None:
        """A datanode's process dies."""
        self.datanode("datanode_crash", datanode)
        self.cut(datanode)
        self.restarting.discard(datanode)
        self.cluster.crash(datanode)
        self.loop.settle()
        self.record("datanode_crash", datanode, {"datanode": datanode})

    def datanode_restart(self, datanode: str) -> None:
        """A datanode comes back that had not said that it would."""
        event = "datanode_restart"
        self.needs(event, datanode not in self.restarting, f"{datanode} has said that it will be back")
        self._start_again(event, datanode)

    def datanode_comes_back(self, datanode: str) -> None:
        """A datanode comes back in time that had said so."""
        event = "datanode_comes_back"
        self.needs(event, datanode in self.restarting, f"{datanode} has not said that it will be back")
        self._start_again(event, datanode)

    def _start_again(self, event: str, datanode: str) -> None:
        self.needs(event, not self.cluster.is_up(datanode), f"{datanode} is up")
        self.cluster.start_datanode(datanode)
        self.loop.settle()
        self.record(event, datanode, {"datanode": datanode})

    def datanode_stops_to_restart(self, datanode: str) -> None:
        """A datanode tells its writers that it will be back, and stops."""
        event = "datanode_stops_to_restart"
        node = self.datanode(event, datanode)
        self.needs(event, self.is_set_up, "no packets and acknowledgements flow")
        self.working(event, datanode)
        node.runtime.spawn(node.stop(for_restart=True), "stop")
        self.loop.settle()
        self.cut(datanode, keeps_restart=True)
        self.cluster.crash(datanode)
        self.loop.settle()
        self.restarting.add(datanode)
        self.record(event, datanode, {"datanode": datanode})

    def restart_takes_too_long(self, datanode: str) -> None:
        """The time is over in which a datanode wanted to be back."""
        event = "restart_takes_too_long"
        restarts = datanode in self.restarting and not self.cluster.is_up(datanode)
        self.needs(event, restarts, f"{datanode} does not restart")
        self.restarting.discard(datanode)
        self.loop.now_us += TOO_LONG_US
        self.cut(datanode)
        self.record(event, datanode, {"datanode": datanode})

    def receiver_fails(self, datanode: str) -> None:
        """The thread that receives the block ends with an exception; the datanode lives on."""
        event = "receiver_fails"
        self.datanode(event, datanode)
        near = self.up(event, datanode)
        self.cut(datanode)
        replica = self.replica(datanode)
        if replica is not None and replica.writer is not None:
            replica.writer.interrupt()
        near.other.learn_of_end()
        self.loop.settle()
        self.loop.settle(f"{datanode} {Held.RESPONDER}")
        self.hung.discard(datanode)
        self.record(event, datanode, {"datanode": datanode})

    def receiver_hangs(self, datanode: str) -> None:
        """The threads of this connection do nothing any more."""
        event = "receiver_hangs"
        self.up(event, datanode)
        self.needs(event, datanode not in self.hung, f"the threads of {datanode} hang already")
        self.hung.add(datanode)
        self.record(event, datanode, {"datanode": datanode})

    def client_crash(self) -> None:
        """The writer's process dies; what it has sent goes on."""
        self.needs("client_crash", self.is_writer_up(), "the writer is down")
        self.cluster.crash(WRITER)
        self.loop.settle()
        self.record("client_crash", WRITER)

    def recovery_starts(self) -> None:
        """Somebody else has the file recovered."""
        event = "recovery_starts"
        block = self.block()
        self.needs(event, block is not None, "there is no block")
        try:
            self.namenode.handle(RecoverLease(PATH, "somebody"), Caller("somebody"))
        except HdfsIOException as refusal:
            self.not_now(event, str(refusal))
        after = self.block()
        under_recovery = after is not None and after.state is BlockUCState.UNDER_RECOVERY
        self.needs(event, under_recovery, "no recovery of the block has begun")

    def datanode_registers_again(self, datanode: str) -> None:
        """A datanode registers anew: nothing is forgotten of it."""
        why = f"the namenode keeps no storages apart from {datanode}, so that it forgets none"
        self.not_now("datanode_registers_again", why)
