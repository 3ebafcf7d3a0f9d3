"""Tables in Markdown, as the pages show what was computed.

Not here: pages whose rows are of several kinds.
"""

from collections.abc import Iterator, Mapping, Sequence


def table(corner: str, head: Sequence[str], rows: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """A table in Markdown."""
    yield f"| {' | '.join([corner, *head])} |"
    yield "| --- " * (len(head) + 1) + "|"
    yield from (f"| {' | '.join([name, *cells])} |" for name, cells in rows.items())


def cell(text: str) -> str:
    """Text that may be in a cell."""
    return text.replace("|", "\\|")
