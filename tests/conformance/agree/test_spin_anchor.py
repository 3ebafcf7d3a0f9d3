"""A Promela model written by hand, with processes and channels, has as many states as its twin in our language.

Every export comes from one intermediate representation; this anchor does not.
"""

import shutil
from pathlib import Path

import pytest
from tests.model.systems.block_recovery import BLOCK_RECOVERY

from genstamp.agree.peer import Verdict
from genstamp.agree.spin import Spin
from genstamp_model import explore as ours

HAND_WRITTEN = Path(__file__).parents[2] / "model" / "anchors" / "block_recovery.pml"
STATES = 11496


def test_we_count_the_twin() -> None:
    result = ours.explore(BLOCK_RECOVERY.instance())
    assert (result.verdict, result.states) == (ours.Verdict.HOLDS, STATES)
    assert result.witnesses["closed_by_the_later_one"] is not None
    assert min(result.taken.values()) > 0


@pytest.mark.slow
def test_the_hand_written_model_has_the_same_states(spin: Spin, tmp_path: Path) -> None:
    shutil.copy(HAND_WRITTEN, tmp_path / "model.pml")
    found = spin.run_text(BLOCK_RECOVERY.instance(), tmp_path, 120)
    assert (found.undetermined, found.distinct) == ("", STATES)
    assert found.verdicts["replicas_match"] is Verdict.HOLDS


@pytest.mark.slow
def test_the_export_of_the_twin_has_the_same_states(spin: Spin, tmp_path: Path) -> None:
    found = spin.run(BLOCK_RECOVERY.instance(), tmp_path, 120)
    assert (found.undetermined, found.distinct) == ("", STATES)
    assert found.verdicts["closed_by_the_later_one"] is Verdict.SEEN


@pytest.mark.slow
def test_a_change_of_the_hand_written_model_is_noticed(spin: Spin, tmp_path: Path) -> None:
    text = HAND_WRITTEN.read_text()
    wrong = text.replace(":: answer == PREEMPTED -> goto over", ":: answer == PREEMPTED -> skip")
    assert wrong != text
    (tmp_path / "model.pml").write_text(wrong)
    assert spin.run_text(BLOCK_RECOVERY.instance(), tmp_path, 120).distinct not in (None, STATES)
