"""Stages the Markdown pages of this repository for the site generator: pages, nav and settings in build/site-source.

A page of more than 3,000 words becomes an index and a page for each of its sections (`website.splitting`); each fault
of the museum gets its own page. Links are adjusted: to the page that has the section, to a file, which is copied, or to
the README of a directory.
"""

import json
import posixpath
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from website.splitting import Page, split

REPOSITORY = Path(__file__).resolve().parents[1]
STAGED = REPOSITORY / "build" / "site-source"
FENCED = re.compile(r"^(```.*?^```$)", re.S | re.M)
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
# Marks for tests; one at the beginning of a line would end a paragraph.
COMMENT = re.compile(r"<!-- .*? -->\n?", re.S)
MUSEUM = "docs/museum.md"


def main() -> int:
    """Write the staged pages, the files that they link to, and the settings."""
    pages, copied = staged()
    shutil.rmtree(STAGED, ignore_errors=True)
    for name, text in pages.texts.items():
        write(STAGED / name, text)
    for name in copied:
        (STAGED / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(REPOSITORY / name, STAGED / name)
    settings = (REPOSITORY / "website" / "zensical.toml").read_text(encoding="utf-8")
    write(STAGED.with_name("zensical.toml"), settings.replace("nav = []", f"nav = {toml(pages.navigation)}"))
    print(f"{len(pages.texts)} pages in {STAGED.relative_to(REPOSITORY)}")
    return 0


@dataclass(frozen=True)
class Site:
    """The pages by their places, and the tree that leads to them."""

    texts: Mapping[str, str]
    navigation: Sequence[Any]


def staged() -> tuple[Site, set[str]]:
    """The site, and the other files of the repository that its pages link to."""
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    files = set(tracked.stdout.split("\0")) - {""}
    sources = {name: (REPOSITORY / name).read_text(encoding="utf-8") for name in sorted(files) if name.endswith(".md")}
    sources[MUSEUM], of_faults = faults(sources[MUSEUM])
    pages = {name: split(name, text) for name, text in sources.items()}
    pages[MUSEUM] += of_faults
    places = {(name, anchor): page.path for name, made in pages.items() for page in made for anchor in page.anchors}
    copied: set[str] = set()
    texts: dict[str, str] = {}
    for name, made in pages.items():
        for page in made:
            assert page.path not in texts, f"two pages are {page.path}"
            texts[page.path] = relinked(page, name, places, files, copied)
    return Site(texts, navigation(pages)), copied


def write(path: Path, text: str) -> None:
    """Write a file, and make its directory."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def faults(museum: str) -> tuple[str, list[Page]]:
    """The museum with links to a page for each fault in its tables, and these pages."""
    lines, made = [], []
    system, heads = "", list[str]()
    for line in museum.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if line.startswith("## "):
            system, heads = line.removeprefix("## "), []
        elif cells[:1] == ["fault"]:
            heads = cells
        elif heads and cells and not line.startswith("| ---"):
            page = of_fault(system, heads, cells)
            line = line.replace(cells[0], f"[{cells[0]}](/{page.path})", 1)
            made.append(page)
        lines.append(line)
    return "\n".join([*lines, ""]), made


def of_fault(system: str, heads: Sequence[str], cells: Sequence[str]) -> Page:
    """The page of a fault: what the museum says of it, and the command that finds it."""
    title = f"{cells[0]} in {system}"
    entries = [f"| {head} | {cell} |" for head, cell in zip(heads[1:], cells[1:], strict=True)]
    text = "\n".join(
        [
            f"# {title}\n",
            f"| system | [{system}](read/{system}.md) |",
            "| --- | --- |",
            *entries,
            f"\n```console\n$ genstamp check {system} --bug {cells[0]}\n```\n",
        ]
    )
    return Page(f"docs/museum/{system}-{cells[0]}.md", title, text, ())


def relinked(page: Page, source: str, places: Mapping[tuple[str, str], str], files: set[str], copied: set[str]) -> str:
    """The text of a page, with links that are right at its place; notes the files that it links to."""
    here = posixpath.dirname(page.path)

    def link(found: re.Match[str]) -> str:
        image, text, target = found.groups()
        if "://" in target or target.startswith("mailto:"):
            return found[0]
        if target.startswith("/"):
            return f"[{text}]({posixpath.relpath(target[1:], here or '.')})"
        name, _, anchor = target.partition("#")
        name = posixpath.normpath(posixpath.join(posixpath.dirname(source), name)) if name else source
        if (REPOSITORY / name).is_dir():
            name = posixpath.join(name, "README.md")
            if name not in files:
                return str(text)
        if name in files and not name.endswith(".md"):
            copied.add(name)
        # What is broken stays so: the generator refuses it.
        place = places.get((name, anchor), name)
        fragment = f"#{anchor}" if anchor and name.endswith(".md") else ""
        return f"{image}[{text}]({posixpath.relpath(place, here or '.')}{fragment})"

    parts = FENCED.split(page.text)
    return "".join(part if part.startswith("```") else LINK.sub(link, COMMENT.sub("", part)) for part in parts)


SECTIONS: Mapping[str, tuple[str, ...]] = {
    "Start": ("docs/glossary.md", "docs/coming-from-tla.md", "docs/testing.md", "docs/explore.md", "model/README.md"),
    "Systems": ("docs/systems.md", "docs/coverage.md", "docs/tables.md", "spec/README.md", "docs/read/"),
    "Holes": ("docs/holes.md", "docs/holes/"),
    "Bugs": ("docs/museum.md",),
    "Implementations": (
        "docs/adapter-protocol.md",
        "docs/adapter-steps.md",
        "docs/adapter-steps/",
        "docs/twins.md",
        "adapters/",
    ),
    "Logs": ("docs/operators.md", "docs/logs", "docs/detection.md"),
    "Servers": ("docs/dfs.md", "docs/clients.md", "impl/", "docs/gfs"),
    "Evidence": (
        "docs/verify.md",
        "docs/model-coverage",
        "docs/mutation.md",
        "docs/implementation-mutants.md",
        "docs/engine.md",
        "benchmarks/",
    ),
    "Project": ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "tests/", ""),
}
"""Which pages are in which section of the site: by file, or by how the names begin; the first that fits."""


def navigation(pages: Mapping[str, list[Page]]) -> list[Any]:
    """The tree of pages: titles and places."""
    left = {name: made for name, made in pages.items() if name != "README.md"}
    tree: list[Any] = [{"genstamp": "README.md"}]
    for section, beginnings in SECTIONS.items():
        chosen = [name for beginning in beginnings for name in left if name.startswith(beginning)]
        entries = [entry(left.pop(name)) for name in dict.fromkeys(chosen)]
        tree.append({section: entries})
    return tree


def entry(made: list[Page]) -> dict[str, Any]:
    """A page, or its index with its sections below it."""
    first, *others = made
    title = first.title
    return {title: [{title: first.path}, *({page.title: page.path} for page in others)] if others else first.path}


def toml(value: Any) -> str:
    """A value of strings, lists and tables, on one line."""
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {toml(one)}" for key, one in value.items()) + "}"
    return "[" + ", ".join(map(toml, value)) + "]"


if __name__ == "__main__":
    sys.exit(main())
