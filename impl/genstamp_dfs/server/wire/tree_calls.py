"""Calls about names and attributes, those that read, and those about the cluster.

Not here: quotas, permissions and everything else that the namenode here does not have.

Source: facts W.2.2, W.2.3; CL/protocolPB/ClientNamenodeProtocolTranslatorPB, Hadoop 3.4.1.
"""

from typing import Any, Final

from genstamp_dfs.hdfs.messages import client_protocol as ours
from genstamp_dfs.hdfs.messages import cluster_status
from genstamp_dfs.hdfs.protocol import LocatedBlock
from genstamp_dfs.server.wire import hdfs_pb2 as hdfs
from genstamp_dfs.server.wire import namenode_pb2 as theirs
from genstamp_dfs.server.wire.calls import Call, call, empty, flag, status
from genstamp_dfs.server.wire.convert import UNSET, Converter, signed, unsigned
from genstamp_dfs.world.request import Request


def _read_owner(m: theirs.SetOwnerRequest, c: Converter) -> ours.SetOwner:
    return ours.SetOwner(m.src, m.username or None, m.groupname or None)


def _read_times(m: theirs.SetTimesRequest, c: Converter) -> ours.SetTimes:
    return ours.SetTimes(m.src, signed(m.mtime), signed(m.atime))


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


def _write_stats(stats: cluster_status.FsStats, c: Converter) -> theirs.GetFsStatsResponse:
    return theirs.GetFsStatsResponse(
        capacity=stats.capacity,
        used=stats.used,
        remaining=stats.remaining,
        under_replicated=stats.under_replicated,
        corrupt_blocks=stats.corrupt_blocks,
        missing_blocks=stats.missing_blocks,
        missing_repl_one_blocks=stats.missing_replication_one,
        pending_deletion_blocks=stats.pending_deletion,
    )


def _read_stats(m: theirs.GetFsStatsResponse, c: Converter) -> cluster_status.FsStats:
    return cluster_status.FsStats(
        m.capacity,
        m.used,
        m.remaining,
        m.under_replicated,
        m.corrupt_blocks,
        m.missing_blocks,
        m.missing_repl_one_blocks,
        m.pending_deletion_blocks,
    )


def _write_report(report: tuple[cluster_status.DatanodeStatus, ...], c: Converter) -> theirs.GetDatanodeReportResponse:
    return theirs.GetDatanodeReportResponse(di=[c.datanode_status(one) for one in report])


def _read_report(m: theirs.GetDatanodeReportResponse, c: Converter) -> tuple[cluster_status.DatanodeStatus, ...]:
    return tuple(
        cluster_status.DatanodeStatus(
            name=c.to_datanode(info.id),
            is_alive=True,
            is_stale=False,
            last_update_us=info.lastUpdateMonotonic * 1000,
            capacity=info.capacity,
            used=info.dfsUsed,
            remaining=info.remaining,
            blocks=info.numBlocks,
            last_update_ms=info.lastUpdate,
            last_block_report_ms=info.lastBlockReportTime,
        )
        for info in m.di
    )


NAMES_AND_NODES: Final[tuple[tuple[type[Request[Any]], Call], ...]] = (
    call(
        ours.GetServerDefaults,
        "getServerDefaults",
        lambda m, c: ours.GetServerDefaults(),
        lambda r, c: theirs.GetServerDefaultsRequest(),
        (_write_defaults, _read_defaults),
    ),
    call(
        ours.Delete,
        "delete",
        lambda m, c: ours.Delete(m.src, m.recursive),
        lambda r, c: theirs.DeleteRequest(src=r.path, recursive=r.recursive),
        flag(theirs.DeleteResponse),
    ),
    call(
        ours.Rename,
        "rename",
        lambda m, c: ours.Rename(m.src, m.dst),
        lambda r, c: theirs.RenameRequest(src=r.source, dst=r.destination),
        flag(theirs.RenameResponse),
    ),
    call(
        ours.Rename2,
        "rename2",
        lambda m, c: ours.Rename2(m.src, m.dst, m.overwriteDest),
        lambda r, c: theirs.Rename2Request(src=r.source, dst=r.destination, overwriteDest=r.overwrite),
        empty(theirs.Rename2Response),
    ),
    call(
        ours.Concat,
        "concat",
        lambda m, c: ours.Concat(m.trg, tuple(m.srcs)),
        lambda r, c: theirs.ConcatRequest(trg=r.target, srcs=r.sources),
        empty(theirs.ConcatResponse),
    ),
    call(
        ours.Mkdirs,
        "mkdirs",
        lambda m, c: ours.Mkdirs(m.src, m.createParent, m.masked.perm),
        lambda r, c: theirs.MkdirsRequest(
            src=r.path, masked=hdfs.FsPermission(perm=r.permission), createParent=r.create_parent
        ),
        flag(theirs.MkdirsResponse),
    ),
    call(
        ours.GetFileInfo,
        "getFileInfo",
        lambda m, c: ours.GetFileInfo(m.src),
        lambda r, c: theirs.GetFileInfoRequest(src=r.path),
        status("fs", theirs.GetFileInfoResponse),
    ),
    call(
        ours.GetListing,
        "getListing",
        lambda m, c: ours.GetListing(m.src, m.startAfter.decode(errors="replace"), m.needLocation),
        lambda r, c: theirs.GetListingRequest(
            src=r.path, startAfter=r.start_after.encode(), needLocation=r.needs_locations
        ),
        (_write_listing, _read_listing),
    ),
    call(
        ours.GetBlockLocations,
        "getBlockLocations",
        lambda m, c: ours.GetBlockLocations(m.src, signed(m.offset), signed(m.length)),
        lambda r, c: theirs.GetBlockLocationsRequest(src=r.path, offset=unsigned(r.offset), length=unsigned(r.length)),
        (
            lambda located, c: theirs.GetBlockLocationsResponse(locations=c.located_blocks(located)),
            lambda m, c: c.to_located_blocks(m.locations),
        ),
    ),
    call(
        ours.SetReplication,
        "setReplication",
        lambda m, c: ours.SetReplication(m.src, m.replication),
        lambda r, c: theirs.SetReplicationRequest(src=r.path, replication=r.replication),
        flag(theirs.SetReplicationResponse),
    ),
    call(
        ours.SetPermission,
        "setPermission",
        lambda m, c: ours.SetPermission(m.src, m.permission.perm),
        lambda r, c: theirs.SetPermissionRequest(src=r.path, permission=hdfs.FsPermission(perm=r.permission)),
        empty(theirs.SetPermissionResponse),
    ),
    call(
        ours.SetOwner,
        "setOwner",
        _read_owner,
        lambda r, c: theirs.SetOwnerRequest(src=r.path, username=r.owner, groupname=r.group),
        empty(theirs.SetOwnerResponse),
    ),
    call(
        ours.SetTimes,
        "setTimes",
        _read_times,
        lambda r, c: theirs.SetTimesRequest(
            src=r.path, mtime=unsigned(r.modification_time_ms), atime=unsigned(r.access_time_ms)
        ),
        empty(theirs.SetTimesResponse),
    ),
    call(
        ours.GetContentSummary,
        "getContentSummary",
        lambda m, c: ours.GetContentSummary(m.path),
        lambda r, c: theirs.GetContentSummaryRequest(path=r.path),
        (_write_summary, _read_summary),
    ),
    call(
        cluster_status.GetFsStats,
        "getFsStats",
        lambda m, c: cluster_status.GetFsStats(),
        lambda r, c: theirs.GetFsStatsRequest(),
        (_write_stats, _read_stats),
    ),
    call(
        cluster_status.GetDatanodeReport,
        "getDatanodeReport",
        lambda m, c: cluster_status.GetDatanodeReport(cluster_status.DatanodeReportType(m.type)),
        lambda r, c: theirs.GetDatanodeReportRequest(type=r.report_type.name),
        (_write_report, _read_report),
    ),
    call(
        ours.SetSafeMode,
        "setSafeMode",
        lambda m, c: ours.SetSafeMode(_SAFE_MODE[m.action]),
        lambda r, c: theirs.SetSafeModeRequest(action=_SAFE_MODE_NUMBERS[r.action]),
        flag(theirs.SetSafeModeResponse),
    ),
    call(
        ours.ReportBadBlocks,
        "reportBadBlocks",
        _read_bad_blocks,
        lambda r, c: theirs.ReportBadBlocksRequest(blocks=[c.located_block(one) for one in r.blocks]),
        empty(theirs.ReportBadBlocksResponse),
    ),
)
"""Our requests, and how each crosses the wire."""
