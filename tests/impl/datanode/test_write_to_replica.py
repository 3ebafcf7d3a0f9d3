"""Which operation fits which state of a replica, and nothing changed by a refusal: Hadoop's TestWriteToReplica.

Facts B.2, B.3, B.7.
"""

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from genstamp_dfs.errors import (
    HdfsIOException,
    ReplicaAlreadyExistsException,
    ReplicaNotFoundException,
)
from genstamp_dfs.hdfs.checksums import checksums_of
from genstamp_dfs.hdfs.cluster.memory_disk import MemoryDisk
from genstamp_dfs.hdfs.datanode.configuration import DataNodeConfiguration
from genstamp_dfs.hdfs.datanode.fs_dataset import FsDataset
from genstamp_dfs.hdfs.datanode.replica_map import MustStopExistingWriter
from genstamp_dfs.hdfs.datanode.replicas import Replica
from genstamp_dfs.hdfs.messages.data_transfer import CHUNK_BYTES, BlockConstructionStage
from genstamp_dfs.hdfs.messages.datanode_protocol import ReceivedStatus
from genstamp_dfs.hdfs.protocol import Block, ReplicaState, Semantics

POOL = "BP-1"
BLOCK = Block(7, 1001, 0)
DATA = bytes(range(250)) * 3
F, RBW, RWR, RUR, TEMPORARY = ReplicaState
NOT_RBW = [F, RWR, RUR, TEMPORARY]
NEITHER = [RWR, RUR, TEMPORARY]


@dataclass
class SomeWriter:
    """A writer that ends when it is told to, or only later."""

    is_alive: bool = True
    is_slow: bool = False

    def interrupt(self) -> None:
        self.is_alive = self.is_slow

    async def join(self, timeout_us: int) -> bool:
        del timeout_us
        return not self.is_alive


@dataclass
class Datanode:
    """A dataset with its disk, and the incremental reports that it owes."""

    disk: MemoryDisk
    dataset: FsDataset
    reports: list[tuple[Block, ReceivedStatus]]

    def write(self, data: bytes = DATA, acked: int | None = None) -> Replica:
        """Add bytes to the replica; all of them are acknowledged if nothing else is said."""
        replica = self.dataset.replicas[BLOCK.block_id]
        start = replica.bytes_on_disk
        room = -start % CHUNK_BYTES
        for piece in (data[:room], data[room:]):
            self.dataset.write(replica, replica.bytes_on_disk, piece, checksums_of(piece))
        self.dataset.acknowledge(replica, replica.num_bytes if acked is None else acked)
        return replica

    def data(self, block_id: int = BLOCK.block_id) -> bytes:
        replica = self.dataset.replicas[block_id]
        data = self.dataset.files.read(replica, 0, len(DATA) * 2)
        assert self.dataset.files.read_checksums(replica, 0, len(data)) == checksums_of(data)
        assert len(data) == replica.bytes_on_disk == replica.num_bytes
        return data


def empty(semantics: Semantics = Semantics.REPAIRED) -> Datanode:
    disk, reports = MemoryDisk(), list[tuple[Block, ReceivedStatus]]()
    for directory in ("current/rbw", "current/finalized", "tmp"):
        disk.make_directory(f"current/{POOL}/{directory}")
    configuration = DataNodeConfiguration(semantics=semantics)
    dataset = FsDataset(disk, POOL, configuration, lambda block, status: reports.append((block, status)))
    return Datanode(disk, dataset, reports)


def with_replica(state: ReplicaState, semantics: Semantics = Semantics.REPAIRED) -> Datanode:
    """One replica with all its bytes; its writer, if the state has one, ends when it is told to. RUR over FINALIZED."""
    datanode = empty(semantics)
    if state is TEMPORARY:
        datanode.dataset.create_temporary(BLOCK, SomeWriter(), is_transfer=False)
    else:
        datanode.dataset.create_rbw(BLOCK, SomeWriter())
    replica = datanode.write()
    if state in (F, RUR):
        datanode.dataset.finalize_block(BLOCK)
    if state is RUR:
        datanode.dataset.init_replica_recovery(BLOCK, 1002)
    if state is RWR:
        replica.state, replica.writer = RWR, None
    datanode.reports.clear()
    return datanode


@contextmanager
def refused(datanode: Datanode, exception: type[HdfsIOException], match: str | None = None) -> Iterator[None]:
    """The body must raise exactly this exception and leave replicas, files and reports as they were."""
    before = copy.deepcopy((datanode.dataset.replicas, datanode.disk.files, datanode.reports))
    for replica in before[0].values():
        replica.writer = None
    with pytest.raises(exception, match=match) as caught:
        yield
    assert type(caught.value) is exception
    after = copy.deepcopy((datanode.dataset.replicas, datanode.disk.files, datanode.reports))
    for replica in after[0].values():
        replica.writer = None
    assert after == before


# -- createRbw ------------------------------------------------------------------------------------------------------


def test_create_rbw_makes_an_empty_replica_in_rbw_and_owes_a_report() -> None:
    datanode = empty()
    writer = SomeWriter()
    replica = datanode.dataset.create_rbw(BLOCK, writer)
    assert (replica.state, replica.generation_stamp, datanode.data()) == (RBW, 1001, b"")
    assert datanode.dataset.is_written_by(7, writer)
    assert not datanode.dataset.is_written_by(7, SomeWriter())
    assert datanode.disk.names(f"current/{POOL}/current/rbw") == ["blk_7", "blk_7_1001.meta"]
    assert datanode.disk.read(f"current/{POOL}/current/rbw/blk_7_1001.meta") == bytes([0, 1, 2, 0, 0, 2, 0])
    assert datanode.reports == [(Block(7, 1001, 0), ReceivedStatus.RECEIVING)]


@pytest.mark.parametrize("state", ReplicaState)
def test_create_rbw_over_a_replica_in_any_state_is_refused(state: ReplicaState) -> None:
    datanode = with_replica(state)
    with refused(datanode, ReplicaAlreadyExistsException):
        datanode.dataset.create_rbw(BLOCK, SomeWriter())


@pytest.mark.parametrize("state", ReplicaState)
def test_create_rbw_under_a_new_stamp_deletes_whatever_is_there_in_hadoop(state: ReplicaState) -> None:
    """The hole against S8 (HDFS-17299)."""
    datanode = with_replica(state, Semantics.HADOOP_3_4)
    replica = datanode.dataset.create_rbw(BLOCK, SomeWriter(), new_stamp=1005)
    assert (replica.state, replica.generation_stamp, datanode.data()) == (RBW, 1005, b"")


@pytest.mark.parametrize("state", ReplicaState)
def test_create_rbw_under_a_new_stamp_spares_what_was_acknowledged_where_repaired(state: ReplicaState) -> None:
    datanode = with_replica(state)
    with refused(datanode, ReplicaAlreadyExistsException):
        datanode.dataset.create_rbw(BLOCK, SomeWriter(), new_stamp=1005)


def test_create_rbw_under_a_new_stamp_replaces_what_its_first_attempt_left() -> None:
    datanode = empty()
    former = SomeWriter()
    datanode.dataset.create_rbw(BLOCK, former)
    datanode.write(acked=0)
    replica = datanode.dataset.create_rbw(BLOCK, SomeWriter(), new_stamp=1002)
    assert (replica.state, replica.generation_stamp, datanode.data(), former.is_alive) == (RBW, 1002, b"", False)
    assert datanode.disk.names(f"current/{POOL}/current/rbw") == ["blk_7", "blk_7_1002.meta"]


# -- append, recoverAppend, recoverClose (testAppend, testClose) ------------------------------------------------------


@pytest.mark.parametrize("new_stamp", [1001, 1002])
def test_append_reopens_a_finalized_replica_under_an_equal_or_newer_stamp(new_stamp: int) -> None:
    datanode = with_replica(F)
    replica = datanode.dataset.append(BLOCK, new_stamp, len(DATA), SomeWriter())
    assert (replica.state, replica.generation_stamp, replica.bytes_acked) == (RBW, new_stamp, len(DATA))
    assert datanode.reports == [(Block(7, new_stamp, len(DATA)), ReceivedStatus.RECEIVING)]
    datanode.write()
    assert datanode.data() == DATA + DATA


@pytest.mark.parametrize("state", [RBW, RWR, RUR, TEMPORARY])
def test_append_to_an_unfinalized_replica_is_refused(state: ReplicaState) -> None:
    datanode = with_replica(state)
    with refused(datanode, ReplicaNotFoundException, "unfinalized"):
        datanode.dataset.append(BLOCK, 1002, len(DATA), SomeWriter())


def test_append_of_another_length_stamp_or_block_is_refused() -> None:
    datanode = with_replica(F)
    with refused(datanode, HdfsIOException, "corrupted replica"):
        datanode.dataset.append(BLOCK, 1002, len(DATA) - 1, SomeWriter())
    with refused(datanode, HdfsIOException, "accepted: 1001 or more"):
        datanode.dataset.append(BLOCK, 1000, len(DATA), SomeWriter())
    with refused(datanode, ReplicaNotFoundException):
        datanode.dataset.append(Block(7, 1000, 0), 1002, len(DATA), SomeWriter())
    with refused(datanode, ReplicaNotFoundException, "non-existent"):
        datanode.dataset.append(Block(8, 1001, 0), 1002, len(DATA), SomeWriter())


@pytest.mark.parametrize("state", [F, RBW])
def test_recover_append_takes_finalized_and_rbw(state: ReplicaState) -> None:
    datanode = with_replica(state)
    writer = SomeWriter()
    replica = datanode.dataset.recover_append(BLOCK, 1002, len(DATA), writer)
    assert (replica.state, replica.generation_stamp, replica.writer) == (RBW, 1002, writer)
    assert [status for _, status in datanode.reports] == [ReceivedStatus.RECEIVING]
    assert datanode.data() == DATA


@pytest.mark.parametrize("state", [F, RBW])
def test_recover_close_finalizes_finalized_and_rbw(state: ReplicaState) -> None:
    datanode = with_replica(state)
    replica = datanode.dataset.recover_close(BLOCK, 1002, len(DATA))
    assert (replica.state, replica.generation_stamp, replica.writer) == (F, 1002, None)
    assert datanode.reports == [(Block(7, 1002, len(DATA)), ReceivedStatus.RECEIVED)]
    assert datanode.disk.names(f"current/{POOL}/current/finalized/subdir0/subdir0") == ["blk_7", "blk_7_1002.meta"]


@pytest.mark.parametrize("state", NEITHER)
def test_recover_append_and_close_of_other_states_are_refused(state: ReplicaState) -> None:
    datanode = with_replica(state)
    with refused(datanode, ReplicaNotFoundException, "not FINALIZED and not RBW"):
        datanode.dataset.recover_append(BLOCK, 1002, len(DATA), SomeWriter())
    with refused(datanode, ReplicaNotFoundException, "not FINALIZED and not RBW"):
        datanode.dataset.recover_close(BLOCK, 1002, len(DATA))


@pytest.mark.parametrize(("block_stamp", "new_stamp"), [(1002, 1003), (999, 1000)])
def test_recover_check_refuses_a_stamp_outside_the_window(block_stamp: int, new_stamp: int) -> None:
    datanode = with_replica(F)
    with refused(datanode, ReplicaNotFoundException, "unexpected generation stamp"):
        datanode.dataset.recover_close(Block(7, block_stamp, 0), new_stamp, len(DATA))


def test_recover_check_refuses_what_is_not_acknowledged_or_of_another_length() -> None:
    datanode = with_replica(RBW)
    with refused(datanode, HdfsIOException, "corrupted replica"):
        datanode.dataset.recover_close(BLOCK, 1002, len(DATA) + 1)
    datanode.write(b"more", acked=0)
    with refused(datanode, ReplicaAlreadyExistsException):
        datanode.dataset.recover_close(BLOCK, 1002, len(DATA) + 4)
    with refused(datanode, ReplicaNotFoundException):
        datanode.dataset.recover_close(Block(8, 1001, 0), 1002, len(DATA))


# -- recoverRbw (testWriteToRbw) ------------------------------------------------------------------------------------


@pytest.mark.parametrize("acked", [0, 1, 511, 512, 513, 750])
def test_recover_rbw_cuts_what_was_not_acknowledged_and_reports_nothing(acked: int) -> None:
    datanode = empty()
    datanode.dataset.create_rbw(BLOCK, SomeWriter())
    datanode.write(acked=acked)
    datanode.reports.clear()
    writer = SomeWriter()
    replica = datanode.dataset.recover_rbw(BLOCK, 1002, acked, len(DATA), writer)
    assert (replica.state, replica.generation_stamp, replica.writer) == (RBW, 1002, writer)
    assert (datanode.data(), datanode.reports) == (DATA[:acked], [])


@pytest.mark.parametrize("state", NOT_RBW)
def test_recover_rbw_of_another_state_is_refused(state: ReplicaState) -> None:
    datanode = with_replica(state)
    with refused(datanode, ReplicaNotFoundException, "non-RBW"):
        datanode.dataset.recover_rbw(BLOCK, 1002, 0, len(DATA), SomeWriter())


def test_recover_rbw_outside_the_window_of_stamps_or_lengths_is_refused() -> None:
    datanode = with_replica(RBW)
    datanode.write(b"more", acked=0)
    length = len(DATA)
    with refused(datanode, ReplicaNotFoundException, "unmatched length"):
        datanode.dataset.recover_rbw(BLOCK, 1002, length + 1, length + 4, SomeWriter())
    with refused(datanode, ReplicaNotFoundException, "unmatched length"):
        datanode.dataset.recover_rbw(BLOCK, 1002, length, length + 3, SomeWriter())
    with refused(datanode, ReplicaNotFoundException, "unexpected generation stamp"):
        datanode.dataset.recover_rbw(Block(7, 1002, 0), 1003, length, length + 4, SomeWriter())
    with refused(datanode, ReplicaNotFoundException, "non-existent"):
        datanode.dataset.recover_rbw(Block(8, 1001, 0), 1002, length, length + 4, SomeWriter())


def test_recover_inconsistent_rbw_goes_by_the_file() -> None:
    """HDFS-11472: a write failed after its bytes were in the file; a file below what was acknowledged is refused."""
    datanode = with_replica(RBW)
    replica = datanode.dataset.replicas[7]
    meta = datanode.dataset.files.meta_path(replica)
    datanode.disk.truncate(meta, 7)
    replica.bytes_on_disk = 0
    datanode.dataset.recover_rbw(BLOCK, 1002, len(DATA), len(DATA), SomeWriter())
    assert datanode.data() == DATA
    datanode.disk.truncate(datanode.dataset.files.block_path(replica), 100)
    with refused(datanode, ReplicaNotFoundException, "fewer bytes on disk than acknowledged"):
        datanode.dataset.recover_rbw(BLOCK, 1003, len(DATA), len(DATA), SomeWriter())


# -- stopping a writer (B.6) ----------------------------------------------------------------------------------------


def test_an_operation_waits_for_a_writer_that_does_not_end_at_once() -> None:
    datanode = empty()
    slow = SomeWriter(is_slow=True)
    datanode.dataset.create_rbw(BLOCK, slow)
    datanode.write()
    with pytest.raises(MustStopExistingWriter) as stopped:
        datanode.dataset.recover_rbw(BLOCK, 1002, 0, len(DATA), SomeWriter())
    assert stopped.value.writer is slow
    slow.is_alive = False
    assert datanode.dataset.recover_rbw(BLOCK, 1002, 0, len(DATA), SomeWriter()).generation_stamp == 1002


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


# -- bytes of packets (facts: hadoop-wire 4.6) ------------------------------------------------------------------------


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
