"""The comparisons of judges on random systems, of some seeds; `tests/model/fuzzing.py` says how to run more.

The seeds are others than those of the tests of each judge.
"""

import sys
from collections import Counter

import pytest
from tests.model import fuzz_judges, fuzz_liveness, fuzz_symmetry
from tests.model.fuzzing import compare_all, run


@pytest.mark.slow
def test_judges_agree_on_systems_of_further_kinds() -> None:
    counts = compare_all(fuzz_judges.extended_kinds, range(10_056, 10_080))
    assert counts["systems searched whole"] >= 15, counts
    assert 5 <= counts["systems with something broken"] <= 20, counts
    assert counts["functions: states"] >= 150, counts
    for way in ("one thread", "two threads", "fingerprints"):
        assert counts[f"{way}: all counts"] >= 10, counts
    assert min(counts["bmc: violated"], counts["bmc: no violation"], counts["reach: a path"]) >= 2, counts
    assert min(counts["proof: proved"], counts["2-proof: proved"]) >= 5, counts
    assert counts["proof for any size: proved"] and counts["walks: violated"], counts


@pytest.mark.slow
@pytest.mark.parametrize("seed", [700_491, 700_632])
def test_judges_agree_where_they_once_differed(seed: int) -> None:
    """A message without a place whose number is beyond a limit too; a limit that no search could begin within."""
    assert compare_all(fuzz_judges.extended_kinds, range(seed, seed + 1))["systems"] == 1


@pytest.mark.slow
def test_judges_agree_on_systems_of_usual_kinds() -> None:
    counts = compare_all(fuzz_judges.standard, range(10_000, 10_008))
    assert counts["systems searched whole"] >= 5, counts


@pytest.mark.slow
def test_judges_agree_on_systems_with_several_initial_states() -> None:
    counts = compare_all(fuzz_judges.several_beginnings, range(10_000, 10_008))
    assert counts["systems searched whole"] >= 5, counts
    assert 2 <= counts["systems with something broken"] <= 6, counts
    for way in ("one thread", "two threads", "fingerprints"):
        assert counts[f"{way}: all counts"] >= 5, counts
    assert min(counts["bmc: violated"], counts["bmc: no violation"], counts["reach: a path"]) >= 1, counts
    assert min(counts["proof: proved"], counts["2-proof: proved"], counts["walks: violated"]) >= 1, counts


@pytest.mark.slow
def test_judges_agree_on_members_in_order() -> None:
    counts = compare_all(fuzz_judges.members_in_order, range(10_000, 10_008))
    assert counts["systems searched whole"] >= 5, counts
    assert min(counts["functions: states"] / 40, counts["bmc: violated"], counts["proof: proved"]) >= 2, counts


@pytest.mark.slow
def test_symmetry_is_that_of_brute_force() -> None:
    counts = compare_all(fuzz_symmetry.compare, range(10_000, 10_030))
    assert 2 <= counts["deep: refused by the decision"] <= counts["deep"] - 2, counts
    assert 1 <= counts["random: refused by the decision"] <= counts["random"] // 2, counts
    assert min(counts["violated"], counts["fewer orbits than states"]) >= 4, counts
    assert counts["orbits compared"] >= 15, counts


@pytest.mark.slow
def test_what_the_decision_accepts_behaves_alike_in_any_state() -> None:
    counts = compare_all(fuzz_symmetry.compare_states, range(20_000, 20_020))
    assert counts["accepted"] >= 100, counts
    assert counts["refused"] >= 10, counts


@pytest.mark.slow
def test_liveness_judges_agree() -> None:
    counts = compare_all(fuzz_liveness.compare, range(10_000, 10_032))
    verdicts, stamps = ("holds", "violated"), ("", " with stamps")
    assert min(counts[f"{verdict}{stamp}"] for verdict in verdicts for stamp in stamps) >= 3, counts
    several = [counts[f"{verdict}{stamp} from several states"] for verdict in verdicts for stamp in stamps]
    assert min(several) >= 1, counts


def test_a_difference_is_raised_with_its_seed() -> None:
    def differs(seed: int, counts: Counter[str]) -> None:
        counts["seen"] += 1
        assert seed != 5

    with pytest.raises(AssertionError) as error:
        compare_all(differs, range(3, 9))
    assert error.value.__notes__ == ["seed 5"]
    assert compare_all(differs, range(6, 9))["seen"] == 3


def test_by_hand_all_seeds_are_compared_and_differences_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def differs(seed: int, counts: Counter[str]) -> None:
        counts["compared"] += 1
        assert seed != 5

    monkeypatch.setattr(sys, "argv", ["fuzz", "3", "--seeds", "4"])
    assert run({"all": differs}, "Compare.") == 1
    shown = capsys.readouterr().out
    assert "seed 5 differs:" in shown
    assert "4 compared\n1 seeds differ; the last one was 6" in shown
