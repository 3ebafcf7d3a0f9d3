"""What datanodes tell: that they start, that they live, what they have.

Not here: upgrades, caching, leases for full reports, decommissioning.

Source: NN/NameNodeRpcServer, BM/DatanodeManager#registerDatanode, #handleHeartbeat, Hadoop 3.4.1; facts G.2, I.1.
"""

from genstamp_dfs.errors import DisallowedDatanodeException, HdfsIOException, UnregisteredNodeException
from genstamp_dfs.hdfs.messages import datanode_protocol as protocol
from genstamp_dfs.hdfs.messages.client_protocol import ReportBadBlocks
from genstamp_dfs.hdfs.namenode.block_recovery_calls import take_recovery_commands
from genstamp_dfs.hdfs.namenode.block_reports import process_incremental_block_report, process_report
from genstamp_dfs.hdfs.namenode.corruption import find_and_mark_block_as_corrupt
from genstamp_dfs.hdfs.namenode.datanode_manager import DatanodeDescriptor
from genstamp_dfs.hdfs.namenode.fs_namesystem import FSNamesystem
from genstamp_dfs.hdfs.namenode.redundancy import remove_blocks_associated_to
from genstamp_dfs.world.request import Caller


def version_request(fsn: FSNamesystem, request: protocol.VersionRequest, caller: Caller) -> protocol.NamespaceInfo:
    """versionRequest(): which cluster this is."""
    return fsn.namespace


def register_datanode(fsn: FSNamesystem, request: protocol.RegisterDatanode, caller: Caller) -> None:
    """registerDatanode(): the datanode is alive; what was queued for its former life is dropped.

    Raises:
        DisallowedDatanodeException: it belongs to another cluster, or another datanode of its name is there. In
            Hadoop a datanode is its uuid; here all that is known of it stands under its name.
    """
    if request.block_pool_id != fsn.namespace.block_pool_id:
        raise DisallowedDatanodeException(
            f"{request.datanode} belongs to {request.block_pool_id}, accepted: {fsn.namespace.block_pool_id}"
        )
    now_us = fsn.clock.now_us()
    if fsn.datanode_manager.has_another(request.datanode, request.datanode_uuid, now_us):
        raise DisallowedDatanodeException(
            f"another datanode that is called {request.datanode} is there, accepted: a name of its own"
        )
    fsn.datanode_manager.register_datanode(request.datanode, request.datanode_uuid, now_us)
    _count_datanodes(fsn)


def remove_datanode(fsn: FSNamesystem, datanode: str) -> None:
    """A datanode is dead: nothing that it has counts.

    Source: DatanodeManager#removeDeadDatanode, BlockManager#removeBlocksAssociatedTo,
        DatanodeDescriptor#resetBlocks, Hadoop 3.4.1.
    """
    descriptor = fsn.datanode_manager.datanodes[datanode]
    descriptor.is_alive = False
    descriptor.capacity = descriptor.used = descriptor.remaining = 0
    remove_blocks_associated_to(fsn.block_manager, datanode)
    _count_datanodes(fsn)


def _count_datanodes(fsn: FSNamesystem) -> None:
    alive = len(fsn.datanode_manager.live_datanodes())
    fsn.block_manager.safe_mode.count_datanodes(alive, fsn.clock.now_us())


def send_heartbeat(fsn: FSNamesystem, request: protocol.SendHeartbeat, caller: Caller) -> tuple[protocol.Command, ...]:
    """sendHeartbeat(): what the datanode shall do.

    In safe mode nothing; recoveries alone if there are any, so that other work waits for the next heartbeat; else
    copies as far as it is free to make some, and deletions.
    """
    datanode = fsn.datanode_manager.get_live(request.datanode)
    if datanode is None:
        return (protocol.RegisterAgain(),)
    fsn.datanode_manager.update_heartbeat(datanode, request, fsn.clock.now_us())
    if fsn.block_manager.safe_mode.is_on:
        return ()
    if datanode.recover_blocks:
        recoveries = take_recovery_commands(fsn, datanode)
        if recoveries:
            return (protocol.RecoverBlocks(recoveries),)
    commands: list[protocol.Command] = []
    free = max(0, fsn.configuration.max_replication_streams - request.transfers)
    if datanode.replicate_blocks and free:
        commands.append(protocol.TransferBlocks(datanode.take_transfers(free)))
    if datanode.invalidate_blocks:
        commands.append(protocol.InvalidateBlocks(datanode.take_invalidations(fsn.configuration.invalidate_limit)))
    return tuple(commands)


def block_report(fsn: FSNamesystem, request: protocol.BlockReport, caller: Caller) -> tuple[protocol.Command, ...]:
    """blockReport(): all that the datanode has.

    Raises:
        UnregisteredNodeException: nobody knows it.
        HdfsIOException: it is dead.
    """
    process_report(fsn.block_manager, _reporting(fsn, request.datanode), request.replicas)
    return ()


def block_received_and_deleted(fsn: FSNamesystem, request: protocol.BlockReceivedAndDeleted, caller: Caller) -> None:
    """blockReceivedAndDeleted(): what has changed at the datanode.

    Raises:
        UnregisteredNodeException: nobody knows it.
        HdfsIOException: it is dead.
    """
    datanode = _reporting(fsn, request.datanode)
    for line in request.blocks:
        process_incremental_block_report(fsn.block_manager, datanode, line)


def _reporting(fsn: FSNamesystem, name: str) -> DatanodeDescriptor:
    """The datanode that reports, which must be alive."""
    descriptor = fsn.datanode_manager.datanodes.get(name)
    if descriptor is None:
        raise UnregisteredNodeException(f"{name} is not registered")
    if not descriptor.is_alive:
        raise HdfsIOException(f"report from dead or unregistered node {name}")
    return descriptor


def error_report(fsn: FSNamesystem, request: protocol.ErrorReport, caller: Caller) -> None:
    """errorReport(): a datanode whose last disk has failed is dead at once, and its replicas count no more.

    Source: NN/NameNodeRpcServer#errorReport, Hadoop 3.4.1.
    """
    datanode = fsn.datanode_manager.get_live(request.datanode)
    if datanode is not None and request.error is protocol.DatanodeError.FATAL_DISK_ERROR:
        remove_datanode(fsn, request.datanode)


def report_bad_replicas(fsn: FSNamesystem, request: protocol.ReportBadReplicas, caller: Caller) -> None:
    """reportBadBlocks() of a datanode about its own replicas."""
    for block in request.blocks:
        find_and_mark_block_as_corrupt(fsn.block_manager, block, request.datanode)


def report_bad_blocks(fsn: FSNamesystem, request: ReportBadBlocks, caller: Caller) -> None:
    """reportBadBlocks() of a client that has read them."""
    for located in request.blocks:
        for datanode in located.locations:
            find_and_mark_block_as_corrupt(fsn.block_manager, located.block, datanode)
