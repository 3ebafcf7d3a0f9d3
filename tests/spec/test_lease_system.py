"""hdfs.lease, run by hand: what releases of Hadoop do that have other semantics."""

from typing import ClassVar

import pytest
from tests.spec.recovery_runs import Run

from genstamp_spec.hdfs.systems.lease import LEASE


class LeaseRun(Run):
    """A run of hdfs.lease; clients, files and datanodes are numbered from 0."""

    system = LEASE
    sizes: ClassVar = {"Client": 2, "File": 2, "Datanode": 1}
    limits: ClassVar = dict.fromkeys(LEASE.configurations[0].limits, 100)

    def first_block(self, client: int = 0, file: int = 0, written: int = 1) -> None:
        """Create a file, add its block, write and end it."""
        self.do("create", client=client, file=file)
        self.do("add_block", action="add_block", client=client, file=file)
        for _ in range(written):
            self.do("write", client=client, file=file)
        self.do("last_packet", client=client, file=file)

    def closed(self, client: int = 0, file: int = 0) -> None:
        """A closed file of one block with one byte."""
        self.first_block(client, file)
        self.do("finalize_replicas", file=file)
        self.do("block_received", file=file, datanode=0)
        self.do("complete", client=client, file=file)

    def expire(self, holder: int) -> None:
        """The holder is silent past the hard limit."""
        self.do("soft_limit_passes", holder=holder)
        self.do("hard_limit_passes", holder=holder)


@pytest.mark.slow
@pytest.mark.parametrize(("semantics", "refused"), [("repaired", "IOException"), ("hadoop-3.4", None)])
def test_append_while_no_datanode_is_live(semantics: str, refused: str | None) -> None:
    """The hole append-needs-a-live-replica."""
    run = LeaseRun(semantics)
    run.closed()
    run.do("datanode_stops", datanode=0)
    assert run.refusal("append", client=1, file=0) == refused


@pytest.mark.slow
@pytest.mark.parametrize(
    ("semantics", "missing"), [("hadoop-3.4", "FileNotFoundException"), ("hadoop-2.7", "LeaseExpiredException")]
)
def test_a_writer_whose_file_is_gone_is_told_so_since_2_8(semantics: str, missing: str) -> None:
    """HDFS-2484."""
    run = LeaseRun(semantics)
    run.first_block()
    run.do("create", action="create_over", client=1, file=0)
    assert run.refusal("complete", client=0, file=0) == missing
    assert run.refusal("fsync", client=0, file=0) == missing


@pytest.mark.slow
def test_hadoop_2_7_commits_a_block_under_recovery_and_ends_the_recovery_all_the_same() -> None:
    """HDFS-10240: the client's commit goes through, and so does the report of the recovery."""
    run = LeaseRun("hadoop-2.7")
    run.first_block()
    run.do("recover_lease", client=0, file=0, primary=0)
    assert run.do("complete", client=0, file=0) == {"closed": "false", "block_state": "committed"}
    assert "file1: 1" in run.shown("block_stamp")
    run.do("commit_block_synchronization", primary=0, file=0)
    assert "file1: closed" in run.shown("file")
    assert "file1: 2" in run.shown("block_stamp"), "what the client committed has changed"


@pytest.mark.slow
@pytest.mark.parametrize("is_reported_late", [False, True])
@pytest.mark.parametrize("semantics", ["hadoop-2.7", "hadoop-2.10"])
def test_before_3_a_block_under_recovery_is_closed_if_a_replica_is_known(
    semantics: str, is_reported_late: bool
) -> None:
    """HDFS-10240: the recovery ends with nothing, even if the file is open again by then."""
    run = LeaseRun(semantics)
    run.first_block()
    run.do("finalize_replicas", file=0)
    if not is_reported_late:
        run.do("block_received", file=0, datanode=0)
    run.do("recover_lease", client=0, file=0, primary=0)
    if is_reported_late:
        run.do("block_received", file=0, datanode=0)
    assert run.do("complete", client=0, file=0) == {"closed": "true", "block_state": "complete"}
    assert run.do("append", action="append", client=1, file=0) == {"generation_stamp": "1"}
    run.do("commit_block_synchronization", primary=0, file=0)
    assert run.refused_with == "IOException"
    assert "file1: 1" in run.shown("block_stamp")


@pytest.mark.slow
def test_hadoop_2_10_completes_by_force_a_block_whose_recovery_was_started() -> None:
    """HDFS-10240 with HDFS-12886: also when the block is opened again; not any more after the NameNode has started."""
    run = LeaseRun("hadoop-2.10")
    run.first_block()
    run.do("finalize_replicas", file=0)
    run.do("recover_lease", client=0, file=0, primary=0)
    by_force = {"closed": "true", "block_state": "complete"}
    assert run.do("complete", client=0, file=0) == by_force
    assert "file1: {}" in run.shown("stored")
    assert run.refusal("append", client=1, file=0) == "IOException"
    run.do("block_received", file=0, datanode=0)
    run.do("append", action="append", client=1, file=0)
    run.do("last_packet", client=1, file=0)
    run.do("datanode_stops", datanode=0)
    assert "file1: {}" in run.shown("stored")
    assert run.do("complete", client=1, file=0) == by_force


@pytest.mark.parametrize(("semantics", "state"), [("hadoop-2.7", "committed"), ("hadoop-2.10", "complete")])
def test_before_3_a_block_is_added_behind_one_under_recovery(semantics: str, state: str) -> None:
    run = LeaseRun(semantics)
    run.first_block()
    run.do("recover_lease", client=0, file=0, primary=0)
    run.do("add_block", action="add_block", client=0, file=0)
    assert f"file1: (state {state}" in run.shown("earlier")


def test_hadoop_2_10_keeps_the_entry_of_each_of_two_blocks_apart() -> None:
    run = LeaseRun("hadoop-2.10")
    run.first_block()
    run.do("recover_lease", client=0, file=0, primary=0)
    run.do("add_block", action="add_block", client=0, file=0)
    assert ("file1: false" in run.shown("pending"), "file1: true" in run.shown("earlier_pending")) == (True, True)
    run.do("abandon_block", client=0, file=0)
    assert ("file1: true" in run.shown("pending"), "file1: false" in run.shown("earlier_pending")) == (True, True)
    run.do("namenode_restart")
    assert "file1: false" in run.shown("pending")


@pytest.mark.parametrize("written", [0, 1])
def test_hadoop_2_7_never_releases_a_committed_block_and_forgets_its_lease(written: int) -> None:
    """HDFS-14498 and HDFS-15725, and what HDFS-11817 made of it."""
    run = LeaseRun("hadoop-2.7")
    run.first_block(written=written)
    run.do("complete", client=0, file=0)
    assert run.refusal("recover_lease", client=1, file=0) == "AlreadyBeingCreatedException"
    run.do("client_crash", client=0)
    run.expire(0)
    run.do("release_expired_lease", holder=0, file=0)
    assert run.refused_with == "AlreadyBeingCreatedException"
    assert not run.holds("one_lease_per_open_file")
    for call in ("create", "append", "recover_lease"):
        assert run.refusal(call, client=1, file=0) == "AlreadyBeingCreatedException", call
