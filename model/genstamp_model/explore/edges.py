"""Claims and witnesses about edges of the state graph, as scalars over the cells of a step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from genstamp_model.expand import Expansion
from genstamp_model.explore.scalar import Scalar
from genstamp_model.language import ir


class Edges:
    """Conditions of an instance's edges; each is expanded once for the same next cells.

    Args:
        claims: what every edge must fulfil.
        shown: what some edge is to show.
    """

    def __init__(self, expansion: Expansion[Scalar], claims: Sequence[ir.Expr], shown: Sequence[ir.Expr]) -> None:
        self._expansion = expansion
        positions: dict[str, list[int]] = {}
        for i, cell in enumerate(expansion.cells):
            positions.setdefault(cell.variable, []).append(i)
        self._claims = [self._with_read(claim, positions) for claim in claims]
        self._shown = [self._with_read(claim, positions) for claim in shown]
        self._memo: dict[tuple[ir.Expr, tuple[Scalar, ...]], Scalar] = {}

    @staticmethod
    def _with_read(claim: ir.Expr, positions: Mapping[str, Sequence[int]]) -> tuple[ir.Expr, list[int]]:
        """A condition, and the positions of the next cells that it reads."""
        names = {node.data for node in ir.walk(claim) if node.op is ir.Op.NEXT}
        return claim, [i for name in sorted(names) for i in positions.get(name, [])]

    def shown(self, next_cells: Sequence[Scalar]) -> Iterator[Scalar]:
        """For each condition that some edge is to show, whether a step to these cells shows it."""
        return (self._holds(claim, read, next_cells) for claim, read in self._shown)

    def broken(self, next_cells: Sequence[Scalar]) -> Scalar:
        """Whether a step to these cells breaks one of them."""
        graph = self._expansion.algebra
        return graph.or_([graph.not_(self._holds(claim, read, next_cells)) for claim, read in self._claims])

    def _holds(self, claim: ir.Expr, read: Sequence[int], next_cells: Sequence[Scalar]) -> Scalar:
        key = (claim, tuple(next_cells[i] for i in read))
        found = self._memo.get(key)
        if found is None:
            found = self._memo[key] = self._expansion.condition(claim, next_cells)
        return found
