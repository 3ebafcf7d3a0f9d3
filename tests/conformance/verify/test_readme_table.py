"""The table of a page, and totals and figures of a README, are compared with a run, and brought up to date."""

from pathlib import Path

import pytest

from genstamp.lock import SearchEntry, SemanticsEntry, SystemEntry, VariationEntry
from genstamp.verify.readme import figure, page_rewritten, rewritten, shown, summed, totals
from genstamp.verify.row import Row, Verdict

PAGE = """\
<!-- table -->
```text
checked  verdict  looked at
a        holds     5 states
b        holds          ...
readme   holds       2 rows
```
"""

README = """\
<!-- table -->
```text
kind    of them  verdict  looked at
a             1  holds     5 states
b             1  holds          ...
readme        1  holds       2 rows
```
"""


def told(directory: Path, rows: list[Row], page: str = PAGE, readme: str = README) -> Row:
    """What is said of a page and a README."""
    paths = directory / "verify.md", directory / "README.md"
    for path, text in zip(paths, (page, readme), strict=True):
        path.write_text(text)
    return shown("readme", rows, *paths)


def judged(verdict: Verdict, *claims: str) -> list[Row]:
    return [Row(claim=claim, verdict=verdict, count=5, unit="states") for claim in claims]


@pytest.mark.parametrize(
    ("page", "readme", "rows", "story"),
    [
        (PAGE, README, judged(Verdict.HOLDS, "a", "b"), ()),
        (PAGE, README, judged(Verdict.SKIPPED, "a") + judged(Verdict.HOLDS, "b"), ()),
        (PAGE, README, judged(Verdict.HOLDS, "a", "b", "c"), ("c: is not shown",)),
        (PAGE, README, judged(Verdict.HOLDS, "a"), ("b: is shown as holds, and no such row was given",)),
        (
            PAGE.replace("5 states", "6 states"),
            README.replace("5 states", "6 states"),
            judged(Verdict.HOLDS, "a", "b"),
            ("a: 6 states is shown, 5 states was given",),
        ),
        (
            PAGE.replace("holds     5", "skipped   5"),
            README.replace("holds     5 states", "skipped   5 states"),
            judged(Verdict.SKIPPED, "a", "b"),
            ("a: is shown as skipped, and no such row was given",),
        ),
        (
            PAGE,
            README.replace("5 states", "6 states"),
            judged(Verdict.HOLDS, "a", "b"),
            ("README.md shows other totals than verify.md comes to",),
        ),
    ],
)
def test_page_and_readme_show_what_was_given(
    tmp_path: Path, page: str, readme: str, rows: list[Row], story: tuple[str, ...]
) -> None:
    row = told(tmp_path, rows, page, readme)
    assert row.story == story
    assert row.verdict is (Verdict.VIOLATED if story else Verdict.HOLDS)


def test_totals_are_a_row_a_kind() -> None:
    table = "\n".join(
        [
            "checked                        verdict  looked at",
            "check s, 1,000 configurations  holds     7 states",
            "bugs s, 14                     holds     5 states",
            "bugs t, 3                      holds     6 states",
            "conform s: HDFS-1, in 2 runs   holds          ...",
            "conform t                      skipped     3 runs",
            "logs s                         holds     3 events",
            "logs t                         holds     3 blocks",
        ]
    )
    rows = [line.split(maxsplit=3) for line in totals(table).splitlines()[1:]]
    assert rows == [
        ["check", "1", "holds", "7 states"],
        ["bugs", "17", "holds", "11 states"],
        ["conform", "2", "differ", "..."],
        ["logs", "2", "holds"],
    ]


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


@pytest.mark.parametrize(("page", "readme", "name"), [("", README, "verify.md"), (PAGE, "", "README.md")])
def test_a_file_without_a_table_is_a_failure(tmp_path: Path, page: str, readme: str, name: str) -> None:
    row = told(tmp_path, [], page, readme)
    assert row.verdict is Verdict.FAILURE
    assert row.note == f"{tmp_path / name} shows no table"


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
    readme = README + "found in <!-- lock leases/BUG-1/depth -->3 steps of <!-- lock leases/good/small/distinct -->9"
    rows = judged(Verdict.HOLDS, "a", "b", "new")
    before = told(tmp_path, rows, PAGE, readme)
    assert before.verdict is Verdict.VIOLATED
    page = page_rewritten(PAGE, [*rows, before])
    readme = rewritten(readme, page, LOCK)
    assert told(tmp_path, rows, page, readme).verdict is Verdict.HOLDS
    assert "b        holds          ...\nnew      holds     5 states\nreadme   holds       3 rows\n" in page
    assert "new           1  holds     5 states\n" in readme
    assert readme.endswith("-->7 steps of <!-- lock leases/good/small/distinct -->12,345")


def test_figures_of_rows_that_were_skipped_are_kept() -> None:
    assert "a        holds     5 states\n" in page_rewritten(PAGE, [Row(claim="a", verdict=Verdict.SKIPPED)])
