"""Which properties a proof by induction is about, and which of them it may count on.

Each property relies on itself and on those that it names as `given`, before the step; all on the declared ranges.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from genstamp_model.errors import SpecError
from genstamp_model.language.model import Model, Property

RANGES = "every number stays in its declared range"


def relied_on(model: Model) -> list[Property]:
    """The properties that are declared inductive, and all that they rely on, in the order of the model.

    Raises:
        SpecError: a property relies on one that cannot be proved by induction, or on itself within one step.
    """
    needed = [claim.name for claim in model.properties if claim.inductive]
    for name in needed:
        claim = model.property(name)
        if claim.kind not in ("invariant", "transition"):
            raise SpecError(
                f"'{name}' is a {claim.kind}, which induction cannot prove and nothing can rely on", claim.source
            )
        _refuse_circle(model, claim, ())
        needed.extend(other for other in claim.given if other not in needed)
    return [claim for claim in model.properties if claim.name in needed]


def _refuse_circle(model: Model, claim: Property, path: tuple[str, ...]) -> None:
    """Refuse transition properties that rely on each other: each would be assumed of the step that it is shown for."""
    if claim.kind != "transition":
        return
    if claim.name in path:
        circle = " -> ".join((*path, claim.name))
        raise SpecError(f"transition properties rely on each other within one step: {circle}", claim.source)
    for name in claim.given:
        _refuse_circle(model, model.property(name), (*path, claim.name))


def first_unproved(name: str, given: Mapping[str, Sequence[str]], proved: AbstractSet[str]) -> str | None:
    """The first property that a proof relies on, by itself or through others, and that is not proved.

    Args:
        name: the property that was shown; it is not counted itself.
        given: what each property names, by its name; `RANGES` among them.
        proved: the properties whose own obligations are all shown.
    """
    open_ = [RANGES, *given[name]]
    for other in open_:
        open_.extend(further for further in given[other] if further not in open_)
    return next((other for other in open_ if other not in proved and other != name), None)
