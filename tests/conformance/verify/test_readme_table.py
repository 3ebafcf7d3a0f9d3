"""The table and the figures of a README are compared with a run, and brought up to date."""

from pathlib import Path

import pytest

from genstamp.lock import SearchEntry, SemanticsEntry, SystemEntry, VariationEntry
from genstamp.verify.readme import figure, rewritten, shown, summed
from genstamp.verify.row import Row, Verdict

README = """\
<!-- table -->
```text
checked  verdict  looked at
a        holds    5 states
b        holds    ...
readme   holds    2 rows
```
"""


def judged(verdict: Verdict, *claims: str) -> list[Row]:
    return [Row(claim=claim, verdict=verdict, count=5, unit="states") for claim in claims]


@pytest.mark.parametrize(
    ("text", "rows", "story"),
    [
        (README, judged(Verdict.HOLDS, "a", "b"), ()),
        (README, judged(Verdict.SKIPPED, "a") + judged(Verdict.HOLDS, "b"), ()),
        (README, judged(Verdict.HOLDS, "a", "b", "c"), ("c: is not shown",)),
        (README, judged(Verdict.HOLDS, "a"), ("b: is shown as holds, and no such row was given",)),
        (
            README.replace("5 states", "6 states"),
            judged(Verdict.HOLDS, "a", "b"),
            ("a: 6 states is shown, 5 states was given",),
        ),
        (
            README.replace("holds    5", "skipped  5"),
            judged(Verdict.SKIPPED, "a", "b"),
            ("a: is shown as skipped, and no such row was given",),
        ),
    ],
)
def test_the_readme_shows_what_was_given(tmp_path: Path, text: str, rows: list[Row], story: tuple[str, ...]) -> None:
    (tmp_path / "README.md").write_text(text)
    row = shown("readme", rows, tmp_path / "README.md")
    assert row.story == story
    assert row.verdict is (Verdict.VIOLATED if story else Verdict.HOLDS)


def test_configurations_and_faults_are_summed_up() -> None:
    claims = ["check s:a", "check s:b", "known s:a old", "bug s X-1", "bug s X-2", "hole s h", "check t:a", "prove s"]
    rows = [Row(claim=claim, verdict=Verdict.HOLDS, count=5, unit="states") for claim in claims]
    rows.append(Row(claim="bug s X-3", verdict=Verdict.UNDETERMINED))
    table = {row.claim: (row.verdict.value, row.count) for row in summed(rows)}
    assert table == {
        "check s, 2 configurations": ("holds", 10),
        "known s old, 1 configuration": ("holds", 5),
        "bugs s, 3": ("undetermined", 10),
        "holes s, 1": ("holds", 5),
        "check t, 1 configuration": ("holds", 5),
        "prove s": ("holds", 5),
    }


def test_a_readme_without_a_table_is_a_failure(tmp_path: Path) -> None:
    assert shown("readme", [], tmp_path / "README.md").verdict is Verdict.FAILURE


LOCK = {
    "leases": SystemEntry(
        semantics={
            "good": SemanticsEntry(
                digest="00",
                searches={
                    "small": SearchEntry(
                        sizes={}, limits={}, distinct=12345, generated=2, depth=3, cut={}, properties={}
                    )
                },
            )
        },
        variations={
            "BUG-1": VariationEntry(breaks="one_lease", configuration="small", depth=7, distinct=9, digest="00")
        },
    )
}


def test_figures_are_looked_up_in_the_lock() -> None:
    assert figure(LOCK, "leases/good/small/distinct") == 12345
    assert figure(LOCK, "leases/BUG-1/depth") == 7
    with pytest.raises(KeyError):
        figure(LOCK, "leases/depth")


def test_what_is_rewritten_is_right(tmp_path: Path) -> None:
    path = tmp_path / "README.md"
    path.write_text(
        README + "found in <!-- lock leases/BUG-1/depth -->3 steps of <!-- lock leases/good/small/distinct -->9"
    )
    rows = judged(Verdict.HOLDS, "a", "b", "new")
    assert shown("readme", rows, path).verdict is Verdict.VIOLATED
    path.write_text(rewritten(path.read_text(), [*rows, shown("readme", rows, path)], LOCK))
    assert shown("readme", rows, path).verdict is Verdict.HOLDS
    text = path.read_text()
    assert "b        holds          ...\nnew      holds     5 states\nreadme   holds       3 rows\n" in text
    assert text.endswith("-->7 steps of <!-- lock leases/good/small/distinct -->12,345")


def test_figures_of_rows_that_were_skipped_are_kept() -> None:
    assert "a        holds     5 states\n" in rewritten(README, [Row(claim="a", verdict=Verdict.SKIPPED)], LOCK)
