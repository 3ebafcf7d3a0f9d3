"""Symmetry of the systems that come with genstamp: decided from their text, whatever the semantics or the bug."""

from collections.abc import Iterator

import pytest

from genstamp.systems import PLACES, found
from genstamp_model.errors import ConfigurationError
from genstamp_model.explore import explore
from genstamp_model.explore.symmetry import groups
from genstamp_model.explore.symmetry_static import refuse_asymmetry
from genstamp_model.language import Instance, System

# A datanode asks for the node before it in the pipeline, which `choose` gives.
CHOOSING = {"hdfs.pipeline", "hdfs.pipeline_progress"}


def instances(system: System) -> Iterator[Instance]:
    """The system in its largest configuration, under each semantics and with its first bug."""
    largest = max(system.configurations, key=lambda one: sum(one.sizes.values()))
    for semantics in system.semantics:
        yield Instance(system.model(semantics), largest)
    for bug in system.bugs[:1]:
        yield Instance(system.model(bugs=[bug.name]), largest)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in PLACES if name not in CHOOSING])
def test_every_system_treats_its_members_alike(name: str) -> None:
    for instance in instances(found(name)[0]):
        refuse_asymmetry(instance, groups(instance))


@pytest.mark.parametrize("name", sorted(CHOOSING))
def test_a_pipeline_is_refused_with_its_line(name: str) -> None:
    instance = found(name)[0].instance()
    with pytest.raises(ConfigurationError, match=r"pipeline_datanode\.py:\d+: .* chooses the first Datanode"):
        refuse_asymmetry(instance, groups(instance))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "configuration", "bugs"),
    [
        ("gfs.mutation_order", "two_replicas", ()),
        ("gfs.mutation_order", "retries", ("forward-applied-twice",)),
        ("gfs.chunk_lease", "two_chunkservers", ()),
        ("hdfs.monitor", "two_files", ()),
    ],
)
def test_a_search_by_symmetry_says_the_same(name: str, configuration: str, bugs: tuple[str, ...]) -> None:
    instance = found(name)[0].instance(configuration, bugs=bugs)
    plain, reduced = explore(instance), explore(instance, symmetry=True)
    assert (reduced.verdict, reduced.levels, reduced.witnesses) == (plain.verdict, plain.levels, plain.witnesses)
    assert reduced.states <= plain.states
    if bugs:
        assert plain.violation is not None and reduced.violation is not None
        assert len(plain.violation.path) == len(reduced.violation.path)
