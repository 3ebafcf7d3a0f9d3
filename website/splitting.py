"""Splits a long page at its headings, and a long section without any between rows, items and paragraphs."""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

MOST_WORDS = 3000
_FENCE = re.compile(r"^```.*?^```$", re.S | re.M)


@dataclass(frozen=True)
class Page:
    """A page of the site.

    Attributes:
        path: of its file.
        title: its heading.
        text: in Markdown; links are those of the page that it was split from.
        anchors: of its headings; the empty one too, if the page's own links lead here.
    """

    path: str
    title: str
    text: str
    anchors: tuple[str, ...]


def split(path: str, text: str) -> list[Page]:
    """A page, or its index and a page for each section, none of more than 3,000 words."""
    title = title_of(text) or posixpath.basename(path)
    if words(text) <= MOST_WORDS:
        return [Page(path, title, text, ("", *anchors(text)))]
    head, *sections = at_headings(text, 2)
    if not sections:
        head, *sections = [f"# {title}\n\n", *in_parts(text, title)]
    folder = path.removesuffix(".md")
    made = [page for section in sections for page in of_section(folder, section)]
    listed = "\n".join(f"- [{page.title}](/{page.path})" for page in made)
    index = Page(path, title, f"{head.rstrip()}\n\n{listed}\n", ("", *anchors(head)))
    return [index, *made]


def of_section(folder: str, text: str, level: int = 2) -> Iterator[Page]:
    """The pages of a section: itself, or if it is too long its subsections, or parts of it."""
    title = title_of(text)
    if words(text) <= MOST_WORDS:
        yield Page(f"{folder}/{slug(title)}.md", title, text, tuple(anchors(text)))
        return
    pieces = packed(at_headings(text, level + 1)) if len(at_headings(text, level + 1)) > 1 else in_parts(text, title)
    for number, piece in enumerate(pieces, 1):
        heading = f"{title}, part {number}" if number > 1 else title
        body = piece if number == 1 else f"{'#' * level} {heading}\n\n{piece}"
        yield Page(f"{folder}/{slug(heading)}.md", heading, body, tuple(anchors(body)))


def packed(pieces: list[str]) -> list[str]:
    """Pieces together as long as they are short enough."""
    made: list[str] = []
    for piece in pieces:
        if made and words(made[-1]) + words(piece) <= MOST_WORDS:
            made[-1] += piece
        else:
            made.append(piece)
    return made


def in_parts(text: str, title: str) -> list[str]:
    """A text without headings in parts; a table that is parted has its head in each part."""
    parts, head = [""], ""
    lines = text.splitlines(keepends=True)
    is_code = False
    for number, line in enumerate(lines):
        is_code ^= line.startswith("```")
        if line.startswith("| ") and lines[number + 1 : number + 2] and lines[number + 1].startswith("| ---"):
            head = line + lines[number + 1]
        can_break = not is_code and (line.startswith(("- ", "| ")) or not line.strip())
        if can_break and not head.endswith(line) and words(parts[-1]) + words(line) > MOST_WORDS - 200:
            parts.append(head if line.startswith("| ") else "")
        parts[-1] += line
    return parts


def at_headings(text: str, level: int) -> list[str]:
    """What stands before the first heading of a level, and each with what follows it."""
    masked = _FENCE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    cuts = [0, *(found.start() for found in re.finditer(rf"^{'#' * level} ", masked, re.M)), len(text)]
    return [text[begin:end] for begin, end in pairwise(cuts)]


def title_of(text: str) -> str:
    """The first heading."""
    found = re.search(r"^#+ (.+)$", text, re.M)
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", found[1]).replace("`", "").strip() if found else ""


def anchors(text: str) -> list[str]:
    """The anchors of all headings."""
    return [slug(found[1]) for found in re.finditer(r"^#+ (.+)$", _FENCE.sub("", text), re.M)]


def slug(heading: str) -> str:
    """The anchor of a heading, as on GitHub.

    >>> slug("What `hdfs.lease` asks")
    'what-hdfslease-asks'
    """
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", plain.lower()).strip().replace(" ", "-")


def words(text: str) -> int:
    """How many words there are."""
    return len(text.split())
