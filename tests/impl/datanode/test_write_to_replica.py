"""Which operation of a writer fits which state of a replica: Hadoop's TestWriteToReplica.

Nothing is changed by a refusal. Facts B.2, B.3, B.6, B.7.
"""

import pytest
from tests.impl.datanode.one_replica import (
    BLOCK,
    DATA,
    NEITHER,
    NOT_RBW,
    POOL,
    RBW,
    RUR,
    RWR,
    TEMPORARY,
    Datanode,
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
from genstamp_dfs.hdfs.datanode.replica_map import MustStopExistingWriter
from genstamp_dfs.hdfs.datanode.replicas import Replica
from genstamp_dfs.hdfs.messages.datanode_protocol import ReceivedStatus
from genstamp_dfs.hdfs.protocol import Block, ReplicaState, Semantics

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


@pytest.mark.parametrize("named", [1001, 1002])
def test_create_rbw_under_a_new_stamp_replaces_what_its_first_attempt_left(named: int) -> None:
    """Hadoop's client names its block with the new stamp already (DataStreamer#setupPipelineInternal, 3.4.1)."""
    datanode = empty()
    former = SomeWriter()
    datanode.dataset.create_rbw(BLOCK, former)
    datanode.write(acked=0)
    replica = datanode.dataset.create_rbw(Block(7, named, 0), SomeWriter(), new_stamp=1002)
    assert (replica.state, replica.generation_stamp, datanode.data(), former.is_alive) == (RBW, 1002, b"", False)
    assert datanode.disk.names(f"current/{POOL}/current/rbw") == ["blk_7", "blk_7_1002.meta"]


# -- append, recoverAppend, recoverClose (testAppend, testClose) ------------------------------------------------------


@pytest.mark.parametrize(
    ("new_stamp", "semantics"),
    [(1001, Semantics.HADOOP_3_4), (1002, Semantics.HADOOP_3_4), (1002, Semantics.REPAIRED)],
)
def test_append_reopens_a_finalized_replica_under_a_newer_stamp_and_in_hadoop_under_its_own(
    new_stamp: int, semantics: Semantics
) -> None:
    datanode = with_replica(F, semantics)
    replica = datanode.dataset.append(BLOCK, new_stamp, len(DATA), SomeWriter())
    assert (replica.state, replica.generation_stamp, replica.bytes_acked) == (RBW, new_stamp, len(DATA))
    assert datanode.reports == [(Block(7, new_stamp, len(DATA)), ReceivedStatus.RECEIVING)]
    datanode.write()
    assert datanode.data() == DATA + DATA


def ask(datanode: Datanode, request: str, new_stamp: int) -> Replica:
    """A client that knows the stamp 1001 has a replica of all bytes opened again, or closed."""
    dataset, length = datanode.dataset, len(DATA)
    match request:
        case "append":
            return dataset.append(BLOCK, new_stamp, length, SomeWriter())
        case "recoverAppend":
            return dataset.recover_append(BLOCK, new_stamp, length, SomeWriter())
        case "recoverClose":
            return dataset.recover_close(BLOCK, new_stamp, length)
        case _:
            return dataset.recover_rbw(BLOCK, new_stamp, length, length, SomeWriter())


TAKEN_UP = [
    ("recoverAppend", F),
    ("recoverAppend", RBW),
    ("recoverClose", F),
    ("recoverClose", RBW),
    ("recoverRbw", RBW),
]


@pytest.mark.parametrize(("request_", "state"), [("append", F), *TAKEN_UP])
def test_hdfs_17850_the_blocks_own_stamp_is_no_new_one(request_: str, state: ReplicaState) -> None:
    with refused(datanode := with_replica(state), HdfsIOException, "accepted: 1002 or more"):
        ask(datanode, request_, 1001)
    assert ask(with_replica(state, Semantics.HADOOP_3_4), request_, 1001).generation_stamp == 1001


@pytest.mark.parametrize("semantics", Semantics)
@pytest.mark.parametrize(("request_", "state"), TAKEN_UP)
def test_a_replica_that_an_earlier_request_gave_the_new_stamp_is_taken_up(
    request_: str, state: ReplicaState, semantics: Semantics
) -> None:
    """As a new pipeline comes to a datanode twice: 1001 is what the client knows until the namenode has 1002."""
    datanode = with_replica(state, semantics)
    assert ask(datanode, "recoverAppend" if state is RBW else "recoverClose", 1002).state is state
    assert ask(datanode, request_, 1002).generation_stamp == 1002


@pytest.mark.parametrize("state", [RBW, RWR, RUR, TEMPORARY])
def test_append_to_an_unfinalized_replica_is_refused(state: ReplicaState) -> None:
    datanode = with_replica(state)
    with refused(datanode, ReplicaNotFoundException, "unfinalized"):
        datanode.dataset.append(BLOCK, 1002, len(DATA), SomeWriter())


def test_append_of_another_length_stamp_or_block_is_refused() -> None:
    datanode = with_replica(F)
    with refused(datanode, HdfsIOException, "corrupted replica"):
        datanode.dataset.append(BLOCK, 1002, len(DATA) - 1, SomeWriter())
    with refused(datanode, HdfsIOException, "accepted: 1002 or more"):
        datanode.dataset.append(BLOCK, 1000, len(DATA), SomeWriter())
    with refused(datanode, ReplicaNotFoundException):
        datanode.dataset.append(Block(7, 1000, 0), 1002, len(DATA), SomeWriter())
    for new_stamp in (1002, 1000):
        with refused(datanode, ReplicaNotFoundException, "non-existent"):
            datanode.dataset.append(Block(8, 1001, 0), new_stamp, len(DATA), SomeWriter())


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
