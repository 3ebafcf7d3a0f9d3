"""The region of clock skew in which two primaries are possible, as a picture: a panel each length of the lease.

Only shapes and text. What is in the region, and where its boundary runs, is read off the searches, not off the formula.
"""

from itertools import pairwise
from typing import Final
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from genstamp.gfs.skew import GRACES, LEASES, SKEWS, Point, Sweep
from genstamp.gfs.skew_shown import ticks

_CELL: Final = 44
_LEFT: Final = 60
_TOP: Final = 40
_PANEL: Final = _LEFT + _CELL * len(GRACES) + 16
_BOTTOM: Final = _TOP + _CELL * len(SKEWS)
_WIDTH: Final = _PANEL * len(LEASES)
_HEIGHT: Final = _BOTTOM + 84

_STYLE: Final = (
    "text{font:12px ui-monospace,Menlo,Consolas,monospace;fill:#1b1f24;text-anchor:middle}"
    ".name{font-weight:bold}.key{text-anchor:start}.cell{stroke:#ffffff}.two{fill:#f2b8ae}.one{fill:#d5e8d4}"
    ".unknown{fill:#e4e7eb}.boundary{stroke:#c0392b;stroke-width:3;stroke-linecap:square}"
)
_KEY: Final = (
    ("two", "two primaries possible, after so many steps"),
    ("one", "one primary at most, in every run searched"),
)


def chart(swept: Sweep) -> str:
    """The picture as an SVG document; the same text each time for one sweep."""
    root = Element(
        "svg",
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
        width=str(_WIDTH),
        height=str(_HEIGHT),
        role="img",
    )
    SubElement(root, "title").text = "Where two primaries of one chunk are possible"
    SubElement(root, "style").text = _STYLE
    SubElement(root, "rect", width="100%", height="100%", fill="#ffffff")
    for number, lease in enumerate(LEASES):
        _panel(root, swept, lease, number * _PANEL + _LEFT)
    for number, (kind, meaning) in enumerate(_KEY):
        y = _BOTTOM + 46 + 20 * number
        SubElement(root, "rect", {"class": kind}, x=str(_LEFT), y=str(y), width="14", height="14")
        _text(root, _LEFT + 22, y + 12, meaning, "key")
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _panel(root: Element, swept: Sweep, lease: int, left: int) -> None:
    """One grid with its axes: grace to the right, skew upwards."""
    _text(root, left + _CELL * len(GRACES) // 2, 24, f"lease of {ticks(lease)}", "name")
    for grace in GRACES:
        _text(root, left + _middle(GRACES.index(grace)), _BOTTOM + 16, str(grace))
    for skew in SKEWS:
        _text(root, left - 12, _above(skew) + _CELL // 2 + 4, str(skew))
    _text(root, left + _CELL * len(GRACES) // 2, _BOTTOM + 34, "grace, ticks")
    x, y = left - 34, (_TOP + _BOTTOM) // 2
    _text(root, x, y, "skew, ticks").set("transform", f"rotate(-90 {x} {y})")
    for grace in GRACES:
        for skew in SKEWS:
            _cell(root, swept.at(lease, grace, skew), left)
    _boundary(root, swept, lease, left)


def _cell(root: Element, point: Point, left: int) -> None:
    x, y = left + _CELL * GRACES.index(point.setting.grace), _above(point.setting.skew)
    shape = {"class": f"cell {_kind(point)}", "x": str(x), "y": str(y), "width": str(_CELL), "height": str(_CELL)}
    SubElement(root, "rect", shape)
    if point.undetermined or point.steps is not None:
        _text(root, x + _CELL // 2, y + _CELL // 2 + 4, "?" if point.undetermined else str(point.steps))


def _boundary(root: Element, swept: Sweep, lease: int, left: int) -> None:
    """Lines between neighbours of which one is in the region and the other is not."""
    for grace in GRACES:
        x = left + _CELL * GRACES.index(grace)
        for lower, upper in pairwise(SKEWS):
            if _kind(swept.at(lease, grace, lower)) != _kind(swept.at(lease, grace, upper)):
                _line(root, (x, _above(lower)), (x + _CELL, _above(lower)))
    for before, after in pairwise(GRACES):
        x = left + _CELL * GRACES.index(after)
        for skew in SKEWS:
            if _kind(swept.at(lease, before, skew)) != _kind(swept.at(lease, after, skew)):
                _line(root, (x, _above(skew)), (x, _above(skew) + _CELL))


def _kind(point: Point) -> str:
    if point.undetermined:
        return "unknown"
    return "one" if point.steps is None else "two"


def _above(skew: int) -> int:
    """The upper edge of a skew's row."""
    return _BOTTOM - _CELL * (SKEWS.index(skew) + 1)


def _middle(column: int) -> int:
    return _CELL * column + _CELL // 2


def _line(root: Element, begin: tuple[int, int], end: tuple[int, int]) -> None:
    places = {"x1": str(begin[0]), "y1": str(begin[1]), "x2": str(end[0]), "y2": str(end[1])}
    SubElement(root, "line", {"class": "boundary", **places})


def _text(root: Element, x: int, y: int, words: str, kind: str = "") -> Element:
    text = SubElement(root, "text", {"class": kind} if kind else {}, x=str(x), y=str(y))
    text.text = words
    return text
