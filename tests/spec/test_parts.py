"""How parts build on one another: actors share the state, and no part is put together of many."""

import importlib
import pkgutil
from inspect import isfunction

import pytest

import genstamp_spec.gfs
import genstamp_spec.hdfs
from genstamp_model.language import Part

STILL_MIXED = frozenset(
    {
        "genstamp_spec.gfs.bugs",
        "genstamp_spec.gfs.parts.append_steps",
        "genstamp_spec.gfs.parts.lease_master",
        "genstamp_spec.gfs.parts.mutation_steps",
        "genstamp_spec.gfs.parts.progress_steps",
        "genstamp_spec.gfs.parts.replicas_steps",
        "genstamp_spec.gfs.parts.snapshot_copies",
        "genstamp_spec.gfs.ranks",
    }
)
"""Modules, or packages of them, in which an actor still builds on another one's part; none is of HDFS. It shrinks."""
OF_MANY = frozenset({"genstamp_spec.hdfs.bugs.lease.CompletesByForce"})
"""Parts with more than two bases beside the state: each is several faults at once."""


def _all(part: type[Part]) -> set[type[Part]]:
    return {part}.union(*map(_all, part.__subclasses__()))


@pytest.fixture(scope="module")
def parts() -> list[type[Part]]:
    for package in (genstamp_spec.hdfs, genstamp_spec.gfs):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    found = (part for part in _all(Part) if part.__module__.startswith("genstamp_spec."))
    return sorted(found, key=_name)


def _name(part: type[Part]) -> str:
    return f"{part.__module__}.{part.__name__}"


def _mixes(part: type[Part]) -> list[str]:
    lane = vars(part)["_lane"]
    lanes = {_name(base): vars(base).get("_lane") for base in part.__mro__[1:]}
    return [base for base, other in lanes.items() if lane is not None and other not in (None, lane)]


def test_no_part_of_one_actor_inherits_a_part_of_another(parts: list[type[Part]]) -> None:
    mixed = {_name(part): bases for part in parts if (bases := _mixes(part))}
    assert {name: bases for name, bases in mixed.items() if not name.startswith(tuple(STILL_MIXED))} == {}


def test_each_exception_is_one_still(parts: list[type[Part]]) -> None:
    mixed = [_name(part) for part in parts if _mixes(part)]
    assert {place for place in STILL_MIXED if not any(name.startswith(place) for name in mixed)} == set()


def _is_state(part: type[Part]) -> bool:
    """Variables and views of them: it stands in `state/`, or it has neither a lane nor a method."""
    methods = [name for name, value in vars(part).items() if isfunction(value) and not name.startswith("__")]
    bare = vars(part)["_lane"] is None and not methods and not part.actions() and not part.properties()
    return ".hdfs.state." in part.__module__ or bare


def test_no_part_has_more_than_two_bases_beside_the_state(parts: list[type[Part]]) -> None:
    bases = {_name(part): [base for base in part.__bases__ if base is not Part] for part in parts}
    many = {name for name, them in bases.items() if len([base for base in them if not _is_state(base)]) > 2}
    assert many == OF_MANY
