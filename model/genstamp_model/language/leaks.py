"""A quantifier's member stands for something inside of its quantifier only."""

from __future__ import annotations

import re
from typing import Final

from genstamp_model.errors import Source, SpecError
from genstamp_model.language import ir
from genstamp_model.language.ir import Expr

_NUMBERED: Final = re.compile(r"_\d+$")
"""How the name of a quantifier's member ends."""


def refuse_leak(expr: Expr, parameters: frozenset[str], source: Source) -> None:
    """Refuse a quantifier's member that is used outside of its quantifier, and a parameter of a member's name."""
    leaked = sorted(expr.free - parameters)
    if leaked:
        raise SpecError(f"'{leaked[0]}' is the member of a quantifier and is used outside it", source)
    if any(_NUMBERED.search(name) for name in parameters):
        bound = {node.data.name for node in ir.walk(expr) if node.op in ir.BINDERS}
        captured = sorted(parameters & bound)
        if captured:
            message = f"parameter '{captured[0]}' has the name of a member that a quantifier here is over; rename it"
            raise SpecError(message, source)
