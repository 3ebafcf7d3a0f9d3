"""Damaged sources of every kind: each is read as far as it goes, what cannot be read is told with its place."""

import pytest
from tests.conformance.logs.fuzz.checking import Totals, try_one
from tests.conformance.logs.fuzz.samples import SAMPLES

SEEDS = range(1, 9)


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLES)
def test_damaged_source_is_read_as_far_as_it_goes(name: str) -> None:
    totals = Totals()
    for seed in SEEDS:
        try_one(name, seed, totals)
    assert totals.sources == {name: len(SEEDS)}
