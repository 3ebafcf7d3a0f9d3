"""Which datanodes are alive, when each was heard of last, and the recoveries queued for each.

Leaves out: dead-node detection by missing heartbeats (whoever drives the cluster says that a datanode is gone, and
the namenode knows at once), staleness, and all commands but block recovery.

Source: BM/DatanodeManager, BM/DatanodeDescriptor, Hadoop 3.4.1.
"""

from dataclasses import dataclass, field


@dataclass
class DatanodeDescriptor:
    """A datanode as the namenode knows it.

    Attributes:
        last_heartbeat: rank of its last heartbeat among all received; 0 before the first.
        recover_blocks: ids of the blocks whose recovery it shall lead, in the order queued.
    """

    name: str
    is_alive: bool = False
    last_heartbeat: int = 0
    recover_blocks: list[int] = field(default_factory=list)

    def add_block_to_be_recovered(self, block_id: int) -> None:
        """Queue the block; one that is in the queue already is not queued twice."""
        if block_id not in self.recover_blocks:
            self.recover_blocks.append(block_id)


@dataclass
class DatanodeManager:
    """All datanodes that ever registered."""

    datanodes: dict[str, DatanodeDescriptor] = field(default_factory=dict)
    _heartbeats: int = 0

    def register_datanode(self, name: str) -> None:
        """A datanode started: it is alive, and what was queued for its former life is dropped."""
        self.datanodes[name] = DatanodeDescriptor(name, is_alive=True)
        self.handle_heartbeat(name)

    def handle_heartbeat(self, name: str) -> None:
        """A datanode was heard of."""
        self._heartbeats += 1
        self.datanodes[name].last_heartbeat = self._heartbeats

    def set_datanode_dead(self, name: str) -> None:
        """A datanode is gone."""
        self.datanodes[name].is_alive = False

    def live_datanodes(self) -> list[str]:
        """The names of the live datanodes, in the order of their first registration."""
        return [descriptor.name for descriptor in self.datanodes.values() if descriptor.is_alive]

    def last_heartbeats(self) -> dict[str, int]:
        """Each live datanode with the rank of its last heartbeat."""
        return {name: self.datanodes[name].last_heartbeat for name in self.live_datanodes()}
