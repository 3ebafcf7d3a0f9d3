"""The mapping of hdfs.write_path_truncate rejects a truncate that is none."""

from dataclasses import replace

import pytest

from genstamp_model.explore import explore
from genstamp_model.language import Bug, action, require
from genstamp_spec.hdfs.parts.state import Client, File
from genstamp_spec.hdfs.systems.write_path_truncate import WRITE_PATH_TRUNCATE, TruncateOnWritePath
from genstamp_spec.lifecycles.block import BlockLifecycle
from genstamp_spec.lifecycles.file import FileLifecycle


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
