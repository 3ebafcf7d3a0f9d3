"""The faults: processes die and start again.

Each method is one atomic step and leaves one event of its own name.

Leaves out: the death of the namenode, partitions, disks that fail.
"""

from genstamp_dfs.hdfs.cluster.base import ClusterBase


class FaultSteps(ClusterBase):
    """Crash and restart."""

    def client_crash(self, client: str) -> None:
        """The client's process dies; it does not come back under this name."""
        step = self.step(client, "node", client, "client_crash", client=client)
        self.live_client(step, client).crash()
        step.done()

    def datanode_crash(self, datanode: str) -> None:
        """The datanode's process dies, and the namenode knows at once."""
        step = self.step(datanode, "node", datanode, "datanode_crash", datanode=datanode)
        self.live_datanode(step, datanode).crash()
        self.namesystem.remove_datanode(datanode)
        step.done()

    def datanode_restart(self, datanode: str) -> None:
        """The datanode starts again over its disk, and registers."""
        self._restart("datanode_restart", datanode, losing_bytes=False)

    def datanode_restart_losing_bytes(self, datanode: str) -> None:
        """As datanode_restart, but each RBW has lost its last byte, which was not synced."""
        self._restart("datanode_restart_losing_bytes", datanode, losing_bytes=True)

    def _restart(self, event: str, datanode: str, *, losing_bytes: bool) -> None:
        step = self.step(datanode, "node", datanode, event, datanode=datanode)
        process = self.datanodes[datanode]
        if process.is_up:
            raise step.not_possible(f"{datanode} is up")
        process.restart(losing_bytes=losing_bytes)
        self.register_datanode(datanode)
        step.done()
