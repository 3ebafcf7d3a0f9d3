"""The relevant part of a state from which a step breaks a claim: the few cells that are enough for the step to do
so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import z3

from genstamp_model.expand.cells import cells, nobody, places
from genstamp_model.language.model import Instance
from genstamp_model.language.types import (
    BOOL,
    INTEGER,
    ArrayType,
    BagType,
    RecordType,
    RefType,
    SequenceType,
    SetType,
    Type,
    Value,
    show,
)
from genstamp_model.prove.algebra import lift, literal
from genstamp_model.prove.encoding import Claim, EncodedStep, Encoding


def relevant(encoding: Encoding, step: EncodedStep, values: Sequence[int], claim: Claim) -> list[int]:
    """Positions of cells that suffice: wherever they have these values, the step is possible and the claim fails.

    The others may have any values of their types. None of the cells could be left out, as far as the solver finds out
    (an unsatisfiable core, minimised); which ones are found, where there is a choice, is up to it.
    """
    solver = z3.Solver()
    solver.set("core.minimize", True)
    after = [encoding.after_step(c, step, two_states=claim.two_states) for c in claim.conjuncts]
    # What the step trivially keeps is no reason for it to fail.
    kept = z3.And([term for term in after if term is not None])
    solver.add(z3.Or(z3.Not(lift(step.enabled)), kept))
    literals = [z3.Bool(f"as it is: {i}") for i in range(len(values))]
    for name, cell, value in zip(literals, encoding.before, values, strict=True):
        solver.add(z3.Implies(name, cell == literal(cell, value)))
    if solver.check(*literals) != z3.unsat:
        return []
    core = {name.get_id() for name in solver.unsat_core()}
    return [i for i, name in enumerate(literals) if name.get_id() in core]


def shown(instance: Instance, position: int, value: int) -> str:
    """A cell with its value, as reports show it."""
    types = [type_ for variable in instance.model.variables for type_ in _types(instance, variable.type)]
    type_, plain_value = types[position], _plain(instance, types[position], value)
    return f"{cells(instance)[position].name} is {show(plain_value, type_, instance.sizes)}"


def _plain(instance: Instance, type_: Type, value: int) -> Value:
    if isinstance(type_, RefType):
        return None if value == nobody(instance, type_.index) else value
    return bool(value) if type_ == BOOL else value


def _types(instance: Instance, type_: Type) -> Iterator[Type]:
    """The type of each cell, in the order of the cells."""
    match type_:
        case RecordType(fields=fields):
            for _, kind in fields:
                yield from _types(instance, kind)
        case ArrayType(index=index, element=element):
            for _ in range(instance.sizes.of(index)):
                yield from _types(instance, element)
        case SetType(index=index):
            yield from [BOOL] * instance.sizes.of(index)
        case SequenceType(element=element):
            yield INTEGER
            for _ in range(places(instance, type_)):
                yield from _types(instance, element)
        case BagType(message=message):
            for _ in range(places(instance, type_)):
                yield BOOL
                yield from _types(instance, message)
        case _:
            yield type_
