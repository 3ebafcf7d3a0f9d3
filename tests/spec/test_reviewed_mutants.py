"""The lists of reviewed mutants speak of mutants that there are: a changed line needs another look."""

from pathlib import Path

import pytest

from genstamp.claim_mutants import PROPERTIES
from genstamp.drawing import DRAWN
from genstamp.mutation import reviewed_in
from genstamp.systems import PLACES, system_named
from genstamp_model.mutate import mutants

MUTANTS = Path(__file__).parents[2] / "spec" / "mutants"
LISTS = sorted(MUTANTS.glob("*.toml"))


@pytest.mark.slow
@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.stem)
def test_every_reviewed_mutant_exists_and_has_a_reason(path: Path) -> None:
    reviewed = reviewed_in(path)
    names = {mutant.name for mutant in mutants(system_named(path.stem).model())}
    assert set(reviewed) <= names
    assert all(len(reason) > 20 for reason in reviewed.values())


def test_every_list_and_every_sample_is_of_a_system() -> None:
    assert LISTS
    assert {path.stem for path in MUTANTS.iterdir()} - {DRAWN.stem, PROPERTIES.stem} <= set(PLACES)
