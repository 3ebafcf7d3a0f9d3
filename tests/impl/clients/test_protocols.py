"""What Hadoop's own client says to the servers: every call, operation and stage that it has is seen to come from it.

The servers run in this process, which hears what comes, and can have a datanode end, or an answer be lost, at the very
message that a test is about.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

import pytest
from tests.impl.clients.cluster import check_events
from tests.impl.clients.jvm import Jvm, class_path, write_configuration
from tests.impl.clients.observed import Match, Observed, observed
from tests.impl.server.processes import until

from genstamp_dfs.hdfs.messages.data_transfer import (
    HEARTBEAT_SEQNO,
    BlockChecksum,
    BlockConstructionStage,
    Message,
    Operation,
    Packet,
    ReadBlock,
    TransferReplica,
    WriteBlock,
)

pytestmark = pytest.mark.slow

MIB = 1 << 20
DATA = Random(6).randbytes(MIB // 2)
DATANODES = 4
"""One more than a pipeline has, so that another can take the place of one that is gone."""

HEARTBEAT_MS = 1_500

RENAME = "org.apache.hadoop.fs.Options$Rename"


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Observed]:
    with observed(tmp_path_factory.mktemp("observed") / "cluster", DATANODES) as servers:
        yield servers


@pytest.fixture(scope="module")
def java(servers: Observed, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Jvm]:
    """Hadoop's client."""
    directory = tmp_path_factory.mktemp("java")
    java = Jvm(class_path(write_configuration(directory, f"hdfs://127.0.0.1:{servers.port}/")))
    try:
        yield java
    finally:
        java.close()


@contextmanager
def newly_opened(servers: Observed) -> Iterator[list[Operation]]:
    """The operations that connections for blocks are opened for meanwhile."""
    before, found = len(servers.operations), list[Operation]()
    yield found
    found += [operation for _, operation in servers.operations[before:]]


def stages(operations: list[Operation]) -> set[str]:
    return {operation.stage.name for operation in operations if isinstance(operation, WriteBlock)}


def write(java: Jvm, path: str, data: bytes = DATA) -> None:
    stream = java.files.create(java.path(path), True)
    stream.write(data)
    stream.close()


def read(java: Jvm, path: str) -> bytes:
    target = java.classes.java.io.ByteArrayOutputStream()
    java.copy(java.files.open(java.path(path)), target)
    return bytes(target.toByteArray())


def opens(stage: BlockConstructionStage) -> Match:
    """A pipeline of three is set up for this, and the datanode is its first."""

    def match(operation: Operation, message: Message | None) -> bool:
        is_first = isinstance(operation, WriteBlock) and len(operation.targets) == 2 and operation.stage is stage
        return is_first and message is None

    return match


def _packet_in_the_middle(operation: Operation, message: Message | None) -> Packet | None:
    is_middle = isinstance(operation, WriteBlock) and len(operation.targets) == 1
    return message if is_middle and isinstance(message, Packet) else None


def sends_bytes(operation: Operation, message: Message | None) -> bool:
    """A packet with bytes comes to the datanode in the middle of a pipeline."""
    packet = _packet_in_the_middle(operation, message)
    return packet is not None and bool(packet.data)


def sends_the_end(operation: Operation, message: Message | None) -> bool:
    """The last packet of a block comes to the datanode in the middle of a pipeline."""
    packet = _packet_in_the_middle(operation, message)
    return packet is not None and packet.is_last


# -- the data transfer protocol -----------------------------------------------------------------------------------


def test_a_block_whose_pipeline_cannot_be_set_up_is_abandoned(servers: Observed, java: Jvm) -> None:
    servers.fail_once(opens(BlockConstructionStage.PIPELINE_SETUP_CREATE))
    with newly_opened(servers) as operations:
        write(java, "/abandoned")
    assert servers.has_failed
    assert stages(operations) == {"PIPELINE_SETUP_CREATE"}
    assert servers.methods["abandonBlock"] == 1
    assert read(java, "/abandoned") == DATA


def test_a_datanode_that_ends_while_bytes_stream_is_replaced_by_one_that_gets_a_copy(
    servers: Observed, java: Jvm
) -> None:
    stream = java.files.create(java.path("/streaming"), True)
    stream.write(DATA)
    stream.hflush()
    servers.fail_once(sends_bytes)
    before = servers.methods.copy()
    with newly_opened(servers) as operations:
        stream.write(DATA)
        stream.close()
    assert servers.has_failed
    assert {"TRANSFER_RBW", "PIPELINE_SETUP_STREAMING_RECOVERY"} <= stages(operations)
    assert any(isinstance(operation, TransferReplica) for operation in operations)
    assert set(servers.methods - before) >= {"getAdditionalDatanode", "updateBlockForPipeline", "updatePipeline"}
    assert read(java, "/streaming") == DATA + DATA


def test_a_datanode_that_ends_when_an_append_begins_is_replaced_by_one_that_gets_a_copy(
    servers: Observed, java: Jvm
) -> None:
    write(java, "/appended")
    servers.fail_once(opens(BlockConstructionStage.PIPELINE_SETUP_APPEND))
    with newly_opened(servers) as operations:
        stream = java.files.append(java.path("/appended"))
        stream.write(b"more")
        stream.close()
    assert servers.has_failed
    wanted = {"PIPELINE_SETUP_APPEND", "TRANSFER_FINALIZED", "PIPELINE_SETUP_APPEND_RECOVERY"}
    assert stages(operations) == wanted
    assert read(java, "/appended") == DATA + b"more"


def test_a_datanode_that_ends_when_a_block_is_closed_is_left_behind(servers: Observed, java: Jvm) -> None:
    stream = java.files.create(java.path("/closed"), True)
    stream.write(DATA)
    stream.hflush()
    servers.fail_once(sends_the_end)
    with newly_opened(servers) as operations:
        stream.close()
    assert servers.has_failed
    assert "PIPELINE_CLOSE_RECOVERY" in stages(operations)
    assert read(java, "/closed") == DATA


def test_heartbeats_are_acknowledged_while_a_writer_has_nothing_to_say(servers: Observed, java: Jvm) -> None:
    hadoop = java.classes.org.apache.hadoop
    configuration = hadoop.conf.Configuration()
    configuration.set("dfs.client.socket-timeout", str(2 * HEARTBEAT_MS))
    files = hadoop.fs.FileSystem.newInstance(configuration)
    stream = files.create(java.path("/quiet"), True)
    stream.write(DATA)
    stream.hflush()

    def heartbeats() -> int:
        seen = [message for _, message in servers.messages if isinstance(message, Packet)]
        return sum(message.seqno == HEARTBEAT_SEQNO for message in seen)

    # One that is not acknowledged would break the pipeline before the next.
    before = heartbeats()
    with newly_opened(servers) as operations:
        until(lambda: heartbeats() >= before + 3 * 3)
        stream.write(b"more")
        stream.close()
    files.close()
    assert stages(operations) == set()
    assert read(java, "/quiet") == DATA + b"more"


def test_reads_and_checksums_are_operations_of_their_own(servers: Observed, java: Jvm) -> None:
    write(java, "/digested")
    with newly_opened(servers) as operations:
        assert read(java, "/digested") == DATA
        java.files.getFileChecksum(java.path("/digested"))
    assert [type(operation) for operation in operations] == [ReadBlock, BlockChecksum]


# -- calls --------------------------------------------------------------------------------------------------------


def test_every_call_that_ordinary_clients_make_is_answered(servers: Observed, java: Jvm) -> None:
    """Each comes from Hadoop's client; those that a pipeline in trouble needs are in the tests above."""
    before = servers.methods.copy()
    files, path = java.files, java.path
    client = files.getClient()
    namenode = client.getNamenode()
    permission = java.classes.org.apache.hadoop.fs.permission.FsPermission("750")
    assert files.mkdirs(path("/calls/below"))
    files.setPermission(path("/calls"), permission)
    files.setOwner(path("/calls"), "somebody", "some")
    files.setTimes(path("/calls/below"), 1_000, 2_000)
    status = files.getFileStatus(path("/calls"))
    assert (status.getPermission().toString(), status.getOwner(), status.getGroup()) == (
        "rwxr-x---",
        "somebody",
        "some",
    )
    assert files.getFileStatus(path("/calls/below")).getModificationTime() == 1_000
    assert files.getStatus().getCapacity() > 0

    stream = files.create(path("/calls/a"))
    stream.write(DATA)
    stream.hsync()
    assert client.renewLease()
    assert read(java, "/calls/a") == DATA
    stream.close()
    assert files.isFileClosed(path("/calls/a"))
    assert files.getFileBlockLocations(path("/calls/a"), 0, len(DATA))[0].getHosts()[0]
    assert not files.truncate(path("/calls/a"), 1000)
    until(lambda: files.isFileClosed(path("/calls/a")))
    assert read(java, "/calls/a") == DATA[:1000]

    assert files.rename(path("/calls/a"), path("/calls/b"))
    write(java, "/calls/c")
    files.rename(path("/calls/b"), path("/calls/c"), java.options(RENAME, "OVERWRITE"))
    assert [one.getPath().getName() for one in files.listStatus(path("/calls"))] == ["below", "c"]
    assert files.getContentSummary(path("/calls")).getLength() == 1000
    assert files.recoverLease(path("/calls/c"))
    assert files.delete(path("/calls/c"), False)

    assert namenode.getDataEncryptionKey() is None
    assert list(namenode.getErasureCodingPolicies()) == []
    assert files.getErasureCodingPolicy(path("/calls")) is None
    assert namenode.getServerDefaults().getBytesPerChecksum() == 512
    # A datanode is asked for the length of a block that is being written, before it is read.
    made = set((servers.methods - before).elements())
    assert made >= {
        "getFileInfo", "getListing", "getBlockLocations", "getServerDefaults", "mkdirs", "setPermission",
        "setOwner", "setTimes", "getFsStats", "renewLease", "create", "truncate", "addBlock",
        "complete", "fsync", "delete", "rename",
        "rename2", "recoverLease", "isFileClosed", "getContentSummary", "getDataEncryptionKey",
        "getErasureCodingPolicies", "getErasureCodingPolicy", "getReplicaVisibleLength",
    }  # fmt: skip


def _create(java: Jvm) -> None:
    java.files.create(java.path("/lost/created"), False).close()


def _append(java: Jvm) -> None:
    stream = java.files.append(java.path("/lost/appended"))
    stream.write(b"more")
    stream.close()
    assert read(java, "/lost/appended") == DATA + b"more"


def _rename(java: Jvm) -> None:
    assert java.files.rename(java.path("/lost/source"), java.path("/lost/target"))


def _rename_by_options(java: Jvm) -> None:
    java.files.rename(java.path("/lost/from"), java.path("/lost/to"), java.options(RENAME, "NONE"))


def _delete(java: Jvm) -> None:
    assert java.files.delete(java.path("/lost/deleted"), False)


def _update_pipeline(java: Jvm) -> None:
    """An append with bytes is a pipeline under a new stamp."""
    stream = java.files.append(java.path("/lost/updated"))
    stream.write(b"more")
    stream.close()
    assert read(java, "/lost/updated") == DATA + b"more"


LOST: dict[str, tuple[Callable[[Jvm], None], str]] = {
    "Create": (_create, ""),
    "Append": (_append, "/lost/appended"),
    "Rename": (_rename, "/lost/source"),
    "Rename2": (_rename_by_options, "/lost/from"),
    "Delete": (_delete, "/lost/deleted"),
    "UpdatePipeline": (_update_pipeline, "/lost/updated"),
}
"""By the call whose answer is lost: what a client does, and the file that it needs."""


@pytest.mark.parametrize("call", LOST)
def test_a_call_whose_answer_is_lost_is_made_again_and_answered_as_before(
    servers: Observed, java: Jvm, call: str
) -> None:
    """Carried out twice, each of these would be refused: the file is there already, open, gone, under a later stamp."""
    do, needs = LOST[call]
    if needs:
        write(java, needs)
    servers.lose_answer(call)
    before = len(servers.calls)
    do(java)
    assert servers.has_failed
    made: list[Any] = [caller for request, caller in servers.calls[before:] if type(request).__name__ == call]
    assert len(made) == 2
    assert made[0] == made[1]
    assert len(made[0].client_id) == 16


def test_events(servers: Observed) -> None:
    check_events(servers.directory)
