"""How many there are, compared with a small constant: "at least two" says that there are two different ones.

What is counted may be the members for which a condition holds, the members of a set, or the messages of a bag; of a bag
only whether it is empty, for copies are not told apart.
"""

from __future__ import annotations

from dataclasses import dataclass

from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.types import BagType

COUNTING = frozenset({Op.COUNT, Op.CARDINALITY, Op.LENGTH})

# As many different members are spoken of at a time: each of them is one quantifier more.
_MOST = 4


@dataclass(frozen=True)
class Counted:
    """The condition that a number of members or messages is at least one number, and below another one.

    Attributes:
        count: the expression of the number.
        least: 0 where it says nothing.
        below: None where it says nothing.
    """

    count: Expr
    least: int
    below: int | None


def compared(node: Expr) -> Counted | None:
    """A comparison of a count with a constant, if the node is one that can be told by naming members."""
    if node.op not in (Op.EQ, Op.LT, Op.LE):
        return None
    left, right = node.args
    found = None
    if left.op in COUNTING and right.op is Op.CONST:
        found = Counted(left, *_from_left(node.op, right.data))
    elif right.op in COUNTING and left.op is Op.CONST:
        found = Counted(right, *_from_right(node.op, left.data))
    if found is None:
        return None
    most = 1 if isinstance(found.count.args[0].type, BagType) else _MOST
    return found if found.least <= most and (found.below or 0) <= most else None


def _from_left(op: Op, bound: int) -> tuple[int, int | None]:
    """What `count op bound` says."""
    if op is Op.EQ:
        return bound, bound + 1
    return 0, bound if op is Op.LT else bound + 1


def _from_right(op: Op, bound: int) -> tuple[int, int | None]:
    """What `bound op count` says."""
    if op is Op.EQ:
        return bound, bound + 1
    return bound + 1 if op is Op.LT else bound, None
