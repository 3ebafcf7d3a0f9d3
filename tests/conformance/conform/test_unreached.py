"""Random runs lean to abstract transitions that no run has taken yet."""

import pytest

from genstamp.adapters import ReferenceAdapter
from genstamp.stateful import chooser, conform
from genstamp_spec.hdfs.systems.lease import LEASE

pytestmark = pytest.mark.slow


def test_runs_that_lean_to_what_is_missing_take_more_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    leaning = _taken()
    monkeypatch.setitem(chooser._WEIGHTS, "unreached", 1e-9)
    assert leaning > 1.2 * _taken()


def _taken() -> int:
    report = conform(ReferenceAdapter(), LEASE, examples=20, seed=1)
    assert report.verdict == "conforms"
    return report.transitions
