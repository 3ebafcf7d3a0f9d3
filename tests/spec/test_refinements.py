"""The mappings of HDFS' systems to the abstract files: what they reject, and where."""

from dataclasses import replace

import pytest

from genstamp_model.explore import Verdict, Violation, explore
from genstamp_model.language import Bug, System, Variation
from genstamp_spec.hdfs.systems.lease import LEASE
from genstamp_spec.hdfs.systems.pipeline import PIPELINE
from genstamp_spec.hdfs.systems.recovery import RECOVERY
from genstamp_spec.hdfs.systems.write_path import WRITE_PATH

REJECTED = [
    (RECOVERY, "HDFS-10240", "refines hdfs.single_writer"),
    (RECOVERY, "HDFS-1218", "refines hdfs.durable_prefix"),
    (RECOVERY, "hflush-sees-the-recovery", "refines hdfs.durable_prefix"),
    (LEASE, "fsync-stops-for-a-recovery", "refines hdfs.single_writer"),
    (WRITE_PATH, "hflush-sees-the-recovery", "refines hdfs.durable_prefix"),
]


def broken(system: System, fault: Variation, name: str) -> Violation | None:
    """How a variation breaks a refinement, with nothing else judged."""
    bug = Bug(fault.name, fault.title, drops=fault.drops, parts=fault.parts, breaks=(name,))
    faulty = replace(system, bugs=[bug], semantics={"only": ()}, default_semantics="only")
    instance = faulty.instance(fault.configuration, bugs=[fault.name])
    [claim] = [claim for claim in instance.model.properties if claim.name == name]
    return explore(replace(instance, model=replace(instance.model, properties=(claim,)))).violation


@pytest.mark.parametrize(("system", "bug", "name"), REJECTED)
def test_bug_is_rejected(system: System, bug: str, name: str) -> None:
    violation = broken(system, system.bug(bug), name)
    assert violation is not None
    assert violation.name == name
    assert violation.story


def test_late_commit_is_no_step_of_a_fenced_file() -> None:
    violation = broken(RECOVERY, RECOVERY.bug("HDFS-10240"), "refines hdfs.single_writer")
    assert violation is not None
    assert violation.story[:4] == (
        "that step of file1 is none of hdfs.single_writer, where it",
        "     fenced: true -> false",
        "     and leaves writer client2, length 0",
        '  not open_(client client1): "nobody writes the file" does not hold',
    )


def test_reader_that_sees_less_than_before_is_no_step() -> None:
    labels = ("something new is shown", "no location shows less")
    any_answer = Bug("any-answer", "a reader takes any answer", drops=tuple(("read", label) for label in labels))
    violation = broken(PIPELINE, replace(any_answer, configuration="chain"), "refines hdfs.durable_prefix")
    assert violation is not None
    assert violation.path.steps[-1].action.name == "read"
    assert "     promised: 2 -> 1" in violation.story


def test_write_path_has_no_late_commit_either() -> None:
    late = replace(RECOVERY.bug("HDFS-10240"), configuration="two_blocks")
    violation = broken(WRITE_PATH, late, "refines hdfs.single_writer")
    assert violation is not None
    assert violation.path.steps[-1].action.name == "complete_under_recovery"


def test_every_step_of_the_abstract_files_is_taken() -> None:
    result = explore(RECOVERY.instance("takeover"))
    assert result.verdict is Verdict.HOLDS
    assert all(result.refined.values())
    assert len(result.refined) == 10
