"""A path as a Mermaid sequence diagram: pages that render Markdown show it as a picture."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from genstamp_model.path import Path
from genstamp_model.traces.lanes import Chart, Row, chart


def mermaid(drawn: Path | Chart) -> str:
    """A path or a chart as a `sequenceDiagram`: calls are arrows, local steps and changes are notes."""
    return "\n".join(_lines(drawn if isinstance(drawn, Chart) else chart(drawn))) + "\n"


def _lines(drawn: Chart) -> Iterator[str]:
    names = {lane: f"L{i}" for i, lane in enumerate(drawn.lanes)}
    yield "sequenceDiagram"
    yield f"    title {_text(drawn.title)}"
    for lane, name in names.items():
        yield f"    participant {name} as {_text(lane)}"
    for row in drawn.rows:
        here = names[row.lane]
        for message in drawn.messages:
            if message.received == row.number:
                sender = names[drawn.rows[message.sent - 1].lane]
                yield f"    {sender}-){here}: {_text(message.label)}"
        step = _text(f"{row.number}. {row.label}")
        if row.caller is None:
            yield f"    Note over {here}: {step}{_changes(row)}"
            continue
        yield f"    {names[row.caller]}->>{here}: {step}"
        if row.changes:
            yield f"    Note over {here}: {_changes(row).removeprefix('<br/>')}"
        if row.refuses is not None:
            yield f"    {here}--x{names[row.caller]}: {_text(row.refuses)}"
    if drawn.end and names:
        over = ",".join(dict.fromkeys([names[drawn.lanes[0]], names[drawn.lanes[-1]]]))
        yield f"    Note over {over}: {_text(drawn.end)}"


def _changes(row: Row) -> str:
    return "".join(f"<br/>{_text(str(change))}" for change in row.changes)


def _text(text: str) -> str:
    """Text with the special characters of Mermaid escaped."""
    return text.translate(_ENTITIES)


_ENTITIES: Final = {ord(sign): f"#{ord(sign)};" for sign in "#;<>"}
