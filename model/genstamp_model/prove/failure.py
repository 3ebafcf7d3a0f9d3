"""Where a property fails, as text."""

from __future__ import annotations

from itertools import product

from genstamp_model.evaluate import Evaluator, State
from genstamp_model.language.ir import text
from genstamp_model.language.model import Property
from genstamp_model.language.types import IndexSet


def first_failure(evaluator: Evaluator, declared: Property, before: State, after: State | None) -> str:
    """A property's name, with the first choice of its parameters for which it fails after a step, or of one.

    Args:
        after: the state after the step; None where the property fails in the state `before`.
    """
    sizes = evaluator.sizes
    one, other = (before, after) if declared.kind == "transition" else (after or before, None)
    domains = [p.domain for p in declared.parameters if isinstance(p.domain, IndexSet)]
    for choice in product(*(range(sizes.of(domain)) for domain in domains)):
        bound = {p.name: position for p, position in zip(declared.parameters, choice, strict=True)}
        if not evaluator.value(declared.condition, one, other, bound):
            shown = [
                f"{p.name} {sizes.member_name(d, i)}"
                for p, d, i in zip(declared.parameters, domains, choice, strict=True)
            ]
            where = f"({', '.join(shown)})" if shown else ""
            return f"{declared.name}{where}: {text(declared.condition)}"
    raise AssertionError(f"{declared.name} fails for no choice of its parameters")
