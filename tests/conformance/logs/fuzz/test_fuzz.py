"""Damaged sources of every kind: each is read as far as it goes, what cannot be read is told with its place."""

import re
from pathlib import Path

import pytest
from tests.conformance.logs.fuzz.checking import Totals, try_one
from tests.conformance.logs.fuzz.samples import SAMPLES, sample, write

from genstamp.logs.local import check_locally

SEEDS = range(1, 9)


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLES)
def test_damaged_source_is_read_as_far_as_it_goes(name: str) -> None:
    totals = Totals()
    for seed in SEEDS:
        try_one(name, seed, totals)
    assert totals.sources == {name: len(SEEDS)}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["edit log as XML", "logs of servers", "merged log", "sequences", "events", "trace of calls", "fsimage as XML"],
)
@pytest.mark.parametrize("large", ["9" * 5_000, str(2**63)], ids=["long", "of 64 bits"])
def test_number_that_fits_no_column_does_no_harm_wherever_it_stands(tmp_path: Path, name: str, large: str) -> None:
    """Each number of a text by itself, the first of each that stand after the same letters."""
    path, content = max(sample(name).items(), key=lambda one: len(one[1]))
    tried = set()
    for number, match in enumerate(re.finditer(rb"\d+", content)):
        before = re.sub(rb"\d", b"", content[max(0, match.start() - 12) : match.start()])
        if before not in tried:
            tried.add(before)
            write({path: content[: match.start()] + large.encode() + content[match.end() :]}, tmp_path / str(number))
    checked = check_locally([tmp_path])
    assert tried and checked.rejects.num_rows
