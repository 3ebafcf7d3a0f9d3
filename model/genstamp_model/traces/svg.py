"""A path as swim lanes: one lane a node, steps from top to bottom, calls and messages as arrows.

Only shapes and text; a browser shows it, and a page can embed it. No font is at hand to measure with, so widths are
those of the widest of the usual fonts in which all characters are equally wide. Nothing is cut: long lines are folded.
"""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from genstamp_model.path import Path
from genstamp_model.traces.lanes import Chart, Row, chart

_CHARACTER: Final = 7.3
"""Width of a character in pixels: 12 px are at most 0.605 em wide in Menlo, Consolas, Courier and DejaVu Sans Mono."""
_LINE: Final = 14
_MARGIN: Final = 16
_TITLE: Final = 20
_HEAD: Final = 72
_PAD: Final = 6
_GAP: Final = 26
_INDENT: Final = 3 * _CHARACTER
_NARROWEST: Final = 110
_LINE_CHARACTERS: Final = 64
_TITLE_CHARACTERS: Final = 100
"""Longer lines are folded where there is a blank."""

_STYLE: Final = (
    "text{font:12px ui-monospace,Menlo,Consolas,monospace;fill:#1b1f24}.title{font-weight:bold}"
    ".lane{stroke:#c3c9d0;stroke-dasharray:4 4}.name{font-weight:bold}.step{fill:#eef4ff;stroke:#4472c4}"
    ".refused{fill:#fff0ee;stroke:#c0392b}.broken{stroke:#c0392b;stroke-width:3}.change{fill:#57606a;font-size:11px}"
    ".call{stroke:#1b1f24;fill:none}.answer{stroke:#c0392b;fill:none;stroke-dasharray:5 3}"
    ".message{stroke:#2e7d32;fill:none}.sent{fill:#2e7d32;font-size:11px}.no{fill:#57606a}"
)

Folded = tuple[str, ...]
"""A line of text, folded; together its parts are the line."""


@dataclass(frozen=True)
class _Box:
    """Where one step is drawn: its lane's middle, and the box around its text."""

    x: float
    y: float
    width: float
    height: float
    lines: tuple[Folded, ...]

    @property
    def bottom(self) -> float:
        return self.y + self.height


def swim_lanes(drawn: Path | Chart) -> str:
    """A path, or what was laid out elsewhere, as an SVG document."""
    return _Drawing(drawn if isinstance(drawn, Chart) else chart(drawn)).text()


class _Drawing:
    def __init__(self, drawn: Chart) -> None:
        self.chart = drawn
        self.lines = {row.number: _lines(row) for row in drawn.rows}
        self.arriving: dict[int, list[tuple[int, Folded]]] = {row.number: [] for row in drawn.rows}
        self.left: dict[int, list[Folded]] = {row.number: [] for row in drawn.rows}
        for message in drawn.messages:
            if message.received is None:
                self.left[message.sent].append(_folded(f"{message.label} on its way"))
            else:
                self.arriving[message.received].append((message.sent, _folded(message.label)))
        self.middles, self.width = self._columns()
        self.boxes, self.height = self._rows()
        self.root = Element(
            "svg",
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {self.width:.0f} {self.height:.0f}",
            width=f"{self.width:.0f}",
            height=f"{self.height:.0f}",
            role="img",
        )

    def _columns(self) -> tuple[dict[str, float], float]:
        """The middle of each lane, wide enough for the longest line in it; and the width of all."""
        middles, x = {}, _MARGIN + 2 * _CHARACTER * len(str(len(self.chart.rows)))
        for lane in self.chart.lanes:
            lines = [line for row in self.chart.rows if row.lane == lane for line in self.lines[row.number]]
            texts = [(lane,), *lines]
            width = max(_NARROWEST, *(_width(line) + 2 * _PAD for line in texts)) + 2 * _MARGIN
            middles[lane] = x + width / 2
            x += width
        over = [_folded(self.chart.title, _TITLE_CHARACTERS), _folded(self.chart.end)]
        over += [line for lines in self.arriving.values() for _, line in lines]
        wanted = [_width(line) for line in over]
        # What is on its way begins at the middle of its lane.
        wanted += [middles[row.lane] + 34 + _width(line) for row in self.chart.rows for line in self.left[row.number]]
        return middles, max(x, *wanted) + _MARGIN

    def _rows(self) -> tuple[dict[int, _Box], float]:
        boxes, y = {}, float(_HEAD + _LINE * (len(_folded(self.chart.title, _TITLE_CHARACTERS)) - 1))
        for row in self.chart.rows:
            lines = self.lines[row.number]
            # The labels of messages stand above the step that receives them, or below the one that sent them.
            y += _LINE * max(0, sum(len(line) for _, line in self.arriving[row.number]) - 1)
            width = max(map(_width, lines)) + 2 * _PAD
            height = _LINE * sum(map(len, lines)) + _PAD
            boxes[row.number] = _Box(self.middles[row.lane], y, width, height, lines)
            y += height + _GAP + _LINE * sum(map(len, self.left[row.number]))
        return boxes, y + _MARGIN + (_LINE if self.chart.end else 0)

    def text(self) -> str:
        """The document."""
        SubElement(self.root, "title").text = self.chart.title
        SubElement(self.root, "style").text = _STYLE
        self._markers()
        title = _folded(self.chart.title, _TITLE_CHARACTERS)
        self._text("title", _MARGIN / 2, _TITLE, title, "start")
        head = _HEAD + _LINE * (len(title) - 1)
        for lane, x in self.middles.items():
            self._line("lane", x, head - 20, x, self.height - _MARGIN)
            self._text("name", x, head - 28, (lane,), "middle")
        for row in self.chart.rows:
            self._messages(row)
            self._step(row)
        if self.chart.end:
            self._text("end", _MARGIN / 2, self.height - _MARGIN, _folded(self.chart.end), "start")
        ElementTree.indent(self.root)
        for element in self.root.findall("text"):
            # The parts of a folded line are the line, and nothing is between them.
            for part in element:
                element.text = part.tail = None
        return ElementTree.tostring(self.root, encoding="unicode") + "\n"

    def _markers(self) -> None:
        definitions = SubElement(self.root, "defs")
        for name, colour in (("call", "#1b1f24"), ("answer", "#c0392b"), ("message", "#2e7d32")):
            marker = SubElement(
                definitions,
                "marker",
                id=f"{name}-head",
                viewBox="0 0 8 8",
                refX="8",
                refY="4",
                markerWidth="8",
                markerHeight="8",
                orient="auto",
            )
            SubElement(marker, "path", d="M0,0 L8,4 L0,8 z", fill=colour)

    def _step(self, row: Row) -> None:
        box = self.boxes[row.number]
        self._text("no", _MARGIN / 2, box.y + _LINE, (str(row.number),), "start")
        kind = "step" if row.refuses is None else "refused"
        if row.number == self.chart.broken:
            kind += " broken"
        left = box.x - box.width / 2
        SubElement(
            self.root,
            "rect",
            {"class": kind, "rx": "3"},
            x=f"{left:.1f}",
            y=f"{box.y:.1f}",
            width=f"{box.width:.1f}",
            height=f"{box.height:.1f}",
        )
        y = box.y + _LINE - 2
        for i, line in enumerate(box.lines):
            self._text("label" if i == 0 else "change", left + _PAD, y, line, "start")
            y += _LINE * len(line)
        if row.caller is None:
            return
        start = self.middles[row.caller]
        end = left if start < box.x else left + box.width
        self._line("call", start, box.y + _LINE / 2, end, box.y + _LINE / 2, "call")
        if row.refuses is not None:
            self._line("answer", end, box.bottom - 4, start, box.bottom - 4, "answer")

    def _messages(self, row: Row) -> None:
        """The messages that a step receives, and those that it sends and no node receives."""
        box = self.boxes[row.number]
        y = box.y - 6
        for sent, label in reversed(self.arriving[row.number]):
            start = self.boxes[sent]
            self._line("message", start.x, start.bottom, box.x, box.y, "message")
            y -= _LINE * (len(label) - 1)
            half = _width(label) / 2
            middle = min(max((start.x + box.x) / 2, half + _MARGIN / 2), self.width - half - _MARGIN / 2)
            self._text("sent", middle, y, label, "middle")
            y -= _LINE
        y = box.bottom + 18
        for label in self.left[row.number]:
            self._line("message", box.x, box.bottom, box.x + 30, y - 2)
            self._text("sent", box.x + 34, y, label, "start")
            y += _LINE * len(label)

    def _line(self, kind: str, x1: float, y1: float, x2: float, y2: float, head: str | None = None) -> None:
        line = SubElement(
            self.root, "line", {"class": kind}, x1=f"{x1:.1f}", y1=f"{y1:.1f}", x2=f"{x2:.1f}", y2=f"{y2:.1f}"
        )
        if head is not None:
            line.set("marker-end", f"url(#{head}-head)")

    def _text(self, kind: str, x: float, y: float, line: Folded, anchor: str) -> None:
        element = SubElement(self.root, "text", {"class": kind, "text-anchor": anchor}, x=f"{x:.1f}", y=f"{y:.1f}")
        if len(line) == 1:
            element.text = line[0]
            return
        indent = _INDENT if anchor == "start" else 0
        for i, part in enumerate(line):
            here = SubElement(element, "tspan", x=f"{x + (indent if i else 0):.1f}")
            here.text = part
            if i:
                here.set("dy", str(_LINE))


def _lines(row: Row) -> tuple[Folded, ...]:
    refused = (f"refused: {row.refuses}",) if row.refuses is not None else ()
    return tuple(_folded(text) for text in (row.label, *refused, *map(str, row.changes)))


def _folded(text: str, most: int = _LINE_CHARACTERS) -> Folded:
    """The line in parts that are not too long, where it has blanks; a blank stays at the end of the part before it."""
    parts = textwrap.wrap(text, most, break_long_words=False, break_on_hyphens=False, drop_whitespace=False)
    return tuple(parts) or ("",)


def _width(line: Sequence[str]) -> float:
    """The width of a folded line in pixels."""
    indent = _INDENT if len(line) > 1 else 0.0
    return indent + max(_CHARACTER * sum(map(_cells, part)) for part in line)


def _cells(character: str) -> int:
    """Some characters are twice as wide as others."""
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
