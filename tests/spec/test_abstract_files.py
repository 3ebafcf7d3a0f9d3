"""The abstract files that the systems of HDFS refine: a check that is left out is missed."""

from collections.abc import Sequence

import pytest

from genstamp_model.explore import explore
from genstamp_model.language import Bug, System
from genstamp_spec.hdfs.systems.durable_prefix import DURABLE_PREFIX
from genstamp_spec.hdfs.systems.single_writer import SINGLE_WRITER


@pytest.mark.parametrize(
    ("system", "drops", "breaks"),
    [
        (SINGLE_WRITER, [("commit", "the file is not being taken over")], "fenced_file_stays"),
        (SINGLE_WRITER, [("commit", "the client writes the file")], "closed_file_stays"),
        (DURABLE_PREFIX, [("settle", "nothing is missing of what was promised")], "closed_file_has_what_was_promised"),
        (DURABLE_PREFIX, [("acknowledge", "nothing is missing of what was promised")], "promise_is_kept_or_void"),
        (DURABLE_PREFIX, [("read", "of a closed file the reader sees all")], "readers_never_see_it_shrink"),
    ],
)
def test_check_is_missed(system: System, drops: Sequence[tuple[str, str]], breaks: str) -> None:
    without = Bug("without", "a check is left out", drops=tuple(drops))
    mutant = System(system.name, system.parts, system.configurations, bugs=[without])
    violation = explore(mutant.instance(bugs=["without"])).violation
    assert violation is not None
    assert violation.name == breaks
