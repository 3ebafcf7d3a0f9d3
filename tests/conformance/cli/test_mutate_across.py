"""`mutate --all` draws from all systems, and resumes what it has kept; `mutate --properties` changes claims."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.model.systems.two_phase import TWO_PHASE
from typer.testing import CliRunner, Result

from genstamp import judging
from genstamp.claim_mutants import kept_claims
from genstamp.cli.mutate import all_systems
from genstamp.cli.verbs import app
from genstamp.drawing import keep_draw, kept_draw, names_drawn
from genstamp.mutation import KeptError
from genstamp_model.mutate import Mutant


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["mutate", *arguments])


MANY = {"small": [f"s{i}" for i in range(10)], "large": [f"l{i}" for i in range(90)]}


def test_a_larger_draw_has_the_smaller_one_in_it() -> None:
    small, large = (names_drawn(MANY, size, 3, {}) for size in (20, 60))
    assert sum(map(len, small.values())) == 20
    assert all(set(names) <= set(large[system]) for system, names in small.items())
    assert names_drawn(MANY, None, 3, {}) == MANY
    assert names_drawn(MANY, 20, 4, {}) != small


def test_a_draw_stays_what_it_was_where_a_line_is_changed() -> None:
    first = names_drawn(MANY, 20, 3, {})
    changed = {**MANY, "large": ["new", *(one for one in MANY["large"] if one != first["large"][0])]}
    later = names_drawn(changed, 20, 3, {})
    assert set(first["small"]) == set(later["small"])
    assert set(first["large"][1:]) <= set(later["large"])


def test_what_was_drawn_before_stays_drawn_while_there_is_room() -> None:
    other = names_drawn(MANY, 5, 4, {})
    later = names_drawn(MANY, 20, 3, other)
    assert all(set(names) <= set(later[system]) for system, names in other.items())
    assert sum(map(len, later.values())) == 20
    assert names_drawn(MANY, 2, 3, {"small": ["gone"]}) == names_drawn(MANY, 2, 3, {})


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the mutants that are judged, where there is one small system."""
    names: list[str] = []
    judge = judging.judged_in

    def watched(repository: Path, model: Any, configurations: Any, mutants: Sequence[Mutant], **how: Any) -> Any:
        names.extend(one.name for one in mutants)
        return judge(repository, model, configurations[:1], mutants, **how)

    monkeypatch.setattr(all_systems, "judged_in", watched)
    monkeypatch.setattr(all_systems, "every_system", lambda: (TWO_PHASE,))
    return names


@pytest.mark.slow
def test_a_draw_is_resumed(judged: list[str], tmp_path: Path) -> None:
    here = ("--all", "--repository", str(tmp_path), "--jobs", "1", "--seed", "3", "--keep")
    first = run(*here, "--sample", "4")
    assert first.exit_code == 0, first.output
    assert "4 of 46 mutants of 1 systems, seed 3" in first.stdout
    assert len(judged) == 4
    run(*here, "--sample", "7")
    assert len(judged) == len(set(judged)) == 7
    draw = kept_draw(tmp_path)
    assert draw is not None
    assert (draw.seed, draw.size, draw.of, set(draw.samples["two_phase"].outcomes)) == (3, 7, 46, set(judged))
    found = json.loads(run(*here, "--sample", "7", "--format", "json").stdout)
    assert found["judged"] == len(found["outcomes"]["two_phase"]) == 7
    assert found["noticed_by_claims"] <= found["noticed"] <= found["of"]
    assert len(judged) == 7


@pytest.mark.slow
def test_a_smaller_draw_counts_only_what_it_has_drawn(judged: list[str], tmp_path: Path) -> None:
    here = ("--all", "--repository", str(tmp_path), "--jobs", "1", "--seed", "3")
    run(*here, "--sample", "7", "--keep")
    kept = kept_draw(tmp_path)
    assert kept is not None
    keep_draw(tmp_path, kept.with_sample("no_longer_drawn", kept.samples["two_phase"]))
    found = json.loads(run(*here, "--sample", "4", "--format", "json").stdout)
    assert (found["judged"], set(found["outcomes"])) == (4, {"two_phase"})
    assert set(found["outcomes"]["two_phase"]) < set(kept.samples["two_phase"].outcomes)
    assert len(judged) == 7


@pytest.mark.slow
def test_survivors_are_judged_again_where_there_are_further_configurations(judged: list[str], tmp_path: Path) -> None:
    here = ("--all", "--repository", str(tmp_path), "--jobs", "1", "--keep")
    run(*here)
    assert len(judged) == 46
    before = kept_draw(tmp_path)
    assert before is not None
    [survivor] = before.samples["two_phase"].survivors({})
    keep_draw(tmp_path, before.with_sample("two_phase", replace(before.samples["two_phase"], configurations=[])))
    run(*here)
    assert judged[46:] == [survivor]
    after = kept_draw(tmp_path)
    assert after == before
    for strict, code in ((), 0), (("--strict",), 12):
        told = run(*here, *strict, "--format", "json")
        assert (told.exit_code, json.loads(told.stdout)["exit_code"]) == (code, code)
        annotated = run(*here, *strict, "--format", "github")
        assert ("::error" in annotated.stdout) == bool(code)


@pytest.mark.slow
def test_what_no_claim_noticed_of_a_draw_is_judged_again(judged: list[str], tmp_path: Path) -> None:
    """Also where the text has changed since; a mutant of a line that is gone stays as it was."""
    here = ("--all", "--repository", str(tmp_path), "--jobs", "1", "--seed", "3")
    run(*here, "--sample", "7", "--keep")
    kept = kept_draw(tmp_path)
    assert kept is not None
    sample = replace(kept.samples["two_phase"], digest="of another text")
    first, *_ = [name for name, one in sample.outcomes.items() if one.found == "noticed" and one.by != "lock"]
    gone = {"gone-0": replace(sample.outcomes[first], by="lock")}
    by_lock = {first: replace(sample.outcomes[first], by="lock")}
    before = replace(sample, outcomes=sample.outcomes | gone | by_lock)
    keep_draw(tmp_path, kept.with_sample("two_phase", before))
    assert run(*here, "--again").exit_code == 0
    assert set(judged[7:]) == set(before.unclaimed()) - {"gone-0"}
    assert first in judged[7:]
    assert kept_draw(tmp_path) == kept.with_sample("two_phase", replace(sample, outcomes=sample.outcomes | gone))


def test_only_a_kept_draw_is_judged_again(tmp_path: Path) -> None:
    here = ("--all", "--again", "--repository", str(tmp_path))
    told = run(*here, "--seed", "3")
    assert (told.exit_code, "no sample with seed 3 is recorded" in " ".join(told.output.split())) == (2, True)
    assert run(*here, "--sample", "7").exit_code == 2


def test_a_system_is_named_or_all_are_asked_for() -> None:
    for options in ((), ("two_phase", "--all"), ("--all", "--action", "x")):
        assert run(*options).exit_code == 2


@pytest.mark.parametrize("form", ["junit", "sarif", "github"])
def test_mutants_of_properties_have_no_other_forms_than_text_and_json(form: str) -> None:
    result = run("tests.model.systems.two_phase:TWO_PHASE", "--properties", "--format", form)
    assert (result.exit_code, "only text and json" in result.output) == (2, True)


def test_interrupted_mutants_of_properties_name_their_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("genstamp.cli.mutate.verb.judge_claims", interrupted)
    asked = ("tests.model.systems.two_phase:TWO_PHASE", "--properties", "--seed", "5")
    result = run(*asked)
    assert (result.exit_code, "two_phase with seed 5" in result.output) == (3, True)
    found = json.loads(run(*asked, "--format", "json").stdout)
    assert (found["seed"], found["exit_code"], found["undetermined"]) == (5, 3, "interrupted")


@pytest.mark.slow
def test_an_interrupted_draw_tells_of_the_systems_before(
    judged: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = ("--all", "--repository", str(tmp_path), "--jobs", "1", "--seed", "3", "--sample", "7")
    run(*here, "--keep")

    def interrupted(*_: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(all_systems, "_sample", interrupted)
    result = run(*here, "--format", "json")
    found = json.loads(result.stdout)
    assert (result.exit_code, found["exit_code"], found["undetermined"]) == (3, 3, "interrupted")
    assert found["judged"] == 7


def test_a_draw_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    path = tmp_path / "spec" / "mutants" / "drawn.json"
    path.parent.mkdir(parents=True)
    path.write_text("[]")
    with pytest.raises(KeptError, match=r"drawn\.json"):
        kept_draw(tmp_path)


@pytest.mark.slow
def test_properties_are_changed_and_kept(tmp_path: Path) -> None:
    two_phase = "tests.model.systems.two_phase:TWO_PHASE"
    result = run(two_phase, "--properties", "--sample", "5", "--repository", str(tmp_path), "--keep")
    assert result.exit_code == 0, result.output
    claims = kept_claims(tmp_path)["two_phase"]
    assert (claims.drawn, claims.seed) == (5, 1)
    assert f"{claims.noticed['stronger']} of {claims.mutants['stronger']} stronger properties" in result.stdout
    for kind in ("weaker", "stronger"):
        assert len(claims.unnoticed[kind]) == claims.mutants[kind] - claims.noticed[kind]
