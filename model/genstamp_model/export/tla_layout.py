"""How TLA+ text is laid out: pieces that fit on a line, or break where a reader expects it.

Not here: what the pieces say (`tla_expressions`). Lists of `/\\` and `\\/` mean what their columns say in TLA+, so a
piece that breaks keeps all its lines to the right of where it begins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

WIDTH = 100

Lines = list[str]


class Level(IntEnum):
    """How tightly the outermost operator of a piece binds."""

    OPEN = 0  # reaches as far to the right as it can: quantifiers, IF, LET
    IMPLIES = 1
    AND_OR = 2
    NOT = 3
    COMPARE = 4
    OPERATOR = 5  # of numbers or sets
    ATOM = 6


@dataclass(frozen=True)
class Piece:
    """A piece of text.

    Attributes:
        inline: on one line.
        level: of its outermost operator.
        broken: its lines within a width, where it must break; None where it cannot.
        must_break: whether it never stands on one line.
    """

    inline: str
    level: Level = Level.ATOM
    broken: Callable[[int], Lines] | None = None
    must_break: bool = False

    def lines(self, width: int) -> Lines:
        """The piece within a width, if that can be."""
        if self.broken is None or (len(self.inline) <= width and not self.must_break):
            return [self.inline]
        return self.broken(width)


def hang(prefix: str, lines: Lines, suffix: str = "") -> Lines:
    """Lines behind a prefix, the later ones below the first."""
    margin = " " * len(prefix)
    hung = [prefix + lines[0], *(margin + line for line in lines[1:])]
    hung[-1] += suffix
    return hung


def at_least(piece: Piece, level: Level) -> Piece:
    """The piece in parentheses, unless its operator binds as tightly as asked for."""
    if piece.level >= level:
        return piece
    return Piece(
        f"({piece.inline})", Level.ATOM, lambda width: hang("(", piece.lines(width - 2), ")"), piece.must_break
    )


def infix(symbol: str, left: Piece, right: Piece, level: Level, operands: Level) -> Piece:
    """Two operands around an operator."""
    a, b = at_least(left, operands), at_least(right, operands)

    def broken(width: int) -> Lines:
        if len(a.inline) + len(symbol) < width // 2 and not a.must_break:
            return hang(f"{a.inline} {symbol} ", b.lines(width - len(a.inline) - len(symbol) - 2))
        return [*a.lines(width), *hang(f"{symbol} ", b.lines(width - len(symbol) - 1))]

    return Piece(f"{a.inline} {symbol} {b.inline}", level, broken, a.must_break or b.must_break)


def bullets(symbol: str, parts: Sequence[Piece]) -> Piece:
    """A list of conjuncts or disjuncts."""
    if len(parts) == 1:
        return parts[0]
    inline = f" {symbol} ".join(at_least(part, Level.NOT).inline for part in parts)

    def broken(width: int) -> Lines:
        return [line for part in parts for line in hang(f"{symbol} ", part.lines(width - len(symbol) - 1))]

    return Piece(inline, Level.AND_OR, broken, any(part.must_break for part in parts))


def choice(condition: Piece, then: Piece, otherwise: Piece) -> Piece:
    """IF, THEN, ELSE."""

    def broken(width: int) -> Lines:
        return [
            *hang("IF ", condition.lines(width - 3)),
            *hang("THEN ", then.lines(width - 5)),
            *hang("ELSE ", otherwise.lines(width - 5)),
        ]

    inline = f"IF {condition.inline} THEN {then.inline} ELSE {otherwise.inline}"
    return Piece(inline, Level.OPEN, broken, any(part.must_break for part in (condition, then, otherwise)))


def opened(head: str, body: Piece, close: str = "", level: Level = Level.ATOM) -> Piece:
    """A head that a body follows, indented below it where both do not fit: `\\A d \\in Datanode : body`."""

    def broken(width: int) -> Lines:
        return [head, *hang("    ", body.lines(width - 4), close)]

    return Piece(f"{head} {body.inline}{close}", level, broken, body.must_break)


def listed(head: str, items: Sequence[tuple[str, Piece]], close: str) -> Piece:
    """Items with labels in brackets, below one another where they do not fit: `[a |-> 1, b |-> 2]`."""
    inline = head + ", ".join(label + item.inline for label, item in items) + close

    def broken(width: int) -> Lines:
        lines: Lines = []
        for number, (label, item) in enumerate(items):
            end = close if number == len(items) - 1 else ","
            room = width - len(head) - len(label) - len(end)
            lines += hang(label, item.lines(room), end)
        return hang(head, lines)

    return Piece(inline, Level.ATOM, broken if items else None, any(item.must_break for _, item in items))


def changed(base: Piece, items: Sequence[tuple[str, Piece]]) -> Piece:
    """A function or record except for some elements: `[f EXCEPT ![d] = 1]`."""
    inline = f"[{base.inline} EXCEPT " + ", ".join(label + item.inline for label, item in items) + "]"

    def broken(width: int) -> Lines:
        lines = hang("[", base.lines(width - 8), " EXCEPT")
        for number, (label, item) in enumerate(items):
            end = "]" if number == len(items) - 1 else ","
            lines += hang(f"    {label}", item.lines(width - len(label) - 5), end)
        return lines

    must_break = base.must_break or any(item.must_break for _, item in items)
    return Piece(inline, Level.ATOM, broken, must_break)


def let(definitions: Sequence[tuple[str, Piece]], body: Piece) -> Piece:
    """Names for what is said more than once."""
    if not definitions:
        return body

    def broken(width: int) -> Lines:
        lines: Lines = []
        for number, (name, value) in enumerate(definitions):
            prefix = f"{'LET' if number == 0 else '   '} {name} == "
            if len(value.inline) <= width - len(prefix) and not value.must_break:
                lines.append(prefix + value.inline)
            else:
                lines += [prefix.rstrip(), *hang(" " * 8, value.lines(width - 8))]
        return [*lines, *hang("IN  ", body.lines(width - 4))]

    inline = "LET " + " ".join(f"{name} == {value.inline}" for name, value in definitions) + f" IN {body.inline}"
    return Piece(inline, Level.OPEN, broken, must_break=True)


def defined(name: str, body: Piece) -> Lines:
    """A definition."""
    if len(name) + 4 + len(body.inline) <= WIDTH and not body.must_break:
        return [f"{name} == {body.inline}"]
    return [f"{name} ==", *hang("    ", body.lines(WIDTH - 4))]


def comment(text: str) -> Iterator[str]:
    """A text as lines of comment."""
    yield from (f"\\* {line}".rstrip() for line in text.strip().splitlines())


def rule() -> Lines:
    """A line across, between parts of a module."""
    return ["-" * WIDTH, ""]


def wrapped(names: Sequence[str], width: int) -> Lines:
    """Names with commas, as many on a line as there is room for."""
    lines = [""]
    for number, name in enumerate(names):
        text = name + ("," if number < len(names) - 1 else "")
        if lines[-1] and len(lines[-1]) + 1 + len(text) > width:
            lines.append(text)
        else:
            lines[-1] = f"{lines[-1]} {text}".strip()
    return lines
