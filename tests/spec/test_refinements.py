"""The mappings of HDFS' systems to the abstract files: what they reject, and where."""

from dataclasses import replace

import pytest

from genstamp_model.explore import Violation, explore
from genstamp_model.language import Bug, System, Variation, action, require
from genstamp_spec.hdfs.parts.namenode_blocks import PipelineCalls
from genstamp_spec.hdfs.parts.state import Client, File
from genstamp_spec.hdfs.systems.lease import LEASE
from genstamp_spec.hdfs.systems.pipeline import PIPELINE
from genstamp_spec.hdfs.systems.recovery import RECOVERY
from genstamp_spec.hdfs.systems.write_path import WRITE_PATH
from genstamp_spec.hdfs.systems.write_path_truncate import WRITE_PATH_TRUNCATE

REJECTED = [
    (RECOVERY, "HDFS-10240", "refines hdfs.single_writer"),
    (RECOVERY, "HDFS-1218", "refines hdfs.durable_prefix"),
    (RECOVERY, "hflush-sees-the-recovery", "refines hdfs.durable_prefix"),
    (LEASE, "fsync-stops-for-a-recovery", "refines hdfs.single_writer"),
    (WRITE_PATH, "hflush-sees-the-recovery", "refines hdfs.durable_prefix"),
    (WRITE_PATH, "soft-limit-takes-the-file", "refines hdfs.lease"),
    (WRITE_PATH, "HDFS-11817", "refines hdfs.lease"),
    (WRITE_PATH, "HDFS-10240", "refines hdfs.pipeline"),
    (WRITE_PATH_TRUNCATE, "hflush-sees-the-recovery", "refines hdfs.durable_prefix_truncate"),
]


def broken(system: System, fault: Variation, name: str) -> Violation | None:
    """How a variation breaks a refinement, with nothing else judged."""
    bug = Bug(fault.name, fault.title, drops=fault.drops, parts=fault.parts, breaks=(name,))
    faulty = replace(system, bugs=[bug], semantics={"only": ()}, default_semantics="only")
    instance = faulty.instance(fault.configuration, bugs=[fault.name])
    [claim] = [claim for claim in instance.model.properties if claim.name == name]
    return explore(replace(instance, model=replace(instance.model, properties=(claim,)))).violation


@pytest.mark.slow
@pytest.mark.parametrize(("system", "bug", "name"), REJECTED)
def test_bug_is_rejected(system: System, bug: str, name: str) -> None:
    violation = broken(system, system.bug(bug), name)
    assert violation is not None
    assert violation.name == name
    assert violation.story


@pytest.mark.slow
def test_late_commit_is_no_step_of_a_fenced_file() -> None:
    violation = broken(RECOVERY, RECOVERY.bug("HDFS-10240"), "refines hdfs.single_writer")
    assert violation is not None
    assert violation.story[:4] == (
        "that step of file1 is none of hdfs.single_writer, where it",
        "     fenced: true -> false",
        "     and leaves writer client2, length 0",
        '  not open_(client client1): "nobody writes the file" does not hold',
    )


@pytest.mark.slow
def test_reader_that_sees_less_than_before_is_no_step() -> None:
    labels = ("something new is shown", "no location shows less")
    any_answer = Bug("any-answer", "a reader takes any answer", drops=tuple(("read", label) for label in labels))
    violation = broken(PIPELINE, replace(any_answer, configuration="chain"), "refines hdfs.durable_prefix")
    assert violation is not None
    assert violation.path.steps[-1].action.name == "read"
    assert "     promised: 2 -> 1" in violation.story


PROJECTED = [
    ("complete", "the caller owns the file", "appenders", "refines hdfs.lease"),
    ("add_block", "the caller owns the file", "appenders", "refines hdfs.lease"),
    ("commit_block_synchronization", "the recovery id is the current one", "two_blocks", "refines hdfs.recovery"),
    ("sync_block", "every location has answered or failed", "second_block", "refines hdfs.recovery"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("action", "label", "configuration", "name"), PROJECTED)
def test_projection_misses_a_check_that_is_dropped(action: str, label: str, configuration: str, name: str) -> None:
    bug = Bug("dropped", "a check is dropped", drops=((action, label),), configuration=configuration)
    violation = broken(WRITE_PATH, bug, name)
    assert violation is not None
    assert violation.path.steps[-1].action.declared == action


CUT = [
    ("commit_block_synchronization", "the recovery id is the current one", "two_blocks"),
    ("truncate", "nothing holds the block", "by_copy"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("action", "label", "configuration"), CUT)
def test_projection_on_truncate_misses_a_check_that_is_dropped(action: str, label: str, configuration: str) -> None:
    bug = Bug("dropped", "a check is dropped", drops=((action, label),), configuration=configuration)
    violation = broken(WRITE_PATH_TRUNCATE, bug, "refines hdfs.truncate")
    assert violation is not None
    assert violation.path.steps[-1].action.declared == action


class PipelineIsNotAsked(PipelineCalls, lane="namenode"):
    """updatePipeline looks at the client's name only."""

    @action
    def update_pipeline(s, client: Client, file: File) -> None:
        """The block takes the stamp, recovery or not."""
        s.passes_pipeline(client, file)
        require(s.client_name[file] == client, "the caller owns the file")
        s.block_stamp[file] = s.new_pipeline(client, file)[0]
        s.goes_on(client, file)


@pytest.mark.slow
def test_fenced_writer_gives_the_block_no_stamp_in_the_pipeline_that_is_seen() -> None:
    bug = Bug("late", "updatePipeline is not refused", parts=(PipelineIsNotAsked,), configuration="lost_node")
    violation = broken(WRITE_PATH, bug, "refines hdfs.pipeline")
    assert violation is not None
    assert violation.story[1].startswith("     block_stamp: 1 -> ")
    assert "block under_recovery" in violation.story[2]
