"""Bytes of Hadoop's wire protocols, against bytes that were captured from the Java client."""

import filecmp
from pathlib import Path

import pytest
from msgspec.structs import replace

import genstamp_dfs
from genstamp_dfs.errors import FileNotFoundException
from genstamp_dfs.hdfs.messages import client_protocol as calls
from genstamp_dfs.hdfs.messages import cluster_status
from genstamp_dfs.hdfs.messages.data_transfer import (
    BlockConstructionStage,
    BlockOpResponse,
    Packet,
    PipelineAck,
    ReadBlock,
    Status,
    WriteBlock,
)
from genstamp_dfs.hdfs.protocol import Block, LocatedBlock
from genstamp_dfs.server.addresses import Address, AddressBook
from genstamp_dfs.server.wire import frames, transfer
from genstamp_dfs.server.wire import namenode_pb2 as namenode
from genstamp_dfs.server.wire import rpc_pb2 as rpc
from genstamp_dfs.server.wire.client_calls import BY_METHOD, CALLS
from genstamp_dfs.server.wire.convert import Converter
from genstamp_dfs.server.wire.exceptions import exception_of, java_name
from genstamp_dfs.server.wire.foreign_calls import FOREIGN, ForeignCall

CLIENT_ID = bytes.fromhex("64060767f69242a4872a777c59c19415")
POOL = "BP-1-127.0.0.1-1"
FIRST_BLOCK = Block(1_073_741_825, 1001, 0)


def converter() -> Converter:
    addresses = AddressBook()
    for number in (1, 2, 3):
        addresses.note(f"datanode{number}", Address("127.0.0.1", 9860 + number, 9870 + number))
    return Converter(POOL, addresses)


# -- calls ----------------------------------------------------------------------------------------------------------

GET_FILE_INFO = bytes.fromhex(
    "21 0802 1000 1800 2210 64060767f69242a4872a777c59c19415 2800 3a05 0a03 434c49"
    "3f 0a0b 67657446696c65496e666f 122e" + b"org.apache.hadoop.hdfs.protocol.ClientProtocol".hex() + "1801"
    "04 0a02 2f66"
)

FILE_INFO = bytes.fromhex(
    "0a39 0802 1200 18e807 220308a403 2a04 726f6f74 320a 737570657267726f7570 38dddbcee49f34 40dddbcee49f34 5003"
    "5880808040 68838001 7000"
)


def test_get_file_info_of_the_java_client_is_understood() -> None:
    reader = frames.FrameReader(GET_FILE_INFO)
    header = reader.next(rpc.RpcRequestHeader)
    call = reader.next(rpc.RequestHeader)
    request = BY_METHOD[call.methodName].read(reader.next(BY_METHOD[call.methodName].request), converter())
    assert (header.callId, header.clientId, call.clientProtocolVersion) == (0, CLIENT_ID, 1)
    assert request == calls.GetFileInfo("/f")


def test_an_answer_reads_as_the_java_client_reads_it() -> None:
    status = converter().to_file_status(namenode.GetFileInfoResponse.FromString(FILE_INFO).fs)
    assert status == calls.HdfsFileStatus(
        file_id=16387,
        path="",
        is_directory=False,
        length=1000,
        replication=3,
        block_size=134_217_728,
        modification_time_ms=1_795_238_899_165,
        access_time_ms=1_795_238_899_165,
        permission=0o644,
        owner="root",
        group="supergroup",
    )
    answer = CALLS[calls.GetFileInfo].write_answer(status, converter())
    assert answer.SerializeToString() == FILE_INFO


def test_a_missing_file_is_an_answer_without_a_status() -> None:
    assert CALLS[calls.GetFileInfo].write_answer(None, converter()).SerializeToString() == b""


def test_the_header_of_an_answer_has_negative_call_ids_as_unsigned() -> None:
    header = frames.response_header(frames.SASL_CALL_ID, b"", -1)
    assert header.SerializeToString() == bytes.fromhex("08dfffffff0f 1000 1809 3a00 4001")


LOCATED = LocatedBlock(Block(1_073_741_825, 1001, 700), ("datanode1", "datanode3"), 4096, False)
STATUS = calls.HdfsFileStatus(16_386, "", False, 700, 3, 4096)

REQUESTS = [
    calls.GetServerDefaults(),
    calls.Create("/a", "client1", calls.CreateFlag.CREATE | calls.CreateFlag.OVERWRITE, True, 2, 4096, 0o600),
    calls.Append("/a", "client1", calls.CreateFlag.APPEND | calls.CreateFlag.NEW_BLOCK),
    calls.AddBlock("/a", "client1", FIRST_BLOCK, ("datanode2",), 16_386),
    calls.AddBlock("/a", "client1"),
    calls.AbandonBlock(FIRST_BLOCK, "/a", "client1", 16_386),
    calls.GetAdditionalDatanode("/a", FIRST_BLOCK, ("datanode1",), ("datanode2",), 1, "client1", 16_386),
    calls.UpdateBlockForPipeline(FIRST_BLOCK, "client1"),
    calls.UpdatePipeline("client1", FIRST_BLOCK, Block(1_073_741_825, 1002, 5), ("datanode1", "datanode3")),
    calls.Complete("/a", "client1", FIRST_BLOCK, 16_386),
    calls.Complete("/a", "client1"),
    calls.Fsync("/a", "client1", 700, 16_386),
    calls.Fsync("/a", "client1"),
    calls.Fsync("/a", "client1", 700, 16_386, pipeline=("datanode1", "datanode3")),
    calls.RenewLease("client1"),
    calls.RecoverLease("/a", "client1"),
    calls.IsFileClosed("/a"),
    calls.Truncate("/a", 12, "client1"),
    calls.Delete("/a", True),
    calls.Rename("/a", "/b"),
    calls.Rename2("/a", "/b", True),
    calls.Concat("/a", ("/b", "/c")),
    calls.Mkdirs("/d", False, 0o700),
    calls.GetFileInfo("/a"),
    calls.GetListing("/", "b"),
    calls.GetListing("/", "b", True),
    calls.GetBlockLocations("/a", 5, 2**63 - 1),
    calls.SetReplication("/a", 2),
    calls.SetPermission("/a", 0o640),
    calls.SetOwner("/a", "hdfs", None),
    calls.SetTimes("/a", 5, -1),
    calls.GetContentSummary("/"),
    cluster_status.GetFsStats(),
    cluster_status.GetDatanodeReport(cluster_status.DatanodeReportType.DEAD),
    calls.SetSafeMode(calls.SafeModeAction.ENTER),
    calls.ReportBadBlocks((LocatedBlock(FIRST_BLOCK, ("datanode1",)),)),
]


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request: type(request).__name__)
def test_each_request_survives_the_wire(request_: calls.Create) -> None:
    call = CALLS[type(request_)]
    message = call.write(request_, converter())
    assert call.read(call.request.FromString(message.SerializeToString()), converter()) == request_


def test_there_is_a_request_for_each_call() -> None:
    assert {type(request) for request in REQUESTS} == set(CALLS)


LOCATED_BLOCKS = calls.LocatedBlocks(4096, True, (LOCATED,), LOCATED, False)

ANSWERS = [
    (calls.GetServerDefaults, calls.FsServerDefaults(4096, 512, 65536, 3)),
    (calls.Create, STATUS),
    (calls.Append, calls.LastBlockWithStatus(LOCATED, STATUS)),
    (calls.Append, calls.LastBlockWithStatus(None, STATUS)),
    (calls.AddBlock, LOCATED),
    (calls.AbandonBlock, None),
    (calls.Complete, False),
    (calls.GetFileInfo, None),
    (calls.GetListing, calls.DirectoryListing((STATUS, calls.HdfsFileStatus(16_385, "d", True, children=2)), 7)),
    (calls.GetListing, None),
    (calls.GetListing, calls.DirectoryListing((replace(STATUS, locations=LOCATED_BLOCKS),), 0)),
    (calls.GetBlockLocations, LOCATED_BLOCKS),
    (calls.GetBlockLocations, calls.LocatedBlocks(0, False, (), None, False)),
    (calls.GetContentSummary, calls.ContentSummary(5, 1, 2, 15)),
    (cluster_status.GetFsStats, cluster_status.FsStats(1, 2, 3, 4, 5, 6, 7, 8)),
    (
        cluster_status.GetDatanodeReport,
        (cluster_status.DatanodeStatus("datanode1", True, False, 5000, 10, 4, 6, 1, 7, 8),),
    ),
    (calls.SetSafeMode, True),
]


@pytest.mark.parametrize(("kind", "answer"), ANSWERS)
def test_each_answer_survives_the_wire(kind: type[calls.Create], answer: object) -> None:
    call = CALLS[kind]
    message = call.write_answer(answer, converter())
    assert call.read_answer(call.answer.FromString(message.SerializeToString()), converter()) == answer


def test_a_client_learns_addresses_from_what_it_reads() -> None:
    message = converter().located_block(LOCATED)
    fresh = Converter(POOL, AddressBook())
    fresh.to_located_block(message)
    assert fresh.addresses.address("datanode3") == Address("127.0.0.1", 9863, 9873)


# -- calls of other clients -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("call", FOREIGN, ids=lambda call: call.method)
def test_a_call_of_other_clients_is_no_call_of_ours(call: ForeignCall) -> None:
    assert call.method not in BY_METHOD


def foreign(method: str) -> ForeignCall:
    return next(call for call in FOREIGN if call.method == method)


def test_calls_that_our_client_does_not_make_come_to_one_that_is_there() -> None:
    asked = foreign("getLocatedFileInfo").read
    assert asked is not None
    assert asked(namenode.GetLocatedFileInfoRequest(src="/a")) == calls.GetFileInfo("/a", True)
    directory = calls.HdfsFileStatus(16_385, "d", True, children=2)
    size = foreign("getPreferredBlockSize").write_answer
    assert size(STATUS, converter()).SerializeToString() == bytes.fromhex("088020")
    for method, status in (
        ("getPreferredBlockSize", directory),
        ("getPreferredBlockSize", None),
        ("checkAccess", None),
    ):
        with pytest.raises(FileNotFoundException):
            foreign(method).write_answer(status, converter())
    assert foreign("checkAccess").write_answer(directory, converter()).SerializeToString() == b""


def test_blocks_and_open_files_are_told_as_hadoops_report_reads_them() -> None:
    stats = foreign("getFsReplicatedBlockStats").write_answer(
        cluster_status.FsStats(1, 2, 3, 4, 5, 6, 7, 8, 9), converter()
    )
    assert stats.SerializeToString() == bytes.fromhex("0804 1005 1806 2007 2800 3008 3809")
    asked = foreign("listOpenFiles").read
    assert asked is not None
    request = namenode.ListOpenFilesRequest.FromString(bytes.fromhex("0807 1001 1a022f61"))
    assert asked(request) == cluster_status.ListOpenFiles(7, "/a", (cluster_status.OpenFilesType.ALL_OPEN_FILES,))
    page = cluster_status.OpenFiles((cluster_status.OpenFileEntry(8, "/a/b", "c", "m"),), True)
    answer = foreign("listOpenFiles").write_answer(page, converter())
    assert answer.SerializeToString() == bytes.fromhex("0a0e 0808 12042f612f62 1a0163 22016d 1001")


# -- exceptions -----------------------------------------------------------------------------------------------------


def test_exceptions_cross_the_wire_under_their_java_names() -> None:
    assert java_name(FileNotFoundException("x")) == "java.io.FileNotFoundException"
    back = exception_of("java.io.FileNotFoundException", "File does not exist: /nope")
    assert (type(back), str(back)) == (FileNotFoundException, "File does not exist: /nope")


# -- frames that are wrong ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("head", ["ffffffff", "7fffffff"])
def test_a_frame_of_a_foolish_length_is_refused(head: str) -> None:
    with pytest.raises(frames.WireError, match="accepted: 0 to"):
        frames.frame_length(bytes.fromhex(head))


@pytest.mark.parametrize("cut", range(0, len(GET_FILE_INFO), 7))
def test_a_frame_that_is_cut_off_is_refused(cut: int) -> None:
    reader = frames.FrameReader(GET_FILE_INFO[:cut])
    with pytest.raises(frames.WireError):
        reader.next(rpc.RpcRequestHeader)
        reader.next(rpc.RequestHeader)
        reader.next(namenode.GetFileInfoRequest)


def test_a_length_without_end_is_refused() -> None:
    with pytest.raises(frames.WireError, match="more than 5 bytes"):
        frames.read_varint(b"\xff" * 6, 0)


# -- data transfer --------------------------------------------------------------------------------------------------


def test_a_packet_is_written_as_hadoop_writes_it() -> None:
    data = bytes(number % 251 for number in range(1000))
    packet = Packet(0, 0, data=data, checksums=bytes.fromhex("309c86816f481119"))
    encoded = transfer.write_packet(packet)
    head = bytes.fromhex("000003f4 0019 09 0000000000000000 11 0000000000000000 18 00 25 e8030000")
    assert encoded == head + packet.checksums + data
    header, rest = transfer.packet_lengths(encoded[:6])
    assert transfer.read_packet(encoded[6 : 6 + header], encoded[6 + header :]) == packet
    assert rest == 1008


def test_the_last_packet_is_written_as_hadoop_writes_it() -> None:
    expected = "00000004 0019 09 e803000000000000 11 0100000000000000 18 01 25 00000000"
    assert transfer.write_packet(Packet(1, 1000, is_last=True)) == bytes.fromhex(expected)


def test_flags_of_an_acknowledgement_count_more_than_replies() -> None:
    assert transfer.read_ack(bytes.fromhex("0802 1000 1800 2201 00")) == PipelineAck(1, (Status.SUCCESS,))
    assert transfer.read_ack(bytes.fromhex("0802 1000 2201 01")) == PipelineAck(1, (Status.ERROR,))


@pytest.mark.parametrize(
    "operation",
    [
        WriteBlock(
            FIRST_BLOCK, "client1", ("datanode2", "datanode3"), BlockConstructionStage.PIPELINE_SETUP_CREATE, 3, 0, 0, 0
        ),
        WriteBlock(
            FIRST_BLOCK,
            "",
            (),
            BlockConstructionStage.PIPELINE_SETUP_STREAMING_RECOVERY,
            1,
            5,
            9,
            1002,
            source="datanode1",
        ),
        ReadBlock(FIRST_BLOCK, "client1", 5, 10, False),
    ],
)
def test_operations_survive_the_wire(operation: WriteBlock | ReadBlock) -> None:
    encoded = transfer.write_operation(operation, converter())
    code = transfer.operation_code(encoded[: transfer.OPENING_BYTES])
    length, start = frames.read_varint(encoded, transfer.OPENING_BYTES)
    assert len(encoded) == start + length
    assert transfer.read_operation(code, encoded[start:], converter()) == operation


@pytest.mark.parametrize("opening", ["001b50", "001c00", "deadbe"])
def test_a_foreign_connection_is_refused(opening: str) -> None:
    with pytest.raises(frames.WireError, match="accepted"):
        transfer.operation_code(bytes.fromhex(opening))


@pytest.mark.parametrize("start", ["000003f4ffff", "7fffffff0019", "000000000019"])
def test_a_packet_of_a_foolish_length_is_refused(start: str) -> None:
    with pytest.raises(frames.WireError, match="accepted"):
        transfer.packet_lengths(bytes.fromhex(start))


def test_a_packet_whose_parts_do_not_fit_is_refused() -> None:
    encoded = transfer.write_packet(Packet(0, 0, data=bytes(600), checksums=bytes(8)))
    header, _ = transfer.packet_lengths(encoded[:6])
    with pytest.raises(frames.WireError, match="accepted: 0 or 8"):
        transfer.read_packet(encoded[6 : 6 + header], encoded[6 + header : -1])


def test_the_bad_link_is_named_by_its_address_and_found_again() -> None:
    answer = BlockOpResponse(Status.ERROR, "datanode2")
    encoded = transfer.write_answer(answer, converter())
    assert b"127.0.0.1:9862" in encoded
    assert transfer.read_block_op_response(encoded[1:], converter()) == answer


def test_the_answer_to_a_read_tells_where_it_begins() -> None:
    answer = BlockOpResponse(Status.SUCCESS, chunk_offset=512)
    encoded = transfer.write_answer(answer, converter(), of_read=True)
    assert transfer.read_block_op_response(encoded[1:], converter()) == answer


# -- the modules that protoc makes ----------------------------------------------------------------------------------


def test_the_modules_are_those_that_the_messages_make(tmp_path: Path) -> None:
    generator = pytest.importorskip("genstamp_dfs.server.wire.__main__")
    assert generator.generate(tmp_path) == 0
    there = Path(genstamp_dfs.__file__).parent / "server" / "wire"
    made = tmp_path / "genstamp_dfs" / "server" / "wire"
    names = sorted(path.name for path in made.iterdir())
    assert names == sorted(path.name for path in there.glob("*_pb2.py*"))
    assert filecmp.cmpfiles(there, made, names, shallow=False)[0] == names
