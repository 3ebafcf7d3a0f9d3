"""The calls of ClientProtocol: our requests and answers as Hadoop's, one entry each, for servers and our own client.

Leaves out: calls that the namenode here does not have; a server answers those by RpcNoSuchMethodException.

Source: facts: hadoop-wire 2.2, 2.3; CL/protocolPB/ClientNamenodeProtocolTranslatorPB, Hadoop 3.4.1.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from google.protobuf.message import Message

from genstamp_dfs.hdfs.messages import client_protocol as ours
from genstamp_dfs.hdfs.messages.base import Request
from genstamp_dfs.hdfs.protocol import LocatedBlock
from genstamp_dfs.server.wire import hdfs_pb2 as hdfs
from genstamp_dfs.server.wire import namenode_pb2 as theirs
from genstamp_dfs.server.wire.convert import Converter, storage_id

PROTOCOL: Final = "org.apache.hadoop.hdfs.protocol.ClientProtocol"

UNSET: Final = 2**64 - 1
"""How a number that is not set crosses the wire where the field is unsigned."""


@dataclass(frozen=True)
class Call:
    """One call.

    Attributes:
        method: Hadoop's name of it.
        request, answer: the classes of Hadoop's messages.
        read: Hadoop's request as ours.
        write: our request as Hadoop's.
        write_answer: our answer as Hadoop's.
        read_answer: Hadoop's answer as ours.
    """

    method: str
    request: type[Message]
    answer: type[Message]
    read: Callable[[Any, Converter], Request[Any]]
    write: Callable[[Any, Converter], Message]
    write_answer: Callable[[Any, Converter], Message]
    read_answer: Callable[[Any, Converter], Any]


# -- requests -------------------------------------------------------------------------------------------------------


def _read_create(m: theirs.CreateRequest, c: Converter) -> ours.Create:
    return ours.Create(
        m.src,
        m.clientName,
        ours.CreateFlag(m.createFlag),
        m.createParent,
        m.replication,
        m.blockSize,
        m.masked.perm,
    )


def _write_create(r: ours.Create, c: Converter) -> theirs.CreateRequest:
    return theirs.CreateRequest(
        src=r.path,
        masked=hdfs.FsPermission(perm=r.permission),
        clientName=r.client_name,
        createFlag=int(r.flag),
        createParent=r.create_parent,
        replication=r.replication,
        blockSize=r.block_size,
    )


def _read_append(m: theirs.AppendRequest, c: Converter) -> ours.Append:
    return ours.Append(m.src, m.clientName, ours.CreateFlag(m.flag or ours.CreateFlag.APPEND))


def _write_append(r: ours.Append, c: Converter) -> theirs.AppendRequest:
    return theirs.AppendRequest(src=r.path, clientName=r.client_name, flag=int(r.flag))


def _read_add_block(m: theirs.AddBlockRequest, c: Converter) -> ours.AddBlock:
    previous = c.to_block(m.previous) if m.HasField("previous") else None
    excluded = tuple(info.id.datanodeUuid for info in m.excludeNodes)
    return ours.AddBlock(m.src, m.clientName, previous, excluded, m.fileId)


def _write_add_block(r: ours.AddBlock, c: Converter) -> theirs.AddBlockRequest:
    return theirs.AddBlockRequest(
        src=r.path,
        clientName=r.client_name,
        previous=None if r.previous is None else c.block(r.previous),
        excludeNodes=[c.datanode(name) for name in r.excluded],
        fileId=r.file_id,
    )


def _read_additional(m: theirs.GetAdditionalDatanodeRequest, c: Converter) -> ours.GetAdditionalDatanode:
    return ours.GetAdditionalDatanode(
        m.src,
        c.to_block(m.blk),
        tuple(info.id.datanodeUuid for info in m.existings),
        tuple(info.id.datanodeUuid for info in m.excludes),
        m.numAdditionalNodes,
        m.clientName,
        m.fileId,
    )


def _write_additional(r: ours.GetAdditionalDatanode, c: Converter) -> theirs.GetAdditionalDatanodeRequest:
    return theirs.GetAdditionalDatanodeRequest(
        src=r.path,
        blk=c.block(r.block),
        existings=[c.datanode(name) for name in r.existing],
        excludes=[c.datanode(name) for name in r.excluded],
        numAdditionalNodes=r.number,
        clientName=r.client_name,
        existingStorageUuids=[storage_id(name) for name in r.existing],
        fileId=r.file_id,
    )


def _read_update_pipeline(m: theirs.UpdatePipelineRequest, c: Converter) -> ours.UpdatePipeline:
    nodes = tuple(one.datanodeUuid for one in m.newNodes)
    return ours.UpdatePipeline(m.clientName, c.to_block(m.oldBlock), c.to_block(m.newBlock), nodes)


def _write_update_pipeline(r: ours.UpdatePipeline, c: Converter) -> theirs.UpdatePipelineRequest:
    return theirs.UpdatePipelineRequest(
        clientName=r.client_name,
        oldBlock=c.block(r.old_block),
        newBlock=c.block(r.new_block),
        newNodes=[c.datanode_id(name) for name in r.new_nodes],
        storageIDs=[storage_id(name) for name in r.new_nodes],
    )


def _read_complete(m: theirs.CompleteRequest, c: Converter) -> ours.Complete:
    return ours.Complete(m.src, m.clientName, c.to_block(m.last) if m.HasField("last") else None, m.fileId)


def _write_complete(r: ours.Complete, c: Converter) -> theirs.CompleteRequest:
    last = None if r.last is None else c.block(r.last)
    return theirs.CompleteRequest(src=r.path, clientName=r.client_name, last=last, fileId=r.file_id)


def _read_owner(m: theirs.SetOwnerRequest, c: Converter) -> ours.SetOwner:
    return ours.SetOwner(m.src, m.username or None, m.groupname or None)


def _read_times(m: theirs.SetTimesRequest, c: Converter) -> ours.SetTimes:
    return ours.SetTimes(m.src, or_unset(m.mtime), or_unset(m.atime))


def or_unset(number: int) -> int:
    """A number that has no sign on the wire: -1 where it is not set."""
    return -1 if number == UNSET else number


def _read_bad_blocks(m: theirs.ReportBadBlocksRequest, c: Converter) -> ours.ReportBadBlocks:
    # Clients send an offset that is not set, which is no offset to keep.
    return ours.ReportBadBlocks(tuple(_without_offset(one, c) for one in m.blocks))


def _without_offset(message: hdfs.LocatedBlock, c: Converter) -> LocatedBlock:
    return LocatedBlock(c.to_block(message.b), c.to_datanodes(message.locs))


_SAFE_MODE: Final = {
    hdfs.SafeModeAction.SAFEMODE_LEAVE: ours.SafeModeAction.LEAVE,
    hdfs.SafeModeAction.SAFEMODE_ENTER: ours.SafeModeAction.ENTER,
    hdfs.SafeModeAction.SAFEMODE_GET: ours.SafeModeAction.GET,
    hdfs.SafeModeAction.SAFEMODE_FORCE_EXIT: ours.SafeModeAction.FORCE_EXIT,
}
_SAFE_MODE_NUMBERS: Final = {action: number for number, action in _SAFE_MODE.items()}

_REPORT_ALL: Final = hdfs.DatanodeReportType.ALL


# -- answers --------------------------------------------------------------------------------------------------------


def _status(field: str, answer: type[Message]) -> tuple[Callable[..., Message], Callable[..., Any]]:
    """An answer with one file status, which may be missing."""

    def write(status: ours.HdfsFileStatus | None, c: Converter) -> Message:
        return answer(**({} if status is None else {field: c.file_status(status)}))

    def read(m: Any, c: Converter) -> ours.HdfsFileStatus | None:
        return c.to_file_status(getattr(m, field)) if m.HasField(field) else None

    return write, read


def _located(answer: type[Message]) -> tuple[Callable[..., Message], Callable[..., Any]]:
    """An answer with one located block."""
    return (lambda located, c: answer(block=c.located_block(located)), lambda m, c: c.to_located_block(m.block))


def _flag(answer: type[Message]) -> tuple[Callable[..., Message], Callable[..., Any]]:
    """An answer of yes or no."""
    return (lambda result, c: answer(result=result), lambda m, c: bool(m.result))


def _empty(answer: type[Message]) -> tuple[Callable[..., Message], Callable[..., Any]]:
    """An answer that says nothing."""
    return (lambda result, c: answer(), lambda m, c: None)


def _write_appended(answer: ours.LastBlockWithStatus, c: Converter) -> theirs.AppendResponse:
    block = None if answer.block is None else c.located_block(answer.block)
    return theirs.AppendResponse(block=block, stat=c.file_status(answer.status))


def _read_appended(m: theirs.AppendResponse, c: Converter) -> ours.LastBlockWithStatus:
    block = c.to_located_block(m.block) if m.HasField("block") else None
    return ours.LastBlockWithStatus(block, c.to_file_status(m.stat))


def _write_listing(listing: ours.DirectoryListing | None, c: Converter) -> theirs.GetListingResponse:
    return theirs.GetListingResponse(dirList=None if listing is None else c.listing(listing))


def _read_listing(m: theirs.GetListingResponse, c: Converter) -> ours.DirectoryListing | None:
    return c.to_listing(m.dirList) if m.HasField("dirList") else None


def _write_defaults(defaults: ours.FsServerDefaults, c: Converter) -> theirs.GetServerDefaultsResponse:
    return theirs.GetServerDefaultsResponse(
        serverDefaults=hdfs.FsServerDefaults(
            blockSize=defaults.block_size,
            bytesPerChecksum=defaults.bytes_per_checksum,
            writePacketSize=defaults.write_packet_size,
            replication=defaults.replication,
            fileBufferSize=4096,
            encryptDataTransfer=False,
            checksumType=hdfs.ChecksumType.CHECKSUM_CRC32C,
        )
    )


def _read_defaults(m: theirs.GetServerDefaultsResponse, c: Converter) -> ours.FsServerDefaults:
    d = m.serverDefaults
    return ours.FsServerDefaults(d.blockSize, d.bytesPerChecksum, d.writePacketSize, d.replication)


def _write_summary(summary: ours.ContentSummary, c: Converter) -> theirs.GetContentSummaryResponse:
    return theirs.GetContentSummaryResponse(
        summary=hdfs.ContentSummary(
            length=summary.length,
            fileCount=summary.file_count,
            directoryCount=summary.directory_count,
            quota=UNSET,
            spaceConsumed=summary.space_consumed,
            spaceQuota=UNSET,
        )
    )


def _read_summary(m: theirs.GetContentSummaryResponse, c: Converter) -> ours.ContentSummary:
    s = m.summary
    return ours.ContentSummary(s.length, s.fileCount, s.directoryCount, s.spaceConsumed)


def _write_stats(stats: ours.FsStats, c: Converter) -> theirs.GetFsStatsResponse:
    return theirs.GetFsStatsResponse(
        capacity=stats.capacity,
        used=stats.used,
        remaining=stats.remaining,
        under_replicated=stats.under_replicated,
        corrupt_blocks=stats.corrupt_blocks,
        missing_blocks=stats.missing_blocks,
    )


def _read_stats(m: theirs.GetFsStatsResponse, c: Converter) -> ours.FsStats:
    return ours.FsStats(m.capacity, m.used, m.remaining, m.under_replicated, m.corrupt_blocks, m.missing_blocks)


def _write_report(report: tuple[ours.DatanodeStatus, ...], c: Converter) -> theirs.GetDatanodeReportResponse:
    return theirs.GetDatanodeReportResponse(di=[c.datanode_status(one) for one in report])


def _read_report(m: theirs.GetDatanodeReportResponse, c: Converter) -> tuple[ours.DatanodeStatus, ...]:
    return tuple(
        ours.DatanodeStatus(
            name=c.to_datanode(info.id),
            is_alive=True,
            is_stale=False,
            last_update_us=info.lastUpdateMonotonic * 1000,
            capacity=info.capacity,
            used=info.dfsUsed,
            remaining=info.remaining,
            blocks=info.numBlocks,
        )
        for info in m.di
    )


# -- the table ------------------------------------------------------------------------------------------------------


def _call(
    kind: type[Request[Any]],
    method: str,
    read: Callable[[Any, Converter], Request[Any]],
    write: Callable[..., Message],
    answers: tuple[Callable[..., Message], Callable[..., Any]],
) -> tuple[type[Request[Any]], Call]:
    name = method[0].upper() + method[1:]
    request: type[Message] = getattr(theirs, f"{name}Request")
    answer: type[Message] = getattr(theirs, f"{name}Response")
    return kind, Call(method, request, answer, read, write, *answers)


CALLS: Final[dict[type[Request[Any]], Call]] = dict(
    [
        _call(
            ours.GetServerDefaults,
            "getServerDefaults",
            lambda m, c: ours.GetServerDefaults(),
            lambda r, c: theirs.GetServerDefaultsRequest(),
            (_write_defaults, _read_defaults),
        ),
        _call(ours.Create, "create", _read_create, _write_create, _status("fs", theirs.CreateResponse)),
        _call(ours.Append, "append", _read_append, _write_append, (_write_appended, _read_appended)),
        _call(ours.AddBlock, "addBlock", _read_add_block, _write_add_block, _located(theirs.AddBlockResponse)),
        _call(
            ours.AbandonBlock,
            "abandonBlock",
            lambda m, c: ours.AbandonBlock(c.to_block(m.b), m.src, m.holder, m.fileId),
            lambda r, c: theirs.AbandonBlockRequest(b=c.block(r.block), src=r.path, holder=r.holder, fileId=r.file_id),
            _empty(theirs.AbandonBlockResponse),
        ),
        _call(
            ours.GetAdditionalDatanode,
            "getAdditionalDatanode",
            _read_additional,
            _write_additional,
            _located(theirs.GetAdditionalDatanodeResponse),
        ),
        _call(
            ours.UpdateBlockForPipeline,
            "updateBlockForPipeline",
            lambda m, c: ours.UpdateBlockForPipeline(c.to_block(m.block), m.clientName),
            lambda r, c: theirs.UpdateBlockForPipelineRequest(block=c.block(r.block), clientName=r.client_name),
            _located(theirs.UpdateBlockForPipelineResponse),
        ),
        _call(
            ours.UpdatePipeline,
            "updatePipeline",
            _read_update_pipeline,
            _write_update_pipeline,
            _empty(theirs.UpdatePipelineResponse),
        ),
        _call(ours.Complete, "complete", _read_complete, _write_complete, _flag(theirs.CompleteResponse)),
        _call(
            ours.Fsync,
            "fsync",
            lambda m, c: ours.Fsync(m.src, m.client, m.lastBlockLength, m.fileId, pipeline=tuple(m.pipeline)),
            lambda r, c: theirs.FsyncRequest(
                src=r.path,
                client=r.client_name,
                lastBlockLength=r.last_block_length,
                fileId=r.file_id,
                pipeline=r.pipeline,
            ),
            _empty(theirs.FsyncResponse),
        ),
        _call(
            ours.RenewLease,
            "renewLease",
            lambda m, c: ours.RenewLease(m.clientName),
            lambda r, c: theirs.RenewLeaseRequest(clientName=r.client_name),
            _empty(theirs.RenewLeaseResponse),
        ),
        _call(
            ours.RecoverLease,
            "recoverLease",
            lambda m, c: ours.RecoverLease(m.src, m.clientName),
            lambda r, c: theirs.RecoverLeaseRequest(src=r.path, clientName=r.client_name),
            _flag(theirs.RecoverLeaseResponse),
        ),
        _call(
            ours.IsFileClosed,
            "isFileClosed",
            lambda m, c: ours.IsFileClosed(m.src),
            lambda r, c: theirs.IsFileClosedRequest(src=r.path),
            _flag(theirs.IsFileClosedResponse),
        ),
        _call(
            ours.Truncate,
            "truncate",
            lambda m, c: ours.Truncate(m.src, m.newLength, m.clientName),
            lambda r, c: theirs.TruncateRequest(src=r.path, newLength=r.new_length, clientName=r.client_name),
            _flag(theirs.TruncateResponse),
        ),
        _call(
            ours.Delete,
            "delete",
            lambda m, c: ours.Delete(m.src, m.recursive),
            lambda r, c: theirs.DeleteRequest(src=r.path, recursive=r.recursive),
            _flag(theirs.DeleteResponse),
        ),
        _call(
            ours.Rename,
            "rename",
            lambda m, c: ours.Rename(m.src, m.dst),
            lambda r, c: theirs.RenameRequest(src=r.source, dst=r.destination),
            _flag(theirs.RenameResponse),
        ),
        _call(
            ours.Rename2,
            "rename2",
            lambda m, c: ours.Rename2(m.src, m.dst, m.overwriteDest),
            lambda r, c: theirs.Rename2Request(src=r.source, dst=r.destination, overwriteDest=r.overwrite),
            _empty(theirs.Rename2Response),
        ),
        _call(
            ours.Concat,
            "concat",
            lambda m, c: ours.Concat(m.trg, tuple(m.srcs)),
            lambda r, c: theirs.ConcatRequest(trg=r.target, srcs=r.sources),
            _empty(theirs.ConcatResponse),
        ),
        _call(
            ours.Mkdirs,
            "mkdirs",
            lambda m, c: ours.Mkdirs(m.src, m.createParent, m.masked.perm),
            lambda r, c: theirs.MkdirsRequest(
                src=r.path, masked=hdfs.FsPermission(perm=r.permission), createParent=r.create_parent
            ),
            _flag(theirs.MkdirsResponse),
        ),
        _call(
            ours.GetFileInfo,
            "getFileInfo",
            lambda m, c: ours.GetFileInfo(m.src),
            lambda r, c: theirs.GetFileInfoRequest(src=r.path),
            _status("fs", theirs.GetFileInfoResponse),
        ),
        _call(
            ours.GetListing,
            "getListing",
            lambda m, c: ours.GetListing(m.src, m.startAfter.decode(errors="replace")),
            lambda r, c: theirs.GetListingRequest(src=r.path, startAfter=r.start_after.encode(), needLocation=False),
            (_write_listing, _read_listing),
        ),
        _call(
            ours.GetBlockLocations,
            "getBlockLocations",
            lambda m, c: ours.GetBlockLocations(m.src, m.offset, m.length),
            lambda r, c: theirs.GetBlockLocationsRequest(src=r.path, offset=r.offset, length=r.length),
            (
                lambda located, c: theirs.GetBlockLocationsResponse(locations=c.located_blocks(located)),
                lambda m, c: c.to_located_blocks(m.locations),
            ),
        ),
        _call(
            ours.SetReplication,
            "setReplication",
            lambda m, c: ours.SetReplication(m.src, m.replication),
            lambda r, c: theirs.SetReplicationRequest(src=r.path, replication=r.replication),
            _flag(theirs.SetReplicationResponse),
        ),
        _call(
            ours.SetPermission,
            "setPermission",
            lambda m, c: ours.SetPermission(m.src, m.permission.perm),
            lambda r, c: theirs.SetPermissionRequest(src=r.path, permission=hdfs.FsPermission(perm=r.permission)),
            _empty(theirs.SetPermissionResponse),
        ),
        _call(
            ours.SetOwner,
            "setOwner",
            _read_owner,
            lambda r, c: theirs.SetOwnerRequest(src=r.path, username=r.owner, groupname=r.group),
            _empty(theirs.SetOwnerResponse),
        ),
        _call(
            ours.SetTimes,
            "setTimes",
            _read_times,
            lambda r, c: theirs.SetTimesRequest(
                src=r.path, mtime=r.modification_time_ms & UNSET, atime=r.access_time_ms & UNSET
            ),
            _empty(theirs.SetTimesResponse),
        ),
        _call(
            ours.GetContentSummary,
            "getContentSummary",
            lambda m, c: ours.GetContentSummary(m.path),
            lambda r, c: theirs.GetContentSummaryRequest(path=r.path),
            (_write_summary, _read_summary),
        ),
        _call(
            ours.GetFsStats,
            "getFsStats",
            lambda m, c: ours.GetFsStats(),
            lambda r, c: theirs.GetFsStatsRequest(),
            (_write_stats, _read_stats),
        ),
        _call(
            ours.GetDatanodeReport,
            "getDatanodeReport",
            lambda m, c: ours.GetDatanodeReport(),
            lambda r, c: theirs.GetDatanodeReportRequest(type=_REPORT_ALL),
            (_write_report, _read_report),
        ),
        _call(
            ours.SetSafeMode,
            "setSafeMode",
            lambda m, c: ours.SetSafeMode(_SAFE_MODE[m.action]),
            lambda r, c: theirs.SetSafeModeRequest(action=_SAFE_MODE_NUMBERS[r.action]),
            _flag(theirs.SetSafeModeResponse),
        ),
        _call(
            ours.ReportBadBlocks,
            "reportBadBlocks",
            _read_bad_blocks,
            lambda r, c: theirs.ReportBadBlocksRequest(blocks=[c.located_block(one) for one in r.blocks]),
            _empty(theirs.ReportBadBlocksResponse),
        ),
    ]
)
"""Every call, by the class of our request."""

BY_METHOD: Final[dict[str, Call]] = {call.method: call for call in CALLS.values()}
"""Every call, by Hadoop's name of it."""
