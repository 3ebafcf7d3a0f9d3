"""The verb mutate as its users meet it."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace
from typer.testing import CliRunner, Result

from genstamp.cli.verbs import app
from genstamp.mutation import NOTICED, SURVIVES, Judged, KeptError, Sample, keep, kept
from genstamp_model.errors import ConfigurationError
from genstamp_model.mutate import rounds

SMALL = ("mutate", "tests.model.systems.two_phase:TWO_PHASE:three", "--jobs", "1")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


@pytest.mark.slow
def test_mutants_are_judged_and_reported() -> None:
    result = run(*SMALL)
    assert result.exit_code == 0
    assert "two_phase (default) in three" in result.stdout
    assert "1 survive, 1 of them not reviewed" in result.stdout
    found = json.loads(run(*SMALL, "--format", "json").stdout)
    assert found["mutants"] == len(found["outcomes"]) == found["noticed"] + 1
    for strict, failures in ((), "0"), (("--strict",), "1"):
        suite = ElementTree.fromstring(run(*SMALL, *strict, "--format", "junit").stdout)
        assert (suite.get("tests"), suite.get("failures")) == (str(found["mutants"]), failures)


def interrupt_after(monkeypatch: pytest.MonkeyPatch, times: int) -> None:
    """The keyboard interrupts when so many mutants have been searched."""
    left = iter(range(times))
    seen = rounds._seen

    def interrupted(*arguments: Any) -> Any:
        if next(left, None) is None:
            raise KeyboardInterrupt
        return seen(*arguments)

    monkeypatch.setattr(rounds, "_seen", interrupted)


@pytest.mark.slow
def test_an_interrupt_leaves_what_was_noticed_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = json.loads(run(*SMALL, "--format", "json").stdout)
    interrupt_after(monkeypatch, 5)
    result = run(*SMALL, "--format", "json")
    found = json.loads(result.stdout)
    assert (result.exit_code, found["exit_code"], found["undetermined"]) == (3, 3, "interrupted")
    assert (found["mutants"], found["noticed"]) == (whole["mutants"], len(found["outcomes"]))
    assert 0 < found["noticed"] <= 5
    assert found["outcomes"].items() <= whole["outcomes"].items()
    assert (found["survivors"], found["rate"], found["of"]) == (None, None, None)
    assert found.keys() == whole.keys()


@pytest.mark.parametrize("form", ["junit", "sarif", "github"])
def test_an_interrupt_is_no_pass_in_any_form(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    interrupt_after(monkeypatch, 0)
    result = run(*SMALL, "--format", form)
    assert result.exit_code == 3
    assert "three: 0 of" in result.stdout


@pytest.mark.slow
def test_two_processes_find_what_one_finds() -> None:
    one = json.loads(run(*SMALL, "--format", "json").stdout)
    two = json.loads(run(*SMALL[:2], "--jobs", "2", "--format", "json").stdout)
    assert one["outcomes"] == two["outcomes"]


@pytest.mark.slow
def test_strict_fails_until_every_survivor_is_reviewed(tmp_path: Path) -> None:
    small = (*SMALL, "--action", "tm_commit")
    [survivor] = json.loads(run(*small, "--format", "json").stdout)["survivors"]
    assert run(*small, "--strict").exit_code == 12
    reviewed = tmp_path / "reviewed.toml"
    reviewed.write_text(f'[equivalent]\n"{survivor["name"]}" = "its word is never read again"\n')
    result = run(*small, "--strict", "--reviewed", str(reviewed))
    assert result.exit_code == 0
    assert "its word is never read again" in result.stdout


@pytest.mark.slow
def test_a_sample_is_drawn_by_its_seed() -> None:
    small = (*SMALL, "--sample", "3", "--format", "json")
    first, again, other = (json.loads(run(*small, "--seed", seed).stdout)["outcomes"] for seed in ("1", "1", "2"))
    assert len(first) == 3
    assert first == again != other


@pytest.mark.slow
def test_a_kept_sample_takes_the_place_of_the_one_with_the_same_seed(tmp_path: Path) -> None:
    small = (*SMALL, "--repository", str(tmp_path), "--keep", "--sample")
    for size, seed in (("3", "2"), ("4", "1"), ("5", "2"), ("900", "7")):
        assert run(*small, size, "--seed", seed).exit_code == 0
    samples = kept(tmp_path, "two_phase")
    assert [(one.seed, len(one.outcomes)) for one in samples] == [(None, samples[0].of), (1, 4), (2, 5)]
    assert samples[0].count(NOTICED) == samples[0].of - 1
    [survivor] = samples[0].survivors({})
    assert survivor.startswith("tm_commit-")
    assert samples[0].kill_rate({survivor: "its word is never read again"}) == 1.0
    review = f'[equivalent]\n"{survivor}" = "its word is never read again"\n'
    (tmp_path / "spec" / "mutants" / "two_phase.toml").write_text(review)
    assert "its word is never read again" in run(*SMALL, "--repository", str(tmp_path), "--mutant", survivor).stdout


@pytest.mark.slow
def test_what_no_claim_noticed_of_a_kept_sample_is_judged_again(tmp_path: Path) -> None:
    here = (*SMALL, "--repository", str(tmp_path))
    assert run(*here, "--keep").exit_code == 0
    [whole] = kept(tmp_path, "two_phase")
    first, second, third = [name for name, one in whole.outcomes.items() if one.found == NOTICED][:3]
    seen, by_lock = Judged(change="told otherwise", found=NOTICED), Judged(change="", found=NOTICED, by="lock")
    before = {first: Judged(change="not yet judged", found=SURVIVES), second: seen, third: by_lock}
    keep(tmp_path, "two_phase", replace(whole, outcomes=whole.outcomes | before, configurations=["one"]))
    assert run(*here, "--again").exit_code == 0
    [after] = kept(tmp_path, "two_phase")
    assert after.configurations == ["one", "three"]
    assert after.outcomes == whole.outcomes | {second: seen}


def test_a_sample_without_survivors_is_not_judged_again(tmp_path: Path) -> None:
    """It was once, and all mutants with it."""
    here = (*SMALL, "--repository", str(tmp_path))
    assert run(*here, "--keep", "--sample", "1", "--seed", "1").exit_code == 0
    [one] = kept(tmp_path, "two_phase")
    assert one.survivors({}) == []
    again = run(*here, "--again", "--seed", "1")
    assert again.exit_code == 0
    assert "claims notice all of the sample of two_phase" in again.output
    as_json = json.loads(run(*here, "--again", "--seed", "1", "--format", "json").stdout)
    assert (as_json["mutants"], as_json["exit_code"], as_json["undetermined"]) == (0, 0, None)
    assert kept(tmp_path, "two_phase") == [one]


def test_only_what_is_kept_and_of_the_same_text_is_judged_again(tmp_path: Path) -> None:
    def told(seed: str) -> str:
        result = run(*SMALL, "--repository", str(tmp_path), "--again", "--seed", seed)
        assert result.exit_code == 2
        return " ".join(result.output.replace("│", " ").split())

    assert "no sample of two_phase with seed 1 is recorded" in told("1")
    keep(
        tmp_path,
        "two_phase",
        Sample(seed=1, of=9, semantics="default", digest="00", configurations=["one"], outcomes={}),
    )
    assert "no sample of two_phase with seed 2 is recorded" in told("2")
    assert "two_phase has changed since it was sampled" in told("1")


def test_a_part_of_a_sample_is_not_kept(tmp_path: Path) -> None:
    for option in (("--action", "tm_commit"), ("--mutant", "tm_commit-0")):
        assert run(*SMALL, "--repository", str(tmp_path), "--keep", *option).exit_code == 2
    assert not list(tmp_path.iterdir())


def test_what_is_kept_and_cannot_be_read_is_told(tmp_path: Path) -> None:
    path = tmp_path / "spec" / "mutants" / "two_phase.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"samples": 5}')
    with pytest.raises(KeptError, match="`genstamp mutate SYSTEM --keep` writes it"):
        kept(tmp_path, "two_phase")


def test_a_list_of_reviewed_mutants_that_is_none_is_an_error(tmp_path: Path) -> None:
    for text in ("equivalent = 5", "x = 1", "[equivalent]\na = 1", "no toml"):
        path = tmp_path / "reviewed.toml"
        path.write_text(text)
        result = run(*SMALL, "--reviewed", str(path))
        assert result.exit_code != 0
        assert 'write [equivalent] and a line NAME = "reason"' in str(result.exception)


def test_an_unknown_action_or_mutant_is_told() -> None:
    for option in ("--action", "--mutant"):
        unknown = run(*SMALL, option, "explode").exception
        assert isinstance(unknown, ConfigurationError)  # 151, as for every other wrong name
        assert "'explode'; there is " in str(unknown)
