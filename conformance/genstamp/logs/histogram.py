"""A histogram of durations as SVG: a bar for each step of 1, 3, 10, 30, ... of a unit of time."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

_UNITS: Final = (("ms", 1_000, 300), ("s", 1_000_000, 30), ("min", 60_000_000, 30), ("h", 3_600_000_000, 10),
                 ("d", 86_400_000_000, 30))  # fmt: skip
"""Name, microseconds, and the highest step of each unit."""

_BOUNDS: Final = tuple(
    (step * size, f"{step} {unit}")
    for unit, size, highest in _UNITS
    for step in (1, 3, 10, 30, 100, 300)
    if step <= highest
)

_WIDTH, _HEIGHT, _FOOT, _HEAD, _SIDE = 640, 200, 44, 20, 12


def bins(durations: Sequence[int]) -> list[tuple[str, int]]:
    """What each bar stands for, and how many durations fall in it; without empty bars before the first and last.

    >>> bins([500, 2_000, 2_500_000])
    [('< 1 ms', 1), ('1 ms', 1), ('3 ms', 0), ('10 ms', 0), ('30 ms', 0), ('100 ms', 0), ('300 ms', 0), ('1 s', 1)]
    """
    counts = [0] * (len(_BOUNDS) + 1)
    for duration in durations:
        counts[bisect_right(_BOUNDS, duration, key=lambda bound: bound[0])] += 1
    names = [f"< {_BOUNDS[0][1]}", *(name for _, name in _BOUNDS)]
    filled = [number for number, count in enumerate(counts) if count]
    return list(zip(names, counts, strict=True))[filled[0] : filled[-1] + 1] if filled else []


def in_words(duration: float) -> str:
    """A duration in the largest unit of which there is one.

    >>> in_words(2_500_000), in_words(250)
    ('2.5 s', '0.25 ms')
    """
    name, size = next(((name, size) for name, size, _ in reversed(_UNITS) if duration >= size), _UNITS[0][:2])
    return f"{duration / size:.3g} {name}"


def histogram(title: str, durations: Sequence[int]) -> str:
    """The histogram as an SVG document."""
    bars = bins(durations)
    root = Element(
        "svg", xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {_WIDTH} {_HEIGHT}", width=str(_WIDTH), role="img"
    )
    SubElement(root, "title").text = title
    SubElement(root, "style").text = "text{font:11px sans-serif;fill:#1b1f24;text-anchor:middle}rect{fill:#4472c4}"
    step = (_WIDTH - 2 * _SIDE) / max(1, len(bars))
    highest = max((count for _, count in bars), default=1)
    for number, (name, count) in enumerate(bars):
        height = (_HEIGHT - _FOOT - _HEAD) * count / highest
        x, y = _SIDE + number * step, _HEIGHT - _FOOT - height
        SubElement(root, "rect", x=f"{x + 1:.1f}", y=f"{y:.1f}", width=f"{step - 2:.1f}", height=f"{height:.1f}")
        middle = f"{x + step / 2:.1f}"
        if count:
            SubElement(root, "text", x=middle, y=f"{y - 4:.1f}").text = f"{count:,}"
        # Every other name is lower, so that they do not run into each other.
        SubElement(root, "text", x=middle, y=f"{_HEIGHT - _FOOT + 16 + 14 * (number % 2)}").text = name
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"
