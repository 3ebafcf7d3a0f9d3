"""The lists of reviewed mutants speak of mutants that there are: a changed line needs another look."""

import tomllib
from pathlib import Path

import pytest

from genstamp.systems import system_named
from genstamp_model.mutate import mutants

LISTS = sorted((Path(__file__).parents[2] / "spec" / "mutants").glob("*.toml"))


@pytest.mark.slow
@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.stem)
def test_every_reviewed_mutant_exists_and_has_a_reason(path: Path) -> None:
    reviewed = tomllib.loads(path.read_text())["equivalent"]
    names = {mutant.name for mutant in mutants(system_named(path.stem).model())}
    assert set(reviewed) <= names
    assert all(len(reason) > 20 for reason in reviewed.values())


def test_there_is_a_list() -> None:
    assert [path.stem for path in LISTS] == ["hdfs.recovery"]
