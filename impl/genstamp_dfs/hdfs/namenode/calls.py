"""Which request is answered by which function, and what its event tells.

An event is named after the call in Hadoop's words and names who took part in `arguments`; `observed` has what the
answer shows. A file stands under the path that the request names, or under its present one where the request names
only a block.

Source: CL/protocol/ClientProtocol (@AtMostOnce, @Idempotent), SP/DatanodeProtocol, Hadoop 3.4.1; facts E.0.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from genstamp_dfs.hdfs.messages import client_protocol as client
from genstamp_dfs.hdfs.messages import cluster_status
from genstamp_dfs.hdfs.messages import datanode_protocol as datanode
from genstamp_dfs.hdfs.namenode import (
    add_block,
    append,
    attribute_calls,
    block_recovery_calls,
    complete,
    create,
    datanode_calls,
    lease_recovery,
    pipeline_calls,
    read_calls,
    tree_calls,
    truncate,
)
from genstamp_dfs.hdfs.namenode.fs_namesystem import FSNamesystem
from genstamp_dfs.hdfs.protocol import Block
from genstamp_dfs.world.request import Caller, Request

Description = tuple[str, dict[str, str]]
"""The entity of an event, and its arguments."""


def passed_bytes(request: Request[Any]) -> int | None:
    """The length of a block that a client tells with its call: of the last one, or the one before a new one."""
    match request:
        case client.AddBlock(previous=Block(num_bytes=num_bytes)) | client.Complete(last=Block(num_bytes=num_bytes)):
            return num_bytes
        case client.Fsync(last_block_length=num_bytes) if num_bytes > 0:
            return num_bytes
        case _:
            return None


@dataclass(frozen=True, slots=True)
class Call:
    """How a request is answered.

    Attributes:
        function: gives the answer; the event bears its name.
        kind: of the entity that the event is about.
        describe: gives entity and arguments.
        syncs: whether the answer waits for the edits to be on disk.
        at_most_once: whether the answer is remembered for a client that asks again.
    """

    function: Callable[[FSNamesystem, Any, Caller], Any]
    kind: str
    describe: Callable[[Any, Caller], Description]
    syncs: bool = False
    at_most_once: bool = False

    @property
    def name(self) -> str:
        """The name of the event."""
        return self.function.__name__


def _file(request: Any, caller: Caller) -> Description:
    """A call by a client on a file."""
    return request.path, {"client": request.client_name, "file": request.path}


def _path(request: Any, caller: Caller) -> Description:
    """A call on a path, of which no client name is told."""
    return request.path, {"client": caller.machine, "file": request.path}


def _abandon(request: client.AbandonBlock, caller: Caller) -> Description:
    return request.path, {"client": request.holder, "file": request.path}


def _two_paths(request: Any, caller: Caller) -> Description:
    return request.source, {"client": caller.machine, "source": request.source, "target": request.destination}


def _concat(request: client.Concat, caller: Caller) -> Description:
    return request.target, {"client": caller.machine, "target": request.target, "sources": ",".join(request.sources)}


def _lease(request: client.RenewLease, caller: Caller) -> Description:
    return request.client_name, {"client": request.client_name}


def _caller(request: Request[Any], caller: Caller) -> Description:
    """A call about no file."""
    return caller.machine, {"client": caller.machine}


def _datanode(request: Any, caller: Caller) -> Description:
    return request.datanode, {"datanode": request.datanode}


def _error(request: datanode.ErrorReport, caller: Caller) -> Description:
    return request.datanode, {"datanode": request.datanode, "error": request.error.name}


def _pipeline(request: client.UpdateBlockForPipeline | client.UpdatePipeline, caller: Caller) -> Description:
    block = request.old_block if isinstance(request, client.UpdatePipeline) else request.block
    return str(block.block_id), {"client": request.client_name}


def _commit(request: datanode.CommitBlockSynchronization, caller: Caller) -> Description:
    return str(request.block.block_id), {"primary": caller.machine}


CALLS: Final[dict[type[Request[Any]], Call]] = {
    client.GetServerDefaults: Call(read_calls.get_server_defaults, "node", _caller),
    client.Create: Call(create.create, "file", _file, syncs=True, at_most_once=True),
    client.Append: Call(append.append, "file", _file, syncs=True, at_most_once=True),
    client.AddBlock: Call(add_block.add_block, "file", _file, syncs=True),
    client.AbandonBlock: Call(add_block.abandon_block, "file", _abandon, syncs=True),
    client.GetAdditionalDatanode: Call(add_block.get_additional_datanode, "file", _file),
    client.UpdateBlockForPipeline: Call(pipeline_calls.update_block_for_pipeline, "block", _pipeline, syncs=True),
    client.UpdatePipeline: Call(pipeline_calls.update_pipeline, "block", _pipeline, syncs=True, at_most_once=True),
    client.Complete: Call(complete.complete, "file", _file, syncs=True),
    client.Fsync: Call(complete.fsync, "file", _file, syncs=True),
    client.RenewLease: Call(lease_recovery.renew_lease, "lease", _lease),
    client.RecoverLease: Call(lease_recovery.recover_lease, "file", _file, syncs=True),
    client.IsFileClosed: Call(lease_recovery.is_file_closed, "file", _path),
    client.Truncate: Call(truncate.truncate, "file", _file, syncs=True),
    client.Delete: Call(tree_calls.delete, "file", _path, syncs=True, at_most_once=True),
    client.Rename: Call(tree_calls.rename, "file", _two_paths, syncs=True, at_most_once=True),
    client.Rename2: Call(tree_calls.rename2, "file", _two_paths, syncs=True, at_most_once=True),
    client.Concat: Call(tree_calls.concat, "file", _concat, syncs=True, at_most_once=True),
    client.Mkdirs: Call(tree_calls.mkdirs, "file", _path, syncs=True),
    client.GetFileInfo: Call(read_calls.get_file_info, "file", _path),
    client.GetListing: Call(read_calls.get_listing, "file", _path),
    client.GetBlockLocations: Call(read_calls.get_block_locations, "file", _path),
    client.SetReplication: Call(attribute_calls.set_replication, "file", _path, syncs=True),
    client.SetPermission: Call(attribute_calls.set_permission, "file", _path, syncs=True),
    client.SetOwner: Call(attribute_calls.set_owner, "file", _path, syncs=True),
    client.SetTimes: Call(attribute_calls.set_times, "file", _path, syncs=True),
    client.GetContentSummary: Call(read_calls.get_content_summary, "file", _path),
    cluster_status.GetFsStats: Call(read_calls.get_fs_stats, "node", _caller),
    cluster_status.GetDatanodeReport: Call(read_calls.get_datanode_report, "node", _caller),
    cluster_status.ListOpenFiles: Call(read_calls.list_open_files, "node", _caller),
    client.SetSafeMode: Call(attribute_calls.set_safe_mode, "node", _caller),
    client.ReportBadBlocks: Call(datanode_calls.report_bad_blocks, "node", _caller),
    datanode.VersionRequest: Call(datanode_calls.version_request, "node", _caller),
    datanode.RegisterDatanode: Call(datanode_calls.register_datanode, "node", _datanode),
    datanode.SendHeartbeat: Call(datanode_calls.send_heartbeat, "node", _datanode),
    datanode.BlockReport: Call(datanode_calls.block_report, "node", _datanode),
    datanode.BlockReceivedAndDeleted: Call(datanode_calls.block_received_and_deleted, "node", _datanode),
    datanode.CommitBlockSynchronization: Call(
        block_recovery_calls.commit_block_synchronization, "block", _commit, syncs=True
    ),
    datanode.ErrorReport: Call(datanode_calls.error_report, "node", _error),
    datanode.ReportBadReplicas: Call(datanode_calls.report_bad_replicas, "node", _datanode),
}
"""All calls, by the class of the request."""
