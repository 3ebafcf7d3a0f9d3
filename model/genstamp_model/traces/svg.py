"""A path as swim lanes: one lane a node, steps from top to bottom, calls and messages as arrows.

Only shapes and text; a browser shows it, and a page can embed it. Widths are estimated from the number of characters,
since no font is at hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from genstamp_model.path import Path
from genstamp_model.traces.lanes import Chart, Row, chart

_CHARACTER: Final = 6.7
_LINE: Final = 14
_MARGIN: Final = 16
_HEAD: Final = 56
_PAD: Final = 6
_GAP: Final = 26
_NARROWEST: Final = 110
_MOST_CHARACTERS: Final = 52

_STYLE: Final = (
    "text{font:12px ui-monospace,Menlo,Consolas,monospace;fill:#1b1f24}"
    ".lane{stroke:#c3c9d0;stroke-dasharray:4 4}.name{font-weight:bold}.step{fill:#eef4ff;stroke:#4472c4}"
    ".refused{fill:#fff0ee;stroke:#c0392b}.change{fill:#57606a;font-size:11px}"
    ".call{stroke:#1b1f24;fill:none}.answer{stroke:#c0392b;fill:none;stroke-dasharray:5 3}"
    ".message{stroke:#2e7d32;fill:none}.sent{fill:#2e7d32;font-size:11px}.no{fill:#57606a}"
)


@dataclass(frozen=True)
class _Box:
    """Where one step is drawn: its lane's middle, and the box around its text."""

    x: float
    y: float
    width: float
    height: float
    lines: tuple[str, ...]


def swim_lanes(drawn: Path | Chart) -> str:
    """A path, or what was laid out elsewhere, as an SVG document."""
    return _Drawing(drawn if isinstance(drawn, Chart) else chart(drawn)).text()


class _Drawing:
    def __init__(self, drawn: Chart) -> None:
        self.chart = drawn
        self.lines = {row.number: _lines(row) for row in drawn.rows}
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
        """The middle of each lane, wide enough for the longest line in it."""
        middles, x = {}, _MARGIN + 2 * _CHARACTER * len(str(len(self.chart.rows)))
        for lane in self.chart.lanes:
            texts = [text for row in self.chart.rows if row.lane == lane for text in self.lines[row.number]]
            width = max(_NARROWEST, *(_CHARACTER * len(text) + 2 * _PAD for text in [lane, *texts])) + 2 * _MARGIN
            middles[lane] = x + width / 2
            x += width
        return middles, x + _MARGIN

    def _rows(self) -> tuple[dict[int, _Box], float]:
        boxes, y = {}, float(_HEAD)
        for row in self.chart.rows:
            lines = self.lines[row.number]
            width = max(_CHARACTER * len(text) for text in lines) + 2 * _PAD
            height = _LINE * len(lines) + _PAD
            boxes[row.number] = _Box(self.middles[row.lane], y, width, height, lines)
            y += height + _GAP
        return boxes, y + _MARGIN

    def text(self) -> str:
        """The document."""
        SubElement(self.root, "title").text = self.chart.title
        SubElement(self.root, "style").text = _STYLE
        self._markers()
        for lane, x in self.middles.items():
            self._line("lane", x, _HEAD - 20, x, self.height - _MARGIN)
            self._text("name", x, _HEAD - 28, lane, "middle")
        for message in self.chart.messages:
            self._message(message.sent, message.received, message.label)
        for row in self.chart.rows:
            self._step(row)
        ElementTree.indent(self.root)
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
        self._text("no", _MARGIN / 2, box.y + _LINE, str(row.number), "start")
        kind = "step" if row.refuses is None else "refused"
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
        for i, line in enumerate(box.lines):
            self._text("label" if i == 0 else "change", left + _PAD, box.y + _LINE * (i + 1) - 2, line, "start")
        if row.caller is None:
            return
        start = self.middles[row.caller]
        end = left if start < box.x else left + box.width
        self._line("call", start, box.y + _LINE / 2, end, box.y + _LINE / 2, "call")
        if row.refuses is not None:
            self._line("answer", end, box.y + box.height - 4, start, box.y + box.height - 4, "answer")

    def _message(self, sent: int, received: int | None, label: str) -> None:
        start = self.boxes[sent]
        if received is None:
            self._line("message", start.x, start.y + start.height, start.x + 30, start.y + start.height + 16)
            self._text("sent", start.x + 34, start.y + start.height + 18, f"{_cut(label)} on its way", "start")
            return
        end = self.boxes[received]
        self._line("message", start.x, start.y + start.height, end.x, end.y, "message")
        self._text("sent", (start.x + end.x) / 2, end.y - 6, _cut(label), "middle")

    def _line(self, kind: str, x1: float, y1: float, x2: float, y2: float, head: str | None = None) -> None:
        line = SubElement(
            self.root, "line", {"class": kind}, x1=f"{x1:.1f}", y1=f"{y1:.1f}", x2=f"{x2:.1f}", y2=f"{y2:.1f}"
        )
        if head is not None:
            line.set("marker-end", f"url(#{head}-head)")

    def _text(self, kind: str, x: float, y: float, text: str, anchor: str) -> None:
        element = SubElement(self.root, "text", {"class": kind, "text-anchor": anchor}, x=f"{x:.1f}", y=f"{y:.1f}")
        element.text = text


def _lines(row: Row) -> tuple[str, ...]:
    refused = (f"refused: {row.refuses}",) if row.refuses is not None else ()
    return tuple(_cut(text) for text in (row.label, *refused, *map(str, row.changes)))


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_CHARACTERS else text[: _MOST_CHARACTERS - 1] + "…"
