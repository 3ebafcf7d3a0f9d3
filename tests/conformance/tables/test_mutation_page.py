"""The page of mutation says what is kept, and what was reviewed since."""

from pathlib import Path

import pytest

from genstamp.claim_mutants import Claims, keep_claims
from genstamp.drawing import Draw, keep_draw
from genstamp.lock import SemanticsEntry, SystemEntry
from genstamp.mutation import NOTICED, PROVED, SAME, SURVIVES, Judged, Sample, keep
from genstamp.tables import mutation_page

SYSTEM = "hdfs.monitor"
OUTCOMES = {
    "a-1": Judged(change="a: one", found=NOTICED, by="invariants", seen="x"),
    "a-2": Judged(change="a: two", found=NOTICED, by="lock", seen="x"),
    "a-3": Judged(change="a: three", found=SAME),
    "a-4": Judged(change="a: four", found=PROVED),
    "b-1": Judged(change="b: one", found=SURVIVES),
    "b-2": Judged(change="b: two", found=SURVIVES),
}


def kept(repository: Path, seed: int) -> None:
    sample = Sample(seed=seed, of=90, semantics="repaired", digest="ab", configurations=["one"], outcomes=OUTCOMES)
    keep(repository, SYSTEM, sample)


@pytest.mark.parametrize(("digest", "word"), [("ab", "as it is"), ("cd", "changed since")])
def test_a_row_counts_what_is_kept_and_reviewed(tmp_path: Path, digest: str, word: str) -> None:
    kept(tmp_path, 1)
    lock = {SYSTEM: SystemEntry(semantics={"repaired": SemanticsEntry(digest=digest)})}
    assert (
        f"| {SYSTEM} | 6 of 90 | 1 | 1 | 25.0 % | 1 | 2 | 50.0 % | 2 | 1 | 1 | 0 | 0 | {word} |"
        in mutation_page.page(lock, tmp_path)
    )
    (tmp_path / "spec" / "mutants" / f"{SYSTEM}.toml").write_text('[equivalent]\nb-2 = "for a good reason"\n')
    page = mutation_page.page(lock, tmp_path)
    assert f"| {SYSTEM} | 6 of 90 | 1 | 1 | 33.3 % | 1 | 2 | 66.7 % | 1 | 1 | 1 | 0 | 1 | {word} |" in page
    assert f"- {SYSTEM}, `b-1`: b: one" in page
    assert f"- {SYSTEM}, `b-2` (b: two): for a good reason" in page


def test_each_sample_has_its_row_and_what_was_not_sampled_is_named(tmp_path: Path) -> None:
    kept(tmp_path, 1)
    kept(tmp_path, 4)
    page = mutation_page.page({}, tmp_path)
    assert f"| {SYSTEM}, again | 6 of 90 | 4 |" in page
    assert "Not sampled: hdfs.single_writer," in page
    assert SYSTEM not in page.partition("Not sampled:")[2].partition("\n")[0]


def test_the_figures_across_all_systems_come_first(tmp_path: Path) -> None:
    """Those by claims before those with the lock, and those of properties apart."""
    sample = Sample(seed=5, of=90, semantics="repaired", digest="ab", configurations=["one"], outcomes=OUTCOMES)
    keep_draw(tmp_path, Draw(seed=5, of=900, size=7, samples={SYSTEM: sample}))
    counts = {"weaker": 8, "stronger": 9}
    claims = Claims(
        digest="ab",
        declared=3,
        drawn=60,
        seed=1,
        configurations=["one"],
        mutants=counts,
        noticed={"weaker": 6, "stronger": 9},
        unnoticed={"weaker": ["a", "b"], "stronger": []},
    )
    keep_claims(tmp_path, SYSTEM, claims)
    page = mutation_page.page({}, tmp_path)
    assert "Seed 5 drew 7 of 900 mutants of actions" in page
    assert "6 of them, in 1 systems, have been judged" in page
    by_claims, with_lock = "- 1 of 4 mutants (25.0 %) are noticed by a claim", "- 2 of 4 (50.0 %) by a claim or by the"
    assert 0 < page.index(by_claims) < page.index(with_lock) < page.index("## The systems")
    assert f"| {SYSTEM} | 8 | 6 | 9 | 9 | 3 | 60 | 1 |" in page
    unclaimed = [line for line in page.partition("## The systems")[0].splitlines() if line.startswith(f"- {SYSTEM}, ")]
    assert unclaimed == [
        f"- {SYSTEM}, `a-2`, by the lock: a: two",
        f"- {SYSTEM}, `b-1`, survives: b: one",
        f"- {SYSTEM}, `b-2`, survives: b: two",
    ]
