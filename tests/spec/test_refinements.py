"""The mappings of HDFS' systems to the abstract files: what they reject, and where."""

from dataclasses import replace

import pytest

from genstamp_model.explore import Verdict, Violation, explore
from genstamp_model.language import Bug, System
from genstamp_spec.hdfs.systems.lease import LEASE
from genstamp_spec.hdfs.systems.recovery import RECOVERY

REJECTED = [
    (RECOVERY, "HDFS-10240", "refines hdfs.single_writer"),
    (RECOVERY, "HDFS-1218", "refines hdfs.durable_prefix"),
    (RECOVERY, "hflush-sees-the-recovery", "refines hdfs.durable_prefix"),
    (LEASE, "fsync-stops-for-a-recovery", "refines hdfs.single_writer"),
]


def broken(system: System, bug: str, name: str) -> Violation | None:
    """How a bug breaks a refinement, with nothing else judged."""
    known = system.bug(bug)
    fault = Bug(bug, known.title, drops=known.drops, parts=known.parts, breaks=(name,))
    faulty = replace(system, bugs=[fault], semantics={"only": ()}, default_semantics="only")
    instance = faulty.instance(known.configuration, bugs=[bug])
    [claim] = [claim for claim in instance.model.properties if claim.name == name]
    return explore(replace(instance, model=replace(instance.model, properties=(claim,)))).violation


@pytest.mark.parametrize(("system", "bug", "name"), REJECTED)
def test_bug_is_rejected(system: System, bug: str, name: str) -> None:
    violation = broken(system, bug, name)
    assert violation is not None
    assert violation.name == name
    assert violation.story


def test_late_commit_is_no_step_of_a_fenced_file() -> None:
    violation = broken(RECOVERY, "HDFS-10240", "refines hdfs.single_writer")
    assert violation is not None
    assert violation.story[:4] == (
        "that step of file1 is none of hdfs.single_writer, where it",
        "     fenced: true -> false",
        "     and leaves writer client2, length 0",
        '  not open_(client client1): "nobody writes the file" does not hold',
    )


def test_every_step_of_the_abstract_files_is_taken() -> None:
    result = explore(RECOVERY.instance("takeover"))
    assert result.verdict is Verdict.HOLDS
    assert all(result.refined.values())
    assert len(result.refined) == 10
