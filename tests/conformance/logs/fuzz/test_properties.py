"""What may be missing and what may be in another order changes no verdict that it should not, whatever the source."""

import random
from pathlib import Path

import pytest
from tests.conformance.logs.fuzz.dropping import DROPPED, less
from tests.conformance.logs.fuzz.reordering import answers, reordered
from tests.conformance.logs.fuzz.samples import POOL, SAMPLES, sample, write

from genstamp.logs.check import verdicts
from genstamp.logs.local import check_locally

CONFORMANT = tuple(name for name in SAMPLES if name != "wordings")
"""Of those the samples that tell a story."""

ORDERS, DROPS = range(6), range(12)

MISSED = (("edit log as XML", 44), ("trace of calls", 3), ("trace of calls", 31))
"""What once was told to be violated: a file at the path of a deleted one, and blocks that nobody names."""


def _refused(name: str, seed: int, place: Path) -> list[tuple[str, ...]]:
    """Which keys of a sample are not conformant once some of it is missing."""
    files = less(random.Random(f"{name} {seed}"), name, sample(name))
    if not files:
        return []
    rows = check_locally([write(files, place / f"{name} {seed}")], group=POOL).verdicts.to_pylist()
    return [(row["kind"], row["entity"], row["failed"]) for row in rows if row["safety"] != "conformant"]


@pytest.mark.slow
@pytest.mark.parametrize("name", DROPPED)
def test_what_is_missing_makes_nothing_violated(tmp_path: Path, name: str) -> None:
    assert {seed: refused for seed in DROPS if (refused := _refused(name, seed, tmp_path))} == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in CONFORMANT if name not in ("archive", "storage directories")])
def test_file_that_ends_anywhere_makes_nothing_violated(tmp_path: Path, name: str) -> None:
    """Also where its last line is half there."""
    choose = random.Random(name)
    for number in range(12):
        path, content = choose.choice(list(sample(name).items()))
        cut = {**sample(name), path: content[: choose.randrange(len(content))]}
        rows = check_locally([write(cut, tmp_path / str(number))], group=POOL).verdicts.to_pylist()
        assert [row for row in rows if row["safety"] == "violated"] == []


@pytest.mark.parametrize(("name", "seed"), MISSED)
def test_what_was_found_missing_once_makes_nothing_violated(tmp_path: Path, name: str, seed: int) -> None:
    assert _refused(name, seed, tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("complete", [False, True])
@pytest.mark.parametrize("name", CONFORMANT)
def test_order_that_nothing_known_speaks_against_changes_no_verdict(tmp_path: Path, name: str, complete: bool) -> None:
    checked = check_locally([write(sample(name), tmp_path / "given")], complete=complete, group=POOL)
    told = answers(checked.verdicts)
    assert {safety for safety, _ in told.values()} == {"conformant"}
    for seed in ORDERS:
        changed = verdicts(reordered(random.Random(f"{name} {seed}"), checked), checked.terms)
        assert answers(changed) == told, f"seed {seed}"
