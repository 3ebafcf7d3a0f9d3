"""An answer of Z3 made as plain as it can be: as little as possible differs from the initial state."""

from __future__ import annotations

from collections.abc import Sequence

import z3

from genstamp_model.prove.algebra import Term, literal, plain

# How far above its initial value a number is looked for, one by one, before its distance is halved.
_NEAR = 4


def nearest(solver: z3.Solver, model: Term, cells: Sequence[Term], initial: Sequence[int]) -> Term:
    """A model of what the solver holds in which the fewest cells differ from their initial values.

    Where the solver does not answer in time, the nearest model that was met until then. Settled questions are asserted.

    Args:
        model: any model.
    """
    wishes = [cell == literal(cell, value) for cell, value in zip(cells, initial, strict=True)]
    model = _fewest(solver, _one_by_one(solver, model, wishes), wishes)
    far = [i for i, wish in enumerate(wishes) if not _holds(model, wish)]
    solver.add([wish for i, wish in enumerate(wishes) if i not in far])
    for i in far:
        model = _nearer(solver, model, cells[i], initial[i])
    return model


def _one_by_one(solver: z3.Solver, model: Term, wishes: Sequence[Term]) -> Term:
    """A model that no further wish can be added to; what the last model already shows costs no question."""
    solver.push()
    for wish in wishes:
        better = model if _holds(model, wish) else _model_with(solver, wish)
        if better is not None:
            model = better
            solver.add(wish)
    solver.pop()
    return model


def _fewest(solver: z3.Solver, model: Term, wishes: Sequence[Term]) -> Term:
    """A model with the fewest wishes open, from one that is a good beginning."""
    while True:
        still_open = sum(not _holds(model, wish) for wish in wishes)
        fewer = None
        if still_open > 1:
            fewer = _model_with(solver, z3.AtMost(*(z3.Not(wish) for wish in wishes), still_open - 1))
        if fewer is None:
            return model
        model = fewer


def _nearer(solver: z3.Solver, model: Term, cell: Term, initial: int) -> Term:
    """A model in which a number is as near to its initial value as it can be; the number is fixed in it."""
    if not z3.is_bool(cell):
        near = [cell == initial + distance for distance in range(1, _NEAR + 1)]
        better = next((found for wish in near if (found := _model_with(solver, wish)) is not None), None)
        model = _halved(solver, model, cell, initial) if better is None else better
    solver.add(cell == model.eval(cell, model_completion=True))
    return model


def _halved(solver: z3.Solver, model: Term, cell: Term, initial: int) -> Term:
    """A model in which a number that is not near is at the smallest distance."""
    too_near, reached = 0, abs(plain(model.eval(cell, model_completion=True)) - initial)
    while reached - too_near > 1:
        half = (too_near + reached) // 2
        better = _model_with(solver, z3.And(cell <= initial + half, cell >= initial - half))
        if better is None:
            too_near = half
        else:
            model, reached = better, abs(plain(better.eval(cell, model_completion=True)) - initial)
    return model


def _holds(model: Term, wish: Term) -> bool:
    return bool(z3.is_true(model.eval(wish, model_completion=True)))


def _model_with(solver: z3.Solver, wish: Term) -> Term | None:
    """A model of what the solver holds and one wish; None where there is none, or none in time."""
    solver.push()
    solver.add(wish)
    model = solver.model() if solver.check() == z3.sat else None
    solver.pop()
    return model
