"""The steps of lease recovery and block recovery, the deletion of what they leave behind, and faults.

Each method is a step, named as its event; what the step is in HDFS stands in the specification. A call between
datanodes and its answer are one step; the primary does nothing more until another step lets it go on.

Not here: calls and answers that are lost while both ends are up; the death of the namenode.
"""

import random
from typing import Any

from genstamp_dfs.hdfs.messages.data_transfer import CHUNK_BYTES
from genstamp_dfs.hdfs.messages.datanode_protocol import CommitBlockSynchronization
from genstamp_dfs.hdfs.messages.inter_datanode import InitReplicaRecovery, UpdateReplicaUnderRecovery
from genstamp_dfs.hdfs.namenode.datanode_calls import remove_datanode
from genstamp_dfs.hdfs.protocol import ReplicaState
from genstamp_dfs.simulation.disk import DiskOfLife
from genstamp_dfs.simulation.loop import Life, Task
from genstamp_dfs.stepwise.loop import Held
from genstamp_dfs.stepwise.network import HeldCall
from genstamp_dfs.stepwise.recovery.cluster import locations_of, replica_key
from genstamp_dfs.stepwise.recovery.writing import WritingSteps, responder
from genstamp_dfs.world.request import Request
from genstamp_dfs.world.times import MICROSECONDS_A_MILLISECOND


class RecoverySteps(WritingSteps):
    """What primaries do, what time brings, and what goes wrong."""

    # -- time ---------------------------------------------------------------------------------------------------

    def pass_time(self, ms: str) -> None:
        """Let time pass; the lease monitor looks at its period, and every datanode that is up is heard of.

        Where it would find no lease to release, it does not look: nothing else that a monitor does is a step.
        """
        until_us = self.loop.now_us + int(ms) * MICROSECONDS_A_MILLISECOND
        period_us = self.limits.lease_recheck_ms * MICROSECONDS_A_MILLISECOND
        manager, leases = self.namenode.namesystem.datanode_manager, self.namenode.namesystem.lease_manager
        for pass_us in range((self.loop.now_us // period_us + 1) * period_us, until_us + 1, period_us):
            if not leases.expired_leases(pass_us):
                continue
            self.loop.now_us = pass_us
            for name in manager.live_datanodes():
                manager.datanodes[name].last_update_us = pass_us
            self.loop.wake("namenode monitors")
            self.loop.settle()
        self.loop.now_us = until_us
        self.hear_of_datanodes()

    # -- the primary --------------------------------------------------------------------------------------------

    def receive_recovery_command(self, file: str, datanode: str) -> None:
        """The answer to a heartbeat orders a datanode to lead a recovery.

        A location that the order does not name, as the namenode takes it for dead, counts as asked in vain.
        """
        event = "receive_recovery_command"
        block_id = self.block(event, file)
        node = self.datanode(event, datanode)
        life = self.cluster.machines[datanode].life
        assert life is not None
        before = set(life.tasks)
        self.heartbeat(datanode, block_id)
        begun = [task for task in life.tasks if task not in before and Held.BLOCK_RECOVERY in task.name]
        self.needs(event, begun, f"no recovery of {file} waits for {datanode}")
        self.loop.settle(task=begun[0])
        call = self._call(begun[0])
        self.needs(event, call is not None, f"{node.runtime.node} asks nobody")
        assert call is not None and isinstance(call.request, InitReplicaRecovery)
        recovery_id = call.request.recovering.recovery_id
        self.attempts[datanode, block_id] = (begun[0], recovery_id)
        for dead in sorted(self.cluster.left_out):
            self._record_failure("init_replica_recovery_failed", datanode, file, block_id, dead, recovery_id)

    def init_replica_recovery(self, primary: str, file: str, datanode: str) -> None:
        """The primary asks a location, itself included."""
        self._carry_out("init_replica_recovery", InitReplicaRecovery, primary, file, datanode)

    def init_replica_recovery_failed(self, primary: str, file: str, datanode: str) -> None:
        """The primary asks a location that is down."""
        self._fail("init_replica_recovery_failed", InitReplicaRecovery, primary, file, datanode)

    def sync_block(self, primary: str, file: str) -> None:
        """All locations have answered, and the primary decides."""
        self._go_on("sync_block", primary, file)

    def abandon_recovery(self, primary: str, file: str) -> None:
        """The primary gives its attempt up."""
        self._go_on("abandon_recovery", primary, file)

    def update_replica_under_recovery(self, primary: str, file: str, datanode: str) -> None:
        """The primary has a participant install what was agreed on."""
        self._carry_out("update_replica_under_recovery", UpdateReplicaUnderRecovery, primary, file, datanode)

    def update_replica_failed(self, primary: str, file: str, datanode: str) -> None:
        """The primary asks a participant that is down."""
        self._fail("update_replica_failed", UpdateReplicaUnderRecovery, primary, file, datanode)

    def commit_block_synchronization(self, primary: str, file: str) -> None:
        """The primary tells the namenode the outcome."""
        event = "commit_block_synchronization"
        task, _ = self._attempt(event, primary, file)
        self.loop.settle(task=task)
        call = self._call(task)
        if call is None or not isinstance(call.request, CommitBlockSynchronization):
            self.not_now(event, f"{primary} has nothing to commit of {file}")
        self.network.carry_out(call)
        self.loop.settle(task=task)
        del self.attempts[primary, self.block(event, file)]

    def _attempt(self, event: str, primary: str, file: str) -> tuple[Task, int]:
        """The recovery that a datanode began last, and its id."""
        self.datanode(event, primary)
        attempt = self.attempts.get((primary, self.block(event, file)))
        if attempt is None or not attempt[0].life.is_on:
            self.not_now(event, f"{primary} leads no recovery of {file}")
        return attempt

    def _call(self, task: Task) -> HeldCall | None:
        """The call that a process waits for."""
        return next((call for call in self.network.calls if call.task is task), None)

    def _go_on(self, event: str, primary: str, file: str) -> None:
        """The primary goes on to its next call, or to its end."""
        task, _ = self._attempt(event, primary, file)
        self.loop.settle(task=task)
        if task.is_done:
            del self.attempts[primary, self.block(event, file)]

    def _waiting(
        self, event: str, kind: type[Request[Any]], primary: str, file: str, datanode: str
    ) -> tuple[HeldCall, int]:
        """The primary's call to a datanode, and its recovery id."""
        task, recovery_id = self._attempt(event, primary, file)
        self.loop.settle(task=task)
        call = self._call(task)
        if call is None or not isinstance(call.request, kind) or call.node != datanode:
            self.not_now(event, f"{primary} does not call {datanode} now")
        return call, recovery_id

    def _carry_out(self, event: str, kind: type[Request[Any]], primary: str, file: str, datanode: str) -> None:
        """A datanode does what the primary asks it for; a writer of the replica ends before."""
        self.datanode(event, datanode)
        call, recovery_id = self._waiting(event, kind, primary, file, datanode)
        self.network.carry_out(call)
        self.loop.settle(responder(datanode, self.block(event, file)))
        self._asked_all(call, primary, recovery_id)

    def _fail(self, event: str, kind: type[Request[Any]], primary: str, file: str, datanode: str) -> None:
        """The primary finds nobody, which it records when it goes on."""
        self.needs(event, not self.cluster.is_up(datanode), f"{datanode} is up and would answer")
        call, recovery_id = self._waiting(event, kind, primary, file, datanode)
        self.network.carry_out(call)
        self._asked_all(call, primary, recovery_id)
        self.failed.add((event, primary, recovery_id, datanode))
        self._record_failure(event, primary, file, self.block(event, file), datanode, recovery_id)

    def _asked_all(self, call: HeldCall, primary: str, recovery_id: int) -> None:
        """Once all locations but one were asked, one order of them is left."""
        if isinstance(call.request, InitReplicaRecovery):
            locations = call.request.recovering.locations
            if locations.index(call.node) + 2 >= len(locations):
                self.cluster.orders.decided.add(locations_of(primary, recovery_id))

    def _record_failure(
        self, event: str, primary: str, file: str, block_id: int, datanode: str, recovery_id: int
    ) -> None:
        arguments = {"primary": primary, "file": file, "datanode": datanode}
        self.record(event, primary, "replica", replica_key(block_id, datanode), arguments, recovery_id=recovery_id)

    # -- what is left behind ------------------------------------------------------------------------------------

    def invalidate_replica(self, file: str, datanode: str) -> None:
        """A datanode reports all that it has, is ordered to delete a replica, and does."""
        event = "invalidate_replica"
        block_id = self.block(event, file)
        self.datanode(event, datanode)
        replica = self.replica(datanode, block_id)
        self.needs(event, replica is not None, f"{datanode} has no replica of {file}")
        if block_id not in self.namenode.namesystem.datanode_manager.datanodes[datanode].invalidate_blocks:
            self.report_all(datanode)
        self.reports_of_step.add(replica_key(block_id, datanode))
        self.heartbeat(datanode, block_id)
        self.loop.settle(responder(datanode, block_id))  # a writer of the replica ends before

    # -- faults -------------------------------------------------------------------------------------------------

    def client_crash(self, client: str) -> None:
        """A client's process dies; what it has sent stays on its way."""
        self.client("client_crash", client)
        self.cluster.crash(client)
        self.loop.settle()
        self.streams = {key: stream for key, stream in self.streams.items() if key[0] != client}
        self.took_over[client].clear()
        self.record("client_crash", client, "node", client, {"client": client})

    def datanode_crash(self, datanode: str) -> None:
        """A datanode's process dies, and the namenode knows at once."""
        replicas = self.datanode("datanode_crash", datanode).dataset.replicas.values()
        self.unforced[datanode] = {one.block_id for one in replicas if one.visible_state() is ReplicaState.RBW}
        for key, near in self.network.links.items():
            if key.partition("@")[2] == datanode:
                near.other.lose()
                near.is_cut = True
            elif near.life.node == datanode:
                near.under_way.clear()
                near.arrived.clear()
        self.cluster.crash(datanode)
        self.loop.settle()
        remove_datanode(self.namenode.namesystem, datanode)
        self.record("datanode_crash", datanode, "node", datanode, {"datanode": datanode})

    def datanode_restart(self, datanode: str) -> None:
        """A datanode comes back over its disk, and registers."""
        self._restart("datanode_restart", datanode)

    def datanode_restart_losing_bytes(self, datanode: str) -> None:
        """As datanode_restart, but each replica that was being written has lost its last packet."""
        event = "datanode_restart_losing_bytes"
        self.needs(event, not self.cluster.is_up(datanode), f"{datanode} is up")
        disk = DiskOfLife(self.cluster.machines[datanode].disk, Life(datanode), random.Random(0))
        for path in sorted(self.cluster.machines[datanode].disk.files):
            directory, _, name = path.rpartition("/")
            block_id = name.removeprefix("blk_")
            if directory.endswith("/rbw") and block_id.isdigit() and int(block_id) in self.unforced[datanode]:
                disk.truncate(path, max(0, disk.size(path) - CHUNK_BYTES))
        self._restart(event, datanode)

    def _restart(self, event: str, datanode: str) -> None:
        self.needs(event, not self.cluster.is_up(datanode), f"{datanode} is up")
        self.cluster.start_datanode(datanode)
        self.loop.settle()
        self.hear_of_datanodes()
        self.record(event, datanode, "node", datanode, {"datanode": datanode})
