"""Calls of ClientProtocol that other clients make and ours does not: most come to one that is there.

Some ask for features that this cluster does not have; Hadoop's own answer where nobody uses them is an empty one. A
call of which that would not be true is not here, and is answered by RpcNoSuchMethodException.

Not here: calls that change something; each of those is in `client_calls`.

Source: facts W.2.2, W.5; CL/protocol/ClientProtocol, Hadoop 3.4.1.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from google.protobuf.message import Message

from genstamp_dfs.errors import FileNotFoundException
from genstamp_dfs.hdfs.messages import client_protocol as ours
from genstamp_dfs.hdfs.messages import cluster_status
from genstamp_dfs.server.wire import hdfs_pb2 as hdfs
from genstamp_dfs.server.wire import namenode_pb2 as theirs
from genstamp_dfs.server.wire.calls import status
from genstamp_dfs.server.wire.convert import Converter
from genstamp_dfs.world.request import Request


@dataclass(frozen=True)
class ForeignCall:
    """One call.

    Attributes:
        method: Hadoop's name of it.
        request: the class of Hadoop's request.
        write_answer: our answer as Hadoop's; raises `HdfsIOException` where Hadoop refuses.
        read: Hadoop's request as ours; None where the answer is always the same.
    """

    method: str
    request: type[Message]
    write_answer: Callable[[Any, Converter], Message]
    read: Callable[[Any], Request[Any]] | None = None


def _existing(status: ours.HdfsFileStatus | None) -> ours.HdfsFileStatus:
    if status is None:
        raise FileNotFoundException("nothing is at the path")
    return status


def _preferred_block_size(status: ours.HdfsFileStatus | None, c: Converter) -> Message:
    if _existing(status).is_directory:
        raise FileNotFoundException("the path is one of a directory, accepted: of a file")
    return theirs.GetPreferredBlockSizeResponse(bsize=_existing(status).block_size)


def _accessible(status: ours.HdfsFileStatus | None, c: Converter) -> Message:
    """Everybody may do everything, as with `dfs.permissions.enabled` false."""
    _existing(status)
    return theirs.CheckAccessResponse()


def _replicated(status: ours.HdfsFileStatus | None, c: Converter) -> Message:
    """A path without a policy is replicated."""
    _existing(status)
    return theirs.GetErasureCodingPolicyResponse()


def _block_stats(stats: cluster_status.FsStats, c: Converter) -> Message:
    """Bytes of blocks whose stamp was not given out yet are not counted here, and are told as 0."""
    return theirs.GetFsReplicatedBlockStatsResponse(
        low_redundancy=stats.under_replicated,
        corrupt_blocks=stats.corrupt_blocks,
        missing_blocks=stats.missing_blocks,
        missing_repl_one_blocks=stats.missing_replication_one,
        blocks_in_future=0,
        pending_deletion_blocks=stats.pending_deletion,
        highest_prio_low_redundancy_blocks=stats.highest_priority,
    )


def _open_files(page: cluster_status.OpenFiles, c: Converter) -> Message:
    return theirs.ListOpenFilesResponse(
        entries=[
            theirs.OpenFilesBatchResponse(
                id=one.file_id, path=one.path, clientName=one.client_name, clientMachine=one.client_machine
            )
            for one in page.entries
        ],
        hasMore=page.has_more,
    )


def _same(answer: Message) -> Callable[[Any, Converter], Message]:
    return lambda result, c: answer


FOREIGN: Final = (
    # There are no symbolic links, so that a link is whatever is at the path.
    ForeignCall(
        "getFileLinkInfo",
        theirs.GetFileLinkInfoRequest,
        status("fs", theirs.GetFileLinkInfoResponse)[0],
        lambda m: ours.GetFileInfo(m.src),
    ),
    ForeignCall(
        "getLocatedFileInfo",
        theirs.GetLocatedFileInfoRequest,
        status("fs", theirs.GetLocatedFileInfoResponse)[0],
        lambda m: ours.GetFileInfo(m.src, needs_locations=True),
    ),
    ForeignCall(
        "getPreferredBlockSize",
        theirs.GetPreferredBlockSizeRequest,
        _preferred_block_size,
        lambda m: ours.GetFileInfo(m.filename),
    ),
    ForeignCall("checkAccess", theirs.CheckAccessRequest, _accessible, lambda m: ours.GetFileInfo(m.path)),
    ForeignCall(
        "getErasureCodingPolicy",
        theirs.GetErasureCodingPolicyRequest,
        _replicated,
        lambda m: ours.GetFileInfo(m.src),
    ),
    ForeignCall(
        "getErasureCodingPolicies",
        theirs.GetErasureCodingPoliciesRequest,
        _same(theirs.GetErasureCodingPoliciesResponse()),
    ),
    ForeignCall(
        "getFsReplicatedBlockStats",
        theirs.GetFsReplicatedBlockStatsRequest,
        _block_stats,
        lambda m: cluster_status.GetFsStats(),
    ),
    ForeignCall(
        "getFsECBlockGroupStats",
        theirs.GetFsECBlockGroupStatsRequest,
        _same(
            theirs.GetFsECBlockGroupStatsResponse(
                low_redundancy=0, corrupt_blocks=0, missing_blocks=0, blocks_in_future=0, pending_deletion_blocks=0
            )
        ),
    ),
    # As with `dfs.datanode.peer.stats.enabled` false: datanodes do not measure each other.
    ForeignCall(
        "getSlowDatanodeReport",
        theirs.GetSlowDatanodeReportRequest,
        _same(theirs.GetSlowDatanodeReportResponse()),
    ),
    ForeignCall(
        "listOpenFiles",
        theirs.ListOpenFilesRequest,
        _open_files,
        lambda m: cluster_status.ListOpenFiles(
            m.id, m.path, tuple(cluster_status.OpenFilesType(each) for each in m.types)
        ),
    ),
    ForeignCall("getStoragePolicies", theirs.GetStoragePoliciesRequest, _same(theirs.GetStoragePoliciesResponse())),
    # With a token, each later connection of the client would have to prove it.
    ForeignCall("getDelegationToken", theirs.GetDelegationTokenRequest, _same(theirs.GetDelegationTokenResponse())),
    ForeignCall(
        "getDataEncryptionKey", theirs.GetDataEncryptionKeyRequest, _same(theirs.GetDataEncryptionKeyResponse())
    ),
    ForeignCall("getEZForPath", theirs.GetEZForPathRequest, _same(theirs.GetEZForPathResponse())),
    ForeignCall(
        "getEnclosingRoot",
        theirs.GetEnclosingRootRequest,
        _same(theirs.GetEnclosingRootResponse(enclosingRootPath="/")),
    ),
    # There is one namenode, which is active and has seen all edits.
    ForeignCall("msync", theirs.MsyncRequest, _same(theirs.MsyncResponse())),
    ForeignCall(
        "getHAServiceState",
        theirs.HAServiceStateRequest,
        _same(theirs.HAServiceStateResponse(state=hdfs.HAServiceState.ACTIVE)),
    ),
)
"""Every call."""
