"""Calls that open, write and close files, and those about their leases.

Not here: what a truncate comes to in the end: that is seen by isFileClosed.

Source: facts W.2.2, W.2.3; CL/protocolPB/ClientNamenodeProtocolTranslatorPB, Hadoop 3.4.1.
"""

from typing import Any, Final

from genstamp_dfs.hdfs.messages import client_protocol as ours
from genstamp_dfs.server.wire import hdfs_pb2 as hdfs
from genstamp_dfs.server.wire import namenode_pb2 as theirs
from genstamp_dfs.server.wire.calls import Call, call, empty, flag, located, status
from genstamp_dfs.server.wire.convert import Converter, signed, storage_id, unsigned
from genstamp_dfs.world.request import Request


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


def _write_appended(answer: ours.LastBlockWithStatus, c: Converter) -> theirs.AppendResponse:
    block = None if answer.block is None else c.located_block(answer.block)
    return theirs.AppendResponse(block=block, stat=c.file_status(answer.status))


def _read_appended(m: theirs.AppendResponse, c: Converter) -> ours.LastBlockWithStatus:
    block = c.to_located_block(m.block) if m.HasField("block") else None
    return ours.LastBlockWithStatus(block, c.to_file_status(m.stat))


WRITING: Final[tuple[tuple[type[Request[Any]], Call], ...]] = (
    call(ours.Create, "create", _read_create, _write_create, status("fs", theirs.CreateResponse)),
    call(ours.Append, "append", _read_append, _write_append, (_write_appended, _read_appended)),
    call(ours.AddBlock, "addBlock", _read_add_block, _write_add_block, located(theirs.AddBlockResponse)),
    call(
        ours.AbandonBlock,
        "abandonBlock",
        lambda m, c: ours.AbandonBlock(c.to_block(m.b), m.src, m.holder, m.fileId),
        lambda r, c: theirs.AbandonBlockRequest(b=c.block(r.block), src=r.path, holder=r.holder, fileId=r.file_id),
        empty(theirs.AbandonBlockResponse),
    ),
    call(
        ours.GetAdditionalDatanode,
        "getAdditionalDatanode",
        _read_additional,
        _write_additional,
        located(theirs.GetAdditionalDatanodeResponse),
    ),
    call(
        ours.UpdateBlockForPipeline,
        "updateBlockForPipeline",
        lambda m, c: ours.UpdateBlockForPipeline(c.to_block(m.block), m.clientName),
        lambda r, c: theirs.UpdateBlockForPipelineRequest(block=c.block(r.block), clientName=r.client_name),
        located(theirs.UpdateBlockForPipelineResponse),
    ),
    call(
        ours.UpdatePipeline,
        "updatePipeline",
        _read_update_pipeline,
        _write_update_pipeline,
        empty(theirs.UpdatePipelineResponse),
    ),
    call(ours.Complete, "complete", _read_complete, _write_complete, flag(theirs.CompleteResponse)),
    call(
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
        empty(theirs.FsyncResponse),
    ),
    call(
        ours.RenewLease,
        "renewLease",
        lambda m, c: ours.RenewLease(m.clientName),
        lambda r, c: theirs.RenewLeaseRequest(clientName=r.client_name),
        empty(theirs.RenewLeaseResponse),
    ),
    call(
        ours.RecoverLease,
        "recoverLease",
        lambda m, c: ours.RecoverLease(m.src, m.clientName),
        lambda r, c: theirs.RecoverLeaseRequest(src=r.path, clientName=r.client_name),
        flag(theirs.RecoverLeaseResponse),
    ),
    call(
        ours.IsFileClosed,
        "isFileClosed",
        lambda m, c: ours.IsFileClosed(m.src),
        lambda r, c: theirs.IsFileClosedRequest(src=r.path),
        flag(theirs.IsFileClosedResponse),
    ),
    call(
        ours.Truncate,
        "truncate",
        lambda m, c: ours.Truncate(m.src, signed(m.newLength), m.clientName),
        lambda r, c: theirs.TruncateRequest(src=r.path, newLength=unsigned(r.new_length), clientName=r.client_name),
        flag(theirs.TruncateResponse),
    ),
)
"""Our requests, and how each crosses the wire."""
