"""What a run must keep, watched at each step and at its end.

Three promises, in the words of the protocol: every open file is in exactly one lease, its client's (S17); no byte that
hflush acknowledged is lost while a datanode of its pipeline lives on without a restart (S5, S6); the live FINALIZED
replicas of a closed file in its generation are equal, and as long as the namenode says (S7).

Leaves out: everything that a specification would say better. These are the simulation's own eyes, not the judge.
"""

from genstamp_dfs.events import Event
from genstamp_dfs.hdfs.cluster import Cluster
from genstamp_dfs.hdfs.namenode.blocks import BlockInfo
from genstamp_dfs.hdfs.namenode.namespace import INodeFile
from genstamp_dfs.hdfs.protocol import ReplicaState


class Promises:
    """Watches one run; `broken` lists what was not kept, one sentence each."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.broken: list[str] = []
        self._acknowledged: dict[str, bytes] = {}
        self._survivors: dict[str, set[str]] = {}

    def watch(self, event: Event) -> None:
        """Take notice of a step that has just happened."""
        match event.event:
            case "add_block" if event.refused_with is None:
                self._survivors[event.arguments["file"]] = set(event.observed["locations"].split(","))
            case "hflush" | "last_packet":
                stream = self.cluster.clients[event.arguments["client"]].streams[event.arguments["file"]]
                self._acknowledged[stream.file] = stream.data[: stream.num_bytes_acked]
            case "datanode_crash":
                for survivors in self._survivors.values():
                    survivors.discard(event.node)
            case _:
                pass
        file = event.arguments.get("file")
        inode = self.cluster.namesystem.directory.get_file(file or "")
        if event.node == "namenode" and inode is not None:
            self._check_lease(inode, event.event)
            self._check_closing(inode)

    def check_end(self) -> None:
        """Look at what the run leaves."""
        for inode in self.cluster.namesystem.directory.all_files():
            block = inode.last_block()
            if inode.is_under_construction or block is None:
                continue
            contents = set(self._good_replicas(block))
            if any(len(content) != block.num_bytes for content in contents) or len(contents) > 1:
                self.broken.append(
                    f"replicas of the closed file {inode.path} of {block.num_bytes} bytes are {contents}"
                )

    def _check_lease(self, inode: INodeFile, after: str) -> None:
        """An open file is in exactly one lease, that of its client; a closed one in none."""
        leases = self.cluster.namesystem.lease_manager.leases.values()
        holders = [lease.holder for lease in leases if inode.file_id in lease.files]
        if holders != ([inode.client_name] if inode.client_name is not None else []):
            self.broken.append(f"after {after} {inode.path} is {inode.client_name}'s, and in the leases of {holders}")

    def _check_closing(self, inode: INodeFile) -> None:
        """A file that has just been closed has all acknowledged bytes, if a node of its pipeline could tell them."""
        if inode.is_under_construction:
            return
        acknowledged = self._acknowledged.pop(inode.path, b"")
        survivors = self._survivors.pop(inode.path, set())
        if not acknowledged or not survivors:
            return
        block = inode.last_block()
        good = [] if block is None else self._good_replicas(block)
        if not good or any(not data.startswith(acknowledged) for data in good):
            self.broken.append(
                f"{inode.path} was closed as {block}, and of the acknowledged {acknowledged!r} is left "
                f"{good}, although {sorted(survivors)} lived on"
            )

    def _good_replicas(self, block: BlockInfo) -> list[bytes]:
        """The bytes of the FINALIZED replicas of the block's generation at datanodes that are up."""
        good = []
        for process in self.cluster.datanodes.values():
            replica = process.dataset.get_replica(block.block_id) if process.is_up else None
            if (
                replica is not None
                and replica.state is ReplicaState.FINALIZED
                and replica.generation_stamp == block.generation_stamp
            ):
                good.append(process.data(block.block_id))
        return good
