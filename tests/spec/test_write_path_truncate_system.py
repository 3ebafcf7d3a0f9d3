"""hdfs.write_path_truncate, run by hand: files that are cut between appends, further blocks and pipelines that fail."""

from dataclasses import replace
from typing import ClassVar

import pytest
from tests.spec.recovery_runs import Run

from genstamp_model.explore import explore
from genstamp_model.language import Bug, action, require
from genstamp_spec.hdfs.parts.state import Client, File
from genstamp_spec.hdfs.systems.write_path_truncate import WRITE_PATH_TRUNCATE, TruncateOnWritePath
from genstamp_spec.lifecycles.block import BlockLifecycle
from genstamp_spec.lifecycles.file import FileLifecycle


class TruncateRun(Run):
    """A run of hdfs.write_path_truncate."""

    system = WRITE_PATH_TRUNCATE
    limits: ClassVar = dict.fromkeys((*WRITE_PATH_TRUNCATE.limits, "stamps"), 100)

    def close(self) -> None:
        """Close the file through its pipeline."""
        self.close_pipeline()
        self.do("block_received", action="block_received", file=0, datanode=0)
        assert self.do("complete", client=0, file=0)["closed"] == "true"

    def cut(self, new_bytes: int) -> None:
        """Truncate, and let the recovery end that it starts."""
        self.do("truncate", action="truncate", client=0, file=0, primary=0, new_bytes=new_bytes, lost_answer=0)
        self.do("receive_recovery_command", file=0, datanode=0)
        self.collect()
        self.synchronize()

    def append(self) -> None:
        """Open the file again, and set the pipeline up."""
        self.do("append", client=0, file=0)
        self.do("update_block_for_pipeline", client=0, file=0)
        for datanode in range(3):
            self.do("append_replica", client=0, file=0, datanode=datanode)
        self.do("update_pipeline", client=0, file=0)


def closed_with_two_bytes() -> TruncateRun:
    """A file of one block is closed, and every replica of it is known."""
    run = TruncateRun()
    run.write(lengths=(2, 2, 2))
    run.close()
    for datanode in (1, 2):
        run.do("block_received", action="block_received", file=0, datanode=datanode)
    return run


@pytest.mark.slow
def test_a_file_that_was_cut_goes_on_without_a_node() -> None:
    run = closed_with_two_bytes()
    run.cut(1)
    assert "file1: 1" in run.shown("block_bytes")
    run.append()
    run.do("datanode_crash", datanode=1)
    assert run.holds("cut_file_loses_a_node")
    run.do("update_block_for_pipeline", client=0, file=0)
    for datanode in (0, 2):
        run.do("recover_rbw", client=0, file=0, datanode=datanode)
    assert run.do("update_pipeline", client=0, file=0)["num_bytes"] == "1"
    for datanode in (0, 2):
        run.do("receive_packet", client=0, file=0, datanode=datanode)
    assert run.do("hflush", client=0, file=0) == {"num_bytes": "2"}


@pytest.mark.slow
def test_the_second_of_two_blocks_is_cut_and_the_first_one_stays() -> None:
    run = TruncateRun()
    run.write()
    run.close_pipeline()
    run.do("block_received", action="block_received", file=0, datanode=0)
    run.do("add_block", client=0, file=0)
    for datanode in range(3):
        run.do("create_rbw", client=0, file=0, datanode=datanode)
        for _ in range(2):
            run.do("receive_packet", client=0, file=0, datanode=datanode)
    run.close()
    for datanode in (1, 2):
        run.do("block_received", action="block_received", file=0, datanode=datanode)
    run.cut(1)
    assert run.holds("second_block_is_cut")
    assert "state complete, stamp 1, num_bytes 1" in run.shown("earlier")
    run.do("truncate", action="truncate_to_nothing", client=0, file=0, new_bytes=0)
    assert "file1: removed" in run.shown("block"), "at its beginning a block ends at once"
    assert "state complete, stamp 1, num_bytes 1" in run.shown("earlier")


def test_a_further_block_of_a_file_that_was_cut_was_never_cut() -> None:
    run = closed_with_two_bytes()
    run.cut(1)
    run.append()
    run.close_pipeline()
    run.do("add_block", client=0, file=0)
    assert run.holds("next_block_after_a_truncate")
    assert "file1: 0" in run.shown("bytes_before_cut")


def test_a_file_in_a_snapshot_gets_no_further_block() -> None:
    run = closed_with_two_bytes()
    run.do("create_snapshot", file=0)
    run.append()
    run.close_pipeline()
    with pytest.raises(AssertionError, match="the file is in no snapshot"):
        run.do("add_block", client=0, file=0)


def test_deleting_a_file_takes_the_block_before_the_last_one_too() -> None:
    run = closed_with_two_bytes()
    run.append()
    run.close_pipeline()
    run.do("add_block", client=0, file=0)
    assert "num_bytes 2" in run.shown("earlier")
    run.do("delete", action="delete_open_file", client=1, file=0)
    assert "num_bytes 2" not in run.shown("earlier")


class LongerFile(TruncateOnWritePath, lane="namenode"):
    """A mutant: a truncate to a greater length."""

    @action(event="truncate")
    def truncate_to_more(s, client: Client, file: File) -> None:
        """A closed file gets longer, though nobody has opened it."""
        s.may_call(client)
        require(s.file[file].at(FileLifecycle.closed), "the file is closed")
        require(s.block[file].at(BlockLifecycle.complete), "the file has a block")
        s.block_bytes[file] = s.block_bytes[file] + 1


class OpenFileIsCut(TruncateOnWritePath, lane="namenode"):
    """A mutant: a truncate of a file that is open."""

    @action(event="truncate")
    def truncate_open_file(s, client: Client, file: File) -> None:
        """What an open file was promised is taken back."""
        require(s.alive.has(client), "the client is running")
        require(s.under_construction(file) & (s.hflushed[file] > 1), "more than a byte is promised")
        s.hflushed[file] = 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mutant", "upper"),
    [(LongerFile, "hdfs.single_writer_truncate"), (OpenFileIsCut, "hdfs.durable_prefix_truncate")],
    ids=lambda one: getattr(one, "__name__", one),
)
def test_mapping_rejects(mutant: type[TruncateOnWritePath], upper: str) -> None:
    bug = Bug("mutant", "a truncate that is none", parts=(mutant,), breaks=(f"refines {upper}",))
    system = replace(WRITE_PATH_TRUNCATE, bugs=[bug])
    violation = explore(system.instance("two_blocks", bugs=["mutant"])).violation
    assert violation is not None
    assert violation.name == f"refines {upper}"
