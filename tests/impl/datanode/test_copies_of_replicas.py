"""Which copy, end or deletion fits which state of a replica, and how bytes of packets get there.

Hadoop's TestWriteToReplica#testWriteToTemporary. Facts B.3, B.5, B.7, W.4.6.
"""

import pytest
from tests.impl.datanode.one_replica import (
    BLOCK,
    DATA,
    NEITHER,
    POOL,
    RBW,
    RUR,
    RWR,
    TEMPORARY,
    F,
    SomeWriter,
    empty,
    refused,
    with_replica,
)

from genstamp_dfs.errors import (
    HdfsIOException,
    ReplicaAlreadyExistsException,
    ReplicaNotFoundException,
)
from genstamp_dfs.hdfs.checksums import checksums_of
from genstamp_dfs.hdfs.messages.data_transfer import BlockConstructionStage
from genstamp_dfs.hdfs.messages.datanode_protocol import ReceivedStatus
from genstamp_dfs.hdfs.protocol import Block, ReplicaState, Semantics

# -- copies (testWriteToTemporary) ------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", ReplicaState)
@pytest.mark.parametrize("is_transfer", [False, True])
def test_create_temporary_under_the_same_stamp_is_refused(state: ReplicaState, is_transfer: bool) -> None:
    datanode = with_replica(state)
    with refused(datanode, ReplicaAlreadyExistsException, "not older"):
        datanode.dataset.create_temporary(BLOCK, SomeWriter(), is_transfer=is_transfer)


@pytest.mark.parametrize("state", [F, RWR, RUR])
def test_create_temporary_replaces_no_settled_replica(state: ReplicaState) -> None:
    datanode = with_replica(state)
    with refused(datanode, ReplicaAlreadyExistsException, "not being written"):
        datanode.dataset.create_temporary(Block(7, 1005, 0), SomeWriter(), is_transfer=False)


@pytest.mark.parametrize("state", [RBW, TEMPORARY])
def test_create_temporary_replaces_an_older_replica_that_is_written(state: ReplicaState) -> None:
    datanode = with_replica(state)
    replica = datanode.dataset.create_temporary(Block(7, 1005, 0), SomeWriter(), is_transfer=False)
    assert (replica.state, replica.generation_stamp, datanode.data()) == (TEMPORARY, 1005, b"")
    assert datanode.disk.names(f"current/{POOL}/current/rbw") == []


@pytest.mark.parametrize("state", ReplicaState)
def test_create_temporary_for_a_transfer_replaces_every_older_replica(state: ReplicaState) -> None:
    datanode = with_replica(state)
    replica = datanode.dataset.create_temporary(Block(7, 1005, 0), SomeWriter(), is_transfer=True)
    assert (replica.state, replica.generation_stamp) == (TEMPORARY, 1005)


def test_a_transfer_spares_a_recovery_younger_than_itself_where_repaired() -> None:
    """The hole against S12."""
    datanode = with_replica(F)
    datanode.dataset.init_replica_recovery(BLOCK, 1009)
    with refused(datanode, ReplicaAlreadyExistsException, "younger than the copy"):
        datanode.dataset.create_temporary(Block(7, 1005, 0), SomeWriter(), is_transfer=True)
    hadoop = with_replica(F, Semantics.HADOOP_3_4)
    hadoop.dataset.init_replica_recovery(BLOCK, 1009)
    assert hadoop.dataset.create_temporary(Block(7, 1005, 0), SomeWriter(), is_transfer=True).state is TEMPORARY


def test_convert_temporary_to_rbw_shows_what_the_source_shows() -> None:
    datanode = with_replica(TEMPORARY)
    replica = datanode.dataset.convert_temporary_to_rbw(Block(7, 1001, 700))
    assert (replica.state, replica.visible_length(), replica.num_bytes) == (RBW, 700, len(DATA))
    assert datanode.data() == DATA


@pytest.mark.parametrize("state", [F, RBW, RWR, RUR])
def test_convert_temporary_to_rbw_of_another_state_is_refused(state: ReplicaState) -> None:
    datanode = with_replica(state)
    with refused(datanode, ReplicaAlreadyExistsException):
        datanode.dataset.convert_temporary_to_rbw(BLOCK)


def test_convert_temporary_to_rbw_of_another_stamp_length_or_block_is_refused() -> None:
    datanode = with_replica(TEMPORARY)
    with refused(datanode, ReplicaAlreadyExistsException):
        datanode.dataset.convert_temporary_to_rbw(Block(7, 1002, 0))
    with refused(datanode, HdfsIOException, "or more"):
        datanode.dataset.convert_temporary_to_rbw(Block(7, 1001, len(DATA) + 1))
    with refused(datanode, ReplicaNotFoundException):
        datanode.dataset.convert_temporary_to_rbw(Block(8, 1001, 0))


@pytest.mark.parametrize("state", ReplicaState)
def test_unfinalize_block_deletes_temporary_replicas_only(state: ReplicaState) -> None:
    datanode = with_replica(state)
    datanode.dataset.unfinalize_block(BLOCK)
    assert (datanode.dataset.get_replica(7) is None) == (state is TEMPORARY)


@pytest.mark.parametrize(
    ("state", "stage"),
    [(RBW, BlockConstructionStage.TRANSFER_RBW), (F, BlockConstructionStage.TRANSFER_FINALIZED)],
)
def test_a_transfer_sends_what_is_visible_under_the_stamp_of_the_source(
    state: ReplicaState, stage: BlockConstructionStage
) -> None:
    datanode = with_replica(state)
    assert datanode.dataset.transfer_source(Block(7, 1000, 5)) == (Block(7, 1001, len(DATA)), stage)


@pytest.mark.parametrize("state", NEITHER)
def test_a_transfer_of_another_state_is_refused(state: ReplicaState) -> None:
    datanode = with_replica(state)
    with refused(datanode, HdfsIOException, "accepted: RBW, FINALIZED"):
        datanode.dataset.transfer_source(BLOCK)


def test_a_transfer_of_a_missing_or_older_replica_is_refused() -> None:
    datanode = with_replica(F)
    with refused(datanode, HdfsIOException, "older than"):
        datanode.dataset.transfer_source(Block(7, 1002, 0))
    with refused(datanode, ReplicaNotFoundException):
        datanode.dataset.transfer_source(Block(8, 1001, 0))


# -- finalizeBlock, invalidate, reports, lengths --------------------------------------------------------------------


@pytest.mark.parametrize("state", [RBW, TEMPORARY, F])
def test_finalize_ends_the_writer_and_may_be_repeated(state: ReplicaState) -> None:
    datanode = with_replica(state)
    for _ in range(2):
        replica = datanode.dataset.finalize_block(BLOCK)
        assert (replica.state, replica.writer, datanode.data()) == (F, None, DATA)
    assert [status for _, status in datanode.reports] == [ReceivedStatus.RECEIVED] * (state is not F)


@pytest.mark.parametrize("state", [RWR, RUR])
def test_finalize_of_a_replica_that_waits_for_a_recovery_is_refused(state: ReplicaState) -> None:
    datanode = with_replica(state)
    with refused(datanode, HdfsIOException, "accepted: RBW, TEMPORARY"):
        datanode.dataset.finalize_block(BLOCK)


def test_finalize_of_no_replica_or_another_generation_is_refused() -> None:
    datanode = with_replica(RBW)
    with refused(datanode, ReplicaNotFoundException):
        datanode.dataset.finalize_block(Block(7, 1002, 0))
    with refused(datanode, ReplicaNotFoundException):
        datanode.dataset.finalize_block(Block(8, 1001, 0))


@pytest.mark.parametrize("state", ReplicaState)
def test_invalidate_deletes_only_the_given_generation(state: ReplicaState) -> None:
    datanode = with_replica(state)
    with refused(datanode, HdfsIOException, "stamp is not the given 1000"):
        datanode.dataset.invalidate(Block(7, 1000, 0))
    assert datanode.dataset.invalidate(Block(8, 1001, 0)) is None
    datanode.dataset.invalidate(BLOCK)
    assert (datanode.dataset.get_replica(7), datanode.disk.files) == (None, {})
    assert [(block.generation_stamp, status) for block, status in datanode.reports] == [(1001, ReceivedStatus.DELETED)]


@pytest.mark.parametrize(("state", "reported"), [(F, [F]), (RBW, [RBW]), (RWR, [RWR]), (RUR, [F]), (TEMPORARY, [])])
def test_a_full_report_names_each_replica_as_its_original_and_no_copy(
    state: ReplicaState, reported: list[ReplicaState]
) -> None:
    assert [each.state for each in with_replica(state).dataset.block_report()] == reported


@pytest.mark.parametrize(("state", "length"), [(F, 750), (RBW, 700), (RWR, -1), (RUR, 750), (TEMPORARY, -1)])
def test_visible_length_is_what_readers_may_rely_on(state: ReplicaState, length: int) -> None:
    datanode = with_replica(state)
    if state is RBW:
        datanode.dataset.replicas[7].bytes_acked = 700
    assert datanode.dataset.get_replica_visible_length(Block(7, 1000, 0)) == length


def test_visible_length_of_a_missing_or_older_replica_is_refused() -> None:
    datanode = with_replica(F)
    with refused(datanode, HdfsIOException, "older than"):
        datanode.dataset.get_replica_visible_length(Block(7, 1002, 0))
    with refused(datanode, ReplicaNotFoundException):
        datanode.dataset.get_replica_visible_length(Block(8, 1001, 0))


# -- bytes of packets (facts W.4.6) -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "packets",
    [
        [(0, 512), (512, 1024)],
        [(0, 700), (512, 1000), (512, 1024)],
        [(0, 700), (700, 1024), (1024, 1500)],
        [(0, 1000), (0, 1000), (0, 1500)],
        [(0, 300), (0, 200), (300, 512)],
        [(0, 100), (100, 101), (101, 512), (512, 1500)],
    ],
)
def test_packets_may_start_inside_a_chunk_and_repeat_bytes(packets: list[tuple[int, int]]) -> None:
    content = DATA + DATA
    datanode = empty()
    replica = datanode.dataset.create_rbw(BLOCK, SomeWriter())
    for start, end in packets:
        datanode.dataset.write(replica, start, content[start:end], checksums_of(content[start:end]))
        assert datanode.data() == content[: max(end for _, end in packets[: packets.index((start, end)) + 1])]


def test_a_packet_beyond_the_end_or_over_a_chunk_is_refused() -> None:
    datanode = with_replica(RBW)
    replica = datanode.dataset.replicas[7]
    with pytest.raises(HdfsIOException, match="out-of-order"):
        datanode.dataset.write(replica, len(DATA) + 1, b"x", checksums_of(b"x"))
    with pytest.raises(HdfsIOException, match="begins inside a chunk"):
        datanode.dataset.write(replica, len(DATA), DATA[:300], checksums_of(DATA[:300]))
    assert datanode.data() == DATA
