"""The pipeline of a block, driven step by step: it conforms, and pipelines that are broken in one place do not."""

import pytest
from tests.conformance.patching import Patch, patched

from genstamp.adapters import ReferenceAdapter
from genstamp.stateful import Failure, conform
from genstamp.systems import system_named
from genstamp.walk import walk
from genstamp_dfs.errors import HdfsIOException, StepNotPossibleError
from genstamp_dfs.hdfs.client.input_stream import DFSInputStream
from genstamp_dfs.hdfs.datanode.block_receiver import BlockReceiver
from genstamp_dfs.hdfs.datanode.pipeline_operations import PipelineOperations
from genstamp_dfs.hdfs.messages.client_protocol import GetBlockLocations, UpdateBlockForPipeline, UpdatePipeline
from genstamp_dfs.hdfs.messages.inter_datanode import GetReplicaVisibleLength
from genstamp_dfs.hdfs.namenode import pipeline_calls
from genstamp_dfs.hdfs.namenode.fs_namesystem import FSNamesystem
from genstamp_dfs.hdfs.protocol import Block, BlockUCState
from genstamp_dfs.stepwise.pipeline.driver import PipelineDriver
from genstamp_model.language import Configuration

PIPELINE = system_named("hdfs.pipeline")
SEED = 1


def failure_of(configuration: str = "pair") -> Failure:
    """The shortest run that a walk finds not to conform."""
    found = walk(ReferenceAdapter(), PIPELINE, configuration, shrink_seconds=10)
    assert found.verdict == "rejected"
    assert found.failure is not None
    assert found.is_deterministic
    return found.failure


@pytest.mark.slow
def test_the_reference_implementation_conforms() -> None:
    report = conform(ReferenceAdapter(), PIPELINE, examples=25, seed=SEED)
    assert report.failure is None, str(report.failure)
    assert report.verdict == "conforms"
    assert report.figures.events > 500


@pytest.mark.slow
def test_a_walk_reaches_what_can_be_reached() -> None:
    found = walk(ReferenceAdapter(), PIPELINE, "pair")
    assert found.failure is None, str(found.failure)
    assert found.share >= 0.93
    assert {missing.call.split("(")[0] for missing in found.missing} <= {"error_ack_comes", "mirror_fails"}


@pytest.mark.slow
def test_an_ack_before_its_bytes_are_visible_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """HDFS-2021: the ack goes up, and the bytes become visible some time later."""
    monkeypatch.setattr(BlockReceiver, "acknowledge", lambda self, end: None)
    failure = failure_of()
    assert failure.event == "raise_bytes_acked"


@pytest.mark.slow
def test_a_writer_that_gets_a_stamp_under_recovery_is_caught() -> None:
    """HDFS-1555: nobody looks at the state of the block."""
    checked = pipeline_calls.check_uc_block

    def check_uc_block(fsn: FSNamesystem, block, client_name: str):  # type: ignore[no-untyped-def]
        stored = fsn.block_manager.get_stored_block(block.block_id)
        assert stored is not None
        inode = fsn.directory.file_of(stored)
        if stored.state is not BlockUCState.UNDER_RECOVERY or inode is None:
            return checked(fsn, block, client_name)
        return stored, inode

    with patched([Patch(pipeline_calls, "check_uc_block", check_uc_block)]):
        failure = failure_of()
    assert failure.event in ("update_block_for_pipeline", "update_pipeline")
    assert "the block is under construction" in failure.labels


@pytest.mark.slow
def test_a_late_call_that_brings_an_old_stamp_back_is_caught() -> None:
    """updatePipeline compares no stamps."""

    def update_pipeline(fsn: FSNamesystem, request: UpdatePipeline, caller: object) -> None:
        block, _ = pipeline_calls.check_uc_block(fsn, request.old_block, request.client_name)
        block.generation_stamp = request.new_block.generation_stamp
        block.set_expected_locations(request.new_nodes)
        fsn.show_block(block)

    with patched([Patch(pipeline_calls, "update_pipeline", update_pipeline)]):
        assert failure_of("append").event == "late_update_pipeline"


FAR_NODE_SHOWS_MORE = (
    *("add_block last=datanode2 always=0", "set_up_create datanode=datanode1", "set_up_create datanode=datanode2"),
    *("start_streaming", "send_packet", "receive_packet datanode=datanode1", "receive_packet datanode=datanode2"),
    *("send_ack datanode=datanode2", "send_ack datanode=datanode1", "send_packet"),
    *("receive_packet datanode=datanode1", "receive_packet datanode=datanode2", "send_ack datanode=datanode2"),
)


def far_node_shows_more() -> PipelineDriver:
    """Of two bytes the near datanode shows one, and the far one both."""
    driver = PipelineDriver(["/a"], ["client1"], ["datanode1", "datanode2"])
    for step in FAR_NODE_SHOWS_MORE:
        event, *said = step.split()
        driver.call(event, dict(word.split("=") for word in said))
    return driver


def test_a_reader_that_takes_the_first_answer_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """What only the last node of a pipeline shows may be cut off again."""

    async def fetch(self: DFSInputStream) -> None:
        call = self._client.runtime.call
        located = await call(self._client.namenode, GetBlockLocations(self.path))
        last = located.last_block
        assert last is not None
        self.length = await call(last.locations[-1], GetReplicaVisibleLength(last.block))

    monkeypatch.setattr(DFSInputStream, "_fetch", fetch)
    # A walk need not read where one location shows more than another.
    driver = far_node_shows_more()
    with pytest.raises(StepNotPossibleError, match="the reader is shown 1024 bytes, datanode1 has 512"):
        driver.call("read", {"client": "client1", "datanode": "datanode1"})
    driver.close()


def test_a_reader_is_shown_what_the_nearest_node_shows() -> None:
    driver = far_node_shows_more()
    assert driver.call("read", {"client": "client1", "datanode": "datanode1"})[0].num_bytes == 1
    driver.close()


@pytest.mark.slow
def test_a_stamp_that_is_given_out_twice_is_caught() -> None:
    asked = pipeline_calls.update_block_for_pipeline

    def update_block_for_pipeline(fsn: FSNamesystem, request: UpdateBlockForPipeline, caller):  # type: ignore[no-untyped-def]
        ids = fsn.block_manager.block_ids
        before = ids.generation_stamp
        answer = asked(fsn, request, caller)
        ids.generation_stamp = before
        return answer

    with patched([Patch(pipeline_calls, "update_block_for_pipeline", update_block_for_pipeline)]):
        failure = failure_of("fenced")
    assert failure.event == "update_block_for_pipeline"


REUSED = Configuration(
    "reused",
    sizes={"Client": 1, "Datanode": 2},
    limits={
        **PIPELINE.limits,
        "stamps": 2,
        "bytes": 1,
        "packets": 2,
        "replication": 2,
        "appends": 1,
        "crashes": 1,
        "reused_stamps": 2,
    },
    doc="hdfs.pipeline:reused_stamps with a byte",
)


@pytest.mark.slow
@pytest.mark.parametrize("semantics", ["repaired", "hadoop-3.4"])
def test_hdfs_17850_a_client_that_reuses_the_stamp_is_served_as_the_semantics_says(semantics: str) -> None:
    found = walk(ReferenceAdapter(), PIPELINE, REUSED, semantics)
    assert found.failure is None, str(found.failure)
    assert {missing.call.split("(")[0] for missing in found.missing} <= {"mirror_fails"}


@pytest.mark.slow
@pytest.mark.parametrize(("semantics", "lowest"), [("repaired", 0), ("hadoop-3.4", 1)])
def test_hdfs_17850_served_otherwise_it_shows(monkeypatch: pytest.MonkeyPatch, semantics: str, lowest: int) -> None:
    """A repaired datanode takes the old stamp: the set-up never fails. One of Hadoop 3.4.1 does not: it never works."""

    def check(self: PipelineOperations, block: Block, new_stamp: int) -> None:
        if new_stamp < block.generation_stamp + lowest:
            raise HdfsIOException(str(new_stamp))

    monkeypatch.setattr(PipelineOperations, "_check_new_stamp", check)
    found = walk(ReferenceAdapter(), PIPELINE, REUSED, semantics, shrink_seconds=10)
    assert found.failure is not None
    if semantics == "repaired":
        assert found.failure.event == "set_up_fails"
    else:
        assert found.failure.event.startswith("set_up_")
