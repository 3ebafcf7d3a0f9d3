"""The pages of the site: none too long, one for each system, hole and bug, and links that lead to the right one."""

from pathlib import Path

import pytest
from website.splitting import MOST_WORDS, Page, split, words
from website.stage import Site, faults, relinked, staged

from genstamp.systems import PLACES


@pytest.fixture(scope="module")
def site() -> Site:
    return staged()[0]


@pytest.mark.slow
def test_no_page_is_too_long(site: Site) -> None:
    assert {name: words(text) for name, text in site.texts.items() if words(text) > MOST_WORDS} == {}


@pytest.mark.slow
def test_each_system_hole_and_bug_has_a_page(site: Site, repository: Path) -> None:
    holes = {f"docs/holes/{path.name}" for path in (repository / "docs" / "holes").glob("*.md")}
    systems = {f"docs/read/{name}.md" for name in PLACES}
    assert systems | holes | {"docs/museum/hdfs.recovery-HDFS-10240.md"} <= set(site.texts)
    assert "genstamp check hdfs.recovery --bug HDFS-10240" in site.texts["docs/museum/hdfs.recovery-HDFS-10240.md"]


def test_a_long_page_is_split_and_nothing_is_lost() -> None:
    sections = [f"## Part {number}\n\n{'word ' * 1600}\n" for number in range(3)]
    index, *others = split("docs/long.md", "# Long\n\nhead\n\n" + "".join(sections))
    assert [page.path for page in others] == ["docs/long/part-0.md", "docs/long/part-1.md", "docs/long/part-2.md"]
    assert [page.text for page in others] == sections
    assert index.text == (
        "# Long\n\nhead\n\n- [Part 0](/docs/long/part-0.md)\n- [Part 1](/docs/long/part-1.md)\n"
        "- [Part 2](/docs/long/part-2.md)\n"
    )


def test_a_long_table_has_its_head_in_each_part() -> None:
    rows = [f"| {number} | {'word ' * 100}|\n" for number in range(40)]
    _, *parts = split("long.md", "# Long\n\n| n | text |\n| --- | --- |\n" + "".join(rows))
    assert len(parts) == 2
    for part in parts:
        assert part.text.count("| n | text |\n| --- | --- |\n") == 1
    assert [row for row in rows if not any(row in part.text for part in parts)] == []


def test_a_link_to_a_section_leads_to_its_page_and_a_broken_one_stays() -> None:
    page = Page("docs/a.md", "A", "[b](b.md#two) [c](c.md) `x` [self](#one) [out](https://example.org)", ())
    places = {("docs/b.md", "two"): "docs/b/two.md", ("docs/a.md", "one"): "docs/a/one.md"}
    text = relinked(page, "docs/a.md", places, {"docs/a.md", "docs/b.md"}, set())
    assert text == "[b](b/two.md#two) [c](c.md) `x` [self](a/one.md#one) [out](https://example.org)"


def test_the_museum_links_to_the_page_of_a_fault() -> None:
    museum = "# M\n\n## s\n\n| fault | what |\n| --- | --- |\n| HDFS-1 | wrong |\n\n## Left out\n\n| a | b |\n"
    text, pages = faults(museum)
    assert "| [HDFS-1](/docs/museum/s-HDFS-1.md) | wrong |" in text
    assert [page.path for page in pages] == ["docs/museum/s-HDFS-1.md"]
