"""The facts about HDFS in spec/facts: every row has a source and the releases in which it was seen."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
PAGES: Final = sorted((ROOT / "spec" / "facts").glob("[0-9A-Z]-*.md"))

CITING: Final = ("spec", "impl", "conformance", "tests", "docs", "adapters", "benchmarks")
KINDS: Final = (".py", ".toml", ".md", ".java")

PLACE: Final = r"(?:0|[A-LSWX])(?:\.?\d+)?(?:\.\d+){0,2}"
WHERE: Final = rf"{PLACE}(?: (?:step|row|effect)s? \d+)?"
CITED: Final = re.compile(rf"\b[Ff]acts,? (?:section )?({WHERE}(?:(?:, | and | to |,\s+){WHERE})*)\b")

RELEASE: Final = r"\d+\.\d+(?:\.\d+)?(?:-\w+)?(?: to \d+\.\d+(?:\.\d+)?)?(?: \(run\))?"
SEEN: Final = re.compile(rf"{RELEASE}(?:, {RELEASE})*|not verified|not audited")
MARK: Final = re.compile(r"\*(Not modelled|Not yet followed|Not audited)\*: \S")
# A property's docstring begins with the row that it states, and a fault of the museum names its issue.
STATED: Final = re.compile(r'"""((?:[SL]\d+(?:, | and )?)+):')
ISSUE: Final = re.compile(r"\bHDFS-\d+\b")


@dataclass(frozen=True)
class Row:
    """A row of a page."""

    page: str
    section: str
    name: str
    fact: str
    source: str
    seen: str


def rows(page: Path) -> Iterator[Row]:
    """The rows of a page's tables, each with the section that it is in."""
    section = ""
    for line in page.read_text().splitlines():
        if heading := re.match(r"## (\S+)", line):
            section = heading[1]
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
        if cells and cells[0] != "row" and not set(cells[0]) <= set("-: "):
            yield Row(page.name, section, cells[0], " ".join(cells[1:-2]), cells[-2], cells[-1])


def sections(page: Path) -> dict[str, list[str]]:
    """The lines below each heading."""
    found: dict[str, list[str]] = {}
    section = ""
    for line in page.read_text().splitlines():
        if heading := re.match(r"## (\S+)", line):
            section = heading[1]
        found.setdefault(section, []).append(line)
    return {name: lines for name, lines in found.items() if name}


ROWS: Final = [row for page in PAGES for row in rows(page)]
SECTIONS: Final = {name: lines for page in PAGES for name, lines in sections(page).items()}
NAMES: Final = {page.name[0] for page in PAGES} | set(SECTIONS) | {row.name for row in ROWS}


@cache
def cited() -> dict[str, list[str]]:
    """What is cited, as the name of a page, a section or a row, and by which files."""
    found: dict[str, list[str]] = {}
    for path in (path for top in CITING for path in sorted((ROOT / top).rglob("*")) if path.suffix in KINDS):
        if path.is_relative_to(ROOT / "spec" / "facts") or path == Path(__file__):
            continue
        text = path.read_text()
        for match in CITED.finditer(text):
            for where in re.findall(WHERE, match[1]):
                name = re.sub(r" (?:step|row)s? ", ".", re.sub(r" effects? \d+", "", where))
                found.setdefault(name, []).append(str(path.relative_to(ROOT)))
        if path.is_relative_to(ROOT / "tests"):
            # A test of ours that names a test of Hadoop follows the row of that test.
            for row in (row for row in ROWS if row.page.startswith("K")):
                if any(source in text for source in re.findall(r"\w+#\w+", row.source)):
                    found.setdefault(row.name, []).append(str(path.relative_to(ROOT)))
        if path.suffix == ".py":
            properties = [name for match in STATED.finditer(text) for name in re.findall(r"[SL]\d+", match[1])]
            for name in (*properties, *ISSUE.findall(text)):
                if name in NAMES:
                    found.setdefault(name, []).append(str(path.relative_to(ROOT)))
    return found


def test_the_readme_names_every_page() -> None:
    readme = (ROOT / "spec" / "facts" / "README.md").read_text()
    assert re.findall(r"\]\((\w-[\w-]+\.md)\)", readme) == [page.name for page in PAGES]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_each_row_has_a_name_of_its_own_a_source_and_where_it_was_seen(page: Path) -> None:
    found = list(rows(page))
    assert found
    names = [row.name for row in found]
    assert len(set(names)) == len(names)
    for row in found:
        assert row.section, f"{row.name} is in no section"
        assert row.source, f"{row.name} has no source"
        assert SEEN.fullmatch(row.seen), f"{row.name}: {row.seen!r}, expected releases, 'not verified' or 'not audited'"


@pytest.mark.slow
def test_each_reference_leads_to_a_section_or_a_row() -> None:
    missing = {name: files[0] for name, files in cited().items() if name not in NAMES}
    assert not missing


def unmarked(names: set[str], of: list[Row], lines: dict[str, list[str]]) -> list[str]:
    """The rows that are neither cited, alone or with their section, nor marked, alone or with their section."""
    marked = {section for section in lines if any(MARK.match(line) for line in lines[section])}
    return [
        row.name
        for row in of
        if not {row.name, row.section} & names and row.section not in marked and not MARK.search(row.fact)
    ]


def wrongly_marked(names: set[str], of: list[Row], lines: dict[str, list[str]]) -> list[str]:
    """The sections and rows that are cited and marked; a section's mark is about the rows that nobody cites."""
    wrong = [row.name for row in of if MARK.search(row.fact) and {row.name, row.section} & names]
    for section in lines:
        if any(MARK.match(line) for line in lines[section]):
            inside = {row.name for row in of if row.section == section}
            if section in names or inside <= names:
                wrong.append(section)
    return wrong


@pytest.mark.slow
def test_no_reference_is_to_a_whole_page() -> None:
    assert not {name: files for name, files in cited().items() if len(name) == 1}


@pytest.mark.slow
def test_each_row_is_cited_or_says_why_not() -> None:
    names = set(cited())
    assert not unmarked(names, ROWS, SECTIONS)
    assert not wrongly_marked(names, ROWS, SECTIONS)


def test_a_row_without_a_citation_or_a_mark_is_found() -> None:
    row = Row("X-page.md", "X.1", "X.1.1", "a fact", "a source", "3.4.1")
    marked = Row("X-page.md", "X.1", "X.1.1", "a fact. *Not modelled*: why", "a source", "3.4.1")
    plain, mark = {"X.1": ["## X.1 A section"]}, {"X.1": ["## X.1 A section", "*Not yet followed*: why"]}
    assert unmarked({"X"}, [row], plain) == ["X.1.1"]
    assert unmarked({"X.1"}, [row], plain) == unmarked({"X.1.1"}, [row], plain) == []
    assert unmarked(set(), [marked], plain) == unmarked(set(), [row], mark) == []
    assert wrongly_marked({"X.1"}, [row], mark) == wrongly_marked({"X.1.1"}, [row], mark) == ["X.1"]
    assert wrongly_marked({"X.1.1"}, [marked], plain) == ["X.1.1"]
    assert wrongly_marked(set(), [marked], mark) == []
