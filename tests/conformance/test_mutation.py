"""What is kept of a sample when some of it is judged again: what was seen once stays seen."""

import pytest

from genstamp.drawing import Draw, figures
from genstamp.mutation import ALIKE, NOTICED, PROVED, SAME, SURVIVES, Judged, Sample


def _sample(**found: str) -> Sample:
    outcomes = {
        name: Judged(change=name, found=one, by="lock" if one == NOTICED else "") for name, one in found.items()
    }
    return Sample(seed=1, of=9, semantics="repaired", digest="ab", configurations=["one"], outcomes=outcomes)


@pytest.mark.parametrize(
    ("before", "later", "known"),
    [
        (SAME, ALIKE, ALIKE),
        (ALIKE, SURVIVES, SURVIVES),
        (SURVIVES, ALIKE, SURVIVES),
        (ALIKE, SAME, ALIKE),
        (ALIKE, PROVED, PROVED),
        (SURVIVES, NOTICED, NOTICED),
        (NOTICED, SURVIVES, NOTICED),
    ],
)
def test_a_difference_that_was_seen_is_not_forgotten(before: str, later: str, known: str) -> None:
    assert _sample(one=before).with_later(_sample(one=later)).outcomes["one"].found == known


def test_figures_tell_mutants_without_a_difference_apart() -> None:
    sample = _sample(a=NOTICED, b=SURVIVES, c=ALIKE, d=ALIKE, e=PROVED)
    found = figures(Draw(seed=1, of=9, size=5, samples={"system": sample}), {})
    assert (found.counted, found.noticed, found.alike, found.proved, found.reviewed) == (2, 1, 2, 1, 0)
    assert "if those 2 counted as survivors, it would be 0.0 % by a claim, 25.0 % in all" in [*found.lines()]
    assert sample.left() == ["b", "c", "d"]
