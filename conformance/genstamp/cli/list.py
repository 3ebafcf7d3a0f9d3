"""The verb `list`: which systems there are, in which configurations, with which properties and variations."""

from collections.abc import Iterator
from typing import Annotated

import typer

from genstamp.systems import every_system, system_named
from genstamp_model.language import System


def list_systems(
    systems: Annotated[
        list[str] | None, typer.Argument(metavar="[SYSTEM]...", help="Which systems; by default all.")
    ] = None,
) -> None:
    """List systems, their configurations, semantics, properties, bugs, and what they omit."""
    for system in [system_named(name) for name in systems] if systems else every_system():
        for line in described(system):
            typer.echo(line)


def described(system: System) -> Iterator[str]:
    """A system in some lines."""
    yield f"{system.name}: {system.doc}"
    semantics = [f"{name} (default)" if name == system.default_semantics else name for name in system.semantics]
    yield f"  semantics: {', '.join(semantics)}"
    for one in system.configurations:
        sizes = ", ".join(f"{name} {size}" for name, size in one.sizes.items())
        limits = ", ".join(f"{name} {bound}" for name, bound in one.limits.items())
        demand = "; on demand" if one.on_demand else ""
        yield f"  configuration {one.name}: {one.doc} (sizes: {sizes or 'none'}; limits: {limits or 'none'}{demand})"
    for claim in system.model().properties:
        yield f"  {claim.kind} {claim.name}: {claim.doc.splitlines()[0] if claim.doc else ''}"
    for variation in system.variations:
        yield f"  {variation.kind} {variation.name}: {variation.title}"
    if not system.variations:
        yield "  bugs, holes and differences: none"
    for sentence in system.omits:
        yield f"  omits {sentence}"
